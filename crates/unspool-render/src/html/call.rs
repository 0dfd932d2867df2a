//! Calls: one line about the action, with the input and the result folded below it.

use unspool_model::conversation::CallStatus;
use unspool_model::tool::TodoStatus;
use unspool_text::diff::Diff;
use unspool_text::html::{Html, Painting, anchor, ansi, code_block, diff, open_link, prose};
use unspool_text::{LinkTarget, human};

use super::host::{PaintContext, cut, cut_change, link_to_all};
use super::media::media;
use crate::document::{
    AskedQuestion, CallDetail, CallSide, DetailBody, DisplayWeight, ShownCall, TodoItem, WebLink,
};

/// The most lines of a change that is open from the start.
const SHORT_CHANGE: usize = 40;
/// Lines at the end of a failed call's output that are open from the start: they contain the error.
const FAILURE: usize = 20;

/// Opens a call: paints its line and its details. Nested elements may follow.
///
/// A call is folded to one line, unless it failed or has something to be read at once. Inside a
/// call that is open from the start, hidden details are folded once more.
pub(super) fn open(call: &ShownCall, brush: PaintContext<'_>, html: &mut Html) {
    html.tag("<details class=\"call ").tag(call.status.name());
    html.tag_if(call.status == CallStatus::Done && call.details.iter().any(is_change), " change");
    html.tag("\"");
    if let Some(id) = &call.id {
        html.attribute("id", &format!("c-{}", anchor(id)));
    }
    let opens = has_failed(call) || call.details.iter().any(is_read_at_once);
    html.tag_if(opens, " open");
    html.tag(">\n<summary>");
    line(call, html);
    html.tag("</summary>\n<div class=\"inside\">\n");
    for (number, detail) in call.details.iter().enumerate() {
        let folds = opens && detail.weight == DisplayWeight::Hidden;
        paint_detail(call, number, folds, brush, html);
    }
}

/// Returns whether a call failed and has a result that says why.
fn has_failed(call: &ShownCall) -> bool {
    let says = |detail: &CallDetail| detail.side == CallSide::Answered;
    call.status == CallStatus::Failed && call.details.iter().any(says)
}

fn is_change(detail: &CallDetail) -> bool {
    matches!(detail.body, DetailBody::Change { .. })
}

fn is_read_at_once(detail: &CallDetail) -> bool {
    match (detail.weight, &detail.body) {
        (DisplayWeight::Open, _) => true,
        (DisplayWeight::Folded, DetailBody::Change { diff, .. }) => {
            let lines: usize = diff.hunks().iter().map(|hunk| hunk.lines.len()).sum();
            lines <= SHORT_CHANGE
        }
        _ => false,
    }
}

/// Closes the elements that [`open`] opened.
pub(super) fn close(html: &mut Html) {
    html.tag("</div></details>\n");
}

fn line(call: &ShownCall, html: &mut Html) {
    html.tag("<span class=\"status\" role=\"img\" aria-label=\"").tag(call.status.name());
    html.tag("\"></span><span class=\"tool\">").text(&call.name).tag("</span>");
    if !call.summary.is_empty() {
        html.tag(" <span class=\"what\">").text(&call.summary).tag("</span>");
    }
    if !matches!(call.status, CallStatus::Done) {
        html.tag(" <span class=\"ended\">").tag(call.status.name()).tag("</span>");
    }
    if let Some(note) = &call.note {
        html.tag(" <span class=\"note\">").text(note).tag("</span>");
    }
    if let Some(ms) = call.duration_ms {
        html.tag(" <span class=\"took\">").text(&human::duration(ms)).tag("</span>");
    }
}

fn paint_detail(
    call: &ShownCall,
    number: usize,
    folds: bool,
    brush: PaintContext<'_>,
    html: &mut Html,
) {
    let detail = &call.details[number];
    let body = |html: &mut Html| {
        let way = brush.detail_way(call.id.as_deref(), number);
        if !way.is_some_and(|way| beginning(call, detail, &way, brush, html)) {
            body(call, &detail.body, brush, html);
        }
    };
    let side = match detail.side {
        CallSide::Asked => "<div class=\"detail asked\">\n",
        CallSide::Answered => "<div class=\"detail answered\">\n",
    };
    html.tag(side);
    if folds {
        html.tag("<details class=\"more\"><summary>");
        html.tag(hidden_name(detail)).tag("</summary>\n");
        body(html);
        html.tag("</details>\n");
    } else {
        body(html);
    }
    html.tag("</div>\n");
}

/// Returns the label of a folded detail.
fn hidden_name(detail: &CallDetail) -> &'static str {
    match (detail.side, &detail.body) {
        (_, DetailBody::Change { .. }) => "Change",
        (_, DetailBody::Todos(_)) => "Things to do",
        (_, DetailBody::Links(_)) => "Pages",
        (CallSide::Asked, _) => "Input",
        (CallSide::Answered, _) => "Output",
    }
}

