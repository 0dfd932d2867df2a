//! The keys of a record, level by level. No other code of the product spells them out.
//!
//! Each table is an enum with one variant for each key. [`RecordKey::of`] and its counterparts parse a key,
//! so code that reads records refers to keys by variant. Each key has a [`Meaning`], which determines the
//! kind of a text under it; [`Level::slot`](super::Level::slot) turns it into the treatment of a value.
//!
//! Keys that are not listed are unknown: their texts have the default kind of their level. Keys
//! of tool inputs and outputs belong to the tools ([`crate::tool`]).

use std::fmt;

/// The meaning of a key on its level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// Where a record belongs or how it was made; contains no texts.
    Envelope,
    /// A type, an id, a time, or encoded data. A string is not a text, see [`super::is_name`];
    /// a value of another shape is treated as if the key were unknown.
    Name,
    /// A flag or a number. A text is treated as if the key were unknown.
    Value,
    /// The message.
    Message,
    /// Content blocks.
    Content,
    /// The data that the client stores next to the result of a tool.
    Outcome,
    /// An attachment.
    Attachment,
    /// The data of a progress record.
    Progress,
    /// A record of an agent inside a progress record.
    AgentRecord,
    /// Text that was said, at any depth.
    Said,
    /// Thinking before an answer.
    Thinking,
    /// Input of a tool, or the tool's name.
    Input,
    /// The result of a tool.
    Result,
    /// A title or name of the session.
    Title,
    /// A prompt that a record about the session repeats.
    Prompt,
    /// Anything else that may be a text.
    Remark,
}

/// Returns a key as a string.
const fn spelling(key: &'static [u8]) -> &'static str {
    match std::str::from_utf8(key) {
        Ok(text) => text,
        Err(_) => panic!("keys are ASCII"),
    }
}

/// Declares a table: an enum with the keys of a level.
macro_rules! keys {
    ($(#[$doc:meta])* $name:ident { $($meaning:ident: $($key:ident = $text:literal),+;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[doc = stringify!($text)] $key,)+)*
        }

        impl $name {
            /// The names of all keys of the level.
            pub const NAMES: &[&str] = &[$($(spelling($text),)+)*];

            /// Parses a key; returns `None` if the table does not have it.
            // Called for each key of each record.
            #[inline(always)]
            pub fn of(key: &[u8]) -> Option<Self> {
                match key {
                    $($($text => Some(Self::$key),)+)*
                    _ => None,
                }
            }

            /// Returns the name of the key.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Self::$key => const { spelling($text) },)+)*
                }
            }

            /// Returns what the key means.
            #[allow(dead_code, reason = "of some levels no text is taken")]
            pub(crate) fn meaning(self) -> Meaning {
                match self {
                    $($(Self::$key)|+ => Meaning::$meaning,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.name())
            }
        }
    };
}

keys! {
    /// A key with a name as its value at any depth, in addition to keys that end like ids.
    NameKey {
        Name:
            Type = b"type", Subtype = b"subtype", Id = b"id", Timestamp = b"timestamp",
            Signature = b"signature", Base64 = b"base64", MediaType = b"media_type",
            EncryptedContent = b"encrypted_content", BackupFileName = b"backupFileName",
            BackupTime = b"backupTime", Schema = b"$schema";
    }
}

