//! A form that an MCP server asks a person to fill in, with an input for each field.

use serde_json::Value;
use unspool_drive::form::{FormChoice, FormField, FormFieldKind, form_fields};
use unspool_text::html::Html;

/// The maximum number of choices that are shown at once; more are in a drop-down list.
const SHOWN: usize = 6;

/// Paints the fields of a form. The name of each field and the type of its value are attributes,
/// from which the script builds the answer.
pub(super) fn paint_form(schema: &Value, html: &mut Html) {
    if let Some(page) = schema["url"].as_str() {
        paint_page(page, html);
    }
    for (number, field) in form_fields(schema).iter().enumerate() {
        paint_field(number, field, html);
    }
}

/// Paints the address of a page to open, in full, so that a person sees where it leads.
fn paint_page(page: &str, html: &mut Html) {
    let is_web = page.starts_with("https://") || page.starts_with("http://");
    html.tag("<p class=\"message\">Open this page, and come back: ");
    if is_web {
        html.tag("<a rel=\"noreferrer noopener\" target=\"_blank\"");
        html.attribute("href", page).tag(">").text(page).tag("</a>");
    } else {
        html.tag("<code>").text(page).tag("</code>");
    }
    html.tag("</p>\n");
}

fn paint_field(number: usize, field: &FormField, html: &mut Html) {
    let id = format!("f{number}");
    let kind = match &field.kind {
        FormFieldKind::Text { .. } => "text",
        FormFieldKind::Number { .. } => "number",
        FormFieldKind::Switch => "switch",
        FormFieldKind::OneOf(_) => "one",
        FormFieldKind::AnyOf(_) => "any",
        FormFieldKind::Json => "json",
    };
    let is_group = matches!(&field.kind, FormFieldKind::AnyOf(_))
        || matches!(&field.kind, FormFieldKind::OneOf(choices) if choices.len() <= SHOWN);
    let (open, close) = if is_group {
        ("<fieldset class=\"form-field\"", "</fieldset>\n")
    } else {
        ("<div class=\"form-field\"", "</div>\n")
    };
    html.tag(open).attribute("data-field", &field.name).attribute("data-type", kind).tag(">");
    match &field.kind {
        FormFieldKind::Switch => {
            html.tag("<label class=\"choice\"><input type=\"checkbox\"");
            html.tag_if(field.default == true, " checked");
            html.tag("> <span>").text(&field.title).tag("</span></label>\n");
        }
        FormFieldKind::OneOf(choices) if is_group => {
            name(field, "legend", html);
            paint_choices(&id, "radio", choices, field, html);
        }
        FormFieldKind::AnyOf(choices) => {
            name(field, "legend", html);
            paint_choices(&id, "checkbox", choices, field, html);
        }
        FormFieldKind::OneOf(choices) => {
            name(field, "label", html);
            paint_select(choices, field, html);
        }
        kind => {
            name(field, "label", html);
            paint_input(kind, field, html);
        }
    }
    if let Some(words) = &field.description {
        html.tag("<small class=\"hint\">").text(words).tag("</small>\n");
    }
    html.tag(close);
}

/// Paints the name of a field; `tag` never comes from a server.
fn name(field: &FormField, tag: &'static str, html: &mut Html) {
    html.tag("<").tag(tag).tag(" class=\"name\">");
    html.text(&field.title);
    html.tag_if(!field.is_required, " <small>not needed</small>");
    html.tag("</").tag(tag).tag(">\n");
}

fn paint_choices(
    id: &str,
    input: &str,
    choices: &[FormChoice],
    field: &FormField,
    html: &mut Html,
) {
    for choice in choices {
        html.tag("<label class=\"choice\"><input")
            .attribute("type", input)
            .attribute("name", id)
            .attribute("value", &choice.value);
        html.tag_if(is_default(&field.default, choice), " checked");
        html.tag_if(field.is_required && input == "radio", " required");
        html.tag("> <span>").text(&choice.title).tag("</span></label>\n");
    }
}

