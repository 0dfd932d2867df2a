//! What is around every page, and the page of a problem.

mod audience;
mod page;
mod problem;

pub(crate) use self::audience::Audience;
pub(crate) use self::page::{Crumb, PageFrame, waits};