/// Paints the beginning of a long detail with a link to all of it; returns whether it is long.
fn beginning(
    call: &ShownCall,
    detail: &CallDetail,
    way: &str,
    brush: PaintContext<'_>,
    html: &mut Html,
) -> bool {
    let shown = match &detail.body {
        DetailBody::Code { language, text } => cut(text).map(|head| {
            let (language, text) = (language.clone(), head.to_owned());
            DetailBody::Code { language, text }
        }),
        DetailBody::Output { text, is_error } if has_failed(call) => {
            return long_failure(text, *is_error, way, html);
        }
        DetailBody::Output { text, is_error } => {
            cut(text).map(|head| DetailBody::Output { text: head.to_owned(), is_error: *is_error })
        }
        DetailBody::Change { path, diff } => cut_change(diff).map(|diff| {
            let path = path.clone();
            DetailBody::Change { path, diff }
        }),
        _ => None,
    };
    let Some(shown) = shown else {
        return false;
    };
    body(call, &shown, brush, html);
    link_to_all(way, lines_of(&detail.body), html);
    true
}

/// Paints the end of a long error, with a link to all of it.
fn long_failure(text: &str, is_error: bool, way: &str, html: &mut Html) -> bool {
    if cut(text).is_none() {
        return false;
    }
    link_to_all(way, text.lines().count(), html);
    let lines: Vec<&str> = text.trim_end().split('\n').collect();
    let end = lines[lines.len().saturating_sub(FAILURE)..].join("\n");
    output(cut(&end).unwrap_or(&end), is_error, html);
    true
}

/// Returns the number of lines of a detail.
fn lines_of(body: &DetailBody) -> usize {
    match body {
        DetailBody::Code { text, .. } | DetailBody::Output { text, .. } => text.lines().count(),
        DetailBody::Change { diff, .. } => diff.hunks().iter().map(|hunk| hunk.lines.len()).sum(),
        _ => 0,
    }
}

/// Paints all of a detail.
pub fn whole_detail(call: &ShownCall, detail: &CallDetail, html: &mut Html) {
    // The beginning of a long error is not folded here.
    match &detail.body {
        DetailBody::Output { text, is_error } => output(text, *is_error, html),
        other => body(call, other, PaintContext::in_file(Painting::Highlighted), html),
    }
}

/// Paints the content of a detail.
fn body(call: &ShownCall, body: &DetailBody, brush: PaintContext<'_>, html: &mut Html) {
    let painting = brush.painting;
    match body {
        DetailBody::Code { language, text } => code_block(language, text, painting, html),
        DetailBody::Change { path, diff } => {
            // Most of the time the line of the call contains the path already.
            if call.summary != *path {
                html.tag("<p class=\"path\"><code>").text(path).tag("</code></p>\n");
            }
            paint_change(path, diff, painting, html);
        }
        DetailBody::Output { text, is_error } if has_failed(call) => failure(text, *is_error, html),
        DetailBody::Output { text, is_error } => output(text, *is_error, html),
        DetailBody::Todos(items) => todos(items, html),
        DetailBody::Prose(text) => {
            html.tag("<div class=\"plan prose\">\n");
            prose(text, painting, html);
            html.tag("</div>\n");
        }
        DetailBody::Questions(questions) => {
            for asked in questions {
                question(asked, html);
            }
        }
        DetailBody::Links(links) => {
            html.tag("<ul class=\"links\">\n");
            for page in links {
                link(page, html);
            }
            html.tag("</ul>\n");
        }
        DetailBody::Media(thing) => media(thing, brush, html),
    }
}

/// Paints a change. The content of a new file is painted as code.
fn paint_change(path: &str, change: &Diff, painting: Painting, html: &mut Html) {
    match new_content(change) {
        Some(content) => code_block(extension(path), &content, painting, html),
        None => diff(change, html),
    }
}

/// Returns the content of a new file; `None` if the file is not new.
fn new_content(change: &Diff) -> Option<String> {
    let [hunk] = change.hunks() else { return None };
    let is_new = hunk.old_start == 0 && hunk.old_lines == 0;
    let lines = hunk.lines.iter().map(|line| line.strip_prefix('+'));
    let lines: Vec<&str> = lines.collect::<Option<_>>().filter(|_| is_new)?;
    Some(lines.join("\n") + "\n")
}

