//! `unspool config`

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::ValueEnum as _;
use serde::Serialize;
use unspool_engine::prices::Override;
use unspool_engine::redact::Pattern;
use unspool_engine::render::json::{self, SCHEMA};
use unspool_engine::render::{Align, Column, Line, Role, Table, sanitize};

use crate::args::ColorChoice;
use crate::errors::{Outcome, Usage};
use crate::settings::{
    EXAMPLE, HomeChoice, Origin, Pager, Presence, Refresh, Settings, Sourced, Width, shown,
};
use crate::ui::Ui;

/// More columns than any table has: settings are never cut.
const UNCUT: usize = 4096;

/// Print the settings that are in force, and where each comes from
///
/// Flags come before environment variables, those before the file of settings, and that before
/// the defaults. What can be set is in docs/settings.md.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Print where the file of settings stands, whether it is there or not
    #[arg(long, conflicts_with_all = ["example", "json"])]
    path: bool,

    /// Print a file with every setting in it, as comments
    #[arg(long, conflicts_with = "json")]
    example: bool,

    /// Print one JSON object, see docs/settings.md
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Tells whether it matters that the settings are right.
    pub(crate) fn needs_settings(&self) -> bool {
        !self.path && !self.example
    }
}

pub(crate) fn run(args: &Args, settings: &Settings, ui: &Ui) -> Result<Outcome> {
    if args.path {
        print_path(settings, ui)?;
    } else if args.example {
        let mut out = ui.data();
        out.write_all(EXAMPLE.as_bytes())?;
        out.flush()?;
    } else if args.json {
        print_json(settings, ui)?;
    } else {
        print_table(settings, ui)?;
    }
    Ok(Outcome::Done)
}

