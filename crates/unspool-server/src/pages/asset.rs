//! `/assets/{print}/{name}`: style sheets and scripts.

use crate::route::Call;
use crate::web::{CachePolicy, RequestProblem, WebReply};

/// Serves a file. The address of an older version is not found; its page has to be reloaded.
pub(super) fn asset(call: &Call) -> Result<WebReply, RequestProblem> {
    let file = call.state.assets.at(&call.path);
    let (media_type, text) =
        file.ok_or_else(|| RequestProblem::not_found("there is no such file"))?;
    Ok(WebReply::of(media_type, text).cached(CachePolicy::Forever))
}
