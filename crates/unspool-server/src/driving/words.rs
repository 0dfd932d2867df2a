//! Short texts about approvals, for cards, links and notifications.

use unspool_drive::ApprovalKind;
use unspool_drive::json::ApprovalJson;

/// The maximum number of characters of a text.
const WORDS: usize = 200;

/// Returns the heading of an approval.
pub(crate) fn heading(approval: &ApprovalJson) -> String {
    let tool = approval.tool.as_deref().unwrap_or("the client");
    match approval.kind {
        ApprovalKind::Tool => format!("May Claude use {tool}?"),
        ApprovalKind::Question => "Claude asks".to_owned(),
        ApprovalKind::Plan => "Claude has a plan".to_owned(),
        ApprovalKind::Elicitation => format!("{tool} asks for input"),
    }
}

/// Returns the subject of an approval, for a notification.
pub(crate) fn about(approval: &ApprovalJson) -> String {
    let known = approval.about().or_else(|| approval.description.clone());
    let known = known.unwrap_or_default();
    let words = known.split_whitespace();
    let words = words.collect::<Vec<_>>().join(" ");
    words.chars().take(WORDS).collect()
}