keys! {
    /// A key of a record.
    RecordKey {
        Name:
            Type = b"type", Subtype = b"subtype", Uuid = b"uuid", ParentUuid = b"parentUuid",
            LogicalParentUuid = b"logicalParentUuid", SessionId = b"sessionId",
            Timestamp = b"timestamp", AgentId = b"agentId", RequestId = b"requestId",
            MessageId = b"messageId", LeafUuid = b"leafUuid", ParentLastUuid = b"parentLastUuid",
            SourceToolAssistantUuid = b"sourceToolAssistantUUID",
            SourceToolUseId = b"sourceToolUseID", ParentToolUseId = b"parentToolUseID";
        Envelope:
            Version = b"version", UserType = b"userType", Entrypoint = b"entrypoint", Cwd = b"cwd",
            GitBranch = b"gitBranch", Slug = b"slug", TeamName = b"teamName",
            IsSidechain = b"isSidechain", PermissionMode = b"permissionMode",
            PromptSource = b"promptSource", Origin = b"origin", Role = b"role", Model = b"model",
            Level = b"level", Effort = b"effort", ForkedFrom = b"forkedFrom",
            ToolDenialKind = b"toolDenialKind", CompactMetadata = b"compactMetadata",
            MicrocompactMetadata = b"microcompactMetadata", ShapeHash = b"shapeHash",
            Hash = b"hash", SessionKind = b"sessionKind", Operation = b"operation",
            Usage = b"usage";
        Value:
            IsMeta = b"isMeta", IsCompactSummary = b"isCompactSummary",
            IsApiErrorMessage = b"isApiErrorMessage", IsAbortedMidStream = b"isAbortedMidStream",
            Explicit = b"explicit", DurationMs = b"durationMs";
        Message: Message = b"message";
        Content: Content = b"content";
        Outcome: ToolUseResult = b"toolUseResult";
        Attachment: Attachment = b"attachment";
        Progress: Data = b"data";
        Title:
            CustomTitle = b"customTitle", AiTitle = b"aiTitle", Summary = b"summary",
            AgentName = b"agentName", Tag = b"tag";
        Prompt: LastPrompt = b"lastPrompt";
        Remark: Error = b"error", HookErrors = b"hookErrors";
    }
}

keys! {
    /// A key that only records of the flat dialect have.
    FlatKey {
        Input: ToolName = b"toolName", ToolArguments = b"toolArguments";
        Value: IsDeleted = b"isDeleted", IsAborted = b"isAborted";
    }
}

keys! {
    /// A key of a message.
    MessageKey {
        Name: Id = b"id", Type = b"type";
        Envelope:
            Role = b"role", Model = b"model", StopReason = b"stop_reason",
            StopSequence = b"stop_sequence", Usage = b"usage";
        Content: Content = b"content";
    }
}

keys! {
    /// A key of a content block.
    BlockKey {
        Name: Type = b"type", Id = b"id", ToolUseId = b"tool_use_id", Signature = b"signature";
        Envelope: Caller = b"caller", CacheControl = b"cache_control";
        Value: IsError = b"is_error";
        Said:
            Text = b"text", Source = b"source", ToolName = b"tool_name", Title = b"title",
            Url = b"url";
        Thinking: Thinking = b"thinking";
        Input: Name = b"name", Input = b"input";
        Result: Content = b"content";
    }
}

keys! {
    /// A key of the source of a picture or a document.
    SourceKey {
        Name: Type = b"type", MediaType = b"media_type";
        Said: Data = b"data";
    }
}

keys! {
    /// A key of `toolUseResult`, the data that the client stores next to the result of a tool.
    OutcomeKey {
        Name: AgentId = b"agentId", RunId = b"runId";
        Envelope:
            Usage = b"usage", ToolStats = b"toolStats", Status = b"status", Mode = b"mode",
            PersistedOutputPath = b"persistedOutputPath", RawOutputPath = b"rawOutputPath",
            ResolvedModel = b"resolvedModel";
        Result:
            Answers = b"answers", File = b"file", OriginalFile = b"originalFile",
            OriginalFileContents = b"originalFileContents";
    }
}

keys! {
    /// A key of the file in `toolUseResult`.
    FileKey {
        Name: Base64 = b"base64";
        Result: Content = b"content";
    }
}

keys! {
    /// A key of an attachment.
    AttachmentKey {
        Name: Type = b"type";
        Envelope: CommandMode = b"commandMode", Origin = b"origin", HookEvent = b"hookEvent";
        Content: Prompt = b"prompt";
    }
}

keys! {
    /// A key of the `data` of a progress record.
    ProgressKey {
        Name: Type = b"type", AgentId = b"agentId";
        AgentRecord: Message = b"message";
    }
}

keys! {
    /// A key of the usage of an answer.
    UsageKey {
        Envelope:
            InputTokens = b"input_tokens", OutputTokens = b"output_tokens",
            CacheReadInputTokens = b"cache_read_input_tokens",
            CacheCreationInputTokens = b"cache_creation_input_tokens",
            CacheCreation = b"cache_creation",
            FiveMinutes = b"ephemeral_5m_input_tokens", Hour = b"ephemeral_1h_input_tokens";
    }
}

keys! {
    /// A key of the metadata of a compaction, or of the messages that it kept.
    CompactionKey {
        Envelope:
            Trigger = b"trigger", PreTokens = b"preTokens", PostTokens = b"postTokens",
            PreservedSegment = b"preservedSegment", PreservedMessages = b"preservedMessages",
            HeadUuid = b"headUuid", TailUuid = b"tailUuid", AnchorUuid = b"anchorUuid",
            Uuids = b"uuids", DurationMs = b"durationMs";
    }
}

