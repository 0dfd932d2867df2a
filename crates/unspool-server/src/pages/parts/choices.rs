//! Choices of a page as links: each leads to the same page with another value of a parameter.

use std::collections::HashMap;

use unspool_text::html::Html;

use crate::route::Call;

/// A choice: the parameters that it changes, and whether it is the one that is shown.
pub(crate) struct PageChoice<'c> {
    pub(crate) changes: &'c [(&'c str, Option<&'c str>)],
    pub(crate) is_chosen: bool,
}

impl PageChoice<'_> {
    /// Paints the choice as an item of a list, with what it is called.
    pub(crate) fn paint(&self, call: &Call, html: &mut Html, name: impl FnOnce(&mut Html)) {
        html.tag("<li><a").attribute("href", &changed_way(call, self.changes));
        html.tag(if self.is_chosen { " aria-current=\"true\">" } else { ">" });
        name(html);
        html.tag("</a></li>");
    }
}

/// Returns the address of the page that a request asks for with some parameters changed. It is an address
/// of the whole page, also where a part of it was asked for.
pub(crate) fn changed_way(call: &Call, changes: &[(&str, Option<&str>)]) -> String {
    let changes = [changes, &[("part", None)]].concat();
    format!("?{}", call.query.with(&changes))
}

/// Counts how often each value is there; the most used come first.
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