/// Returns the extension of a file's name, which names a language.
fn extension(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Paints the output of a failed call: its end, and folded the lines before it.
fn failure(text: &str, is_error: bool, html: &mut Html) {
    let lines: Vec<&str> = text.trim_end().split('\n').collect();
    // A fold that saves a line or two is not worth a click.
    let folded = lines.len().saturating_sub(FAILURE);
    if folded <= 2 {
        return output(text, is_error, html);
    }
    html.tag("<details class=\"more\"><summary>");
    html.text(&format!("{folded} lines before")).tag("</summary>\n");
    output(&lines[..folded].join("\n"), is_error, html);
    html.tag("</details>\n");
    output(&lines[folded..].join("\n"), is_error, html);
}

/// Paints the output of a program.
pub(super) fn output(text: &str, is_error: bool, html: &mut Html) {
    html.tag(if is_error {
        "<div class=\"code output error\">"
    } else {
        "<div class=\"code output\">"
    });
    html.tag("<pre tabindex=\"0\"><code>");
    ansi(text.strip_suffix('\n').unwrap_or(text), html);
    html.tag("</code></pre></div>\n");
}

fn todos(items: &[TodoItem], html: &mut Html) {
    html.tag("<ul class=\"todos\">\n");
    for item in items {
        let (open, label) = match item.status {
            TodoStatus::Pending => ("<li><span class=\"box\"", "to do"),
            TodoStatus::InProgress => {
                ("<li class=\"current\"><span class=\"box half\"", "in progress")
            }
            TodoStatus::Completed => ("<li class=\"completed\"><span class=\"box done\"", "done"),
            TodoStatus::Other => ("<li><span class=\"box\"", "unknown"),
        };
        html.tag(open).tag(" role=\"img\"").attribute("aria-label", label);
        html.tag("></span><span>").text(&item.text).tag("</span></li>\n");
    }
    html.tag("</ul>\n");
}

fn question(asked: &AskedQuestion, html: &mut Html) {
    html.tag("<div class=\"question\">\n<p>").text(&asked.question).tag("</p>\n");
    let answer = asked.answer.as_deref().unwrap_or_default();
    if !asked.choices.is_empty() {
        html.tag("<ul>\n");
        for (label, meaning) in &asked.choices {
            let chosen = !label.is_empty() && answer.split(", ").any(|one| one == label);
            html.tag(if chosen { "<li class=\"chosen\">" } else { "<li>" });
            html.tag("<strong>").text(label).tag("</strong>");
            if let Some(meaning) = meaning {
                html.tag(" ").text(meaning);
            }
            html.tag("</li>\n");
        }
        html.tag("</ul>\n");
    }
    if !answer.is_empty() {
        html.tag("<p class=\"answer\">").text(answer).tag("</p>\n");
    }
    html.tag("</div>\n");
}

fn link(page: &WebLink, html: &mut Html) {
    html.tag("<li>");
    let title = if page.title.is_empty() { &page.url } else { &page.title };
    if let LinkTarget::Web(url) = LinkTarget::of(&page.url) {
        open_link(url, html);
        html.text(title).tag("</a>");
    } else {
        html.text(title);
    }
    if *title != page.url {
        html.tag(" <small>").text(&page.url).tag("</small>");
    }
    html.tag("</li>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(path: &str, old: &str, new: &str) -> String {
        let mut html = Html::new();
        paint_change(path, &Diff::between(old, new), Painting::Highlighted, &mut html);
        html.as_str().to_owned()
    }

    fn command(status: CallStatus, output: &str) -> String {
        let mut html = Html::new();
        let call = ShownCall {
            id: None,
            name: "Bash".to_owned(),
            status,
            summary: "make".to_owned(),
            note: None,
            duration_ms: None,
            details: vec![CallDetail {
                side: CallSide::Answered,
                weight: DisplayWeight::Folded,
                body: DetailBody::Output {
                    text: output.to_owned(),
                    is_error: status == CallStatus::Failed,
                },
            }],
            agent: None,
        };
        open(&call, PaintContext::in_file(Painting::Plain), &mut html);
        html.as_str().to_owned()
    }

    #[test]
    fn a_failed_call_shows_what_went_wrong_without_a_click() {
        let failed = command(CallStatus::Failed, "no rule to make target");
        assert!(failed.starts_with("<details class=\"call failed\" open>"), "{failed}");
        let done = command(CallStatus::Done, "fine");
        assert!(done.starts_with("<details class=\"call done\">"), "{done}");
    }

    #[test]
    fn of_a_long_failure_the_end_is_open() {
        let lines: Vec<String> = (1..=100).map(|number| format!("line {number}.")).collect();
        let page = command(CallStatus::Failed, &lines.join("\n"));
        let (folded, shown) = page.split_once("</details>").expect("a fold");
        assert!(folded.contains("80 lines before") && folded.contains("line 80."));
        assert!(!folded.contains("line 81.") && shown.contains("line 81."));
        assert!(shown.contains("line 100."));
    }

    #[test]
    fn new_files_are_code() {
        assert_eq!(
            painted("a/b.rs", "", "fn x\n\n"),
            "<div class=\"code\" data-language=\"rs\"><pre tabindex=\"0\"><code><span class=\"k\">fn</span> x\n</code></pre></div>\n"
        );
        assert!(painted("a/b.rs", "x\n", "y\n").contains("class=\"diff\""));
        assert!(painted("README", "", "# x\n").contains("<div class=\"code\"><pre"));
    }
}
