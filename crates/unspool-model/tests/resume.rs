//! The active path is the one that the real client resumed, case by case.
//!
//! The cases are logs that the client wrote, some cut and joined by hand, with the requests
//! that it sent to the model afterwards.

use unspool_model::conversation::{Conversation, View};
use unspool_model::entry::MessageKind;
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::positions::NodeId;
use unspool_model::record::{Record, RecordPart};
use unspool_testkit::reallogs::{self, RealLogs, RequestBlock, Resume};

/// Returns all sets of cases: the fixtures, and the full set if it is next to the project.
fn all_logs() -> Vec<RealLogs> {
    std::iter::once(RealLogs::fixtures()).chain(RealLogs::shared()).collect()
}

fn rule_of(version: &str) -> Rule {
    if version == "2.1.325" { Rule::Current } else { Rule::NewestTime }
}

fn texts(bytes: &[u8], conversation: &Conversation<'_>, view: &View) -> Vec<(MessageKind, String)> {
    view.messages
        .iter()
        .map(|message| {
            let mut said = String::new();
            for &node in view.nodes(message) {
                let span = conversation.graph.entry(conversation.log, node).span;
                let record = Record::read(&bytes[span.start as usize..span.end() as usize]);
                for part in record.parts {
                    if let RecordPart::Text(text) = part {
                        said.push_str(&text);
                    }
                }
            }
            (message.kind, said)
        })
        .collect()
}

