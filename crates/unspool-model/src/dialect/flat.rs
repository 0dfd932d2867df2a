//! The flat dialect: a string for a message, an entry for a call.
//!
//! Its keys do not occur in the wire dialect, so they are simply read when met.

use super::{BlockDraft, BlockType, Draft};
use crate::json::{Cursor, Result};

/// Reads the value of a key that only the flat dialect knows, or skips it.
pub(super) fn field<'a>(draft: &mut Draft<'a>, cursor: &mut Cursor<'a>, key: &[u8]) -> Result<()> {
    match key {
        b"toolName" => {
            draft.flat = true;
            call(draft).name = cursor.string()?;
        }
        b"toolArguments" => {
            draft.flat = true;
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
    let blocks = &mut draft.message.blocks;
    let is_call = |block: &BlockDraft<'_>| block.kind == BlockType::Call;
    let at = blocks.iter().position(is_call).unwrap_or_else(|| {
        blocks.push(BlockDraft {
            kind: BlockType::Call,
            ..BlockDraft::default()
        });
        blocks.len() - 1
    });
    &mut blocks[at]
}
