//! `unspool config`

mod driving;
mod rows;
mod terminal;

use std::io::Write as _;

use anyhow::Result;
use unspool_render::json::{ConfigFileJson, ConfigJson, SettingJson, SettingValueJson};
use unspool_text::{Align, Column, Line, Role, Table, sanitize};

use self::rows::{rows, text};
use crate::errors::{RunOutcome, wrong_use};
use crate::settings::{EXAMPLE, Presence, SettingOrigin, Settings, Sourced, shown};
use crate::ui::Ui;

/// Wider than any table: settings are never cut.
const UNCUT: usize = 4096;

/// Print the settings in force, and where each comes from
///
/// Flags override environment variables, which override the settings file, which overrides the
/// defaults. docs/settings.md lists every setting.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool config             what is set, and where\n  \
unspool config --path      where the file of settings is\n  \
unspool config --example   every setting, as comments")]
pub(crate) struct ConfigArgs {
    /// Print the path of the settings file, whether it exists or not
    #[arg(long, conflicts_with_all = ["example", "json"])]
    path: bool,

    /// Print a settings file with every setting commented out
    #[arg(long, conflicts_with = "json")]
    example: bool,

    /// Print one JSON object, see docs/settings.md
    #[arg(long)]
    json: bool,
}

/// A row of the output.
struct SettingRow {
    name: String,
    /// The lines of the value.
    values: Vec<String>,
    json: SettingValueJson,
    origin: SettingOrigin,
}

impl SettingRow {
    /// Creates a row from the JSON value.
    fn new<T>(name: &str, setting: &Sourced<T>, json: SettingValueJson) -> Self {
        let value = match &json {
            SettingValueJson::None(()) | SettingValueJson::Price(_) => "none".to_owned(),
            SettingValueJson::Truth(truth) => truth.to_string(),
            SettingValueJson::Number(number) => number.to_string(),
            SettingValueJson::Text(text) => text.clone(),
            SettingValueJson::List(words) => words.join(" "),
        };
        Self { name: name.to_owned(), values: vec![value], json, origin: setting.origin.clone() }
    }

    /// Replaces the lines of the value.
    fn with_lines(mut self, lines: Vec<String>) -> Self {
        self.values = lines;
        self
    }
}

impl ConfigArgs {
    /// Tells whether the command needs valid settings.
    pub(crate) fn needs_settings(&self) -> bool {
        !self.path && !self.example
    }
}

pub(crate) fn run(args: &ConfigArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    if args.path {
        print_path(settings, ui)?;
    } else if args.example {
        ui.print_bytes(EXAMPLE.as_bytes())?;
    } else if args.json {
        print_json(settings, ui)?;
    } else {
        print_table(settings, ui)?;
    }
    Ok(RunOutcome::Done)
}

fn print_path(settings: &Settings, ui: &Ui) -> Result<()> {
    let Some(file) = &settings.file else {
        return wrong_use("no home folder is known; name a file with UNSPOOL_CONFIG");
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
            SettingOrigin::Default => "default".to_owned(),
            SettingOrigin::Flag(flag) => (*flag).to_owned(),
            SettingOrigin::Environment(variable) => format!("${variable}"),
            SettingOrigin::File { path, line } => {
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
    ui.print_lines(table.lines(UNCUT))?;
    if let Some(file) = settings.file.as_ref().filter(|file| file.presence == Presence::Absent) {
        let path = shown(&file.path, settings.user_home.as_deref());
        ui.note(&format!(
            "there is no {path}; `unspool config --example` prints one to begin with"
        ));
    }
    Ok(())
}

fn print_json(settings: &Settings, ui: &Ui) -> Result<()> {
    let file = settings.file.as_ref().map(|file| ConfigFileJson {
        path: text(&file.path),
        exists: file.presence == Presence::Read,
    });
    let settings = rows(settings).into_iter().map(|row| {
        let (source, origin) = match row.origin {
            SettingOrigin::Default => ("default", None),
            SettingOrigin::Flag(flag) => ("flag", Some(flag.to_owned())),
            SettingOrigin::Environment(variable) => ("environment", Some(variable.to_owned())),
            SettingOrigin::File { path, line } => ("file", Some(format!("{}:{line}", text(&path)))),
        };
        SettingJson { name: row.name, value: row.json, source, origin }
    });
    let config = ConfigJson::new(file, settings.collect());
    ui.print_json(&config)
}
