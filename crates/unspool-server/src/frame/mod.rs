//! What is around every page, and the page of a problem.

mod audience;
mod page;
mod problem;
mod waits;

pub(crate) use self::audience::Audience;
pub(crate) use self::page::{Crumb, PageFrame};
pub(crate) use self::waits::waits;
