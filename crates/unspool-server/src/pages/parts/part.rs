//! Parts of a page that can be requested alone.
//!
//! A page is a frame around parts. `?part=inbox,bar` requests only those parts, and the page's script
//! replaces the old ones with them. A part is an element with an id and the attribute `data-part`.

use axum::http::header;
use unspool_text::html::Html;

use crate::frame::{PageFrame, waits};
use crate::route::Call;
use crate::web::WebReply;

/// The name of the part of the bar that shows what waits for a person.
const BAR: &str = "bar";

/// The parts of a page that a request wants.
pub(crate) struct PageParts<'c> {
    call: &'c Call,
    /// The names; none for the whole page.
    asked: Option<Vec<&'c str>>,
}

impl<'c> PageParts<'c> {
    /// Reads which parts a request wants.
    pub(crate) fn of(call: &'c Call) -> Self {
        let asked = call.query.get("part");
        Self { call, asked: asked.map(|names| names.split(',').collect()) }
    }

    /// Returns whether a request wants a part.
    pub(crate) fn wants(&self, name: &str) -> bool {
        let asked = self.asked.as_ref();
        asked.is_none_or(|asked| asked.contains(&name))
    }

    /// Builds the answer: the parts alone, or the page that `layout` paints.
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
