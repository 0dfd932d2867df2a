//! The heads of tables.

use unspool_text::html::Html;

/// Paints the column heads of a table, and opens its body.
pub(crate) fn table_head<'n>(names: impl IntoIterator<Item = &'n str>, html: &mut Html) {
    html.tag("<thead><tr>");
    for name in names {
        html.tag("<th scope=\"col\">").text(name).tag("</th>");
    }
    html.tag("</tr></thead>\n<tbody>\n");
}
