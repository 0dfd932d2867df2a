//! The rules of `check`: their ids, severities and meanings.
//!
//! All of it is in one table, and a test compares `docs/check.md` with it. A rule has one severity.
//! Where the same fact is worse in one case than in another, there are two rules.

use unspool_model::names;

names! {
    /// The severity of a finding.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Severity {
        /// Worth knowing; healthy logs have such findings too.
        Info = "info",
        /// Something was lost or differs from what was intended.
        Warning = "warning",
        /// The file breaks a rule of its own dialect.
        Error = "error",
    }
}

/// A row of the table of rules.
struct RuleEntry {
    id: &'static str,
    severity: Severity,
    meaning: &'static str,
    advice: &'static str,
}

macro_rules! rules {
    ($($name:ident = $id:literal, $severity:ident, $meaning:literal, $advice:literal;)*) => {
        /// A rule of `check`.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum RuleId {
            $(#[doc = $meaning] $name,)*
        }

        impl RuleId {
            /// All rules, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            const TABLE: &[RuleEntry] = &[$(RuleEntry {
                id: $id,
                severity: Severity::$severity,
                meaning: $meaning,
                advice: $advice,
            },)*];
        }
    };
}

rules! {
    // The flat dialect: rules 1, 4, 5, 7, 8 and 6 of its description.
    RequiredFields = "required-fields", Error,
        "A message of the flat dialect lacks `type`, `uuid`, `timestamp` or `sessionId`.",
        "Have the writing tool add the field; without a uuid the message has no place in the conversation.";
    SidechainFlag = "sidechain-flag", Error,
        "`isSidechain` is set on a message of the flat dialect that is in no sidechain.",
        "Leave the key out of main messages, and begin a sidechain with a user message.";
    ExternalSidechain = "external-sidechain", Error,
        "A message of the flat dialect has `userType` `external` and is not marked as sidechain.",
        "Set `isSidechain` to true, or `userType` to `human`.";
    ToolName = "tool-name", Error,
        "A message of the flat dialect has `subtype` `tool_use` and no `toolName`.",
        "Have the writing tool name the tool that was called.";
    ToolArguments = "tool-arguments", Error,
        "`toolArguments` of a message of the flat dialect is not an object.",
        "Have the writing tool write an object, not a text that contains one.";
    TimeOrder = "time-order", Warning,
        "An entry is older than its parent; in the wire dialect by a second or more.",
        "Look for a changed clock, or for lines that were moved by hand.";

    DamagedLine = "damaged-line", Warning,
        "A line is not a JSON object and contains none.",
        "Nothing: the client skips it too. It is the mark of a kill in mid-write.";
    UnfinishedLine = "unfinished-line", Warning,
        "The last line breaks off.",
        "Nothing: the process was killed while it wrote. Older clients glue their next record to it.";
    GrowingLine = "growing-line", Info,
        "The last line breaks off while a process owns the session.",
        "Check again: it is probably being written.";
    GluedLine = "glued-line", Warning,
        "Several records, or a torn one and a whole one, share a line.",
        "Nothing: whole records were recovered. Other readers may lose them.";
    NotAnObject = "not-an-object", Warning,
        "A line is JSON, but not an object.",
        "Find out what wrote it; the client does not.";
    LineTooLong = "line-too-long", Warning,
        "A line is too long to be read as a record.",
        "Nothing: it is kept as a fragment and its content is not shown.";
    BadUtf8 = "bad-utf8", Warning,
        "A record contains bytes that are not UTF-8.",
        "Nothing: they are shown as replacement characters.";
    NoFinalNewline = "no-final-newline", Info,
        "The last record is whole but has no newline after it.",
        "Nothing; clients up to 2.1.50 would glue their next record to it.";
    UnreadableFile = "unreadable-file", Warning,
        "A file of the session could not be read.",
        "Look at its permissions; the rest of the session was checked without it.";
    EmptyFile = "empty-file", Info,
        "The file has no bytes.",
        "Nothing: the session was never written, or is in another folder.";
    NoConversation = "no-conversation", Info,
        "The file contains records, but no conversation.",
        "Nothing: sessions that were opened and left look like this.";

    UnknownType = "unknown-type", Info,
        "A record has a type that this version does not know; said once for each type.",
        "Nothing: it is kept and counted as metadata. A newer release may know it.";
    MissingUuid = "missing-uuid", Info,
        "A message of the wire dialect has no uuid and so no place in the conversation.",
        "Find out what removed it; the client always writes one.";
    MissingTime = "missing-time", Info,
        "A message of the wire dialect has no readable `timestamp`.",
        "Nothing: it is shown without a time.";
    ForeignSessionId = "foreign-session-id", Info,
        "Records carry the id of another session.",
        "Nothing: old clients copied history into a new file when they resumed.";
    TimeGoesBack = "time-goes-back", Info,
        "An entry is a second or more older than the one before it in the file.",
        "Nothing: two processes wrote at once, or history was copied.";

    DuplicateUuid = "duplicate-uuid", Warning,
        "Two records have one uuid; the later one counts, in the place of the first.",
        "Nothing, unless the two differ: then the earlier one is only shown on request.";
    Cycle = "cycle", Warning,
        "Following the parents of an entry leads back to it; the link was cut here.",
        "Find out what rewrote the parents; clients up to 2.0.55 hang on such a file.";
    UnknownParent = "unknown-parent", Warning,
        "An entry names a parent that is nowhere in the session.",
        "Look for a damaged line before it; the entry was joined to what comes before it.";
    UnknownParentFirst = "unknown-parent-first", Info,
        "The first entry names a parent that is not in the file: it continues another one.",
        "Nothing: look for the session that it continues.";
    UnknownParentElsewhere = "unknown-parent-elsewhere", Info,
        "An entry names a parent that is in another file of the session.",
        "Nothing: agents may continue the conversation that started them.";
    UnknownParentCompacted = "unknown-parent-compacted", Info,
        "An entry after a compaction names a parent that was not kept.",
        "Nothing: its logical parent says where it belongs.";
    UnknownParentFlat = "unknown-parent-flat", Info,
        "A message of the flat dialect names an unknown parent, which that dialect allows.",
        "Nothing: it is joined to what comes before it.";
    ParentLater = "parent-later", Info,
        "An entry names a parent that comes later in the file.",
        "Nothing: two processes wrote at once, or lines were moved.";
    UnknownLogicalParent = "unknown-logical-parent", Info,
        "The logical parent of an entry is not in the file.",
        "Nothing: the compaction is joined to what comes before it.";
    SeveralRoots = "several-roots", Info,
        "A second conversation begins in the file: a message without a parent.",
        "Nothing: it is shown as a path of its own.";
    UnknownLeaf = "unknown-leaf", Info,
        "The last `last-prompt` record names an entry that is not in the file.",
        "Nothing: a resume goes on from the last entry of the file instead.";

    CallWithoutResult = "call-without-result", Warning,
        "A tool call has no result, and no process owns the session.",
        "Nothing: it was interrupted. The client makes up a result when it resumes.";
    PendingCall = "pending-call", Info,
        "A tool call has no result yet, and a process owns the session.",
        "Nothing: it is running or waits for permission.";
    ResultWithoutCall = "result-without-call", Warning,
        "A tool result answers a call that is nowhere in the session.",
        "Look for a damaged line before it; the model refuses such a history.";
    MissingSpilledOutput = "missing-spilled-output", Warning,
        "An output that was too long for the log is not in `tool-results`.",
        "Restore the session's folder along with its log; only the preview is left.";

    UnlinkedAgent = "unlinked-agent", Info,
        "An agent is tied to no call of the session.",
        "Nothing: it is listed as unlinked. Warm-up agents have no call.";
    MissingAgentFile = "missing-agent-file", Info,
        "The result of a call names an agent that has no file here.",
        "Restore the session's folder along with its log, if you need the agent's steps.";
}

