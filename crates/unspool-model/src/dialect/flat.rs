//! The flat dialect: a string for a message, an entry for a call.
//!
//! Its keys do not occur in the wire dialect, so they are simply read when met.

use super::{BlockDraft, BlockType, Draft};
use crate::json::{Cursor, Result};

/// Reads the value of a key that only the flat dialect knows, or skips it.
pub(super) fn field<'a>(draft: &mut Draft<'a>, cursor: &mut Cursor<'a>, key: &[u8]) -> Result<()> {
    match key {
        b"toolName" => call(draft).name = cursor.string()?,
        b"toolArguments" => {
            let block = call(draft);
            let (mut file, mut prompt) = (None, None);
            cursor.object_or_skip(|cursor, key| {
                let value = cursor.string()?;
                match key {
                    b"file_path" => file = value,
                    b"prompt" => prompt = value,
                    _ => {}
                }
                Ok(())
            })?;
            block.file = file;
            block.prompt = prompt;
        }
        b"isDeleted" => draft.deleted = cursor.flag()?,
        b"isAborted" => draft.aborted |= cursor.flag()?,
        _ => {
            cursor.skip()?;
        }
    }
    Ok(())
}

/// Returns the draft's call, which the entry itself is.
fn call<'d, 'a>(draft: &'d mut Draft<'a>) -> &'d mut BlockDraft<'a> {
    draft.call.get_or_insert(BlockDraft {
        kind: BlockType::Call,
        ..BlockDraft::default()
    })
}

/// Puts the call of a record behind its text, when all of it was read.
pub(super) fn finish(draft: &mut Draft<'_>) {
    let says_call = draft
        .subtype
        .is_some_and(|subtype| subtype.raw() == b"tool_use");
    let has_call = draft
        .message
        .blocks
        .iter()
        .any(|block| block.kind == BlockType::Call);
    if says_call && !has_call {
        call(draft);
    }
    if let Some(call) = draft.call.take() {
        draft.flat = true;
        draft.message.blocks.push(call);
    }
}
