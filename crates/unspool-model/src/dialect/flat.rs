//! The flat dialect: the message is a string, and a call is a record of its own.
//!
//! It has the keys of the wire dialect and some of its own. A record with one of those, or with
//! a value that the client does not write, is in this dialect.

use super::{BlockDraft, Dialect, Draft, FieldKnown, MessageDraft, wire};
use crate::json::{Cursor, JsonResult, Str};
use crate::record::{self, RecordDraft, RecordPart};
use crate::schema::{BlockType, FlatKey, RecordKey, Slot, TextKind};

/// The flat dialect.
#[derive(Debug)]
pub(super) struct Flat;

impl Dialect for Flat {
    fn recognise(&self, key: &[u8], value: &[u8]) -> bool {
        let is_own_value = |key| wire::is_flat(key, value);
        FlatKey::of(key).is_some() || RecordKey::of(key).is_some_and(is_own_value)
    }

    fn draft<'a>(
        &self,
        draft: &mut Draft<'a>,
        cursor: &mut Cursor<'a>,
        key: &[u8],
    ) -> JsonResult<FieldKnown> {
        match (FlatKey::of(key), RecordKey::of(key)) {
            (Some(key), _) => field(draft, cursor, key)?,
            (None, Some(key @ RecordKey::Message)) if wire::is_flat(key, cursor.rest()) => {
                message(draft, cursor)?;
            }
            (None, Some(key)) => {
                draft.flat &= key != RecordKey::Message;
                wire::field(draft, cursor, key)?;
            }
            (None, None) => return Ok(FieldKnown::No),
        }
        Ok(FieldKnown::Yes)
    }

    /// Appends the call of a record after its text.
    fn end_draft(&self, draft: &mut Draft<'_>) {
        let is_call = |block: &BlockDraft<'_>| block.kind == BlockType::Call;
        let has_call = draft.message.blocks.iter().any(is_call);
        if says_call(draft.subtype) && !has_call {
            call(draft);
        }
        if let Some(call) = draft.call.take() {
            draft.flat = true;
            draft.message.blocks.push(call);
        }
    }

    fn content<'a>(
        &self,
        record: &mut RecordDraft<'a>,
        cursor: &mut Cursor<'a>,
        key: &[u8],
    ) -> JsonResult<FieldKnown> {
        match (FlatKey::of(key), RecordKey::of(key)) {
            (Some(FlatKey::ToolName), _) => {
                let name = cursor.string()?.map(Str::decode);
                record.call().name = name.unwrap_or_default();
            }
            (Some(FlatKey::ToolArguments), _) => record.call().input = cursor.skip()?,
            (None, Some(RecordKey::Subtype)) => record.says_call = says_call(cursor.string()?),
            (None, Some(key @ RecordKey::Message)) if wire::is_flat(key, cursor.rest()) => {
                let text = cursor.string()?.map(Str::decode).unwrap_or_default();
                record.set_message(vec![RecordPart::Text(text)], None);
            }
            (None, Some(key)) => record::field(record, cursor, key)?,
            (Some(_), _) | (None, None) => return Ok(FieldKnown::No),
        }
        Ok(FieldKnown::Yes)
    }

    fn end_content(&self, record: &mut RecordDraft<'_>) {
        record.end_call();
    }

    fn slot(&self, key: &[u8], _: &[u8]) -> Option<Slot> {
        let own = FlatKey::of(key).map(|key| key.meaning().slot(TextKind::Said, TextKind::Remark));
        own.or_else(|| RecordKey::of(key).map(wire::slot))
    }
}

/// Reads the value of a key that only this dialect has.
fn field<'a>(draft: &mut Draft<'a>, cursor: &mut Cursor<'a>, key: FlatKey) -> JsonResult<()> {
    match key {
        FlatKey::ToolName => call(draft).name = cursor.string()?,
        FlatKey::ToolArguments => wire::input(call(draft), cursor)?,
        FlatKey::IsDeleted => draft.deleted = cursor.flag()?,
        FlatKey::IsAborted => draft.aborted |= cursor.flag()?,
    }
    Ok(())
}

/// Reads a message that is a string.
fn message<'a>(draft: &mut Draft<'a>, cursor: &mut Cursor<'a>) -> JsonResult<()> {
    let block =
        BlockDraft { kind: BlockType::Text, text: cursor.string()?, ..BlockDraft::default() };
    draft.flat = true;
    draft.message = MessageDraft { blocks: vec![block], ..MessageDraft::default() };
    Ok(())
}

/// Returns the call that the record itself is, creating it if necessary.
fn call<'d, 'a>(draft: &'d mut Draft<'a>) -> &'d mut BlockDraft<'a> {
    draft.call.get_or_insert(BlockDraft { kind: BlockType::Call, ..BlockDraft::default() })
}

/// Tells whether the subtype of a record says that it is a call.
pub(super) fn says_call(subtype: Option<Str<'_>>) -> bool {
    subtype.is_some_and(|subtype| subtype.raw() == b"tool_use")
}

#[cfg(test)]
mod tests {
    use crate::log::Log;

    #[test]
    fn a_call_names_its_file_as_on_the_wire() {
        for key in ["file_path", "notebook_path"] {
            let line = format!(
                r#"{{"type":"assistant","uuid":"u","toolName":"Edit","toolArguments":{{"{key}":"a.x"}}}}"#
            );
            let log = Log::read(line.as_bytes());
            let [call] = log.blocks_of(&log.entries[0]) else {
                panic!("a call");
            };
            assert_eq!(call.file.map(|file| log.text(file)), Some("a.x"), "{key}");
        }
    }
}
