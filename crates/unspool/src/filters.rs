//! Filters of sessions: one definition for all commands.
//!
//! The options become a [`TypedFilter`], which resolves to a [`RowFilter`]. Doc comments here are the help
//! text.

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use unspool_model::named::Named as _;
use unspool_model::query::{Clock, point};
use unspool_store::filter::{
    FilterBasis, OwnerFilter, RowFilter, TimeBound, TypedFilter, TypedFilterError, parse_size,
};
use unspool_store::rows::{SessionKind, Status};

use crate::context::system_clock;
use crate::errors::UsageError;
use crate::settings::Settings;
use crate::ui::Ui;

/// The heading of filters in the help.
const HEADING: &str = "Filter sessions";

/// Which sessions are meant.
#[derive(clap::Args, Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct FilterArgs {
    /// Only sessions of this project: its name, its path, a part of either, or a pattern with * (repeatable)
    // The names of folders under `projects/` begin with a hyphen.
    #[arg(long, value_name = "NAME|PATH", allow_hyphen_values = true, help_heading = HEADING)]
    project: Vec<String>,

    /// Only sessions of this folder, its subfolders, and other git worktrees of its repository
    #[arg(long, help_heading = HEADING)]
    here: bool,

    /// Only sessions active after TIME: 3d, 10:00, yesterday, monday, last week, nov 1, 2026-11-01
    #[arg(long, value_name = "TIME", help_heading = HEADING)]
    since: Option<String>,

    /// Only sessions active before the end of TIME
    #[arg(long, value_name = "TIME", help_heading = HEADING)]
    until: Option<String>,

    /// Only sessions on this git branch: its name, or a pattern with * (repeatable)
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    branch: Vec<String>,

    /// Only sessions with this model: its name, a part of it, or a pattern with * (repeatable)
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    model: Vec<String>,

    /// Only sessions that called this tool: its name, or a pattern with * (repeatable)
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    tool: Vec<String>,

    /// Only sessions that touched this file: its path, the end or a part of it, or a pattern with * (repeatable)
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    file: Vec<String>,

    /// Only sessions with a log of at least this size: 500k, 1M, 1.5G
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = HEADING)]
    min_size: Option<u64>,

    /// Only sessions with at least this many messages
    #[arg(long, value_name = "N", help_heading = HEADING)]
    min_messages: Option<usize>,

    /// Only sessions that a program ran
    #[arg(long, conflicts_with = "kind", help_heading = HEADING)]
    headless: bool,

    /// Only sessions of this kind (repeatable)
    #[arg(long, value_name = "KIND", value_parser = kinds(), help_heading = HEADING)]
    kind: Vec<SessionKind>,

    /// Only sessions that ended like this (repeatable)
    #[arg(long, value_name = "STATUS", value_parser = statuses(), help_heading = HEADING)]
    status: Vec<Status>,

    /// Only sessions that a running process owns
    #[arg(long, help_heading = HEADING)]
    live: bool,
}

impl FilterArgs {
    /// Tells whether no filter is set.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Tells whether `--live` is set.
    pub(crate) fn live(&self) -> bool {
        self.live
    }

    /// Tells whether `--live` is the only filter.
    pub(crate) fn is_only_live(&self) -> bool {
        let live = Self { live: true, ..Self::default() };
        *self == live
    }

    /// Tells whether the kinds of sessions are filtered.
    pub(crate) fn has_kinds(&self) -> bool {
        self.headless || !self.kind.is_empty()
    }

    /// Tells whether `--here` is set.
    pub(crate) fn here(&self) -> bool {
        self.here
    }

    /// Tells whether `--since` or `--until` is set.
    pub(crate) fn has_time(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// Returns the same filters with these times.
    pub(crate) fn within(&self, since: &str, until: Option<&str>) -> Self {
        Self { since: Some(since.to_owned()), until: until.map(str::to_owned), ..self.clone() }
    }

    /// Resolves the filters; errors name a time by a word instead of its option.
    pub(crate) fn resolve_named(
        &self,
        word: &str,
        clock: &Clock,
        settings: &Settings,
    ) -> Result<RowFilter> {
        self.resolved(clock, settings, |_| word.to_owned())
    }

    /// Resolves the filters.
    pub(crate) fn resolve(&self, clock: &Clock, settings: &Settings) -> Result<RowFilter> {
        self.resolved(clock, settings, |bound| format!("--{}", bound.name()))
    }

    fn resolved(
        &self,
        clock: &Clock,
        settings: &Settings,
        before: impl Fn(TimeBound) -> String,
    ) -> Result<RowFilter> {
        let basis =
            FilterBasis { clock, here: &settings.here, user_home: settings.user_home.as_deref() };
        Ok(self.typed().resolve(basis).map_err(|error| explain(&error, before))?)
    }

    fn typed(&self) -> TypedFilter {
        TypedFilter {
            projects: self.project.clone(),
            here: self.here,
            since: self.since.clone(),
            until: self.until.clone(),
            branches: self.branch.clone(),
            models: self.model.clone(),
            tools: self.tool.clone(),
            files: self.file.clone(),
            min_bytes: self.min_size,
            min_messages: self.min_messages,
            kinds: if self.headless { vec![SessionKind::Headless] } else { self.kind.clone() },
            statuses: self.status.clone(),
            owner: if self.live { OwnerFilter::Process } else { OwnerFilter::Any },
        }
    }
}

/// Explains an error of a filter. A wrong time is shown after `before`, with its position marked.
fn explain(error: &TypedFilterError, before: impl Fn(TimeBound) -> String) -> UsageError {
    let TypedFilterError::Time { bound, text, .. } = &error else {
        return UsageError(error.to_string());
    };
    let option = before(*bound);
    let line = format!("{option} {text}");
    let place = point(&line, &(option.len() + 1..line.len()));
    UsageError(format!("{error}\n{}", set_in(&place)))
}

/// Returns the current time and the zone.
pub(crate) fn clock(ui: &Ui) -> Clock {
    Clock { now: system_clock().time(), zone: ui.zone() }
}

/// Indents lines.
pub(crate) fn set_in(lines: &str) -> String {
    let lines: Vec<String> = lines.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

fn kinds() -> impl TypedValueParser<Value = SessionKind> {
    one_of(SessionKind::ALL, SessionKind::name)
}

fn statuses() -> impl TypedValueParser<Value = Status> {
    one_of(Status::ALL, Status::name)
}

/// Parses one of a few values by name; the help lists the names.
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
