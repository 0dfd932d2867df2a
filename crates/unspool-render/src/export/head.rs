//! The header of a transcript, from the session and its prices.

use std::collections::HashMap;
use std::io;

use unspool_model::conversation::Turn;
use unspool_model::entry::MessageKind;
use unspool_model::ids::{EntryId, ProjectId, SessionId};
use unspool_model::paths::Path;
use unspool_model::positions::{PathNumber, TurnNumber};
use unspool_text::sanitize;

use crate::document::{
    AgentHead, AgentLocation, HeldPath, Interjection, OtherPath, OtherPaths, PathHead, PathStatus,
    TranscriptHead, TurnHead, spoken,
};
use unspool_engine::ops::message::{MessageReader, may_interject};
use unspool_engine::ops::transcript::Transcript;
use unspool_store::rows::Bill;

/// The most columns of a prompt in an outline.
const PROMPT: usize = 160;

/// The most other paths that a transcript names, apart from the active one. A session may have very
/// many, and each of its transcripts would name all of them.
const NAMED: usize = 200;

/// Returns the header of the path or agent that a transcript shows; `None` without a path.
pub(super) fn head(
    shown: &Transcript<'_>,
    bill: &Bill,
    files: &HashMap<PathNumber, String>,
    held_paths: &[HeldPath],
) -> io::Result<Option<TranscriptHead>> {
    let Some(path) = &shown.path else {
        return Ok(None);
    };
    let conversation = &shown.conversation;
    let (log, graph) = (conversation.log, &conversation.graph);
    let facts = &shown.session.log().facts;
    let own = shown.session.log();
    let text = |symbol: Option<_>| symbol.map(|symbol| shown.redacted(own.text(symbol).to_owned()));
    let project = shown.session.project.as_ref();
    let fork_point = path.fork_point.and_then(|node| {
        let uuid = graph.entry(log, node).uuid?;
        Some(EntryId::new(shown.shown_id(log.text(uuid))))
    });
    let boundaries = |kind| kind == MessageKind::Boundary;
    let messages = &shown.view.messages;
    let models = bill.models.iter();
    Ok(Some(TranscriptHead {
        session: SessionId::new(shown.shown_id(shown.session.id.as_str())),
        path: PathHead {
            number: shown.number_of(path),
            total: shown.path_count(),
            status: PathStatus::of(path),
            fork_point,
        },
        view: shown.kind,
        compactions: messages.iter().filter(|m| boundaries(m.kind)).count(),
        messages: messages.len(),
        title: shown.title(),
        project: project.map(|project| ProjectId::new(shown.redacted(project.to_string()))),
        cwd: text(facts.cwd()),
        branch: text(facts.branch),
        version: text(facts.version),
        started: facts.started,
        ended: facts.ended,
        models: models.map(|model| shown.redacted(model.clone())).collect(),
        tokens: bill.tokens,
        cost_usd: bill.cost_usd,
        agent: agent(shown),
        others: others(shown, path, files),
        turns: turns(shown)?,
        held_paths: held_paths.to_vec(),
    }))
}

/// Returns other paths of the session: the first ones, and the active one. A transcript of an agent
/// names none.
fn others(shown: &Transcript<'_>, path: &Path, files: &HashMap<PathNumber, String>) -> OtherPaths {
    if shown.agent.is_some() {
        return OtherPaths::default();
    }
    let paths = &shown.conversation.paths;
    let is_other = |other: &&Path| other.index != path.index;
    let mut named: Vec<&Path> = paths.paths.iter().filter(is_other).take(NAMED).collect();
    let last = named.last().map(|other| other.index);
    let active = paths.active().filter(is_other);
    named.extend(active.filter(|active| Some(active.index) > last));
    unspool_work::add(named.len());
    let named: Vec<OtherPath> = named
        .into_iter()
        .map(|other| OtherPath {
            number: other.index,
            status: PathStatus::of(other),
            file: files.get(&other.index).cloned(),
        })
        .collect();
    OtherPaths { more: paths.paths.len() - 1 - named.len(), named }
}

fn agent(shown: &Transcript<'_>) -> Option<AgentHead> {
    let id = shown.agent.as_ref()?;
    let info = shown.agents.iter().find(|agent| agent.id == *id)?;
    Some(AgentHead::of(info, AgentLocation::Nested))
}

/// Returns the turns of a transcript for an outline.
fn turns(shown: &Transcript<'_>) -> io::Result<Vec<TurnHead>> {
    let mut reader = shown.reader();
    let outline = |(number, turn): (TurnNumber, &Turn)| {
        let message = &shown.view.messages[turn.messages.start as usize];
        let said = reader.read(&shown.view, message)?.said();
        let interjections = interjections(shown, &mut reader, turn)?;
        Ok(TurnHead {
            number,
            prompt: sanitize::one_line(&spoken(&said), PROMPT),
            started: turn.started,
            duration_ms: turn.duration_ms,
            calls: turn.calls,
            outcome: turn.outcome,
            messages: turn.messages.clone(),
            interjections,
        })
    };
    TurnNumber::enumerate(&shown.turns).map(outline).collect()
}

/// Returns the texts sent to the model during a turn, after its prompt.
fn interjections(
    shown: &Transcript<'_>,
    reader: &mut MessageReader<'_>,
    turn: &Turn,
) -> io::Result<Vec<Interjection>> {
    let mut found = Vec::new();
    for message in turn.messages.clone().skip(1) {
        let outlined = &shown.view.messages[message as usize];
        if !may_interject(outlined.kind) {
            continue;
        }
        let text = reader.read(&shown.view, outlined)?;
        if text.is_interjection() {
            found.push(Interjection {
                message,
                entry: text.entries.first().cloned(),
                text: sanitize::one_line(&text.said(), PROMPT),
            });
        }
    }
    Ok(found)
}