impl RuleId {
    fn entry(self) -> &'static RuleEntry {
        &Self::TABLE[self as usize]
    }

    /// Returns the stable name for scripts.
    pub fn id(self) -> &'static str {
        self.entry().id
    }

    /// Returns the severity of findings of this rule.
    pub fn severity(self) -> Severity {
        self.entry().severity
    }

    /// Returns the meaning of a finding in one sentence.
    pub fn meaning(self) -> &'static str {
        self.entry().meaning
    }

    /// Returns what a user can do about a finding.
    pub fn advice(self) -> &'static str {
        self.entry().advice
    }

    /// Returns the rule with a stable name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.id() == id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_unique_kebab_case_and_lead_back_to_their_rule() {
        let mut seen = HashSet::new();
        for &rule in RuleId::ALL {
            let id = rule.id();
            assert!(seen.insert(id), "{id} is there twice");
            assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            assert_eq!(RuleId::from_id(id), Some(rule));
            assert!(rule.meaning().ends_with('.') && rule.advice().ends_with('.'), "{id}");
        }
    }

    #[test]
    fn only_the_flat_dialect_has_errors() {
        for rule in RuleId::ALL.iter().filter(|rule| rule.severity() == Severity::Error) {
            assert!(rule.meaning().contains("flat dialect"), "{}", rule.id());
        }
    }

    #[test]
    fn the_documentation_says_the_same() {
        let page = include_str!("../../../../../docs/check.md");
        let rows: Vec<Vec<&str>> = page
            .lines()
            .filter(|line| line.starts_with("| `"))
            .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
            .filter(|row: &Vec<&str>| row.len() == 4)
            .collect();
        let table: Vec<Vec<String>> = RuleId::ALL
            .iter()
            .map(|rule| {
                let columns = [rule.severity().name(), rule.meaning(), rule.advice()];
                let mut row = vec![format!("`{}`", rule.id())];
                row.extend(columns.map(str::to_owned));
                row
            })
            .collect();
        assert_eq!(rows, table);
    }
}
