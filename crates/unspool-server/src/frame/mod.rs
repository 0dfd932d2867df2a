//! The frame of every page, and the page of a problem.

mod audience;
mod page;
mod problem;
mod waits;
mod way;

pub(crate) use self::audience::Audience;
pub(crate) use self::page::{Crumb, PageFrame};
pub(crate) use self::waits::waits;
pub use self::way::session_page;
pub(crate) use self::way::{
    RunWays, SessionWays, entry_way, is_linkable, project_way, query_way, segment, session_way,
    way_in_project,
};
