//! Logs of an extreme shape that a reader must survive.
//!
//! Very many entries, very many forks, one enormous line, very deep nesting. Each is streamed to a writer and
//! never held in memory.

use std::io::{self, Write};

use super::WrittenLog;
use super::lines::{Identity, LineWriter, Uuid, fresh_uuid};
use super::pools::Pools;
use crate::rng::Rng;
use crate::time::START;

/// A log of short entries.
struct TranscriptShape<'a> {
    lines: LineWriter<'a>,
    pools: Pools,
    count: u64,
}

impl<'a> TranscriptShape<'a> {
    fn new(sink: &'a mut dyn Write) -> Self {
        let mut rng = Rng::new(0x5eed);
        let identity = Identity {
            session: fresh_uuid(&mut rng),
            agent: None,
            cwd: "/srv/demo".to_owned(),
            version: "2.1.325",
            branch: "main",
        };
        Self {
            lines: LineWriter::new(sink, rng, &identity, START),
            pools: Pools::new(0x5eed, 64 * 1024),
            count: 0,
        }
    }

    /// Writes the next entry; prompts and answers alternate.
    fn entry(&mut self) -> Uuid {
        let message = self.count / 2;
        let lines = self.lines.open();
        if self.count.is_multiple_of(2) {
            lines.lit(r#","type":"user","message":{"role":"user","content":""#);
        } else {
            lines.lit(r#","type":"assistant","message":{"id":"msg_"#).num(message);
            lines.lit(r#"","type":"message","role":"assistant","model":"claude-opus-5-5","stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":10},"content":[{"type":"text","text":""#);
        }
        self.pools.push_prose(&mut lines.out, &mut lines.rng, 60);
        lines.lit(if self.count.is_multiple_of(2) { "\"}" } else { "\"}]}" });
        self.count += 1;
        lines.stamp().close()
    }
}

/// Writes a single path without forks.
pub fn chain(sink: &mut dyn Write, entries: u64) -> io::Result<WrittenLog> {
    forks(sink, entries, 0)
}

/// Writes a conversation that was rewound `forks` times, by up to twenty turns.
///
/// Each fork is another prompt after an answer that was already continued, so the file has `forks + 1`
/// leaves. There can be one fork per prompt, from the third prompt on.
pub fn forks(sink: &mut dyn Write, entries: u64, forks: u64) -> io::Result<WrittenLog> {
    let mut shape = TranscriptShape::new(sink);
    // The newest answers of the current branch; all but the last have a continuation.
    let mut answers: Vec<Uuid> = Vec::new();
    let mut forked = 0;
    for index in 0..entries {
        let is_prompt = index.is_multiple_of(2);
        // Forks are spread over the first nine tenths, so that none is due after the end.
        let due = (forks * (index + 1) * 10).div_ceil(entries * 9).min(forks);
        if is_prompt && answers.len() >= 2 && forked < due {
            forked += 1;
            let back = shape.lines.rng.below(answers.len() - 1);
            answers.truncate(back + 1);
            shape.lines.parent = answers.last().copied();
        }
        let uuid = shape.entry();
        if !is_prompt {
            if answers.len() == 20 {
                answers.remove(0);
            }
            answers.push(uuid);
        }
    }
    shape.lines.finish()
}

/// Writes a short conversation with one user message whose line has about `bytes` bytes.
pub fn long_line(sink: &mut dyn Write, bytes: u64) -> io::Result<WrittenLog> {
    let mut shape = TranscriptShape::new(sink);
    for _ in 0..10 {
        shape.entry();
    }
    let before = shape.lines.bytes();
    let call = shape.lines.parent;
    shape.lines.open().lit(r#","type":"user","message":{"role":"user","content":""#);
    // The bytes after the text: quote and brace, uuid and time, common fields and line end.
    let tail = 420;
    while shape.lines.bytes() - before + tail < bytes {
        let left = bytes - tail - (shape.lines.bytes() - before);
        let LineWriter { out, rng, .. } = &mut shape.lines;
        shape.pools.push_prose(out, rng, left.min(64 * 1024) as usize);
        shape.lines.flush();
    }
    shape.lines.lit("\"}").stamp().close();
    shape.lines.parent = call;
    for _ in 0..10 {
        shape.entry();
    }
    shape.lines.finish()
}

/// Writes a short conversation with one call whose input is nested `depth` levels deep.
pub fn nested(sink: &mut dyn Write, depth: u64) -> io::Result<WrittenLog> {
    let mut shape = TranscriptShape::new(sink);
    shape.entry();
    shape.lines.open().lit(
        r#","type":"assistant","message":{"id":"msg_deep","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"tool_use","id":"toolu_deep","name":"Bash","input":"#,
    );
    for _ in 0..depth {
        shape.lines.lit("[");
    }
    for _ in 0..depth {
        shape.lines.lit("]");
    }
    shape.lines.lit("}]}").stamp().close();
    for _ in 0..4 {
        shape.entry();
    }
    shape.lines.finish()
}
