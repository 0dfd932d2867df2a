//! The fields of a record for display, while they are read.

use std::borrow::Cow;

use super::blocks::{content, text_of};
use super::{Record, RecordPart};
use crate::json::{Cursor, JsonResult, Str};
use crate::schema::{AttachmentKey, CompactionKey, MessageKey, RecordKey, SpreadText};

/// The fields of a record that were read so far.
#[derive(Default)]
pub(crate) struct RecordDraft<'a> {
    /// The content of the record.
    pub(crate) record: Record<'a>,
    /// Set if the record states that it is a call.
    pub(crate) says_call: bool,
    call: Option<CallDraft<'a>>,
    /// The errors of hooks, joined with newlines.
    hook_errors: String,
}

/// The call that a record itself is.
pub(crate) struct CallDraft<'a> {
    /// The name of the tool.
    pub(crate) name: Cow<'a, str>,
    /// The input, as raw JSON.
    pub(crate) input: &'a [u8],
}

impl Default for CallDraft<'_> {
    fn default() -> Self {
        Self { name: Cow::Borrowed(""), input: b"{}" }
    }
}

impl<'a> RecordDraft<'a> {
    /// Sets the message, in place of an earlier one.
    pub(crate) fn set_message(&mut self, parts: Vec<RecordPart<'a>>, model: Option<Cow<'a, str>>) {
        self.record.parts = parts;
        self.record.model = model;
    }

    /// Returns the record when all its fields are read: errors of hooks come after its text.
    pub(crate) fn finish(self) -> Record<'a> {
        let (mut record, errors) = (self.record, self.hook_errors);
        if !errors.is_empty() {
            record.text = Some(Cow::Owned(match record.text.take() {
                Some(text) => format!("{text}\n{errors}"),
                None => errors,
            }));
        }
        record
    }

    fn add_hook_error(&mut self, error: &str) {
        if error.trim().is_empty() {
            return;
        }
        if !self.hook_errors.is_empty() {
            self.hook_errors.push('\n');
        }
        self.hook_errors.push_str(error.trim_end());
    }

    /// Returns the call that the record itself is, creating it if necessary.
    pub(crate) fn call(&mut self) -> &mut CallDraft<'a> {
        self.call.get_or_insert_default()
    }

    /// Appends the call that the record is after its text.
    pub(crate) fn end_call(&mut self) {
        let is_call = |part: &RecordPart<'_>| matches!(part, RecordPart::Call { .. });
        if self.says_call && !self.record.parts.iter().any(is_call) {
            self.call();
        }
        if let Some(CallDraft { name, input }) = self.call.take() {
            self.record.parts.push(RecordPart::Call { name, input });
        }
    }
}

/// Reads the value of a key that records of all dialects have.
#[expect(clippy::inline_always, reason = "one decision for each field, not two")]
#[inline(always)]
pub(crate) fn field<'a>(
    draft: &mut RecordDraft<'a>,
    cursor: &mut Cursor<'a>,
    key: RecordKey,
) -> JsonResult<()> {
    let record = &mut draft.record;
    match key {
        RecordKey::Message => message(draft, cursor)?,
        RecordKey::Content
        | RecordKey::Summary
        | RecordKey::CustomTitle
        | RecordKey::AiTitle
        | RecordKey::LastPrompt => record.text = text_of(cursor)?.or(record.text.take()),
        RecordKey::Attachment => attachment(record, cursor)?,
        RecordKey::Error => {
            // The message of an API error, if no other field has a text.
            let raw = String::from_utf8_lossy(cursor.skip()?);
            record.text.get_or_insert(raw);
        }
        RecordKey::HookErrors => cursor.strings(|_, text| {
            draft.add_hook_error(&text.decode());
            Ok(())
        })?,
        RecordKey::ToolUseResult => record.outcome = Some(cursor.skip()?),
        RecordKey::CompactMetadata => compaction(record, cursor)?,
        RecordKey::ToolDenialKind => record.denial = cursor.string()?.map(Str::decode),
        _ => drop(cursor.skip()?),
    }
    Ok(())
}

fn compaction<'a>(record: &mut Record<'a>, cursor: &mut Cursor<'a>) -> JsonResult<()> {
    cursor.object_or_skip(|cursor, key| {
        match CompactionKey::of(key) {
            Some(CompactionKey::DurationMs) => record.compaction_ms = cursor.count()?,
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    Ok(())
}

fn attachment<'a>(record: &mut Record<'a>, cursor: &mut Cursor<'a>) -> JsonResult<()> {
    cursor.object_or_skip(|cursor, key| {
        if AttachmentKey::of(key) == Some(AttachmentKey::Prompt) {
            record.text = text_of(cursor)?;
        } else {
            cursor.skip()?;
        }
        Ok(())
    })?;
    Ok(())
}

fn message<'a>(draft: &mut RecordDraft<'a>, cursor: &mut Cursor<'a>) -> JsonResult<()> {
    let mut spread = SpreadText::default();
    let (mut parts, mut model) = (Vec::new(), None);
    cursor.object_or_skip(|cursor, key| {
        match MessageKey::of(key) {
            Some(MessageKey::Content) => parts = content(cursor)?,
            Some(MessageKey::Model) => model = cursor.string()?.map(Str::decode),
            None if spread.takes(key) => spread.add(cursor.string()?),
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    let text = spread.text().map(|text| text.decode().into_owned());
    if let Some(text) = text.filter(|text| parts.is_empty() && !text.is_empty()) {
        parts.push(RecordPart::Text(Cow::Owned(text)));
    }
    draft.set_message(parts, model);
    Ok(())
}
