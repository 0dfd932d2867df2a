//! `/live`: the running sessions; `/live/list`: what tells a page that shows lists to look again.

mod wall;

use crate::route::{Call, StreamAnswer};
use crate::stream::{ListWords, list_stream};

pub(super) use self::wall::wall;

/// Answers with the parts of pages that are other ones now.
pub(super) fn list(call: Call) -> StreamAnswer {
    Box::pin(async move { Ok(list_stream(&call, ListWords::Page)) })
}
