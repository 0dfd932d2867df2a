//! Calls of generated logs and their results: for each tool the input, the text for the model, its own
//! `toolUseResult`, and typical sizes.

use super::lines::{Uuid, push_number};
use super::pools::{Composed, LineSource, Pools};
use crate::rng::Rng;

/// The maximum number of bytes of an output that the model gets; the rest is only in `toolUseResult`.
const SHOWN: usize = 30_000;

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GeneratedTool {
    Bash,
    Read,
    ReadImage,
    Edit,
    Write,
    Grep,
    Glob,
    TaskUpdate,
    WebFetch,
    Mcp,
}

/// A call with the values that its result needs.
#[derive(Debug)]
pub(crate) struct GeneratedCall {
    pub(crate) tool: GeneratedTool,
    /// The id of the call, `toolu_…`.
    pub(crate) id: String,
    /// The uuid of the line with the call.
    pub(crate) entry: Uuid,
    path: String,
    /// The text that an edit replaces.
    old: Composed,
    /// The new text of an edit or a write.
    new: Composed,
}

/// The output of a call.
#[derive(Debug, Default)]
pub(crate) struct ToolOutput {
    text: Composed,
    /// The file that was read last, which is the original file of an edit.
    file: Composed,
    pub(crate) failed: bool,
    /// The base64 of an image.
    picture: Vec<u8>,
    /// Whether the output was saved to a separate file.
    spilled: bool,
}

/// An output that was saved to a separate file.
#[derive(Debug)]
pub(crate) struct Spill {
    /// The name of the file.
    pub(crate) name: String,
    pub(crate) content: Vec<u8>,
}

impl GeneratedTool {
    pub(crate) fn pick(rng: &mut Rng) -> Self {
        match rng.below(1000) {
            0..350 => Self::Bash,
            350..640 => Self::Read,
            640..642 => Self::ReadImage,
            642..770 => Self::Edit,
            770..860 => Self::Grep,
            860..900 => Self::Write,
            900..930 => Self::Glob,
            930..970 => Self::TaskUpdate,
            970..985 => Self::WebFetch,
            _ => Self::Mcp,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bash => "Bash",
            Self::Read | Self::ReadImage => "Read",
            Self::Edit => "Edit",
            Self::Write => "Write",
            Self::Grep => "Grep",
            Self::Glob => "Glob",
            Self::TaskUpdate => "TaskUpdate",
            Self::WebFetch => "WebFetch",
            Self::Mcp => "mcp__tracker__find_issues",
        }
    }

    /// Returns the size of a result from a heavy-tailed distribution, at most `limit`.
    fn result_size(self, rng: &mut Rng, limit: u64) -> usize {
        let size = match (self, rng.below(1000)) {
            (Self::Bash, 0..8) => rng.skewed(60_000, 600_000),
            (Self::Bash, 8..80) => rng.skewed(4000, 60_000),
            (Self::Bash, _) => rng.skewed(20, 4000),
            (Self::Read, 0..10) => rng.skewed(60_000, 300_000),
            (Self::Read | Self::Edit, _) => rng.skewed(800, 60_000),
            (Self::Grep | Self::WebFetch | Self::Mcp, _) => rng.skewed(100, 12_000),
            _ => rng.skewed(40, 2000),
        };
        size.min(limit.max(200)) as usize
    }
}

impl GeneratedCall {
    pub(crate) fn new(
        tool: GeneratedTool,
        rng: &mut Rng,
        pools: &Pools,
        cwd: &str,
        limit: u64,
    ) -> Self {
        let (mut old, mut new) = (Composed::default(), Composed::default());
        match tool {
            GeneratedTool::Edit => {
                let size = rng.skewed(40, 1500) as usize;
                pools.compose(&mut old, LineSource::Code, rng, size);
                pools.compose(&mut new, LineSource::Code, rng, size + 40);
            }
            GeneratedTool::Write => {
                let size = rng.skewed(300, 30_000).min(limit.max(300)) as usize;
                pools.compose(&mut new, LineSource::Code, rng, size);
            }
            _ => {}
        }
        Self {
            tool,
            id: call_id(rng),
            entry: [b'0'; 36],
            path: format!("{cwd}/{}", pools.path(rng)),
            old,
            new,
        }
    }

