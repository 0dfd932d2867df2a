//! Describes the permission rules that the client suggests with a request.

use std::borrow::Cow;
use unspool_model::named::Named as _;

use serde_json::Value;

use crate::state::PermissionMode;

/// Describes a suggestion, as the rest of "Allow, and …".
pub fn suggestion_words(suggestion: &Value) -> String {
    let text = |name: &str| suggestion[name].as_str().unwrap_or_default();
    let scope = match text("destination") {
        "session" => "for this session",
        "localSettings" => "always in this folder, for you",
        "projectSettings" => "always in this folder, for everyone who works in it",
        "userSettings" => "always, everywhere",
        _ => "from now on",
    };
    match text("type") {
        "setMode" => format!("{} {scope}", mode_words(text("mode"))),
        "addRules" | "replaceRules" => {
            let behavior = match text("behavior") {
                "deny" => "deny",
                "ask" => "ask about",
                _ => "allow",
            };
            format!("{behavior} {} {scope}", rules(&suggestion["rules"]))
        }
        "removeRules" => format!("remove the rules {} {scope}", rules(&suggestion["rules"])),
        "addDirectories" => format!("work in {} {scope}", list(&suggestion["directories"])),
        "removeDirectories" => {
            format!("stop working in {} {scope}", list(&suggestion["directories"]))
        }
        other => format!("apply \u{201c}{other}\u{201d} {scope}"),
    }
}

/// Describes a permission mode, also an unknown one.
pub fn mode_words(mode: &str) -> Cow<'static, str> {
    match PermissionMode::from_name(mode) {
        Some(mode) => mode.words().into(),
        None => format!("switch to the mode {mode}").into(),
    }
}

/// Tells whether a suggestion adds rules to the session only.
pub fn is_for_session(suggestion: &Value) -> bool {
    suggestion["destination"] == "session"
}

fn rules(rules: &Value) -> String {
    let one = |rule: &Value| {
        let tool = rule["toolName"].as_str().unwrap_or_default();
        match rule["ruleContent"].as_str() {
            Some(content) => format!("{tool}({content})"),
            None => tool.to_owned(),
        }
    };
    let rules = rules.as_array().map(Vec::as_slice).unwrap_or_default();
    rules.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn list(values: &Value) -> String {
    let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
    let names = values.iter().filter_map(Value::as_str);
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn suggestions_are_said_in_words() {
        let rule = json!({
            "type": "addRules", "behavior": "allow", "destination": "localSettings",
            "rules": [{"toolName": "Bash", "ruleContent": "touch made1 *"}],
        });
        assert_eq!(
            suggestion_words(&rule),
            "allow Bash(touch made1 *) always in this folder, for you"
        );
        let mode = json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
        assert_eq!(suggestion_words(&mode), "accept edits without asking for this session");
        assert_eq!(suggestion_words(&json!({})), "apply \u{201c}\u{201d} from now on");
    }
}
