//! Settings of driven sessions as `unspool config` tells them.

use unspool_render::json::SettingValueJson;

use super::SettingRow;
use crate::settings::{DeadlineChoice, DrivingSettings, Sourced};

/// Lists what is set for driven sessions.
pub(super) fn rows(driving: &DrivingSettings) -> Vec<SettingRow> {
    let client = &driving.client.value;
    let program = client.program.display().to_string();
    let words: Vec<String> =
        std::iter::once(program.clone()).chain(client.arguments.iter().cloned()).collect();
    let json = match words.len() {
        1 => SettingValueJson::Text(program),
        _ => SettingValueJson::List(words.clone()),
    };
    vec![
        SettingRow::new("client", &driving.client, words.join(" "), json),
        limit("idle_timeout", &driving.idle),
        limit("waiting_timeout", &driving.waiting),
        command("on_waiting", &driving.on_waiting),
    ]
}

fn limit(name: &str, limit: &Sourced<DeadlineChoice>) -> SettingRow {
    let (value, json) = match limit.value.seconds() {
        Some(seconds) => (format!("{seconds} s"), SettingValueJson::Number(seconds as usize)),
        None => ("false".to_owned(), SettingValueJson::Truth(false)),
    };
    SettingRow::new(name, limit, value, json)
}

fn command(name: &str, command: &Sourced<Vec<String>>) -> SettingRow {
    let words = &command.value;
    let (value, json) = match words.as_slice() {
        [] => ("none".to_owned(), SettingValueJson::None(())),
        words => (words.join(" "), SettingValueJson::List(words.to_vec())),
    };
    SettingRow::new(name, command, value, json)
}
