//! `unspool recap`

use anyhow::Result;
use clap::ValueEnum;
use jiff::tz::TimeZone;
use unspool_engine::library::{RecapAnswer, RecapRequest};
use unspool_model::query::TimeRange;
use unspool_model::time::Time;
use unspool_render::json::RecapJson;
use unspool_render::terminal::{PageLayout, recap as page_of};
use unspool_render::transcript_md;

use crate::context::CommandContext;
use crate::errors::{RunOutcome, wrong_use};
use crate::filters::{self, FilterArgs};

/// The largest width of prose.
const PAGE: usize = 100;

/// Summarise what was done today or since another time, by project
///
/// Lists sessions with their prompts, changed files, cost and how they ended. Only turns within that time count, also of a session that
/// began earlier. Costs and tokens match `unspool stats`, which counts each message once.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool recap                            what was done today\n  \
unspool recap yesterday --here           yesterday, in this project\n  \
unspool recap week --format md           since Monday, to paste into a report\n  \
unspool recap 3d --project site --json   the last three days of a project, for a script")]
pub(crate) struct RecapArgs {
    /// The time: today, yesterday, week (since Monday), last week, or since when: 3d, monday, nov 1
    #[arg(value_name = "TIME", default_value = "today")]
    time: Vec<String>,

    /// Output format
    #[arg(
        long,
        short = 'f',
        value_name = "FORMAT",
        default_value = "text",
        conflicts_with = "json"
    )]
    format: RecapFormat,

    /// Print one JSON object, see docs/json.md
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    filter: FilterArgs,
}

/// How a recap is written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum RecapFormat {
    /// For a terminal
    Text,
    /// Markdown
    Md,
}

pub(crate) fn run(args: &RecapArgs, context: &CommandContext<'_>) -> Result<RunOutcome> {
    let ui = context.ui;
    if args.filter.has_time() {
        return wrong_use(
            "name the time without an option: `unspool recap yesterday`, `unspool recap 3d`",
        );
    }
    let clock = filters::clock(ui);
    let time = args.time.join(" ");
    let (since, until) = period(&time);
    let filter = args.filter.within(since, until);
    let request = RecapRequest {
        filter: filter.resolve_named("recap", &clock, context.settings)?,
        zone: clock.zone.clone(),
    };
    let answer = context.library.recap(&request, context)?;
    ui.notes(&answer.unmatched);
    let heading = heading(&time, request.filter.time, &clock.zone);
    let is_nothing = answer.recap.projects.is_empty();
    if !is_nothing || args.json {
        print(args, &answer, &heading, context)?;
    }
    let reading = RunOutcome::from(answer.reading);
    if is_nothing {
        ui.note(&format!("nothing was done ({heading})"));
        return Ok(reading.max(RunOutcome::Problems));
    }
    super::stats::say_unpriced(&answer.recap.unpriced_models, ui);
    Ok(reading)
}

/// Returns the bounds of a time: a past day or week ends with itself, any other time has no end.
fn period(time: &str) -> (&str, Option<&str>) {
    match time.trim() {
        "week" => ("this week", None),
        "month" => ("this month", None),
        time if time == "yesterday" || time.starts_with("last ") => (time, Some(time)),
        time => (time, None),
    }
}

/// Describes the time in words.
fn heading(asked: &str, time: TimeRange, zone: &TimeZone) -> String {
    let shown = |time: Time, format: &str| {
        let instant = jiff::Timestamp::from_millisecond(time.as_millis()).unwrap_or_default();
        instant.to_zoned(zone.clone()).strftime(format).to_string()
    };
    let day = |time: Time| shown(time, "%A, %b %-d, %Y");
    let from = time.from.map(day).unwrap_or_default();
    // `until` is exclusive.
    let last = time.until.map(|until| day(Time::from_millis(until.as_millis() - 1)));
    match (asked.trim(), last) {
        ("today", _) => format!("Today: {from}"),
        ("yesterday", _) => format!("Yesterday: {from}"),
        (_, Some(last)) if last == from => from,
        (_, Some(last)) => format!("{from} to {last}"),
        (_, None) => {
            let from = time.from.map(|from| shown(from, "%A, %b %-d, %Y, %H:%M"));
            let from = from.unwrap_or_default();
            format!("Since {}", from.trim_end_matches(", 00:00"))
        }
    }
}

fn print(
    args: &RecapArgs,
    answer: &RecapAnswer,
    heading: &str,
    context: &CommandContext<'_>,
) -> Result<()> {
    let ui = context.ui;
    if args.json {
        return ui.print_json(&RecapJson::from(&answer.recap));
    }
    if args.format == RecapFormat::Md {
        return ui.print_bytes(transcript_md::recap(&answer.recap, heading).as_bytes());
    }
    let layout =
        PageLayout { width: ui.width().min(PAGE), zone: ui.zone(), user_home: context.user_home() };
    ui.print_lines(page_of(&answer.recap, heading, &layout))
}
