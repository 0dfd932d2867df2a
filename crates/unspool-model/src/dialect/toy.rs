//! A third dialect, as an example: this file, and a line in [`super::OTHERS`].
//!
//! ```jsonl
//! {"kind":"say","no":"1","who":"person","words":"list the files"}
//! {"kind":"run","no":"2","after":"1","tool":{"name":"ls","given":{"folder":"src"}}}
//! {"kind":"ran","no":"3","after":"2","tool":{"run":"2","gave":"lib.rs"}}
//! ```

use std::borrow::Cow;

use super::{BlockDraft, Dialect, Draft, FieldKnown};
use crate::json::{Cursor, JsonResult, Str};
use crate::record::{RecordDraft, RecordPart, ResultPart};
use crate::schema::{BlockType, Level, OwnLevel, Slot, TextKind};

/// The toy dialect: a log of words and of runs of tools.
#[derive(Debug)]
pub(super) struct Toy;

/// The keys of a tool's input and result.
static TOOL: OwnLevel = OwnLevel {
    keys: &[
        ("run", Slot::Envelope),
        ("name", Slot::Text(TextKind::Input)),
        ("given", Slot::Text(TextKind::Input)),
        ("gave", Slot::Text(TextKind::Result)),
    ],
    other: TextKind::Remark,
};

impl Dialect for Toy {
    fn recognise(&self, key: &[u8], value: &[u8]) -> bool {
        let kinds: [&[u8]; 3] = [br#""say""#, br#""run""#, br#""ran""#];
        key == b"kind" && kinds.iter().any(|kind| value.starts_with(kind))
    }

    fn draft<'a>(
        &self,
        draft: &mut Draft<'a>,
        cursor: &mut Cursor<'a>,
        key: &[u8],
    ) -> JsonResult<FieldKnown> {
        match key {
            b"kind" => {
                let is_answer = cursor.string()?.is_some_and(|kind| kind.raw() == b"run");
                draft.kind = Some(speaker(!is_answer));
            }
            b"no" => draft.uuid = cursor.string()?,
            b"after" => draft.parent = cursor.string()?,
            b"who" => {
                let is_person = cursor.string()?.is_some_and(|who| who.raw() == b"person");
                draft.kind = Some(speaker(is_person));
            }
            b"words" => draft.message.blocks.push(BlockDraft {
                kind: BlockType::Text,
                text: cursor.string()?,
                ..BlockDraft::default()
            }),
            b"tool" => {
                let tool = ToyTool::read(cursor)?;
                draft.message.blocks.push(BlockDraft {
                    kind: match tool.answers {
                        Some(_) => BlockType::Result,
                        None => BlockType::Call,
                    },
                    name: tool.name,
                    call: tool.answers,
                    text: tool.gave,
                    ..BlockDraft::default()
                });
            }
            _ => return Ok(FieldKnown::No),
        }
        Ok(FieldKnown::Yes)
    }

    /// Gives each call the number of its record as its id.
    fn end_draft(&self, draft: &mut Draft<'_>) {
        for block in &mut draft.message.blocks {
            if block.kind == BlockType::Call {
                block.call = draft.uuid;
            }
        }
    }

    fn content<'a>(
        &self,
        record: &mut RecordDraft<'a>,
        cursor: &mut Cursor<'a>,
        key: &[u8],
    ) -> JsonResult<FieldKnown> {
        let text = |text: Option<Str<'a>>| text.map(Str::decode).unwrap_or_default();
        let part = match key {
            b"words" => RecordPart::Text(text(cursor.string()?)),
            b"tool" => {
                let tool = ToyTool::read(cursor)?;
                match tool.answers {
                    Some(_) => RecordPart::Result(ResultPart {
                        text: text(tool.gave),
                        ..ResultPart::default()
                    }),
                    None => RecordPart::Call { name: text(tool.name), input: tool.given },
                }
            }
            _ => return Ok(FieldKnown::No),
        };
        record.record.parts.push(part);
        Ok(FieldKnown::Yes)
    }

    fn slot(&self, key: &[u8], _: &[u8]) -> Option<Slot> {
        Some(match key {
            b"words" => Slot::Text(TextKind::Said),
            b"tool" => Slot::Object(Level::Own(&TOOL)),
            b"kind" | b"no" | b"after" | b"who" => Slot::Envelope,
            _ => return None,
        })
    }
}

/// Returns the record type that the log knows for a speaker.
fn speaker(is_person: bool) -> Str<'static> {
    Str::new(if is_person { b"user" } else { b"assistant" })
}

/// The input and the result of a tool.
#[derive(Default)]
struct ToyTool<'a> {
    answers: Option<Str<'a>>,
    name: Option<Str<'a>>,
    given: &'a [u8],
    gave: Option<Str<'a>>,
}