fn print_path(settings: &Settings, ui: &Ui) -> Result<()> {
    let Some(file) = &settings.file else {
        let message = "no home folder is known; name a file with UNSPOOL_CONFIG";
        return Err(Usage(message.to_owned()).into());
    };
    let mut out = ui.data();
    if ui.is_interactive() {
        let path = file.path.display().to_string();
        out.write_all(sanitize::clean(&path).as_bytes())?;
    } else {
        out.write_all(file.path.as_os_str().as_encoded_bytes())?;
    }
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// One setting as it is told.
struct Row {
    name: String,
    /// One line each.
    values: Vec<String>,
    json: Value,
    origin: Origin,
}

/// A value as scripts see it.
#[derive(Serialize)]
#[serde(untagged)]
enum Value {
    None(()),
    Truth(bool),
    Number(usize),
    Text(String),
    List(Vec<String>),
    Price(PriceJson),
}

#[derive(Serialize)]
struct PriceJson {
    input: f64,
    output: f64,
    cache_write_5m: f64,
    cache_write_1h: f64,
    cache_read: f64,
    from: Option<String>,
}

impl Row {
    fn new<T>(name: &str, setting: &Sourced<T>, value: impl Into<String>, json: Value) -> Self {
        Self {
            name: name.to_owned(),
            values: vec![value.into()],
            json,
            origin: setting.origin.clone(),
        }
    }
}

fn rows(settings: &Settings) -> Vec<Row> {
    let display = &settings.display;
    let mut rows = vec![
        homes(settings),
        folder("index", &settings.index, settings),
        refresh(settings),
        folder("archive", &settings.archive, settings),
    ];
    let color = color_name(display.color.value);
    let json = Value::Text(color.clone());
    rows.push(Row::new("display.color", &display.color, color, json));
    let (pager, json) = match &display.pager.value {
        Pager::None => ("false".to_owned(), Value::Truth(false)),
        Pager::Command(line) => (line.clone(), Value::Text(line.clone())),
    };
    rows.push(Row::new("display.pager", &display.pager, pager, json));
    let (width, json) = match display.width.value {
        Width::Terminal => ("as wide as the terminal".to_owned(), Value::None(())),
        Width::AtMost(width) => (format!("at most {width}"), Value::Number(width)),
        Width::Exactly(width) => (width.to_string(), Value::Number(width)),
    };
    rows.push(Row::new("display.width", &display.width, width, json));
    let zone = display.zone.value.name.clone();
    let json = Value::Text(zone.clone());
    rows.push(Row::new("display.time_zone", &display.zone, zone, json));
    rows.extend(settings.prices.iter().map(price));
    rows.extend(settings.redact.iter().map(pattern));
    rows
}

fn homes(settings: &Settings) -> Row {
    let folders = match &settings.homes.value {
        HomeChoice::Demo => {
            let demo = "the demo".to_owned();
            return Row::new("homes", &settings.homes, demo, Value::None(()));
        }
        HomeChoice::Folders(homes) => homes.iter().map(|home| home.root.as_path()),
    };
    let values: Vec<String> = folders
        .clone()
        .map(|folder| shown(folder, settings.user_home.as_deref()))
        .collect();
    Row {
        name: "homes".to_owned(),
        values: if values.is_empty() {
            vec!["none".to_owned()]
        } else {
            values
        },
        json: Value::List(folders.map(text).collect()),
        origin: settings.homes.origin.clone(),
    }
}

fn folder(name: &str, folder: &Sourced<Option<PathBuf>>, settings: &Settings) -> Row {
    let (value, json) = match &folder.value {
        Some(folder) => (
            shown(folder, settings.user_home.as_deref()),
            Value::Text(text(folder)),
        ),
        None => ("none".to_owned(), Value::None(())),
    };
    Row::new(name, folder, value, json)
}

fn refresh(settings: &Settings) -> Row {
    let first = settings.refresh.value == Refresh::First;
    Row::new(
        "refresh",
        &settings.refresh,
        first.to_string(),
        Value::Truth(first),
    )
}

fn price(price: &Sourced<Override>) -> Row {
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
    Row {
        name: format!("prices.{model:?}"),
        values,
        json: Value::Price(json),
        origin: price.origin.clone(),
    }
}

fn pattern(pattern: &Sourced<Pattern>) -> Row {
    let text = pattern.value.pattern();
    let name = format!("redact.{:?}", pattern.value.name());
    Row::new(&name, pattern, text, Value::Text(text.to_owned()))
}

fn color_name(color: ColorChoice) -> String {
    let name = color.to_possible_value();
    name.map(|name| name.get_name().to_owned())
        .unwrap_or_default()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn print_table(settings: &Settings, ui: &Ui) -> Result<()> {
    let mut table = Table::new(vec![
        Column::new(Align::Left),
        Column::new(Align::Left),
        Column::new(Align::Left),
    ]);
    let heads = ["SETTING", "VALUE", "FROM"];
    table.row(heads.map(|head| Line::of(head, Role::ColumnHead)).into());
    for row in rows(settings) {
        let mut name = row.name;
        let mut origin = match &row.origin {
            Origin::Default => "default".to_owned(),
            Origin::Flag(flag) => (*flag).to_owned(),
            Origin::Environment(variable) => format!("${variable}"),
            Origin::File { path, line } => {
                format!("{}:{line}", shown(path, settings.user_home.as_deref()))
            }
        };
        for value in row.values {
            table.row(vec![
                Line::of(std::mem::take(&mut name), Role::Id),
                Line::of(value, Role::Plain),
                Line::of(std::mem::take(&mut origin), Role::Muted),
            ]);
        }
    }
    let mut page = ui.page();
    for line in table.lines(UNCUT) {
        page.line(&line)?;
    }
    page.finish()?;
    if let Some(file) = settings
        .file
        .as_ref()
        .filter(|file| file.presence == Presence::Absent)
    {
        let path = shown(&file.path, settings.user_home.as_deref());
        ui.note(&format!(
            "there is no {path}; `unspool config --example` prints one to begin with"
        ));
    }
    Ok(())
}

#[derive(Serialize)]
struct ConfigJson {
    schema: u32,
    file: Option<FileJson>,
    settings: Vec<SettingJson>,
}

#[derive(Serialize)]
struct FileJson {
    path: String,
    exists: bool,
}

#[derive(Serialize)]
struct SettingJson {
    name: String,
    value: Value,
    source: &'static str,
    origin: Option<String>,
}

fn print_json(settings: &Settings, ui: &Ui) -> Result<()> {
    let file = settings.file.as_ref().map(|file| FileJson {
        path: text(&file.path),
        exists: file.presence == Presence::Read,
    });
    let settings = rows(settings).into_iter().map(|row| {
        let (source, origin) = match row.origin {
            Origin::Default => ("default", None),
            Origin::Flag(flag) => ("flag", Some(flag.to_owned())),
            Origin::Environment(variable) => ("environment", Some(variable.to_owned())),
            Origin::File { path, line } => ("file", Some(format!("{}:{line}", text(&path)))),
        };
        SettingJson {
            name: row.name,
            value: row.json,
            source,
            origin,
        }
    });
    let config = ConfigJson {
        schema: SCHEMA,
        file,
        settings: settings.collect(),
    };
    let mut out = ui.data();
    json::write_line(&config, &mut out)?;
    Ok(out.flush()?)
}
