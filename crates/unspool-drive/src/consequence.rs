//! Describes the effects of a call that reach beyond the project, as far as its request shows them.
//!
//! A request and the folder of its run go in, phrases without a subject come out ("writes outside of the
//! project: /etc/hosts"). Commands are not parsed and symlinks are not resolved, so a call without a phrase
//! may still have such effects.

use std::path::{Component, Path, PathBuf};

use unspool_model::tool::{AskedForm, AskedInput, Tool, changes_files, parse};

use crate::state::ApprovalKind;
use crate::wire::AskedRequest;

/// Returns phrases for the effects of a call: paths outside the project, the network, then single fields.
pub fn consequences(request: &AskedRequest, cwd: &Path) -> Vec<String> {
    if request.kind() != Some(ApprovalKind::Tool) {
        return Vec::new();
    }
    let tool = request.tool().unwrap_or_default();
    let raw = request.input().to_string();
    let call = parse(tool, raw.as_bytes());
    let asked = request.asked();
    let mut said = Vec::new();
    said.extend(outside(tool, &call, request.blocked_path(), cwd));
    said.extend(network(&call));
    said.extend(of_fields(&call, &asked));
    said
}

/// Returns a phrase for the first file of a call that is outside of the project.
fn outside(tool: &str, call: &Tool<'_>, blocked: Option<&str>, cwd: &Path) -> Option<String> {
    if !cwd.is_absolute() {
        return None;
    }
    let is_outside = |path: &&str| !resolved(cwd, path).starts_with(resolved(cwd, ""));
    let own = call.changes();
    let path = blocked.into_iter().chain(own).find(is_outside)?;
    let verb = match call {
        _ if changes_files(tool) => "writes",
        Tool::Read { .. } | Tool::Glob { .. } | Tool::Grep { .. } | Tool::Ls { .. } => "reads",
        _ => "reaches",
    };
    Some(format!("{verb} outside of the project: {path}"))
}

/// Joins a path to a folder and removes `.` and `..`, without reading the file system.
fn resolved(cwd: &Path, path: &str) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in cwd.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = whole.pop(),
            part => whole.push(part),
        }
    }
    whole
}

/// Returns a phrase for the network access of a call.
fn network(call: &Tool<'_>) -> Option<String> {
    match call {
        Tool::WebFetch { url, .. } => Some(format!("fetches from the network: {url}")),
        Tool::WebSearch { .. } => Some("searches the web".to_owned()),
        Tool::Mcp { server, .. } => Some(format!("runs a tool of the MCP server {server}")),
        _ => None,
    }
}

/// Returns phrases for single fields of a call.
fn of_fields(call: &Tool<'_>, asked: &AskedInput) -> Vec<String> {
    let mut said = Vec::new();
    if asked.is_set("dangerouslyDisableSandbox") {
        said.push("runs outside of the sandbox");
    }
    if asked.is_set("run_in_background") {
        said.push("goes on in the background");
    }
    let is_everywhere = |edits: &[_]| {
        let mut edits = edits.iter();
        edits.any(|edit: &unspool_model::tool::Replacement<'_>| edit.replace_all)
    };
    if matches!(&asked.matter, AskedForm::Edits { edits, .. } if is_everywhere(edits)) {
        said.push("replaces every occurrence");
    }
    if matches!(call, Tool::NotebookEdit { mode: Some(mode), .. } if mode == "delete") {
        said.push("deletes a cell");
    }
    if matches!(call, Tool::ExitWorktree { action: Some(action) } if action == "remove") {
        said.push("deletes the worktree");
    }
    said.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn said(tool: &str, input: &Value, blocked: Option<&str>) -> Vec<String> {
        let request = json!({
            "subtype": "can_use_tool", "tool_name": tool, "input": input, "blocked_path": blocked,
        });
        consequences(&AskedRequest::read(&request.to_string()), Path::new("/work/site"))
    }

    #[test]
    fn what_a_request_says_is_put_into_words() {
        let write = |path: &str| said("Write", &json!({"file_path": path, "content": "x"}), None);
        assert_eq!(write("/etc/hosts"), ["writes outside of the project: /etc/hosts"]);
        assert_eq!(
            write("/work/site/../other/a"),
            ["writes outside of the project: /work/site/../other/a"]
        );
        assert_eq!(write("/work/site/a/../b"), [""; 0]);
        assert_eq!(write("/work/sites"), ["writes outside of the project: /work/sites"]);
        let bash = json!({"command": "cat /etc/shadow", "run_in_background": true});
        assert_eq!(
            said("Bash", &bash, Some("/etc/shadow")),
            ["reaches outside of the project: /etc/shadow", "goes on in the background"]
        );
        let read = json!({"file_path": "/etc/hosts"});
        assert_eq!(said("Read", &read, Some("/etc")), ["reads outside of the project: /etc"]);
        let page = json!({"url": "https://example.org/", "prompt": "p"});
        assert_eq!(
            said("WebFetch", &page, None),
            ["fetches from the network: https://example.org/"]
        );
        let edit =
            json!({"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": true});
        assert_eq!(said("Edit", &edit, None), ["replaces every occurrence"]);
        let cell = json!({"notebook_path": "n", "new_source": "", "edit_mode": "delete"});
        assert_eq!(said("NotebookEdit", &cell, None), ["deletes a cell"]);
    }

    #[test]
    fn nothing_is_guessed() {
        let bash = json!({"command": "rm -rf / && curl http://example.org"});
        assert_eq!(said("Bash", &bash, None), [""; 0]);
        let inside = json!({"command": "touch a"});
        assert_eq!(said("Bash", &inside, Some("/work/site/a")), [""; 0]);
        let question = json!({"questions": []});
        assert_eq!(said("AskUserQuestion", &question, Some("/etc")), [""; 0]);
    }
}