impl<'a> ToyTool<'a> {
    fn read(cursor: &mut Cursor<'a>) -> JsonResult<Self> {
        let mut tool = Self::default();
        cursor.object_or_skip(|cursor, key| {
            match key {
                b"run" => tool.answers = cursor.string()?,
                b"name" => tool.name = cursor.string()?,
                b"given" => tool.given = cursor.skip()?,
                b"gave" => tool.gave = cursor.string()?,
                _ => drop(cursor.skip()?),
            }
            Ok(())
        })?;
        Ok(tool)
    }
}

mod tests {
    use super::*;
    use crate::conversation::{Conversation, Speaker};
    use crate::dialect::texts_of;
    use crate::entry::{EntryKind, Flags, MessageKind};
    use crate::graph::{Rule, Scope};
    use crate::log::Log;
    use crate::query::TextRole;
    use crate::record::Record;
    use crate::roles::role;

    /// A log in three dialects.
    const LINES: [&str; 6] = [
        r#"{"kind":"say","no":"1","who":"person","words":"list the \u0066iles","mood":"calm"}"#,
        r#"{"kind":"run","no":"2","after":"1","tool":{"name":"ls","given":{"folder":"src"}}}"#,
        r#"{"kind":"ran","no":"3","after":"2","tool":{"run":"2","gave":"lib.rs"}}"#,
        r#"{"kind":"say","no":"4","after":"3","who":"program","words":"There is one."}"#,
        r#"{"type":"user","uuid":"5","parentUuid":"4","message":{"content":"Thanks"},"kind":"x"}"#,
        r#"{"type":"assistant","uuid":"6","parentUuid":"5","message":"Bye","toolName":"wave"}"#,
    ];

    fn log() -> Log {
        Log::read(LINES.join("\n").as_bytes())
    }

    #[test]
    fn records_of_three_dialects_make_one_conversation() {
        let log = log();
        assert_eq!(log.diagnostics, []);
        let kinds: Vec<EntryKind> = log.entries.iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, [EntryKind::User, EntryKind::Assistant].repeat(3));
        let flat = log.entries.iter().filter(|entry| entry.flags.has(Flags::FLAT));
        assert_eq!(flat.count(), 1, "the last one");
        let conversation = Conversation::new(&log, Rule::default(), Scope::Session);
        let active = conversation.paths.active().expect("a path");
        let view = conversation.history(active);
        let said: Vec<(Speaker, MessageKind)> =
            view.messages.iter().map(|message| (message.speaker, message.kind)).collect();
        assert_eq!(
            said,
            [
                (Speaker::User, MessageKind::Prompt),
                (Speaker::Assistant, MessageKind::Answer),
                (Speaker::Assistant, MessageKind::Answer),
                (Speaker::User, MessageKind::Prompt),
                (Speaker::Assistant, MessageKind::Answer),
            ]
        );
    }

    #[test]
    fn a_call_of_the_toy_has_its_result() {
        let log = log();
        let [call, result] = [1, 2].map(|at| log.blocks_of(&log.entries[at])[0]);
        assert_eq!(call.name.map(|name| log.text(name)), Some("ls"));
        assert_eq!(call.call.map(|id| log.text(id)), Some("2"));
        assert_eq!(result.call, call.call);
    }

    #[test]
    fn records_of_the_toy_are_shown() {
        let shown: Vec<String> = LINES
            .iter()
            .flat_map(|line| Record::read(line.as_bytes()).parts)
            .map(|part| match part {
                RecordPart::Text(text) => format!("text {text}"),
                RecordPart::Call { name, input } => {
                    format!("call {name} {}", String::from_utf8_lossy(input))
                }
                RecordPart::Result(result) => format!("result {}", result.text),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(
            shown,
            [
                "text list the files",
                r#"call ls {"folder":"src"}"#,
                "result lib.rs",
                "text There is one.",
                "text Thanks",
                "text Bye",
                "call wave {}",
            ]
        );
    }

    #[test]
    fn texts_of_the_toy_have_roles() {
        let log = log();
        let mut found = Vec::new();
        for (line, entry) in LINES.iter().zip(&log.entries) {
            let (_, whole) = texts_of(line.as_bytes(), &mut |kind, text| {
                let text: Cow<'_, str> = text.decode();
                found.push((role(kind, &log, entry), text.into_owned()));
                Ok(())
            });
            assert_eq!(whole, Ok(()));
        }
        let expected = [
            (TextRole::User, "list the files"),
            (TextRole::System, "calm"),
            (TextRole::Tool, "ls"),
            (TextRole::Tool, "src"),
            (TextRole::Result, "lib.rs"),
            (TextRole::Assistant, "There is one."),
            (TextRole::User, "Thanks"),
            (TextRole::System, "x"),
            (TextRole::Assistant, "Bye"),
            (TextRole::Tool, "wave"),
        ];
        let found: Vec<(TextRole, &str)> = found.iter().map(|(r, text)| (*r, &**text)).collect();
        assert_eq!(found, expected);
    }
}
