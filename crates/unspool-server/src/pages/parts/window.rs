//! The way through a list that is shown in pages by position.

use unspool_text::html::Html;

use super::choices::changed_way;
use crate::route::Call;

/// The rows of a list that one page shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowWindow {
    /// The position of the first one.
    pub(crate) from: usize,
    /// The position after the last one.
    pub(crate) end: usize,
    /// How many there are.
    pub(crate) total: usize,
    /// How many a page shows.
    pub(crate) per_page: usize,
}

impl RowWindow {
    /// Paints which rows are here, with links to the pages before and after.
    pub(crate) fn paint(self, call: &Call, html: &mut Html) {
        html.tag("<nav class=\"pages\" aria-label=\"Pages\"><span>");
        html.number(self.from as u64 + 1).tag("\u{2013}").number(self.end as u64);
        html.tag(" of ").number(self.total as u64).tag("</span>");
        let mut step = |words: &'static str, to: usize| {
            let way = changed_way(call, &[("from", Some(&to.to_string()))]);
            html.tag("<a class=\"button\"").attribute("href", &way);
            html.tag(">").tag(words).tag("</a>");
        };
        if self.from > 0 {
            step("Earlier", self.from.saturating_sub(self.per_page));
        }
        if self.end < self.total {
            step("Later", self.end);
        }
        html.tag("</nav>\n");
    }
}
