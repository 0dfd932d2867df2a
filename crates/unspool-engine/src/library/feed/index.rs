//! Maps the bytes of a log to the messages of a path: which line made or changed which message.
//!
//! A message is made of entries: its own, copies of them, the results of its calls, and for a slash
//! command the answer that makes it a prompt. Each of these is a [`Touch`]: an entry of the log at an
//! offset in the file, and the message that it makes or changes. Touches are sorted by offset, so those
//! after an offset are what happened to messages since. Messages have a *rank*: their position when
//! sorted by their first entries; nearly always that is their order on the path. Sums over the touches
//! of the first ranks tell whether the messages that a reader has are still those of the path.
//!
//! The index contains offsets and numbers, no texts. It is built from a conversation and the view of
//! one path, and grows with them: a line that only adds to the path costs work for that line.

use std::ops::Range;

use unspool_model::conversation::{Conversation, View};
use unspool_model::entry::{BlockKind, Entry};
use unspool_model::log::{Log, is_agent_tool};
use unspool_model::positions::{EntryIndex, NodeId};
use unspool_model::symbols::Symbol;

use super::mixing::mix;
use super::sums::PrefixSums;

/// The touches of the messages of one path.
#[derive(Default)]
pub(crate) struct FeedIndex {
    /// The offset of each message's first entry, by rank.
    begins: Vec<u64>,
    /// The ordinal of each message on the path, by rank.
    ordinals: Vec<u32>,
    /// The rank of each message, by ordinal.
    ranks: Vec<u32>,
    /// The sum of the touches of each message, by rank.
    sums: PrefixSums,
    /// All touches, sorted by offset.
    touches: Vec<Touch>,
    /// The calls of the messages, sorted by id.
    calls: Vec<(Symbol, CallPlace)>,
    /// The ordinals of messages with calls that have no id.
    nameless: Vec<u32>,
    taken: IndexedExtent,
}

/// An entry that makes or changes a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Touch {
    /// The offset of the entry in the file.
    pub(crate) at: u64,
    /// The ordinal of the message.
    pub(crate) ordinal: u32,
    /// The hash of the touch, which the sums add up.
    mixed: u64,
}

/// How an entry takes part in a message.
#[derive(Clone, Copy)]
enum TouchKind {
    Node = 1,
    LeftOutNode = 2,
    Copy = 3,
    Result = 4,
    Answered = 5,
}

/// The block of a message that makes a call.
#[derive(Clone, Copy)]
struct CallPlace {
    ordinal: u32,
    node: NodeId,
    block: u32,
    has_result: bool,
    starts_agent: bool,
}

/// How much of a log and a view an index covers.
#[derive(Clone, Copy, Default)]
struct IndexedExtent {
    entries: usize,
    /// The number of nodes of the last message.
    last_nodes: usize,
    /// Whether the last message is left out.
    last_is_left_out: bool,
}

impl FeedIndex {
    /// Builds the index of all messages of a view.
    pub(crate) fn new(conversation: &Conversation<'_>, view: &View) -> Self {
        let mut found = FoundTouches::new(conversation, view);
        let count = view.messages.len() as u32;
        for ordinal in 0..count {
            found.message(ordinal, 0);
        }
        let begins = found.begins(0..count);
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_key(|&ordinal| begins[ordinal as usize]);
        let mut index = Self {
            begins: order.iter().map(|&at| begins[at as usize]).collect(),
            ranks: vec![0; order.len()],
            sums: PrefixSums::of(order.len()),
            ..Self::default()
        };
        for (rank, &ordinal) in (0u32..).zip(&order) {
            index.ranks[ordinal as usize] = rank;
        }
        index.ordinals = order;
        found.calls.sort_by_key(|(call, _)| *call);
        index.calls = found.calls;
        index.nameless = found.nameless;
        index.add_touches(found.touches);
        index.taken = IndexedExtent::of(conversation.log, view);
        index
    }

    /// Adds what was appended to a log and to the end of its view. Returns false if anything else
    /// has changed; the index must then be rebuilt.
    pub(crate) fn extend(&mut self, conversation: &Conversation<'_>, view: &View) -> bool {
        let (log, known) = (conversation.log, self.ranks.len());
        let now = IndexedExtent::of(log, view);
        let mut found = FoundTouches::new(conversation, view);
        if let Some(last) = known.checked_sub(1) {
            let Some(message) = view.messages.get(last) else {
                return false;
            };
            if message.left_out != self.taken.last_is_left_out {
                return false;
            }
            found.message(last as u32, self.taken.last_nodes);
        }
        let new = known as u32..view.messages.len() as u32;
        for ordinal in new.clone() {
            found.message(ordinal, 0);
        }
        let added = EntryIndex::all(now.entries).skip(self.taken.entries);
        if !added.into_iter().all(|entry| self.add_results(&mut found, entry)) {
            return false;
        }
        let last = self.touches.last().map_or(0, |touch| touch.at);
        let begins = found.begins(new.clone());
        // A message or touch before the last known touch would change ranks or the order of
        // touches.
        let follow = begins.iter().all(|begin| *begin >= last) && begins.is_sorted();
        if !follow || found.touches.iter().any(|touch| touch.at < last) {
            return false;
        }
        self.begins.extend(begins);
        self.ordinals.extend(new.clone());
        self.ranks.extend(new);
        self.sums.grow(self.ranks.len());
        self.add_calls(found.calls);
        self.nameless.extend(found.nameless);
        self.add_touches(found.touches);
        self.taken = now;
        true
    }

