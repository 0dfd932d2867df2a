//! The rows of `unspool config`.

use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use unspool_engine::library::RefreshPolicy;
use unspool_redact::UserPattern;
use unspool_render::json::{PriceJson, SettingValueJson};
use unspool_store::prices::Override;

use super::{SettingRow, driving, terminal};
use crate::args::ColorChoice;
use crate::settings::{HomeChoice, Pager, Settings, Sourced, Width, shown};

/// Lists all settings.
pub(super) fn rows(settings: &Settings) -> Vec<SettingRow> {
    let display = &settings.display;
    let mut rows = vec![
        homes(settings),
        folder("index", &settings.index, settings),
        refresh(settings),
        folder("archive", &settings.archive, settings),
    ];
    rows.extend(driving::rows(&settings.driving));
    let color = SettingValueJson::Text(color_name(display.color.value));
    rows.push(SettingRow::new("display.color", &display.color, color));
    let pager = match &display.pager.value {
        Pager::None => SettingValueJson::Truth(false),
        Pager::Command(line) => SettingValueJson::Text(line.clone()),
    };
    rows.push(SettingRow::new("display.pager", &display.pager, pager));
    let (width, json) = match display.width.value {
        Width::Terminal => ("as wide as the terminal".to_owned(), SettingValueJson::None(())),
        Width::AtMost(width) => (format!("at most {width}"), SettingValueJson::Number(width)),
        Width::Exactly(width) => (width.to_string(), SettingValueJson::Number(width)),
    };
    rows.push(SettingRow::new("display.width", &display.width, json).with_lines(vec![width]));
    let zone = SettingValueJson::Text(display.zone.value.name.clone());
    rows.push(SettingRow::new("display.time_zone", &display.zone, zone));
    rows.extend(terminal::rows(&settings.terminal));
    rows.extend(settings.prices.iter().map(price));
    rows.extend(settings.redact.iter().map(pattern));
    rows
}

fn homes(settings: &Settings) -> SettingRow {
    let folders = match &settings.homes.value {
        HomeChoice::Demo => {
            let row = SettingRow::new("homes", &settings.homes, SettingValueJson::None(()));
            return row.with_lines(vec!["the demo".to_owned()]);
        }
        HomeChoice::Folders(homes) => homes.iter().map(|home| home.root.as_path()),
    };
    let values: Vec<String> =
        folders.clone().map(|folder| shown(folder, settings.user_home.as_deref())).collect();
    let json = SettingValueJson::List(folders.map(text).collect());
    let values = if values.is_empty() { vec!["none".to_owned()] } else { values };
    SettingRow::new("homes", &settings.homes, json).with_lines(values)
}

fn folder(name: &str, folder: &Sourced<Option<PathBuf>>, settings: &Settings) -> SettingRow {
    match &folder.value {
        Some(path) => SettingRow::new(name, folder, SettingValueJson::Text(text(path)))
            .with_lines(vec![shown(path, settings.user_home.as_deref())]),
        None => SettingRow::new(name, folder, SettingValueJson::None(())),
    }
}

fn refresh(settings: &Settings) -> SettingRow {
    let first = settings.refresh.value == RefreshPolicy::EachRequest;
    SettingRow::new("refresh", &settings.refresh, SettingValueJson::Truth(first))
}

fn price(price: &Sourced<Override>) -> SettingRow {
    let Override { model, from, rates } = &price.value;
    let json = PriceJson {
        input: rates.input.usd(),
        output: rates.output.usd(),
        cache_write_5m: rates.cache_write_5m.usd(),
        cache_write_1h: rates.cache_write_1h.usd(),
        cache_read: rates.cache_read.usd(),
        from: from.map(|day| day.to_string()),
    };
    let mut values = vec![
        format!("${} in, ${} out", json.input, json.output),
        format!(
            "${} and ${} cache writes, ${} cache reads",
            json.cache_write_5m, json.cache_write_1h, json.cache_read
        ),
    ];
    values.extend(from.map(|day| format!("from {day}")));
    let name = format!("prices.{model:?}");
    SettingRow::new(&name, price, SettingValueJson::Price(json)).with_lines(values)
}

fn pattern(pattern: &Sourced<UserPattern>) -> SettingRow {
    let text = SettingValueJson::Text(pattern.value.pattern().to_owned());
    let name = format!("redact.{:?}", pattern.value.name());
    SettingRow::new(&name, pattern, text)
}

fn color_name(color: ColorChoice) -> String {
    let name = color.to_possible_value();
    name.map(|name| name.get_name().to_owned()).unwrap_or_default()
}

pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
