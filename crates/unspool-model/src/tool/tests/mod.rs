//! Inputs and results as in real logs, and damaged in every way.

mod calls;
mod damage;
mod results;

/// A call or a result as the client writes it, with the values that are expected from it.
struct ToolSample {
    tool: &'static str,
    /// The input, or the `toolUseResult`.
    raw: &'static str,
    /// The beginning of the debug output of the parsed value.
    written: &'static str,
    /// The one-line summary of a call.
    summary: Option<&'static str>,
    /// The note on a result; empty for none.
    note: &'static str,
    /// The numbers of lines that a result added and removed.
    changes: Option<(u64, u64)>,
}

/// Reads samples: a block for each, with the tool and the raw JSON on its first line.
fn samples(text: &'static str) -> impl Iterator<Item = ToolSample> {
    text.trim_end().split("\n\n").map(|block| {
        let mut lines = block.lines();
        let first = lines.next().unwrap_or_default();
        let (tool, raw) = first.split_once(' ').unwrap_or((first, ""));
        let mut sample =
            ToolSample { tool, raw, written: "", summary: None, note: "", changes: None };
        for line in lines {
            match line.split_once(' ').unwrap_or((line, "")) {
                ("=", written) => sample.written = written,
                ("line", summary) => sample.summary = Some(summary),
                ("note", note) => sample.note = note,
                ("lines", changes) => {
                    let (added, removed) = changes.split_once(' ').expect(line);
                    let count = |text: &str| text.parse().expect(line);
                    sample.changes = Some((count(added), count(removed)));
                }
                _ => panic!("{line}"),
            }
        }
        sample
    })
}

fn calls() -> impl Iterator<Item = ToolSample> {
    samples(include_str!("calls.txt"))
}

fn results() -> impl Iterator<Item = ToolSample> {
    samples(include_str!("results.txt"))
}