fn paint_select(choices: &[FormChoice], field: &FormField, html: &mut Html) {
    html.tag("<select").attribute("aria-label", &field.title);
    html.tag_if(field.is_required, " required");
    html.tag("><option value=\"\"></option>");
    for choice in choices {
        html.tag("<option").attribute("value", &choice.value);
        html.tag(if is_default(&field.default, choice) { " selected>" } else { ">" });
        html.text(&choice.title).tag("</option>");
    }
    html.tag("</select>\n");
}

fn is_default(default: &Value, choice: &FormChoice) -> bool {
    let is_it = |value: &Value| value.as_str() == Some(choice.value.as_str());
    is_it(default) || default.as_array().is_some_and(|all| all.iter().any(is_it))
}

/// Paints a text input.
fn paint_input(kind: &FormFieldKind, field: &FormField, html: &mut Html) {
    html.tag("<input");
    html.attribute("aria-label", &field.title);
    html.tag_if(field.is_required, " required");
    match kind {
        FormFieldKind::Text { format, shortest, longest } => {
            html.attribute("type", input_type(format.as_deref()));
            let limits = [("minlength", shortest), ("maxlength", longest)];
            for (limit, value) in limits {
                if let Some(value) = value {
                    html.attribute(limit, &value.to_string());
                }
            }
        }
        FormFieldKind::Number { is_whole, least, most } => {
            html.attribute("type", "number");
            html.attribute("step", if *is_whole { "1" } else { "any" });
            for (limit, value) in [("min", least), ("max", most)] {
                if let Some(value) = value {
                    html.attribute(limit, &value.to_string());
                }
            }
        }
        _ => {
            html.attribute("type", "text").attribute("placeholder", "JSON");
        }
    }
    match &field.default {
        Value::Null => {}
        Value::String(text) => _ = html.attribute("value", text),
        other => _ = html.attribute("value", &other.to_string()),
    }
    html.tag(" autocomplete=\"off\">\n");
}

fn input_type(format: Option<&str>) -> &'static str {
    match format {
        Some("email") => "email",
        Some("uri") => "url",
        Some("date") => "date",
        _ => "text",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn painted(schema: &Value) -> String {
        let mut html = Html::new();
        paint_form(schema, &mut html);
        html.as_str().to_owned()
    }

    #[test]
    fn every_kind_of_field_has_its_input() {
        let shown = painted(&json!({
            "properties": {
                "a": {"type": "string", "format": "email", "maxLength": 9, "default": "x@y"},
                "b": {"type": "integer", "minimum": 1},
                "c": {"type": "boolean", "default": true},
                "d": {"type": "string", "enum": ["one", "two"]},
                "e": {"type": "array", "items": {"enum": ["p", "q"]}, "default": ["q"]},
                "f": {"type": "object"},
            },
            "required": ["a", "d"],
        }));
        for part in [
            "data-field=\"a\" data-type=\"text\"",
            "required type=\"email\" maxlength=\"9\" value=\"x@y\"",
            "type=\"number\" step=\"1\" min=\"1\"",
            "<input type=\"checkbox\" checked> <span>c",
            "<input type=\"radio\" name=\"f3\" value=\"two\" required>",
            "<input type=\"checkbox\" name=\"f4\" value=\"q\" checked>",
            "data-type=\"json\"",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }

    #[test]
    fn what_a_server_sends_is_text() {
        let shown = painted(&json!({
            "url": "javascript:alert(1)",
            "properties": {"<b>": {"type": "string", "title": "<script>", "default": "\"><i>"}},
        }));
        assert!(!shown.contains("<script>") && !shown.contains("<b>") && !shown.contains("<i>"));
        assert!(!shown.contains("href"), "{shown}");
        let page = painted(&json!({"url": "https://example.org/x"}));
        assert!(page.contains("href=\"https://example.org/x\""), "{page}");
    }
}
