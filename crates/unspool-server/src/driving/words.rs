//! What waits for a person, in a few words: for cards, links and notifications.

use unspool_drive::json::ApprovalJson;

/// How many characters of a request are told.
const WORDS: usize = 200;

/// Returns what a request is, in a few words.
pub(crate) fn heading(approval: &ApprovalJson) -> String {
    let tool = approval.tool.as_deref().unwrap_or("the client");
    match approval.kind.as_str() {
        "question" => "Claude asks".to_owned(),
        "plan" => "Claude has a plan".to_owned(),
        "elicitation" => format!("{tool} asks for input"),
        _ => format!("May Claude use {tool}?"),
    }
}

/// Returns what a request is about, for a notification.
pub(crate) fn about(approval: &ApprovalJson) -> String {
    let input = &approval.input;
    let known = match approval.kind.as_str() {
        "question" => input["questions"][0]["question"].as_str(),
        "plan" => input["plan"].as_str(),
        "elicitation" => approval.description.as_deref(),
        _ => ["command", "file_path", "url", "pattern"]
            .iter()
            .find_map(|name| input[*name].as_str())
            .or(approval.description.as_deref()),
    };
    let words = known.unwrap_or_default().split_whitespace();
    let words = words.collect::<Vec<_>>().join(" ");
    words.chars().take(WORDS).collect()
}
