//! Choices of a page as links: each leads to the same page with another value of a parameter.

use std::collections::HashMap;

use unspool_text::html::Html;

use crate::route::Call;

/// A choice: the parameters that it changes, and whether it is the current one.
pub(crate) struct PageChoice<'c> {
    pub(crate) changes: &'c [(&'c str, Option<&'c str>)],
    pub(crate) is_chosen: bool,
}

impl PageChoice<'_> {
    /// Paints the choice as a list item; `name` paints the words for it.
    pub(crate) fn paint(&self, call: &Call, html: &mut Html, name: impl FnOnce(&mut Html)) {
        html.tag("<li><a").attribute("href", &changed_url(call, self.changes));
        html.tag(if self.is_chosen { " aria-current=\"true\">" } else { ">" });
        name(html);
        html.tag("</a></li>");
    }
}

/// Returns the address of the requested page with some parameters changed. It is the address of the
/// whole page, even if only a part was requested.
pub(crate) fn changed_url(call: &Call, changes: &[(&str, Option<&str>)]) -> String {
    let changes = [changes, &[("part", None)]].concat();
    format!("?{}", call.query.with(&changes))
}

/// Counts how often each value occurs, the most frequent first.
pub(crate) fn most_used<'v>(values: impl Iterator<Item = &'v str>) -> Vec<(String, usize)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let mut counts: Vec<_> =
        counts.into_iter().map(|(value, count)| (value.to_owned(), count)).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}