    /// Adds the results in a new entry to the messages that made the calls. Returns false if one of
    /// the calls had a result before.
    fn add_results(&mut self, found: &mut FoundTouches<'_>, entry: EntryIndex) -> bool {
        let log = found.conversation.log;
        for block in log.blocks_of(&log.entries[entry]) {
            let (BlockKind::Result(_), Some(call)) = (block.kind, block.call) else {
                continue;
            };
            let start = self.calls.partition_point(|(other, _)| *other < call);
            let same = self.calls[start..].iter_mut();
            for (_, place) in same.take_while(|(other, _)| *other == call) {
                unspool_work::add(1);
                let result = found.conversation.result_of(place.node, call);
                if result.is_none_or(|result| result.entry != entry) {
                    continue;
                }
                if place.has_result {
                    return false;
                }
                place.has_result = true;
                found.result(*place, call);
            }
        }
        true
    }

    fn add_calls(&mut self, calls: Vec<(Symbol, CallPlace)>) {
        for call in calls {
            let at = self.calls.partition_point(|(other, _)| *other <= call.0);
            self.calls.insert(at, call);
        }
    }

    fn add_touches(&mut self, mut touches: Vec<Touch>) {
        unspool_work::add(touches.len());
        touches.sort_by_key(|touch| touch.at);
        for touch in &touches {
            let rank = self.ranks[touch.ordinal as usize];
            self.sums.add(rank as usize, touch.mixed);
        }
        self.touches.extend(touches);
    }

    /// Returns the number of messages.
    pub(crate) fn len(&self) -> u32 {
        self.ranks.len() as u32
    }

    /// Returns the number of entries of the log that the index covers.
    pub(crate) fn entries(&self) -> usize {
        self.taken.entries
    }

    /// Returns the ordinal of the message with a rank.
    pub(crate) fn ordinal(&self, rank: u32) -> u32 {
        self.ordinals[rank as usize]
    }

    /// Returns the rank of the message with an ordinal.
    pub(crate) fn rank(&self, ordinal: u32) -> u32 {
        self.ranks[ordinal as usize]
    }

    /// Returns the largest number, up to `most`, of first messages by rank that are also the first
    /// ones of the path.
    pub(crate) fn in_order(&self, most: u32) -> u32 {
        let mut highest = 0;
        let mut found = 0;
        unspool_work::add(most as usize);
        for (count, &ordinal) in (1u32..=most).zip(&self.ordinals) {
            highest = highest.max(ordinal);
            if highest + 1 == count {
                found = count;
            }
        }
        found
    }

    /// Returns the offset of the first entry of the message with a rank, if there is such a message.
    pub(crate) fn begin(&self, rank: u32) -> Option<u64> {
        self.begins.get(rank as usize).copied()
    }

    /// Returns the touches at and after an offset, sorted.
    pub(crate) fn touches_from(&self, place: u64) -> &[Touch] {
        let start = self.touches.partition_point(|touch| touch.at < place);
        &self.touches[start..]
    }

    /// Returns the sum over the first messages by rank.
    pub(crate) fn sum(&self, count: u32) -> u64 {
        self.sums.first(count as usize)
    }

    /// Returns the sum over the first messages by rank, without touches at and after an offset.
    pub(crate) fn sum_at(&self, count: u32, end: u64) -> u64 {
        let later = self.touches_from(end);
        unspool_work::add(later.len());
        let later = later.iter().filter(|touch| self.rank(touch.ordinal) < count);
        later.fold(self.sum(count), |sum, touch| sum.wrapping_sub(touch.mixed))
    }

    /// Returns the ordinals of messages with calls that have no result.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = u32> {
        unspool_work::add(self.calls.len());
        let open = self.calls.iter().filter(|(_, place)| !place.has_result);
        let open = open.map(|(_, place)| place.ordinal);
        open.chain(self.nameless.iter().copied())
    }

    /// Returns the ordinals of messages with calls that may start an agent: by their tool, or
    /// because `is_linked` accepts the call.
    pub(crate) fn launching(
        &self,
        is_linked: impl Fn(Symbol) -> bool,
    ) -> impl Iterator<Item = u32> {
        unspool_work::add(self.calls.len());
        let calls = self.calls.iter();
        let starting = calls.filter(move |(call, it)| it.starts_agent || is_linked(*call));
        starting.map(|(_, place)| place.ordinal)
    }

    /// Returns the ordinals of the messages that make a call.
    pub(crate) fn making(&self, call: Symbol) -> impl Iterator<Item = u32> {
        let start = self.calls.partition_point(|(other, _)| *other < call);
        let same = self.calls[start..].iter();
        let same = same.take_while(move |(other, _)| *other == call);
        same.map(|(_, place)| place.ordinal)
    }

    /// Reports whether a result in a range of entries belongs to a call of the messages.
    pub(crate) fn is_answered(&self, log: &Log, entries: Range<usize>) -> bool {
        let entries = log.entries.get(entries).unwrap_or_default();
        unspool_work::add(entries.len());
        let blocks = entries.iter().flat_map(|entry| log.blocks_of(entry));
        let mut results = blocks.filter(|block| matches!(block.kind, BlockKind::Result(_)));
        results.any(|block| {
            let call = block.call;
            call.is_some_and(|call| self.making(call).next().is_some())
        })
    }
}

