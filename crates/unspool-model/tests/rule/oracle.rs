//! The ten steps again: slow, simple, and over JSON values instead of a log.
//!
//! Written from the description of the client's rule, to be read next to it. No code is shared
//! with the implementation that it checks.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::sent::{Resumed, Sent};

/// An entry of the log.
#[derive(Clone, Debug)]
struct Item {
    uuid: String,
    parent: Option<String>,
    kind: String,
    value: Value,
    place: usize,
    first_place: usize,
    time: Option<i64>,
    main: bool,
}

impl Item {
    fn is_message(&self) -> bool {
        self.kind == "user" || self.kind == "assistant"
    }

    fn is_boundary(&self) -> bool {
        self.kind == "system" && self.value["subtype"] == "compact_boundary"
    }

    fn is_error(&self) -> bool {
        self.value["isApiErrorMessage"] == true
    }

    fn is_queued(&self) -> bool {
        self.kind == "attachment" && self.value["attachment"]["type"] == "queued_command"
    }

    fn message(&self) -> Option<&str> {
        let id = self.value["message"]["id"].as_str();
        id.filter(|_| self.kind == "assistant")
    }

    fn blocks(&self) -> Vec<Value> {
        match &self.value["message"]["content"] {
            Value::String(text) => vec![serde_json::json!({"type": "text", "text": text})],
            Value::Array(blocks) => blocks.clone(),
            _ => Vec::new(),
        }
    }

    fn ids(&self, kind: &str, key: &str) -> Vec<String> {
        let blocks = self.blocks();
        let of_kind = blocks.iter().filter(|block| block["type"] == kind);
        of_kind.filter_map(|block| block[key].as_str().map(str::to_owned)).collect()
    }

    fn calls(&self) -> Vec<String> {
        match self.kind.as_str() {
            "assistant" => self.ids("tool_use", "id"),
            _ => Vec::new(),
        }
    }

    fn results(&self) -> Vec<String> {
        match self.kind.as_str() {
            "user" => self.ids("tool_result", "tool_use_id"),
            _ => Vec::new(),
        }
    }
}

/// The pin: its line, the leaf that it names, and whether a person chose it.
struct Pin {
    place: usize,
    leaf: String,
    explicit: bool,
}

/// Everything that the client has read.
struct Read {
    items: Vec<Item>,
    pin: Option<Pin>,
}

/// Returns what a resume of a log sends.
pub(crate) fn resumed(log: &[u8]) -> Resumed {
    let mut read = read(log);
    let keeps = keep(&mut read.items);
    let Some(start) = start(&read, keeps) else {
        return Resumed::default();
    };
    let mut resumed = send(&complete(&read.items, &walk(&read.items, start)));
    // Our own choice: if nothing is left, the path still ends with the entry that it continues.
    resumed.tip = resumed.tip.or_else(|| Some(start.uuid.clone()));
    resumed
}

/// Steps 1 and 2.
fn read(log: &[u8]) -> Read {
    let mut items: Vec<Item> = Vec::new();
    let mut pin = None;
    let mut progress: HashMap<String, Option<String>> = HashMap::new();
    for (place, line) in log.split(|&byte| byte == b'\n').enumerate() {
        let Some(brace) = line.iter().position(|&byte| byte == b'{') else {
            continue;
        };
        let mut values = serde_json::Deserializer::from_slice(&line[brace..]).into_iter();
        let Some(Ok(value)) = values.next() else {
            continue;
        };
        let value: Value = value;
        let parent = value["parentUuid"].as_str().map(str::to_owned);
        let parent = parent.and_then(|uuid| progress.get(&uuid).cloned().unwrap_or(Some(uuid)));
        let kind = value["type"].as_str().unwrap_or_default().to_owned();
        if kind == "last-prompt" {
            pin = Some(Pin {
                place,
                leaf: value["leafUuid"].as_str().unwrap_or_default().to_owned(),
                explicit: value["explicit"] == true,
            });
        }
        let Some(uuid) = value["uuid"].as_str().map(str::to_owned) else {
            continue;
        };
        if kind == "progress" {
            progress.insert(uuid, parent);
            continue;
        }
        if !["user", "assistant", "system", "attachment"].contains(&kind.as_str()) {
            continue;
        }
        let before = items.iter().position(|item| item.uuid == uuid);
        let before = before.map(|at| items.remove(at));
        let item = Item {
            uuid,
            parent,
            kind,
            place,
            first_place: before.map_or(place, |item| item.first_place),
            time: value["timestamp"].as_str().map(millis),
            main: value["isSidechain"] != true,
            value,
        };
        if item.is_boundary() {
            pin = None;
        }
        items.push(item);
    }
    Read { items, pin }
}

