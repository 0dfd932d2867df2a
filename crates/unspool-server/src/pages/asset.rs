//! `/assets/{print}/{name}`: style sheets and scripts.

use crate::route::Call;
use crate::web::{CachePolicy, Problem, Reply};

/// Serves a file. An old address leads to nothing: its page is loaded again.
pub(super) fn asset(call: &Call) -> Result<Reply, Problem> {
    let file = call.state.assets.at(&call.path);
    let (media_type, text) = file.ok_or_else(|| Problem::not_found("there is no such file"))?;
    Ok(Reply::of(media_type, text).cached(CachePolicy::Forever))
}
