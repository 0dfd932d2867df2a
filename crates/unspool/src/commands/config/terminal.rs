//! Settings of the full-screen program as `unspool config` tells them.

use unspool_render::json::SettingValueJson;
use unspool_render::keys::KeyAction;

use super::SettingRow;
use crate::settings::{BackgroundChoice, Sourced, TerminalSettings};

/// Lists what is set for the full-screen program.
pub(super) fn rows(settings: &TerminalSettings) -> Vec<SettingRow> {
    let background = &settings.background;
    let name = background.value.map(BackgroundChoice::name);
    let json = match name {
        Some(name) => SettingValueJson::Text(name.to_owned()),
        None => SettingValueJson::None(()),
    };
    let name = name.unwrap_or("not known");
    let mouse = &settings.mouse;
    let truth = SettingValueJson::Truth(mouse.value);
    let mut rows = vec![
        SettingRow::new("terminal.background", background, name, json),
        SettingRow::new("terminal.mouse", mouse, mouse.value.to_string(), truth),
    ];
    rows.extend(settings.keys.iter().map(bound_key));
    rows
}

fn bound_key(bound: &Sourced<(String, KeyAction)>) -> SettingRow {
    let (keys, action) = &bound.value;
    let name = format!("terminal.keys.\"{keys}\"");
    let json = SettingValueJson::Text(action.name().to_owned());
    SettingRow::new(&name, bound, action.name(), json)
}