impl IndexedExtent {
    fn of(log: &Log, view: &View) -> Self {
        let last = view.messages.last();
        Self {
            entries: log.entries.len(),
            last_nodes: last.map_or(0, |message| view.nodes(message).len()),
            last_is_left_out: last.is_some_and(|message| message.left_out),
        }
    }
}

/// Collects the touches of messages.
struct FoundTouches<'a> {
    conversation: &'a Conversation<'a>,
    view: &'a View,
    touches: Vec<Touch>,
    calls: Vec<(Symbol, CallPlace)>,
    nameless: Vec<u32>,
}

impl<'a> FoundTouches<'a> {
    fn new(conversation: &'a Conversation<'a>, view: &'a View) -> Self {
        Self { conversation, view, touches: Vec::new(), calls: Vec::new(), nameless: Vec::new() }
    }

    /// Returns the offset of the first entry of each message.
    fn begins(&self, ordinals: Range<u32>) -> Vec<u64> {
        let begin = |ordinal: u32| {
            let nodes = self.view.nodes(&self.view.messages[ordinal as usize]).iter();
            let places = nodes.map(|&node| self.place(node).span.start);
            places.min().unwrap_or_default()
        };
        ordinals.map(begin).collect()
    }

    fn place(&self, node: NodeId) -> &'a Entry {
        let node = &self.conversation.graph.nodes[node];
        &self.conversation.log.entries[node.place]
    }

    fn content(&self, node: NodeId) -> &'a Entry {
        self.conversation.graph.entry(self.conversation.log, node)
    }

    /// Adds the touches of a message's nodes, beginning with the node number `from`.
    fn message(&mut self, ordinal: u32, from: usize) {
        let view = self.view;
        let message = &view.messages[ordinal as usize];
        let nodes = view.nodes(message).iter().enumerate().skip(from);
        for (number, &node) in nodes {
            unspool_work::add(1);
            let (place, content) = (self.place(node).span.start, self.content(node).span.start);
            let kind = if number == 0 && message.left_out {
                TouchKind::LeftOutNode
            } else {
                TouchKind::Node
            };
            self.touch(ordinal, kind, place, [number as u64, 0]);
            if content != place {
                self.touch(ordinal, TouchKind::Copy, content, [number as u64, place]);
            }
            self.answer(ordinal, node);
            self.calls(ordinal, node);
        }
    }

    /// Adds the answer that makes a slash command a prompt.
    fn answer(&mut self, ordinal: u32, node: NodeId) {
        let log = self.conversation.log;
        let content = self.content(node);
        if let Some(answer) = self.conversation.commands.answer_to(content) {
            let (command, answer) = (content.span.start, log.entries[answer].span.start);
            let at = command.max(answer);
            self.touch(ordinal, TouchKind::Answered, at, [command, answer]);
        }
    }

    fn calls(&mut self, ordinal: u32, node: NodeId) {
        let log = self.conversation.log;
        for (block, made) in (0u32..).zip(log.blocks_of(self.content(node))) {
            if made.kind != BlockKind::Call {
                continue;
            }
            let Some(call) = made.call else {
                self.nameless.push(ordinal);
                continue;
            };
            let tool = made.name.map(|name| log.text(name).as_bytes());
            let mut place = CallPlace {
                ordinal,
                node,
                block,
                has_result: false,
                starts_agent: tool.is_some_and(is_agent_tool),
            };
            place.has_result = self.result(place, call);
            self.calls.push((call, place));
        }
    }

    /// Adds the result of a call. Returns whether the call has one.
    fn result(&mut self, place: CallPlace, call: Symbol) -> bool {
        let Some(result) = self.conversation.result_of(place.node, call) else {
            return false;
        };
        let made = self.content(place.node).span.start;
        let answered = self.conversation.log.entries[result.entry].span.start;
        let block = u64::from(place.block) << 32 | u64::from(result.block.unwrap_or(u32::MAX));
        let at = made.max(answered);
        let said = mix([made, answered]);
        self.touch(place.ordinal, TouchKind::Result, at, [block, said]);
        true
    }

    fn touch(&mut self, ordinal: u32, kind: TouchKind, at: u64, more: [u64; 2]) {
        let what = u64::from(ordinal) << 8 | kind as u64;
        self.touches.push(Touch { at, ordinal, mixed: mix([what, at, more[0], more[1]]) });
    }
}
