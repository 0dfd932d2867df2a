//! What the client asks, painted whole: the command, the change of a file, the questions, the plan.

use serde_json::Value;
use unspool_text::diff::Diff;
use unspool_text::html::{Html, Painting, diff, prose};

/// Characters of a request that are shown at once; the rest can be unfolded.
const SHOWN: usize = 12_000;

/// Paints the input of a call.
pub(super) fn paint_input(tool: &str, input: &Value, html: &mut Html) {
    let text = |name: &str| input[name].as_str();
    match tool {
        "Bash" | "PowerShell" => {
            code(text("command").unwrap_or_default(), html);
            rest(input, &["command", "description"], html);
        }
        "Edit" => {
            path(text("file_path"), html);
            let old = text("old_string").unwrap_or_default();
            let new = text("new_string").unwrap_or_default();
            diff(&Diff::between(old, new), html);
            rest(input, &["file_path", "old_string", "new_string"], html);
        }
        "MultiEdit" => {
            path(text("file_path"), html);
            for edit in input["edits"].as_array().into_iter().flatten() {
                let side = |name: &str| edit[name].as_str().unwrap_or_default();
                let change = Diff::between(side("old_string"), side("new_string"));
                diff(&change, html);
            }
            rest(input, &["file_path", "edits"], html);
        }
        "Write" => {
            path(text("file_path"), html);
            code(text("content").unwrap_or_default(), html);
            rest(input, &["file_path", "content"], html);
        }
        _ => rest(input, &[], html),
    }
}

/// Paints a plan.
pub(super) fn paint_plan(input: &Value, html: &mut Html) {
    match input["plan"].as_str() {
        Some(plan) => {
            html.tag("<div class=\"plan\">");
            prose(plan, Painting::Highlighted, html);
            html.tag("</div>\n");
        }
        None => _ = html.tag("<p class=\"faint\">The plan is in the conversation.</p>\n"),
    }
}

/// Paints questions as fields of a form.
pub(super) fn paint_questions(input: &Value, html: &mut Html) {
    let questions = input["questions"].as_array().into_iter().flatten();
    for (number, question) in questions.enumerate() {
        let text = |name: &str| question[name].as_str().unwrap_or_default();
        let several = question["multiSelect"].as_bool() == Some(true);
        html.tag("<fieldset")
            .attribute("data-question", text("question"));
        html.tag("><legend>")
            .text(text("question"))
            .tag("</legend>\n");
        let name = format!("q{number}");
        for option in question["options"].as_array().into_iter().flatten() {
            let part = |name: &str| option[name].as_str().unwrap_or_default();
            html.tag("<label><input");
            html.attribute("type", if several { "checkbox" } else { "radio" });
            html.attribute("name", &name)
                .attribute("value", part("label"));
            html.tag("> <span>").text(part("label"));
            if !part("description").is_empty() {
                html.tag(" <small>")
                    .text(part("description"))
                    .tag("</small>");
            }
            html.tag("</span></label>\n");
        }
        html.tag("<label class=\"other\"><span>In your words</span> <input type=\"text\"");
        html.attribute("name", &format!("{name}-other"));
        html.tag(" autocomplete=\"off\"></label>\n</fieldset>\n");
    }
}

fn path(path: Option<&str>, html: &mut Html) {
    if let Some(path) = path {
        html.tag("<p class=\"path\"><code>")
            .text(path)
            .tag("</code></p>\n");
    }
}

/// Paints a text as it is; what is very long is folded.
fn code(text: &str, html: &mut Html) {
    let cut = text
        .char_indices()
        .nth(SHOWN)
        .map_or(text.len(), |(at, _)| at);
    let (shown, folded) = text.split_at(cut);
    html.tag("<div class=\"code\"><pre tabindex=\"0\"><code>");
    html.text(shown).tag("</code></pre></div>\n");
    if !folded.is_empty() {
        html.tag("<details><summary>The rest</summary><div class=\"code\"><pre><code>");
        html.text(folded).tag("</code></pre></div></details>\n");
    }
}

/// Paints the fields that were not shown.
fn rest(input: &Value, shown: &[&str], html: &mut Html) {
    let mut left = input.clone();
    if let Some(fields) = left.as_object_mut() {
        fields.retain(|name, _| !shown.contains(&name.as_str()));
        if fields.is_empty() {
            return;
        }
    }
    code(
        &serde_json::to_string_pretty(&left).unwrap_or_default(),
        html,
    );
}