keys! {
    /// A key of an origin: of a prompt, or of a copied entry.
    OriginKey {
        Envelope: Kind = b"kind", SessionId = b"sessionId", MessageUuid = b"messageUuid";
    }
}

/// Returns the names of all keys, of every level and dialect.
pub fn all_keys() -> Vec<&'static str> {
    let levels = [
        NameKey::NAMES,
        RecordKey::NAMES,
        FlatKey::NAMES,
        MessageKey::NAMES,
        BlockKey::NAMES,
        SourceKey::NAMES,
        OutcomeKey::NAMES,
        FileKey::NAMES,
        AttachmentKey::NAMES,
        ProgressKey::NAMES,
        UsageKey::NAMES,
        CompactionKey::NAMES,
        OriginKey::NAMES,
    ];
    let mut all = levels.concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// Tells whether a string with this key is a word of the format, or the id of an entry, a message
/// or a call, at any depth. Redaction does not search such strings for the names of people.
pub fn is_word(key: &[u8]) -> bool {
    use RecordKey as Of;
    let in_record = matches!(
        RecordKey::of(key),
        Some(
            Of::Type
                | Of::Role
                | Of::Subtype
                | Of::Level
                | Of::Uuid
                | Of::ParentUuid
                | Of::LogicalParentUuid
                | Of::LeafUuid
                | Of::SessionId
                | Of::RequestId
                | Of::MessageId
                | Of::AgentId
        )
    );
    in_record
        || MessageKey::of(key) == Some(MessageKey::StopReason)
        || BlockKey::of(key) == Some(BlockKey::ToolUseId)
}

impl RecordKey {
    /// Returns the bytes before the string under this key, as clients write them.
    pub fn opening(self) -> String {
        format!("\"{}\":\"", self.name())
    }

    /// Tells whether `before` ends where the string under this key begins.
    pub fn opens_at_end(self, before: &[u8]) -> bool {
        let colon = before.strip_suffix(b"\"").map(<[u8]>::trim_ascii_end);
        let key = colon.and_then(|before| before.strip_suffix(b"\":"));
        let key = key.and_then(|before| before.strip_suffix(self.name().as_bytes()));
        key.is_some_and(|before| before.ends_with(b"\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::is_name;

    #[test]
    fn a_key_is_found_by_its_spelling() {
        for name in RecordKey::NAMES {
            let key = RecordKey::of(name.as_bytes());
            assert_eq!(key.map(RecordKey::name), Some(*name));
        }
        assert_eq!(RecordKey::of(b"Cwd"), None);
        assert_eq!(RecordKey::of(b""), None);
    }

    #[test]
    fn what_the_table_calls_a_name_is_one_at_any_depth() {
        fn check(names: &[&str], meaning: impl Fn(&[u8]) -> Option<Meaning>) {
            for name in names {
                let key = name.as_bytes();
                let meaning = meaning(key).expect("a key of the table");
                let in_envelope = meaning == Meaning::Envelope;
                let is_called_so = meaning == Meaning::Name;
                assert!(in_envelope || is_name(key) == is_called_so, "{name}");
            }
        }
        check(RecordKey::NAMES, |key| Some(RecordKey::of(key)?.meaning()));
        check(MessageKey::NAMES, |key| Some(MessageKey::of(key)?.meaning()));
        check(BlockKey::NAMES, |key| Some(BlockKey::of(key)?.meaning()));
        check(OutcomeKey::NAMES, |key| Some(OutcomeKey::of(key)?.meaning()));
    }

    #[test]
    fn the_beginning_of_a_string_is_known_by_its_key() {
        for (before, expected) in [
            (r#"{"cwd":""#, true),
            (r#"{"a":1,"cwd": ""#, true),
            (r#"{"xcwd":""#, false),
            (r#"{"cwd":"/"#, false),
            (r#"{"cwd":"#, false),
            (r#"cwd":""#, false),
        ] {
            let opens = RecordKey::Cwd.opens_at_end(before.as_bytes());
            assert_eq!(opens, expected, "{before}");
        }
        assert_eq!(RecordKey::Uuid.opening(), r#""uuid":""#);
    }
}
