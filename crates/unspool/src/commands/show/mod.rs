//! `unspool show`

mod args;
mod choices;
mod instead;
mod print;

use anyhow::Result;
use unspool_engine::library::{LibrarySession, NameMatch, NameReach};
use unspool_engine::ops::locate;
use unspool_engine::ops::raw;
use unspool_engine::ops::transcript::Transcript;
use unspool_model::ids::EntryId;
use unspool_render::terminal::{self, PageLayout};

pub(crate) use self::args::ShowArgs;
use self::instead::PrintForm;
use super::remarks::say_remarks;
use crate::context::CommandContext;
use crate::errors::{RunOutcome, wrong_use};
use crate::ui::Ui;

/// The largest width of prose.
const PAGE: usize = 120;

pub(crate) fn run(args: &ShowArgs, context: &CommandContext<'_>) -> Result<RunOutcome> {
    let reach = NameReach { entries: args.at.is_none() && args.raw.is_none(), past: !args.json };
    let named = context.library.named(&args.session.request(), reach, context)?;
    match named {
        NameMatch::Session(mut session) => show(args, &mut session, context)?,
        NameMatch::Past(past) => print::print_past(&past, context)?,
    }
    Ok(RunOutcome::Done)
}

fn show(args: &ShowArgs, opened: &mut LibrarySession, context: &CommandContext<'_>) -> Result<()> {
    let ui = context.ui;
    if let Some(entry) = &args.raw {
        return print::print_bytes(raw::raw(&opened.session, entry)?, ui);
    }
    context.library.add_title(opened);
    let session = &opened.session;
    let found_by = opened.entry.as_ref().map(EntryId::as_str);
    let named = args.at.as_deref().or(found_by);
    if args.find.is_some() && named.is_none() {
        return wrong_use("--find needs an entry, such as one with --at");
    }
    let at = named.map(|entry| locate::find(session, entry)).transpose()?;
    let mut shown = Transcript::new(session, &args.request(at.clone()))?;
    if args.instead.is_any() {
        let form = if args.json { PrintForm::Json } else { PrintForm::Page };
        args.instead.print(&shown, form, context)?;
    } else if let Some(place) = at.filter(|_| shown.at.is_none() && !args.json) {
        print::print_bytes(place.bytes(session)?, ui)?;
    } else if args.json {
        shown.lineage = opened.lineage();
        print::print_json(&shown, ui)?;
    } else {
        print::print_page(&shown, args, ui)?;
    }
    say_remarks(ui, session, shown.file);
    say_rest(args, &shown, named, ui);
    Ok(())
}

/// Notes what could not be shown as a conversation.
fn say_rest(args: &ShowArgs, shown: &Transcript<'_>, named: Option<&str>, ui: &Ui) {
    if let Some(entry) = named.filter(|_| shown.at.is_none()) {
        let record = if args.json { "`--raw` prints its record" } else { "this is its record" };
        ui.note(&format!("`{entry}` is not part of a conversation; {record}"));
    }
    if shown.path.is_none() && (args.json || !terminal::only_agents_left(shown)) {
        ui.note("there is no conversation in this file");
    }
}

/// Returns the layout of a page of facts.
fn layout(context: &CommandContext<'_>) -> PageLayout {
    PageLayout {
        width: context.ui.width().min(PAGE),
        zone: context.ui.zone(),
        user_home: context.user_home(),
    }
}