    /// Appends the input of the call as JSON.
    pub(crate) fn push_input(&self, out: &mut Vec<u8>, rng: &mut Rng, pools: &Pools) {
        let path = self.path.as_bytes();
        match self.tool {
            GeneratedTool::Bash => {
                put(out, &[br#"{"command":"cargo test -p "#]);
                pools.push_prose(out, rng, 30);
                put(out, &[br" 2>&1 | tail -40; cat ", path, br#"","description":""#]);
                pools.push_prose(out, rng, 40);
                put(out, &[br#""}"#]);
            }
            GeneratedTool::Read | GeneratedTool::ReadImage => {
                put(out, &[br#"{"file_path":""#, path, br#""}"#]);
            }
            GeneratedTool::Edit => self.push_edit_input(out),
            GeneratedTool::Write => put(
                out,
                &[br#"{"file_path":""#, path, br#"","content":""#, &self.new.bytes, br#""}"#],
            ),
            GeneratedTool::Grep => {
                put(out, &[br#"{"pattern":""#]);
                pools.push_prose(out, rng, 16);
                put(out, &[br#"","path":""#, path, br#"","output_mode":"content","-n":true}"#]);
            }
            GeneratedTool::Glob => put(out, &[br#"{"pattern":"**/*.rs","path":""#, path, br#""}"#]),
            GeneratedTool::TaskUpdate => put(out, &[br#"{"taskId":"1","status":"completed"}"#]),
            GeneratedTool::WebFetch => {
                put(out, &[br#"{"url":"https://example.test/docs","prompt":""#]);
                pools.push_prose(out, rng, 120);
                put(out, &[br#""}"#]);
            }
            GeneratedTool::Mcp => {
                put(out, &[br#"{"query":""#]);
                pools.push_prose(out, rng, 60);
                put(out, &[br#"","limit":20}"#]);
            }
        }
    }

    fn push_edit_input(&self, out: &mut Vec<u8>) {
        put(out, &[br#"{"file_path":""#, self.path.as_bytes()]);
        put(out, &[br#"","old_string":""#, &self.old.bytes]);
        put(out, &[br#"","new_string":""#, &self.new.bytes]);
        put(out, &[br#"","replace_all":false}"#]);
    }

    /// Generates the output of the call.
    pub(crate) fn run(&self, output: &mut ToolOutput, rng: &mut Rng, pools: &Pools, limit: u64) {
        output.failed = rng.chance(0.04) && self.tool != GeneratedTool::ReadImage;
        let source = match self.tool {
            GeneratedTool::Bash | GeneratedTool::Glob => LineSource::Output,
            _ => LineSource::Code,
        };
        let size = if output.failed { 200 } else { self.tool.result_size(rng, limit) };
        pools.compose(&mut output.text, source, rng, size);
        match self.tool {
            GeneratedTool::Read if !output.failed => output.file.clone_from(&output.text),
            GeneratedTool::Edit if !output.failed && output.file.len() > 0 => {
                output.text.clone_from(&output.file);
            }
            _ => {}
        }
        output.spilled = self.tool == GeneratedTool::Bash && size > SHOWN && rng.chance(0.5);
        if self.tool == GeneratedTool::ReadImage {
            output.picture.clear();
            let size = rng.skewed(30_000, 700_000).min(limit.max(2000)) as usize;
            pools.push_base64(&mut output.picture, rng, size);
        }
    }

    /// Appends the content for the model as JSON.
    pub(crate) fn push_content(&self, out: &mut Vec<u8>, output: &ToolOutput) {
        let text = output.text.head(SHOWN);
        match self.tool {
            _ if output.failed => put(out, &[br#""Error: "#, text, b"\""]),
            GeneratedTool::Bash if output.spilled => put(
                out,
                &[
                    br#""<persisted-output>\nOutput too large. Full output saved to: /home/dev/.claude/tool-results/"#,
                    self.id.as_bytes(),
                    br".txt\n\nPreview (first 2KB):\n",
                    output.text.head(2000),
                    br#"</persisted-output>""#,
                ],
            ),
            GeneratedTool::Bash | GeneratedTool::Grep | GeneratedTool::WebFetch | GeneratedTool::Glob => put(out, &[b"\"", text, b"\""]),
            GeneratedTool::Read => {
                out.push(b'"');
                for line in 0..output.text.len() {
                    push_number(out, line as u64 + 1);
                    put(out, &[b"\\t", output.text.line(line), b"\\n"]);
                }
                out.push(b'"');
            }
            GeneratedTool::ReadImage => put(
                out,
                &[
                    br#"[{"type":"image","source":{"type":"base64","media_type":"image/png","data":""#,
                    &output.picture,
                    br#""}}]"#,
                ],
            ),
            GeneratedTool::Edit | GeneratedTool::Write => {
                put(out, &[br#""The file "#, self.path.as_bytes(), br#" has been updated.""#]);
            }
            GeneratedTool::TaskUpdate => put(out, &[br#""Updated task #1 status""#]),
            GeneratedTool::Mcp => put(out, &[br#"[{"type":"text","text":""#, text, br#""}]"#]),
        }
    }

    /// Appends the tool's own result as JSON.
    pub(crate) fn push_detail(&self, out: &mut Vec<u8>, output: &ToolOutput) {
        let text = output.text.bytes.as_slice();
        let path = self.path.as_bytes();
        match self.tool {
            _ if output.failed => put(out, &[br#""Error: "#, text, b"\""]),
            GeneratedTool::Bash if output.spilled => {
                put(out, &[br#"{"stdout":""#, output.text.head(SHOWN)]);
                put(out, &[br#"","stderr":"","interrupted":false,"isImage":false,"persistedOutputPath":""#]);
                put(out, &[b"/home/dev/.claude/tool-results/", self.id.as_bytes()]);
                put(out, &[br#".txt","persistedOutputSize":"#]);
                push_number(out, text.len() as u64);
                put(out, &[b"}"]);
            }
            GeneratedTool::Bash => put(
                out,
                &[
                    br#"{"stdout":""#,
                    text,
                    br#"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}"#,
                ],
            ),
            GeneratedTool::Read => self.push_read_detail(out, output),
            GeneratedTool::ReadImage => {
                put(out, &[br#"{"type":"image","file":{"base64":""#, &output.picture]);
                put(out, &[br#"","type":"image/png","originalSize":"#]);
                push_number(out, output.picture.len() as u64 * 3 / 4);
                put(out, &[b"}}"]);
            }
            GeneratedTool::Edit => self.push_edit_detail(out, output),
            GeneratedTool::Write => self.push_write_detail(out),
            GeneratedTool::Grep => {
                put(out, &[br#"{"mode":"content","numFiles":0,"filenames":[],"content":""#, text]);
                put(out, &[br#"","numLines":"#]);
                push_number(out, output.text.len() as u64);
                put(out, &[b"}"]);
            }
            GeneratedTool::Glob => {
                put(out, &[br#"{"filenames":[""#, path, br#""],"durationMs":12,"numFiles":1,"#]);
                put(out, &[br#""truncated":false}"#]);
            }
            GeneratedTool::TaskUpdate => put(
                out,
                &[
                    br#"{"success":true,"taskId":"1","updatedFields":["status"],"#,
                    br#""statusChange":{"from":"in_progress","to":"completed"}}"#,
                ],
            ),
            GeneratedTool::WebFetch => {
                put(out, &[br#"{"bytes":48211,"code":200,"codeText":"OK","result":""#, text]);
                put(out, &[br#"","durationMs":812,"url":"https://example.test/docs"}"#]);
            }
            GeneratedTool::Mcp => put(out, &[br#"[{"type":"text","text":""#, text, br#""}]"#]),
        }
    }

    /// Returns the separate file of the output, if it has one.
    pub(crate) fn spill(&self, output: &ToolOutput) -> Option<Spill> {
        output.spilled.then(|| Spill {
            name: format!("{}.txt", self.id),
            content: unescaped(&output.text.bytes),
        })
    }

    fn push_read_detail(&self, out: &mut Vec<u8>, output: &ToolOutput) {
        put(out, &[br#"{"type":"text","file":{"filePath":""#, self.path.as_bytes()]);
        put(out, &[br#"","content":""#, &output.text.bytes, br#"","numLines":"#]);
        push_number(out, output.text.len() as u64);
        put(out, &[br#","startLine":1,"totalLines":"#]);
        push_number(out, output.text.len() as u64);
        put(out, &[b"}}"]);
    }

    fn push_write_detail(&self, out: &mut Vec<u8>) {
        put(out, &[br#"{"type":"create","filePath":""#, self.path.as_bytes()]);
        put(out, &[br#"","content":""#, &self.new.bytes]);
        put(out, &[br#"","structuredPatch":[],"originalFile":null,"userModified":false}"#]);
    }

    fn push_edit_detail(&self, out: &mut Vec<u8>, output: &ToolOutput) {
        put(out, &[br#"{"filePath":""#, self.path.as_bytes()]);
        put(out, &[br#"","oldString":""#, &self.old.bytes]);
        put(out, &[br#"","newString":""#, &self.new.bytes]);
        put(out, &[br#"","originalFile":""#, &output.text.bytes]);
        put(out, &[br#"","structuredPatch":[{"oldStart":1,"oldLines":"#]);
        push_number(out, self.old.len() as u64);
        put(out, &[br#","newStart":1,"newLines":"#]);
        push_number(out, self.new.len() as u64);
        put(out, &[br#","lines":["#]);
        for (mark, lines) in [(b"-", &self.old), (b"+", &self.new)] {
            for line in 0..lines.len() {
                put(out, &[b"\"", mark, lines.line(line), b"\","]);
            }
        }
        put(out, &[br#"" }"]}],"userModified":false,"replaceAll":false}"#]);
    }
}

/// Reverses the escapes that the pools use.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        out.extend_from_slice(&rest[..at]);
        let (byte, len) = match rest[at + 1] {
            b'n' => (b'\n', 2),
            b't' => (b'\t', 2),
            // The pools use only `\u001b`, the escape character.
            b'u' => (0x1b, 6),
            other => (other, 2),
        };
        out.push(byte);
        rest = &rest[at + len..];
    }
    out.extend_from_slice(rest);
    out
}

/// Returns a random id of a call.
pub(crate) fn call_id(rng: &mut Rng) -> String {
    format!("toolu_01{}", code(rng, 22))
}

/// Returns `len` random letters and digits.
pub(crate) fn code(rng: &mut Rng, len: usize) -> String {
    const DIGITS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    let mut bits = 0;
    (0..len)
        .map(|index| {
            if index % 12 == 0 {
                bits = rng.next_u64();
            }
            bits >>= 5;
            char::from(DIGITS[(bits & 31) as usize])
        })
        .collect()
}

fn put(out: &mut Vec<u8>, parts: &[&[u8]]) {
    for part in parts {
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spilled_files_hold_plain_text() {
        let text = br#"\ta \"b\" \u001b[0m c:\\d\n"#;
        assert_eq!(unescaped(text), b"\ta \"b\" \x1b[0m c:\\d\n");
    }
}