/// Writes a view in the notation of the cases: `U:` a prompt, `A:` the prompt that an answer repeats.
fn as_sent(texts: Vec<(MessageKind, String)>) -> Vec<String> {
    texts
        .into_iter()
        .filter_map(|(kind, text)| match kind {
            MessageKind::Prompt => Some(format!("U:{text}")),
            MessageKind::Answer => {
                let quoted =
                    text.split_once("You said: '").map(|(_, rest)| rest.trim_end_matches('\''));
                Some(format!("A:{}", quoted.unwrap_or(&text)))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn every_leaf_case_continues_where_the_client_did() {
    let mut checked = 0;
    for case in all_logs().iter().flat_map(RealLogs::cases) {
        let sent = match &case.resume {
            Resume::NotTried => continue,
            Resume::Refused => Vec::new(),
            Resume::Sent(sent) => sent.clone(),
        };
        if case.version == "1.0.113" && case.scenario == "leaf-E16" {
            continue; // That version resumes a subagent; later versions and unspool do not.
        }
        let bytes = std::fs::read(case.transcript().expect("a transcript")).expect("readable");
        let log = Log::read(&bytes);
        let conversation = Conversation::new(&log, rule_of(&case.version), Scope::Session);
        let found = conversation.paths.active().map(|path| conversation.context(path));
        let found = found.map(|view| as_sent(texts(&bytes, &conversation, &view)));
        // Texts that the client adds at a resume, and the output of a local command.
        let added = ["U:probe", "A:No response requested.", "U:hi"];
        let expected: Vec<_> = sent.into_iter().filter(|s| !added.contains(&s.as_str())).collect();
        assert_eq!(found.unwrap_or_default(), expected, "{} {}", case.version, case.scenario);
        checked += 1;
    }
    assert!(checked >= 60, "only {checked} cases");
}

/// One block that a client sent, or that unspool says it would send.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Sent {
    Text(String),
    Call(String),
    Result(String, bool),
}

fn context(bytes: &[u8], rule: Rule) -> Vec<Sent> {
    let log = Log::read(bytes);
    let conversation = Conversation::new(&log, rule, Scope::Session);
    let Some(path) = conversation.paths.active() else {
        return Vec::new();
    };
    let view = conversation.context(path);
    let mut sent = Vec::new();
    for message in
        view.messages.iter().filter(|m| m.speaker != unspool_model::conversation::Speaker::System)
    {
        let mut results = Vec::new();
        for &node in view.nodes(message) {
            let entry = conversation.graph.entry(&log, node);
            let span = entry.span;
            let record = Record::read(&bytes[span.start as usize..span.end() as usize]);
            if let Some(text) = record.text {
                sent.push(Sent::Text(text.into_owned()));
            }
            for (part, block) in record.parts.into_iter().zip(log.blocks_of(entry)) {
                match part {
                    RecordPart::Text(text) => sent.push(Sent::Text(text.into_owned())),
                    RecordPart::Call { .. } => {
                        let call = block.call.expect("calls have ids");
                        let result = conversation.result_of(node, call);
                        if result.is_none() && rule == Rule::NewestTime {
                            continue;
                        }
                        sent.push(Sent::Call(log.text(call).to_owned()));
                        results.extend(result.map(|result| (result, call)));
                    }
                    _ => {}
                }
            }
        }
        results.sort_by_key(|(result, _)| result.entry);
        for (result, call) in results {
            let failed = result.verdict != unspool_model::entry::Verdict::Done;
            sent.push(Sent::Result(log.text(call).to_owned(), failed));
        }
    }
    sent
}

fn requested(blocks: &[RequestBlock]) -> Vec<Sent> {
    blocks
        .iter()
        .filter_map(|block| match block {
            RequestBlock::Text { text, .. } => Some(Sent::Text(text.clone())),
            RequestBlock::Call { id, .. } => Some(Sent::Call(id.clone())),
            RequestBlock::Result { id, is_error } => Some(Sent::Result(id.clone(), *is_error)),
            RequestBlock::Other { .. } => None,
        })
        .collect()
}

/// Tells whether two blocks are the same, as far as the cases keep them: texts are cut.
fn same(ours: &Sent, theirs: &Sent) -> bool {
    let cut = |text: &str| text.trim().chars().take(40).collect::<String>();
    match (ours, theirs) {
        (Sent::Text(ours), Sent::Text(theirs)) => cut(ours) == cut(theirs),
        _ => ours == theirs,
    }
}

#[test]
fn the_context_is_what_the_client_sent_last() {
    let mut checked = 0;
    for case in all_logs().iter().flat_map(RealLogs::cases) {
        let Some(request) = &case.last_request else {
            continue;
        };
        let Some(session) = &case.session else {
            continue;
        };
        let Some(file) = case.files().into_iter().find(|file| {
            file.components().any(|part| part.as_os_str() == "home")
                && file.file_stem().is_some_and(|stem| stem.to_string_lossy() == *session)
        }) else {
            continue;
        };
        let bytes = std::fs::read(file).expect("readable");
        let ours = context(&bytes, rule_of(&case.version));
        let theirs = requested(request);
        // The last request came before the last answer, so its blocks are in our context in the
        // same order, with nothing else in between.
        let mut rest = ours.iter();
        let mut missing = Vec::new();
        let mut skipped = Vec::new();
        for block in &theirs {
            let before = rest.clone();
            let passed: Vec<_> = rest.by_ref().take_while(|ours| !same(ours, block)).collect();
            let found = before.clone().any(|ours| same(ours, block));
            if found {
                skipped.extend(passed);
            } else {
                rest = before;
                missing.push(block);
            }
        }
        missing.retain(|block| !client_only(block));
        skipped.retain(|block| !ours_only(block));
        let case = format!("{} {}", case.version, case.scenario);
        if case == "2.1.50 parallel" {
            // That version loses parallel results when it resumes; unspool does not.
            assert!(missing.is_empty(), "{case}: not in our context: {missing:?}");
            continue;
        }
        assert!(missing.is_empty(), "{case}: not in our context: {missing:?}");
        assert!(skipped.is_empty(), "{case}: not sent by the client: {skipped:?}");
        checked += 1;
    }
    assert!(checked >= 60, "only {checked} cases");
}

/// Tells whether a text is one that the client adds or repeats when it sends, and that no log
/// has in that place.
fn client_only(block: &Sent) -> bool {
    let Sent::Text(text) = block else {
        return false;
    };
    let starts =
        ["<local-command-stdout></local", "Your response was cut off", "<task-notification>"];
    starts.iter().any(|start| text.starts_with(start))
        || text.contains("[[edit: ")
        || text.contains("Compacted ")
}

/// Tells whether a text is one that the log contains and the client did not send.
fn ours_only(block: &Sent) -> bool {
    let Sent::Text(text) = block else {
        return false;
    };
    text.trim().is_empty()
        || text.starts_with("<local-command-stdout>")
        || text.starts_with("<command-name>")
}

#[test]
fn the_sdk_rule_gives_the_sdks_chains() {
    let vectors = reallogs::sdk_vectors();
    for (name, case) in vectors["chain"].as_object().expect("chains") {
        let entries = case["entries"].as_array().expect("entries");
        let lines: Vec<String> = entries.iter().map(ToString::to_string).collect();
        let bytes = lines.join("\n");
        let log = Log::read(bytes.as_bytes());
        let conversation = Conversation::new(&log, Rule::Sdk, Scope::Session);
        let nodes = conversation
            .paths
            .active()
            .map(|path| conversation.paths.nodes(&conversation.graph, path));
        let uuid =
            |node: &NodeId| conversation.graph.entry(&log, *node).uuid.map(|uuid| log.text(uuid));
        let found: Vec<_> = nodes.iter().flatten().filter_map(uuid).collect();
        let expected: Vec<_> = case["chain"]
            .as_array()
            .expect("a chain")
            .iter()
            .filter_map(|uuid| uuid.as_str())
            .collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn first_prompts_are_those_of_the_sdk() {
    let vectors = reallogs::sdk_vectors();
    for (name, case) in vectors["first_prompt"].as_object().expect("cases") {
        let log = Log::read(case["head"].as_str().expect("a head").as_bytes());
        let facts = &log.facts;
        let found = facts.first_prompt_sdk.as_ref().or(facts.first_command_sdk.as_ref());
        assert_eq!(
            found.map_or("", |prompt| prompt),
            case["out"].as_str().expect("text"),
            "{name}"
        );
    }
}
