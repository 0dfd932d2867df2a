//! The content of one record, decoded for display.
//!
//! A [`crate::log::Log`] keeps positions, not text. To show an entry, its bytes are read again and
//! decoded here. The parts of a [`Record`] are in the same order as the entry's blocks in the log.

mod blocks;
mod draft;
mod spilled;
mod unshown;

use std::borrow::Cow;

use crate::json::Str;
use crate::{tool, words};

pub(crate) use draft::{RecordDraft, field};
pub use unshown::unshown;

/// The content of a record.
#[derive(Clone, Default, Debug)]
pub struct Record<'a> {
    /// The parts of the message.
    pub parts: Vec<RecordPart<'a>>,
    /// The text of a record without a message: a remark, a queued prompt, a title.
    pub text: Option<Cow<'a, str>>,
    /// The `toolUseResult`, as raw JSON.
    pub outcome: Option<&'a [u8]>,
    /// The model that answered.
    pub model: Option<Cow<'a, str>>,
    /// The duration of a compaction in milliseconds, if its boundary states it.
    pub compaction_ms: Option<u64>,
    /// Why a call was denied, as the client states it.
    denial: Option<Cow<'a, str>>,
}

/// A part of a message.
#[derive(Clone, Debug)]
pub enum RecordPart<'a> {
    /// Text.
    Text(Cow<'a, str>),
    /// Thinking; the text may be withheld.
    Thinking(Cow<'a, str>),
    /// A call of a tool.
    Call {
        /// The name of the tool.
        name: Cow<'a, str>,
        /// The input, as raw JSON.
        input: &'a [u8],
    },
    /// The result of a call.
    Result(ResultPart<'a>),
    /// An image or a document.
    Media(Media<'a>),
    /// A block of another type.
    Other {
        /// The type of the block.
        name: Cow<'a, str>,
    },
}

/// The result of a call.
#[derive(Clone, Default, Debug)]
pub struct ResultPart<'a> {
    /// The text; several text blocks are joined with newlines.
    pub text: Cow<'a, str>,
    /// Set if the result says that the call failed.
    pub is_error: bool,
    /// Pictures and documents in the result.
    pub media: Vec<Media<'a>>,
}

/// An image or a document.
#[derive(Clone, Debug)]
pub struct Media<'a> {
    /// Whether it is an image or a document.
    pub kind: MediaKind,
    /// The media type, such as `image/png`.
    pub media_type: Cow<'a, str>,
    /// The decoded size in bytes; `None` if the content is elsewhere.
    pub bytes: Option<u64>,
    /// The content as the record has it; `None` if it is elsewhere.
    pub data: Option<MediaData<'a>>,
}

/// The content of an image or a document, as a record has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediaData<'a> {
    /// In base64.
    Base64(Str<'a>),
    /// As text.
    Text(Str<'a>),
}

/// The kind of media.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediaKind {
    /// An image.
    Image,
    /// A document.
    Document,
}

impl Record<'_> {
    /// Returns the first text of the message.
    pub fn said(&self) -> Option<String> {
        self.parts.iter().find_map(|part| match part {
            RecordPart::Text(text) => Some(text.clone().into_owned()),
            _ => None,
        })
    }

    /// Returns the words of a person in the results of this record: words given with a refusal,
    /// and free answers to questions.
    pub fn reply(&self) -> Option<String> {
        let refusals = self.parts.iter().filter_map(|part| match part {
            RecordPart::Result(result) => {
                words::refusal(&result.text, result.is_error, self.denial.as_deref())
            }
            _ => None,
        });
        let mut said: Vec<String> = refusals.map(str::to_owned).collect();
        said.extend(self.outcome.map(tool::free_answers).unwrap_or_default());
        (!said.is_empty()).then(|| said.join("\n\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        Record::read(line.as_bytes())
            .parts
            .into_iter()
            .map(|part| match part {
                RecordPart::Text(text) => format!("text {text}"),
                RecordPart::Thinking(text) => format!("thinking {text}"),
                RecordPart::Call { name, input } => {
                    format!("call {name} {}", String::from_utf8_lossy(input))
                }
                RecordPart::Result(result) => {
                    format!("result {} {} {}", result.text, result.is_error, result.media.len())
                }
                RecordPart::Media(media) => {
                    format!("{:?} {} {:?}", media.kind, media.media_type, media.bytes)
                }
                RecordPart::Other { name } => format!("other {name}"),
            })
            .collect()
    }

    #[test]
    fn errors_of_hooks_are_the_text_of_a_remark() {
        for (line, expected) in [
            (r#"{"hookErrors":[]}"#, None),
            (r#"{"hookErrors":[" "]}"#, None),
            (r#"{"hookErrors":["a\n","b"]}"#, Some("a\nb")),
            (r#"{"hookErrors":[{"stderr":"a"}]}"#, Some("a")),
            (r#"{"hookErrors":["b"],"content":"a"}"#, Some("a\nb")),
            (r#"{"content":"a","hookErrors":[]}"#, Some("a")),
        ] {
            let record = Record::read(line.as_bytes());
            assert_eq!(record.text.as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_boundary_says_how_long_the_compaction_took() {
        for (line, expected) in [
            (r#"{"compactMetadata":{"durationMs":120000,"preTokens":1}}"#, Some(120_000)),
            (r#"{"compactMetadata":{"durationMs":"long"}}"#, None),
            (r#"{"compactMetadata":7,"durationMs":5}"#, None),
        ] {
            let record = Record::read(line.as_bytes());
            assert_eq!(record.compaction_ms, expected, "{line}");
        }
    }

    #[test]
    fn parts_come_in_the_order_of_the_blocks() {
        for (line, expected) in [
            (r#"{"message":{"content":"hi"}}"#, &["text hi"][..]),
            (r#"{"message":"flat"}"#, &["text flat"]),
            (
                r#"{"toolName":"Read","toolArguments":{"a":1},"message":"why"}"#,
                &["text why", r#"call Read {"a":1}"#],
            ),
            (
                r#"{"message":{"content":[{"type":"thinking","thinking":"t"},{"type":"tool_use","name":"X","input":"s"},{"type":"new"}]}}"#,
                &["thinking t", r#"call X "s""#, "other new"],
            ),
            (
                r#"{"message":{"content":[{"type":"tool_result","is_error":true,"content":[{"type":"text","text":"a"},{"type":"image","source":{}},{"type":"text","text":"b"}]}]}}"#,
                &["result a\nb true 1"],
            ),
            (
                r#"{"message":{"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}}"#,
                &["Image image/png Some(3)"],
            ),
            (r#"{"message":{"0":"h","1":"i"}}"#, &["text hi"]),
            // A unit may be half of a surrogate pair.
            (r#"{"message":{"0":"\ud83d","1":"\ude00"}}"#, &["text 😀"]),
            (r#"{"message":{"content":7}}"#, &[]),
        ] {
            assert_eq!(texts(line), expected, "{line}");
        }
    }
}
