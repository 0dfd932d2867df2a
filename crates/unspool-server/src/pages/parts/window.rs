//! Navigation in a list that is split into pages by position.

use unspool_text::html::Html;

use super::choices::changed_url;
use crate::route::Call;

/// The rows of a list on one page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowWindow {
    /// The position of the first row.
    pub(crate) from: usize,
    /// The position after the last row.
    pub(crate) end: usize,
    /// The number of all rows.
    pub(crate) total: usize,
    /// The number of rows on a page.
    pub(crate) per_page: usize,
}

impl RowWindow {
    /// Paints the range of rows, with links to the previous and the next page.
    pub(crate) fn paint(self, call: &Call, html: &mut Html) {
        html.tag("<nav class=\"pages\" aria-label=\"Pages\"><span>");
        html.number(self.from as u64 + 1).tag("\u{2013}").number(self.end as u64);
        html.tag(" of ").number(self.total as u64).tag("</span>");
        let mut step = |words: &'static str, to: usize| {
            let way = changed_url(call, &[("from", Some(&to.to_string()))]);
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
