//! Parts of a page that can be asked for again by themselves.
//!
//! A page is a frame around parts. `?part=inbox,bar` gives those parts alone, and the page's
//! script puts them in the place of the old ones. A part is an element with an id and the
//! attribute `data-part`.

use axum::http::header;
use unspool_text::html::Html;

use crate::frame::{PageFrame, waits};
use crate::route::Call;
use crate::web::WebReply;

/// The name of the part of the bar that says what waits.
const BAR: &str = "bar";

/// Which parts of a page a request wants.
pub(crate) struct PageParts<'c> {
    call: &'c Call,
    /// The names; the whole page if none.
    asked: Option<Vec<&'c str>>,
}

impl<'c> PageParts<'c> {
    /// Reads which parts are wanted.
    pub(crate) fn of(call: &'c Call) -> Self {
        let asked = call.query.get("part");
        Self { call, asked: asked.map(|names| names.split(',').collect()) }
    }

    /// Tells whether a part is wanted.
    pub(crate) fn wants(&self, name: &str) -> bool {
        let asked = self.asked.as_ref();
        asked.is_none_or(|asked| asked.contains(&name))
    }

    /// Makes the answer: the parts alone, or the page that `layout` makes.
    pub(crate) fn answer(
        &self,
        frame: &PageFrame<'_>,
        parts: &[&Html],
        layout: impl FnOnce(&mut Html),
    ) -> WebReply {
        let mut html = Html::new();
        if self.asked.is_none() {
            layout(&mut html);
            return WebReply::html(&frame.paint(&self.call.state, &html));
        }
        if self.wants(BAR) {
            waits(&self.call.state, &mut html);
        }
        for part in parts {
            html.append(part);
        }
        WebReply::html(&html).matched(self.call.header(header::IF_NONE_MATCH))
    }
}
