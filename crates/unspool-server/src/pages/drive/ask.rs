//! A request of the client, painted in full: the command, the change of a file, the questions, the plan.
//!
//! A request is in a box that scrolls. The script disables the answers that allow it until the end
//! of the box was visible; a very long text is folded, and counts as seen once it is unfolded.

use unspool_model::tool::{AskedField, AskedForm, AskedInput, AskedValue, UserQuestion};
use unspool_text::diff::Diff;
use unspool_text::html::{Html, Painting, diff, prose};

/// How many characters of a text are shown at once; the rest can be unfolded.
const SHOWN: usize = 12_000;

/// Paints a request except its questions, which are a form. A description that is too long for the
/// head of the card comes first.
pub(super) fn paint_request(words: Option<&str>, asked: &AskedInput, html: &mut Html) {
    html.tag("<div class=\"request\" tabindex=\"0\" role=\"region\" ");
    html.tag("aria-label=\"The whole request\">\n");
    if let Some(words) = words {
        html.tag("<p class=\"about\">").text(words).tag("</p>\n");
    }
    match &asked.matter {
        AskedForm::Command(command) => code(command, html),
        AskedForm::Edits { path, edits } => {
            paint_path(path, html);
            for edit in edits {
                diff(&Diff::between(&edit.old, &edit.new), html);
            }
        }
        AskedForm::Write { path, content } => {
            paint_path(path, html);
            code(content, html);
        }
        AskedForm::Plan(plan) => paint_plan(plan.as_deref(), html),
        AskedForm::Questions(_) | AskedForm::Fields => {}
    }
    for field in &asked.rest {
        paint_rest(field, html);
    }
    html.tag("<span class=\"end\" tabindex=\"-1\"><span class=\"sr\">End of the request</span>");
    html.tag("</span>\n</div>\n");
}

fn paint_plan(plan: Option<&str>, html: &mut Html) {
    match plan {
        Some(plan) => {
            html.tag("<div class=\"plan\">");
            prose(plan, Painting::Highlighted, html);
            html.tag("</div>\n");
        }
        None => _ = html.tag("<p class=\"faint\">The plan is in the conversation.</p>\n"),
    }
}

/// Paints questions as fields of a form.
pub(super) fn paint_questions(questions: &[UserQuestion<'_>], html: &mut Html) {
    for (number, question) in questions.iter().enumerate() {
        html.tag("<fieldset").attribute("data-question", &question.question);
        html.tag("><legend>").text(&question.question).tag("</legend>\n");
        let name = format!("q{number}");
        for option in &question.options {
            html.tag("<label><input");
            html.attribute("type", if question.multiple { "checkbox" } else { "radio" });
            html.attribute("name", &name).attribute("value", &option.label);
            html.tag("> <span>").text(&option.label);
            if let Some(words) = option.description.as_deref() {
                html.tag(" <small>").text(words).tag("</small>");
            }
            html.tag("</span></label>\n");
            if let Some(preview) = option.preview.as_deref() {
                code(preview, html);
            }
        }
        html.tag("<label class=\"own-words\"><span>In your words</span> <input type=\"text\"");
        html.attribute("name", &format!("{name}-other"));
        html.tag(" autocomplete=\"off\"></label>\n</fieldset>\n");
    }
}

fn paint_path(path: &str, html: &mut Html) {
    html.tag("<p class=\"path\"><code>").text(path).tag("</code></p>\n");
}

/// Paints a text verbatim; the end of a very long one is folded.
fn code(text: &str, html: &mut Html) {
    let cut = text.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| at);
    let (shown, folded) = text.split_at(cut);
    html.tag("<div class=\"code\"><pre><code>");
    html.text(shown).tag("</code></pre></div>\n");
    if !folded.is_empty() {
        html.tag("<details><summary>The rest</summary><div class=\"code\"><pre><code>");
        html.text(folded).tag("</code></pre></div></details>\n");
    }
}

/// Paints a field of the request that has no layout of its own.
fn paint_rest(field: &AskedField, html: &mut Html) {
    if !field.name.is_empty() {
        html.tag("<p class=\"field-name\">").text(&field.name).tag("</p>\n");
    }
    match &field.value {
        AskedValue::Text(text) => code(text, html),
        AskedValue::Json(json) => code(&spread_out(json), html),
    }
}

/// Pretty-prints JSON; returns a text that does not parse as it is.
fn spread_out(json: &str) -> String {
    let value: Result<serde_json::Value, _> = serde_json::from_str(json);
    let spread = value.and_then(|value| serde_json::to_string_pretty(&value));
    spread.unwrap_or_else(|_| json.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_painted_whole_and_ends_with_its_end() {
        let long = "x".repeat(SHOWN) + "tail";
        let input = serde_json::json!({"command": long, "odd": {"deep": "<b>"}});
        let asked = AskedInput::read("Bash", input.to_string().as_bytes());
        let mut html = Html::new();
        paint_request(None, &asked, &mut html);
        let text = html.as_str();
        let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
        assert!(place("<details>") < place("tail"));
        assert!(place("tail") < place("odd"));
        assert!(place("&lt;b&gt;") < place("class=\"end\""));
    }
}