fn millis(text: &str) -> i64 {
    unspool_model::time::Time::parse(text).expect("a time").as_millis()
}

fn find<'i>(items: &'i [Item], uuid: &str) -> Option<&'i Item> {
    items.iter().find(|item| item.uuid == uuid)
}

fn parent<'i>(items: &'i [Item], item: &Item) -> Option<&'i Item> {
    find(items, item.parent.as_deref()?)
}

/// Step 3; returns true if the last boundary keeps messages.
fn keep(items: &mut Vec<Item>) -> bool {
    let names = |item: &Item| {
        let metadata = &item.value["compactMetadata"];
        metadata["preservedMessages"].is_object() || metadata["preservedSegment"].is_object()
    };
    let boundaries: Vec<Item> = items.iter().filter(|i| i.is_boundary()).cloned().collect();
    let Some(last) = boundaries.last().filter(|_| boundaries.iter().any(names)).cloned() else {
        return false;
    };
    if !names(&last) {
        items.retain(|item| item.place >= last.place);
        return false;
    }
    let Some((kept, anchor)) = kept(items, &last) else {
        return false;
    };
    let tail = kept.last().unwrap_or(&anchor).clone();
    for item in items.iter_mut() {
        if item.parent.as_ref() == Some(&anchor) && !kept.contains(&item.uuid) {
            item.parent = Some(tail.clone());
        }
    }
    let mut before = anchor.clone();
    for uuid in &kept {
        let item = items.iter_mut().find(|item| item.uuid == *uuid);
        item.expect("kept ones are there").parent = Some(before.clone());
        before.clone_from(uuid);
    }
    let all: HashSet<String> = items.iter().map(|item| item.uuid.clone()).collect();
    items.retain(|item| {
        item.place >= last.place || kept.contains(&item.uuid) || item.uuid == anchor
    });
    let left: HashSet<String> = items.iter().map(|item| item.uuid.clone()).collect();
    for item in items.iter_mut().filter(|item| item.place > last.place) {
        let forgotten = |uuid: &String| all.contains(uuid) && !left.contains(uuid);
        if item.parent.as_ref().is_some_and(forgotten) {
            item.parent = Some(tail.clone());
        }
    }
    true
}

/// Returns the messages that a boundary keeps and its anchor; `None` if one of them is missing.
fn kept(items: &[Item], boundary: &Item) -> Option<(Vec<String>, String)> {
    let metadata = &boundary.value["compactMetadata"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let messages = &metadata["preservedMessages"];
    if messages.is_object() {
        let kept: Option<Vec<String>> = messages["uuids"].as_array()?.iter().map(text).collect();
        let (kept, anchor) = (kept?, text(&messages["anchorUuid"])?);
        let known = |uuid: &String| find(items, uuid).is_some();
        return (kept.iter().all(known) && known(&anchor)).then_some((kept, anchor));
    }
    let segment = &metadata["preservedSegment"];
    let anchor = text(&segment["anchorUuid"])?;
    find(items, &anchor)?;
    let mut kept = Vec::new();
    let mut at = find(items, segment["tailUuid"].as_str()?)?;
    loop {
        if kept.contains(&at.uuid) {
            return None;
        }
        kept.push(at.uuid.clone());
        if segment["headUuid"] == *at.uuid {
            kept.reverse();
            return Some((kept, anchor));
        }
        at = parent(items, at)?;
    }
}

fn chain<'i>(items: &'i [Item], item: &'i Item) -> Vec<&'i Item> {
    let mut chain: Vec<&Item> = Vec::new();
    let mut at = Some(item);
    while let Some(item) = at.filter(|item| chain.iter().all(|other| other.uuid != item.uuid)) {
        chain.push(item);
        at = parent(items, item);
    }
    chain
}

fn nearest<'i>(items: &'i [Item], item: &'i Item) -> Option<&'i Item> {
    chain(items, item).into_iter().find(|above| above.is_message())
}

fn children<'i>(items: &'i [Item], item: &Item) -> Vec<&'i Item> {
    let hangs = |other: &&Item| {
        other.parent.as_deref() == Some(item.uuid.as_str()) && other.uuid != item.uuid
    };
    items.iter().filter(hangs).collect()
}

