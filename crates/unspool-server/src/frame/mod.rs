//! The frame of every page, and the page of a problem.

mod audience;
mod page;
mod problem;
mod urls;
mod waits;

pub(crate) use self::audience::RequestSender;
pub(crate) use self::page::{Crumb, PageFrame};
pub use self::urls::session_page;
pub(crate) use self::urls::{
    RunUrls, SessionUrls, entry_url, is_linkable, project_url, query_url, segment, session_url,
    url_in_project,
};
pub(crate) use self::waits::waits;
