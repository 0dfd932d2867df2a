//! The rows of `unspool config` for the full-screen program.

use unspool_render::json::SettingValueJson;
use unspool_render::keys::KeyAction;
use unspool_tui::TerminalBackground;

use super::SettingRow;
use crate::settings::{Sourced, TerminalSettings};

/// Lists the settings of the full-screen program.
pub(super) fn rows(settings: &TerminalSettings) -> Vec<SettingRow> {
    let background = &settings.background;
    let (name, json) = match background.value.map(TerminalBackground::name) {
        Some(name) => (name, SettingValueJson::Text(name.to_owned())),
        None => ("not known", SettingValueJson::None(())),
    };
    let mouse = SettingValueJson::Truth(settings.mouse.value);
    let mut rows = vec![
        SettingRow::new("terminal.background", background, json).with_lines(vec![name.to_owned()]),
        SettingRow::new("terminal.mouse", &settings.mouse, mouse),
    ];
    rows.extend(settings.keys.iter().map(bound_key));
    rows
}

fn bound_key(bound: &Sourced<(String, KeyAction)>) -> SettingRow {
    let (keys, action) = &bound.value;
    let name = format!("terminal.keys.\"{keys}\"");
    let json = SettingValueJson::Text(action.name().to_owned());
    SettingRow::new(&name, bound, json)
}