/// Steps 4 and 5.
fn start(read: &Read, keeps: bool) -> Option<&Item> {
    let items = &read.items;
    let main = || items.iter().filter(|item| item.main);
    let mut given: Vec<&Item> = Vec::new();
    let last = if keeps {
        for leaf in main().filter(|item| children(items, item).is_empty()) {
            let goes_on = |message: &&Item| {
                let below = children(items, message);
                below.iter().any(|child| child.is_message())
            };
            given.extend(nearest(items, leaf).filter(|message| !goes_on(message)));
        }
        *given.last()?
    } else {
        let last = main().rfind(|item| nearest(items, item).is_some())?;
        match read.pin {
            Some(_) => last,
            None => newest_below(items, last),
        }
    };
    let Some(pin) = &read.pin else {
        return Some(last);
    };
    let leaf = find(items, &pin.leaf).filter(|leaf| nearest(items, leaf).is_some());
    // Our own choice: a subagent without a main entry above it is not followed.
    let hangs = |leaf: &&Item| chain(items, leaf).iter().any(|above| above.main);
    let Some(leaf) = leaf.filter(hangs) else {
        return Some(last);
    };
    if keeps && !pin.explicit && given.iter().all(|message| message.uuid != leaf.uuid) {
        return Some(last);
    }
    let follows = !pin.explicit || last.place > pin.place;
    Some(if on_chain(items, last, leaf) && follows { last } else { leaf })
}

fn newest_below<'i>(items: &'i [Item], last: &'i Item) -> &'i Item {
    let mut below: Vec<&Item> = vec![last];
    let mut at = 0;
    while at < below.len() {
        for child in children(items, below[at]) {
            if below.iter().all(|known| known.uuid != child.uuid) {
                below.push(child);
            }
        }
        at += 1;
    }
    below.retain(|item| item.main && children(items, item).is_empty());
    below.sort_by_key(|item| (std::cmp::Reverse(item.time), item.place));
    match below.first() {
        Some(newest) if newest.time >= last.time => newest,
        _ => last,
    }
}

fn on_chain(items: &[Item], last: &Item, leaf: &Item) -> bool {
    let chain = chain(items, last);
    if chain.iter().any(|item| item.uuid == leaf.uuid) {
        return true;
    }
    let ids: HashSet<&str> = chain.iter().filter_map(|item| item.message()).collect();
    let records: Vec<&Item> =
        items.iter().filter(|item| item.message().is_some_and(|id| ids.contains(id))).collect();
    let calls: HashSet<String> = records.iter().flat_map(|item| item.calls()).collect();
    records.iter().any(|item| item.uuid == leaf.uuid)
        || leaf.results().iter().any(|call| calls.contains(call))
}

/// Step 6.
fn walk<'i>(items: &'i [Item], start: &'i Item) -> Vec<&'i Item> {
    let mut walk: Vec<&Item> = Vec::new();
    let mut at = Some(start);
    while let Some(item) = at {
        walk.push(item);
        if item.parent.is_none() {
            break;
        }
        let unwalked = |other: &&Item| walk.iter().all(|walked| walked.uuid != other.uuid);
        at = parent(items, item).filter(unwalked).or_else(|| {
            let time = item.time?;
            let near = |other: &&Item| {
                let reach = time - 5_000..=time;
                other.main && other.time.is_some_and(|time| reach.contains(&time))
            };
            let near = items.iter().filter(near).filter(unwalked);
            near.min_by_key(|other| (std::cmp::Reverse(other.time), other.place))
        });
    }
    walk.reverse();
    walk
}

