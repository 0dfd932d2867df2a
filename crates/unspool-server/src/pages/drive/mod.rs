//! Driving on pages: a run with its state, its queue and its approvals.
//!
//! [`paint_run`] paints the current state of a run, which a session page shows next to its
//! composer. The page and its live stream contain the same markup, and `/runs` the same cards, so
//! every tab shows the same. Attributes of buttons and forms name their actions, which `drive.js`
//! reads: without a script a run can be watched, but not driven.

mod ask;
mod card;
mod composer;
mod failure;
mod form;
mod limits;
mod panel;
mod runs;

pub(super) use self::card::{paint_card, paint_lately};
pub(super) use self::composer::Composer;
pub(super) use self::panel::paint_run;
pub(super) use self::runs::page;
