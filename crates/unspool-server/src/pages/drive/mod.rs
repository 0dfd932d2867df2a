//! Driving on pages: a run with what it does, its queue and what waits for a person.
//!
//! [`paint_run`] paints a run as it is, and a session page puts it next to its composer; the same
//! markup comes with the page, with its live stream and on `/runs`, so every tab shows the same.
//! Buttons and forms carry what they do in attributes, which `drive.js` reads: without a script a run
//! can be watched, not driven.

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
