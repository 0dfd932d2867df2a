//! The table of fields, in the order of JSON.

use unspool_model::ids::ProjectId;
use unspool_text::style::Role;
use unspool_text::table::{Align, Column};

use super::JsonForm::{
    Boolean, Counts, Integer, MaybeInteger, MaybeNumber, MaybeText, MaybeTime, Text, Texts, Tokens,
};
use super::{JsonForm, ListColumn, RowField, ShownColumn, number, words};
use unspool_store::rows::{RowGetter, RowValue as Value};

/// The width of the id and time columns, including the gaps after them.
const ID_AND_TIME: usize = 23;

/// Lays out half of the page, but leaves room for the id and the time.
fn half(width: usize) -> Column {
    let half = (width / 2).min(width.saturating_sub(ID_AND_TIME));
    Column::new(Align::Left).min(half.max(16)).flexible()
}

/// Lays out at most 48 columns.
fn up_to_48(_: usize) -> Column {
    Column::new(Align::Left).min(8).max(48)
}

/// The column that shows several fields as marks.
pub(super) static MARKS: ListColumn =
    words(26, "marks", Role::Plain).wide(|_| Column::new(Align::Left).min(6)).headed("").usual(170);

const fn field(
    name: &'static str,
    form: JsonForm,
    value: RowGetter,
    meaning: &'static str,
) -> RowField {
    RowField { name, form, value, meaning, column: None }
}