/// Step 7.
fn complete<'i>(items: &'i [Item], walk: &[&'i Item]) -> Vec<&'i Item> {
    let mut ids: Vec<&str> = Vec::new();
    for id in walk.iter().rev().filter_map(|item| item.message()) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids.reverse();
    let results = missed_results(items, walk, &ids);
    let mut taken_up = walk.to_vec();
    for (&id, results) in ids.iter().zip(results).rev() {
        let at = walk.iter().rposition(|item| item.message() == Some(id));
        let at = at.expect("the answer is on the walk");
        let follow = walk[at + 1..].iter();
        let follow = follow.take_while(|item| !item.results().is_empty()).count();
        let following = |item: &Item| {
            let place = taken_up.iter().position(|other| other.uuid == item.uuid);
            place.expect("it is taken up") + 1
        };
        let (records_to, results_to) = (following(walk[at]), following(walk[at + follow]));
        taken_up.splice(results_to..results_to, results);
        let missed = |item: &&Item| item.message() == Some(id) && !has(walk, item);
        let missed: Vec<&Item> = items.iter().filter(missed).collect();
        taken_up.splice(records_to..records_to, missed);
    }
    let tail = tail(items, walk, &taken_up);
    taken_up.extend(tail);
    taken_up
}

fn has(some: &[&Item], item: &Item) -> bool {
    some.iter().any(|other| other.uuid == item.uuid)
}

/// Returns the results that the walk missed, for each answer: those that hang on one of its
/// records, then those elsewhere for calls that are still open.
fn missed_results<'i>(items: &'i [Item], walk: &[&'i Item], ids: &[&str]) -> Vec<Vec<&'i Item>> {
    let off_walk = || items.iter().filter(|item| !has(walk, item));
    let mut missed: Vec<Vec<&Item>> = Vec::new();
    for &id in ids {
        let hangs = |item: &&Item| {
            let above = parent(items, item).and_then(Item::message);
            above == Some(id) && !item.results().is_empty()
        };
        missed.push(off_walk().filter(hangs).collect());
    }
    let found = missed.iter().flatten();
    let mut answered: HashSet<String> =
        walk.iter().chain(found).flat_map(|item| item.results()).collect();
    let strays: Vec<&Item> =
        off_walk().filter(|item| !missed.iter().any(|some| has(some, item))).collect();
    for item in strays {
        let open = item.results().into_iter().find(|c| !answered.contains(c));
        let Some(open) = open else { continue };
        // Of several answers with this call, the last one takes it.
        let makes = |id: &&str| {
            let mut records = items.iter().filter(|other| other.message() == Some(*id));
            records.any(|record| record.calls().contains(&open))
        };
        if let Some(owner) = ids.iter().rposition(makes) {
            answered.extend(item.results());
            missed[owner].push(item);
        }
    }
    missed
}

/// Returns the lines of the client below the last message that are not in the list yet.
fn tail<'i>(items: &'i [Item], walk: &[&'i Item], taken_up: &[&Item]) -> Vec<&'i Item> {
    let Some(last) = walk.iter().rev().find(|item| item.is_message()) else {
        return Vec::new();
    };
    if children(items, last).iter().any(|child| child.is_message()) {
        return Vec::new();
    }
    let mut below: Vec<&Item> = vec![last];
    let mut at = 0;
    while at < below.len() {
        for child in children(items, below[at]) {
            let line = child.main && !child.is_message();
            if line && below.iter().all(|known| known.uuid != child.uuid) {
                below.push(child);
            }
        }
        at += 1;
    }
    below.retain(|item| item.first_place > last.first_place && !has(taken_up, item));
    below.sort_by_key(|item| item.place);
    below
}

/// Steps 8, 9 and 10.
fn send(list: &[&Item]) -> Resumed {
    let start = list.iter().rposition(|item| item.is_boundary()).unwrap_or(0);
    let context = &list[start..];
    let results: HashSet<String> =
        context.iter().filter(|item| !item.is_error()).flat_map(|item| item.results()).collect();
    let mut made: HashSet<String> = HashSet::new();
    let mut sent_results: HashMap<String, String> = HashMap::new();
    // Each record with its blocks that are sent.
    let mut records: Vec<(&Item, Vec<Value>)> = Vec::new();
    for (at, item) in context.iter().enumerate() {
        if item.is_error() || item.kind == "system" {
            continue;
        }
        let mut blocks = item.blocks();
        if item.kind == "assistant" {
            blocks.retain(|block| {
                let id = block["id"].as_str().unwrap_or_default().to_owned();
                let wanted = results.contains(&id) || ends_here(&context[at + 1..], item);
                block["type"] != "tool_use" || (wanted && made.insert(id))
            });
        }
        for block in blocks.iter().filter(|block| block["type"] == "tool_result") {
            let id = block["tool_use_id"].as_str().unwrap_or_default().to_owned();
            if item.kind == "user" && made.contains(&id) {
                let text = block["content"].as_str().unwrap_or_default().to_owned();
                sent_results.entry(id).or_insert(text);
            }
        }
        if item.is_queued() {
            let prompt = item.value["attachment"]["prompt"].as_str();
            let prompt = prompt.unwrap_or_default();
            blocks = vec![serde_json::json!({"type": "text", "text": prompt})];
        }
        blocks.retain(|block| block["type"] != "tool_result");
        records.push((item, blocks));
    }
    let silent: HashSet<String> = silent(&records);
    records.retain(|(item, _)| item.kind != "assistant" || !silent.contains(owner(item)));
    let tip = list
        .iter()
        .rev()
        .find(|item| item.kind != "assistant" || item.is_error() || !silent.contains(owner(item)));
    Resumed {
        sent: order(records)
            .into_iter()
            .filter_map(|block| as_sent(&block, &sent_results))
            .collect(),
        tip: tip.map(|item| item.uuid.clone()),
    }
}

/// Tells whether only results, lines and errors follow an answer.
fn ends_here(rest: &[&Item], answer: &Item) -> bool {
    rest.iter().all(|item| match item.kind.as_str() {
        "assistant" => item.is_error() || owner(item) == owner(answer),
        "user" => !item.results().is_empty(),
        "attachment" => !item.is_queued(),
        _ => true,
    })
}

fn owner(item: &Item) -> &str {
    item.message().unwrap_or(&item.uuid)
}

fn silent(records: &[(&Item, Vec<Value>)]) -> HashSet<String> {
    let answers = records.iter().filter(|(item, _)| item.kind == "assistant");
    let speaks = |id: &str| {
        answers.clone().any(|(item, blocks)| {
            owner(item) == id && blocks.iter().any(|block| block["type"] != "thinking")
        })
    };
    let ids = answers.clone().map(|(item, _)| owner(item));
    ids.filter(|id| !speaks(id)).map(str::to_owned).collect()
}

/// Returns the blocks in order: in one answer, calls come last.
fn order(records: Vec<(&Item, Vec<Value>)>) -> Vec<Value> {
    let mut sent: Vec<Value> = Vec::new();
    let mut calls: Vec<Value> = Vec::new();
    let mut answer: Option<&str> = None;
    for (item, blocks) in records {
        let id = (item.kind == "assistant").then(|| owner(item));
        // Results and silent lines are between the records of one answer.
        if blocks.is_empty() && id.is_none() {
            continue;
        }
        if id != answer || id.is_none() {
            sent.append(&mut calls);
        }
        answer = id;
        for block in blocks {
            if block["type"] == "tool_use" {
                calls.push(block);
            } else {
                sent.push(block);
            }
        }
    }
    sent.append(&mut calls);
    sent
}

fn as_sent(block: &Value, results: &HashMap<String, String>) -> Option<Sent> {
    let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
    match block["type"].as_str()? {
        "text" => Some(Sent::Text(text("text"))),
        "thinking" => Some(Sent::Thinking(text("thinking"))),
        "tool_use" => Some(Sent::Call(text("id"), results.get(&text("id")).cloned())),
        _ => None,
    }
}
