//! Filters: one definition for every command over sessions.
//!
//! What was typed goes in, a [`RowFilter`] comes out. Doc comments here are the help text.

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use unspool_model::query::{Clock, Period, TimeRange, period, point};
use unspool_model::time::Time;
use unspool_store::filter::{Here, NamePattern, OwnerFilter, RowFilter};
use unspool_store::rows::{SessionKind, Status};

use crate::errors::UsageError;
use crate::settings::Settings;
use crate::ui::Ui;

/// The heading over filters in the help.
const HEADING: &str = "Filters, only sessions";

/// Which sessions are meant.
#[derive(clap::Args, Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct FilterArgs {
    /// of this project: its name, its path, a part of these, or a pattern with * (repeatable)
    // The names of folders under `projects/` begin with a hyphen.
    #[arg(long, value_name = "NAME|PATH", allow_hyphen_values = true, help_heading = HEADING)]
    project: Vec<String>,

    /// of this folder, of folders in it, and of other git worktrees of its repository
    #[arg(long, help_heading = HEADING)]
    here: bool,

    /// with something in them after this: 3d, 10:00, yesterday, monday, last week, nov 1, 2026-11-01
    #[arg(long, value_name = "TIME", help_heading = HEADING)]
    since: Option<String>,

    /// with something in them before the end of this
    #[arg(long, value_name = "TIME", help_heading = HEADING)]
    until: Option<String>,

    /// on this git branch: its name, or a pattern with * (repeatable)
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    branch: Vec<String>,

    /// with this model: its name, a part of it, or a pattern with * (repeatable)
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    model: Vec<String>,

    /// that called this tool: its name, or a pattern with * (repeatable)
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    tool: Vec<String>,

    /// that touched this file: its path, the end or a part of it, or a pattern with * (repeatable)
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    file: Vec<String>,

    /// with a log of at least this size: 500k, 1M, 1.5G
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = HEADING)]
    min_size: Option<u64>,

    /// with at least this many messages
    #[arg(long, value_name = "N", help_heading = HEADING)]
    min_messages: Option<usize>,

    /// that a program ran
    #[arg(long, conflicts_with = "kind", help_heading = HEADING)]
    headless: bool,

    /// of this kind (repeatable)
    #[arg(long, value_name = "KIND", value_parser = kinds(), help_heading = HEADING)]
    kind: Vec<SessionKind>,

    /// that ended like this (repeatable)
    #[arg(long, value_name = "STATUS", value_parser = statuses(), help_heading = HEADING)]
    status: Vec<Status>,

    /// that a running process owns
    #[arg(long, help_heading = HEADING)]
    live: bool,
}

impl FilterArgs {
    /// Tells whether nothing was asked for.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Tells whether sessions of some kinds were asked for.
    pub(crate) fn has_kinds(&self) -> bool {
        self.headless || !self.kind.is_empty()
    }

    /// Tells whether sessions of the current folder were asked for.
    pub(crate) fn here(&self) -> bool {
        self.here
    }

    /// Makes a filter of what was typed.
    pub(crate) fn resolve(&self, clock: &Clock, settings: &Settings) -> Result<RowFilter> {
        let (here, user_home) = (&settings.here, settings.user_home.as_deref());
        let path = |text: &String| NamePattern::path(text, here, user_home);
        let name = |text: &String| NamePattern::new(text.as_str());
        Ok(RowFilter {
            projects: self.project.iter().map(path).collect(),
            here: self.here.then(|| Here::of(here)),
            time: self.time(clock)?,
            branches: self.branch.iter().map(name).collect(),
            models: self.model.iter().map(name).collect(),
            tools: self.tool.iter().map(name).collect(),
            files: self.file.iter().map(path).collect(),
            min_bytes: self.min_size.unwrap_or(0),
            min_messages: self.min_messages.unwrap_or(0),
            kinds: if self.headless {
                vec![SessionKind::Headless]
            } else {
                self.kind.clone()
            },
            statuses: self.status.clone(),
            owner: if self.live {
                OwnerFilter::Process
            } else {
                OwnerFilter::Any
            },
        })
    }

    fn time(&self, clock: &Clock) -> Result<TimeRange> {
        let read = |option: &str, text: &Option<String>| {
            let text = text.as_deref();
            text.map(|text| read_time(option, text, clock)).transpose()
        };
        let range = TimeRange {
            from: read("--since", &self.since)?.map(|period| period.from),
            until: read("--until", &self.until)?.map(|period| period.until),
        };
        if range.is_empty() {
            let typed = |text: &Option<String>| text.clone().unwrap_or_default();
            let (since, until) = (typed(&self.since), typed(&self.until));
            let words = format!("no time is both since `{since}` and until `{until}`");
            return Err(UsageError(words).into());
        }
        Ok(range)
    }
}

/// Returns the time that it is, and where.
pub(crate) fn clock(ui: &Ui) -> Clock {
    Clock {
        now: Time::from_millis(jiff::Timestamp::now().as_millisecond()),
        zone: ui.zone(),
    }
}

/// Reads a time; an error shows the place.
fn read_time(option: &str, text: &str, clock: &Clock) -> Result<Period, UsageError> {
    period(text, clock).map_err(|error| {
        let line = format!("{option} {text}");
        let place = point(&line, &(option.len() + 1..line.len()));
        UsageError(format!("{error}\n{}", set_in(&place)))
    })
}

/// Sets lines in, so that they stand apart from what is said about them.
pub(crate) fn set_in(lines: &str) -> String {
    let lines: Vec<String> = lines.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

fn kinds() -> impl TypedValueParser<Value = SessionKind> {
    one_of(&SessionKind::ALL, SessionKind::name)
}

fn statuses() -> impl TypedValueParser<Value = Status> {
    one_of(&Status::ALL, Status::name)
}

/// Reads one of a few values by its name, and lists the names in the help.
pub(crate) fn one_of<T>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let names = PossibleValuesParser::new(all.iter().map(|&value| name(value)));
    names.try_map(move |text| {
        let found = all.iter().copied().find(|&value| name(value) == text);
        found.ok_or_else(|| UsageError(format!("there is no `{text}`")))
    })
}

/// Reads a size: a number with or without a unit. Units are powers of 1000, those with an
/// `i` of 1024.
fn parse_size(text: &str) -> Result<u64, UsageError> {
    let wrong = || UsageError("write a size such as 500k, 1M or 1.5G".to_owned());
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let unit = unit.trim().to_ascii_lowercase();
    let unit = unit.strip_suffix('b').unwrap_or(&unit);
    let (unit, base) = match unit.strip_suffix('i') {
        Some(unit) => (unit, 1024_f64),
        None => (unit, 1000_f64),
    };
    let power = match unit {
        "" if base < 1024.0 => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(wrong()),
    };
    Ok((number * base.powi(power)).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("0", Some(0)),
            ("1024", Some(1024)),
            ("500k", Some(500_000)),
            ("1M", Some(1_000_000)),
            ("1.5G", Some(1_500_000_000)),
            ("2 MB", Some(2_000_000)),
            ("1KiB", Some(1024)),
            ("1mi", Some(1_048_576)),
            ("10B", Some(10)),
            ("", None),
            ("M", None),
            ("1x", None),
            ("1.2.3", None),
            ("-1", None),
            ("1ib", None),
        ] {
            assert_eq!(parse_size(text).ok(), expected, "{text}");
        }
    }
}