/// All fields.
#[rustfmt::skip]
pub(crate) static FIELDS: &[RowField] = &[
    field("id", Text, |row| Value::Id(row.id.as_str()), "the session's id; `agent-…` for an agent")
        .column(words(1, "id", Role::Id).showing(|row| Value::Text(row.short_id().into())).usual(u8::MAX)),
    field("home", MaybeText, |row| Value::maybe(row.home.as_deref(), Value::path),
        "the home; null for a file outside every home"),
    field("project", MaybeText, |row| Value::maybe_text(row.project.as_ref().map(ProjectId::as_str)),
        "the name of the project's folder; null for a file outside every home")
        .column(words(5, "project", Role::Path).showing(|row| Value::text(row.project_name()))
            .wide(|width| Column::new(Align::Left).min((width / 12).clamp(6, 14)).max(24))
            .usual(180).sorted(10)),
    field("cwd", MaybeText, |row| Value::maybe(row.cwd.as_deref(), |cwd| Value::Path(cwd.into())),
        "the folder it began in")
        .column(words(6, "path", Role::Path).wide(up_to_48)),
    field("cwds", Texts, |row| Value::Texts(row.cwds().collect()),
        "every folder it was in, in order; the first is `cwd`"),
    field("file", Text, |row| Value::path(&row.file),
        "the log. Where only agents of a session are left, the file that is missing"),
    field("title", MaybeText, |row| Value::maybe_text(row.title.as_deref()),
        "given by the user, else made up by the client, else a summary of this session (the last in \
         its own log, else one in another log of the same project whose `leafUuid` is in this one), \
         else the first prompt of more than three characters, else the first prompt, else the first \
         command that only acted on the client")
        .column(ListColumn { absent: "(no conversation)", ..words(4, "title", Role::Plain) }
            .wide(half).usual(u8::MAX).sorted(11)),
    field("first_prompt", MaybeText, |row| Value::maybe_text(row.first_prompt.as_deref()),
        "the first prompt, also a slash command that the model answered (`/name args`), else the \
         first command; one line, cut after 200 characters"),
    field("started", MaybeTime, |row| Value::maybe(row.started, Value::Time), "the earliest entry")
        .column(words(3, "started", Role::Time).sorted(2)),
    field("ended", MaybeTime, |row| Value::maybe(row.ended, Value::Time), "the latest entry")
        .column(words(2, "ended", Role::Time).showing(|row| Value::Time(row.last_active()))
            .headed("WHEN").usual(200).sorted(1)),
    field("duration_ms", MaybeInteger, |row| Value::maybe(row.duration_ms(), Value::Millis),
        "from the earliest entry to the latest")
        .column(number(12, "duration", Role::Muted).headed("LENGTH").usual(110).sorted(3)),
    field("turns", Integer, |row| Value::count(row.turns), "turns on the active path")
        .column(number(8, "turns", Role::Number).usual(120).sorted(4)),
    field("messages", Integer, |row| Value::count(row.messages), "messages on the active path")
        .column(number(9, "messages", Role::Muted).headed("MSGS").usual(80).sorted(5)),
    field("calls", Integer, |row| Value::count(row.calls), "calls on the active path")
        .column(number(10, "calls", Role::Muted).usual(70).sorted(6)),
    field("failed_calls", Integer, |row| Value::count(row.failed_calls), "those of the calls that failed")
        .column(number(11, "failed", Role::Failure)),
    field("active_ms", Integer, |row| Value::Millis(row.active_ms),
        "how long the turns of the active path were worked on together, the sum of their `duration_ms`")
        .column(number(13, "active", Role::Muted)
            .showing(|row| Value::maybe(Some(row.active_ms).filter(|&ms| ms > 0), Value::Millis))),
    field("tools", Counts, |row| Value::Tools(&row.tools),
        "calls on the active path by name of the tool; without a name `unknown`")
        .column(words(18, "tools", Role::Muted).wide(up_to_48)),
    field("models", Texts, |row| Value::Texts(row.models.iter().map(String::as_str).collect()),
        "models that answered, agents included, in order of appearance")
        .column(words(17, "models", Role::Model).wide(up_to_48)),
    field("git_branch", MaybeText, |row| Value::maybe_text(row.git_branch.as_deref()),
        "the branch that was named last")
        .column(words(7, "branch", Role::Muted)
            .wide(|width| Column::new(Align::Left).min((width / 16).clamp(6, 12)).max(20)).usual(90)),
    field("version", MaybeText, |row| Value::maybe_text(row.version.as_deref()),
        "the client's version that was named last")
        .column(words(23, "version", Role::Muted)),
    field("tokens", Tokens, |row| Value::Tokens(row.tokens), "of the session and its agents")
        .column(number(14, "tokens", Role::Muted).usual(100).sorted(7)),
    field("cost_usd", MaybeNumber, |row| Value::maybe(row.cost_usd, Value::Dollars),
        "what the tokens cost by the prices in force; tokens without a price are left out, and null \
         if none of them has one")
        .column(ListColumn { shown: ShownColumn::IfKnown, ..number(15, "cost", Role::Number).usual(105) }
            .sorted(8)),
    field("files_changed", Integer, |row| Value::count(row.files_changed),
        "files named by calls of `Edit`, `MultiEdit`, `Write` and `NotebookEdit` on the active path")
        .column(number(19, "files", Role::Muted)),
    field("agents", Integer, |row| Value::count(row.agents), "its agents, those inside its file included")
        .column(number(20, "agents", Role::Muted)),
    field("branches", Integer, |row| Value::count(row.branches),
        "paths other than the active one: rewinds and retries")
        .column(ListColumn { other_name: Some("branches"), ..number(21, "rewinds", Role::Muted) }),
    field("compactions", Integer, |row| Value::count(row.compactions), "compactions in the file")
        .column(number(22, "compactions", Role::Muted)),
    field("bytes", Integer, |row| Value::Bytes(row.bytes), "size of the log")
        .column(number(16, "size", Role::Muted).usual(60).sorted(9)),
    field("status", Text, |row| Value::Status(row.status),
        "`complete`, `interrupted` (by a person, or the process died), `error`, `open` (a process \
         works on it), `empty` (no conversation of its own; it may have agents): how the last turn \
         of the active path ended")
        .column(words(24, "status", Role::Plain)),
    field("kind", Text, |row| Value::text(row.kind.name()),
        "`main`; `headless`, run by a program; `agent`; `empty`, no conversation and no agents. May grow")
        .column(words(25, "kind", Role::Muted)),
    field("live", Boolean, |row| Value::Flag(row.live), "a running process owns it"),
];
