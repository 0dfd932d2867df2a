//! The file `sessions/<pid>.json`, which shows other programs that a session is open.

use std::fs;
use std::path::PathBuf;
use std::process;

use serde_json::json;

use super::core::ClientCore;
use super::entropy;
use super::options::CLIENT_VERSION;
use super::session_log::write_new;
use crate::process::start_of;

fn path(core: &ClientCore) -> PathBuf {
    let name = format!("sessions/{}.json", process::id());
    core.place.config.join(name)
}

/// Writes the state of the session.
pub(super) fn write(core: &ClientCore, state: &str) {
    let now = entropy::now_ms();
    let mut marker = json!({
        "pid": process::id(), "procStart": start_of(process::id()),
        "sessionId": core.session(), "cwd": core.place.cwd, "startedAt": now,
        "version": CLIENT_VERSION, "kind": "interactive", "entrypoint": "sdk-cli",
        "name": "scripted", "nameSource": "derived",
        "status": match state { "idle" => "idle", "running" => "busy", _ => "waiting" },
        "updatedAt": now, "statusUpdatedAt": now,
    });
    if state == "requires_action" {
        marker["waitingFor"] = json!("permission prompt");
    }
    write_new(&path(core), &marker);
}

/// Removes the file.
pub(super) fn remove(core: &ClientCore) {
    let _ = fs::remove_file(path(core));
}
