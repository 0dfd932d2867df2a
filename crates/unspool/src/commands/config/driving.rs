//! The rows of `unspool config` for driven sessions.

use unspool_render::json::SettingValueJson;

use super::SettingRow;
use crate::settings::{DeadlineChoice, DrivingSettings, Sourced};

/// Lists the settings of driven sessions.
pub(super) fn rows(driving: &DrivingSettings) -> Vec<SettingRow> {
    let mut words = driving.client.value.words();
    let client = match words.len() {
        1 => SettingValueJson::Text(words.remove(0)),
        _ => SettingValueJson::List(words),
    };
    vec![
        SettingRow::new("client", &driving.client, client),
        limit("idle_timeout", &driving.idle),
        limit("waiting_timeout", &driving.waiting),
        command("on_waiting", &driving.on_waiting),
    ]
}

fn limit(name: &str, limit: &Sourced<DeadlineChoice>) -> SettingRow {
    match limit.value.seconds() {
        Some(seconds) => SettingRow::new(name, limit, SettingValueJson::Number(seconds as usize))
            .with_lines(vec![format!("{seconds} s")]),
        None => SettingRow::new(name, limit, SettingValueJson::Truth(false)),
    }
}

fn command(name: &str, command: &Sourced<Vec<String>>) -> SettingRow {
    let json = match command.value.as_slice() {
        [] => SettingValueJson::None(()),
        words => SettingValueJson::List(words.to_vec()),
    };
    SettingRow::new(name, command, json)
}
