//! `/live`: the running sessions; `/live/list`: events that tell pages with lists which parts to reload.

mod wall;

use crate::route::{Call, StreamAnswer};
use crate::stream::{ListEventFormat, list_stream};

pub(super) use self::wall::wall;

/// Streams the names of changed parts to a page.
pub(super) fn list(call: Call) -> StreamAnswer {
    Box::pin(async move { Ok(list_stream(&call, ListEventFormat::Page)) })
}
