//! Elements that several pages share: rows of sessions, marks, times, strips and addresses; and
//! parts of pages that can be requested alone.

mod about;
mod choices;
pub(crate) mod live_item;
mod mark;
mod moment;
mod notes;
mod part;
mod plot;
mod row;
mod shown;
mod strip;
mod table;
mod window;

pub(crate) use self::about::SessionPageContext;
pub(crate) use self::choices::{PageChoice, changed_url, most_used};
pub(crate) use self::mark::{SessionMark, mark};
pub(crate) use self::moment::{TimeStyle, moment};
pub(crate) use self::notes::note_lines;
pub(crate) use self::part::PageParts;
pub(crate) use self::plot::{percent, pixels, share};
pub(crate) use self::row::{RowColumns, RowList, cut_at, shown_title};
pub(crate) use self::shown::{paint_entry_link, path_choices, shown_path, transcript_url};
pub(crate) use self::strip::{StripBar, strip};
pub(crate) use self::table::table_head;
pub(crate) use self::window::RowWindow;
pub(crate) use crate::frame::{
    SessionUrls, entry_url, is_linkable, project_url, query_url, session_url, url_in_project,
};
