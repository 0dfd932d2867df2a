//! Conversations in which each entry follows the one before.

mod prompts;
mod turns;

use unspool_model::log::Log;

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// A conversation in which each entry follows the one before, ten seconds later.
#[derive(Default)]
struct Thread {
    lines: Vec<String>,
    millis: u64,
}

impl Thread {
    fn add(mut self, kind: &str, rest: &str) -> Self {
        let number = self.lines.len();
        let parent =
            number.checked_sub(1).map_or("null".to_owned(), |before| format!("\"u{before}\""));
        let (day, of_day) = (1 + self.millis / DAY, self.millis % DAY);
        let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
        let (second, millis) = (of_day / 1000 % 60, of_day % 1000);
        self.lines.push(format!(
            r#"{{"type":"{kind}","uuid":"u{number}","parentUuid":{parent},"timestamp":"2026-11-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z",{rest}}}"#
        ));
        self.millis += 10_000;
        self
    }

    fn after_days(mut self, days: u64) -> Self {
        self.millis += days * DAY;
        self
    }

    fn user(self, text: &str) -> Self {
        self.user_with(text, "")
    }

    /// Adds an entry of the user's side, with further fields, each with a comma after it.
    fn user_with(self, text: &str, fields: &str) -> Self {
        self.add("user", &format!(r#"{fields}"message":{{"content":"{text}"}}"#))
    }

    fn answer(self) -> Self {
        self.said(r#"{"type":"text","text":"yes"}"#, "opus", "end_turn", "")
    }

    fn made_up(self, fields: &str) -> Self {
        self.said(r#"{"type":"text","text":"No"}"#, "<synthetic>", "stop_sequence", fields)
    }

    fn call(self, id: &str) -> Self {
        let block = format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#);
        self.said(&block, "opus", "tool_use", "")
    }

    fn said(self, block: &str, model: &str, stop: &str, fields: &str) -> Self {
        let number = self.lines.len();
        let rest = format!(
            r#"{fields}"message":{{"id":"m{number}","model":"{model}","stop_reason":"{stop}","content":[{block}]}}"#
        );
        self.add("assistant", &rest)
    }

    fn result(self, id: &str, fields: &str) -> Self {
        let block = format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"ok"}}"#);
        self.add("user", &format!(r#"{fields}"message":{{"content":[{block}]}}"#))
    }

    fn system(self, subtype: &str, rest: &str) -> Self {
        self.add("system", &format!(r#""subtype":"{subtype}","content":"x"{rest}"#))
    }

    fn compaction(self) -> Self {
        self.system("compact_boundary", r#","compactMetadata":{"trigger":"manual","preTokens":1}"#)
            .user_with("so far", r#""isCompactSummary":true,"#)
    }

    fn stated(self, millis: u64) -> Self {
        self.system("turn_duration", &format!(r#","durationMs":{millis}"#))
    }

    fn queued(self) -> Self {
        self.add(
            "attachment",
            r#""attachment":{"type":"queued_command","prompt":"this too","commandMode":"prompt"}"#,
        )
    }

    fn report(self) -> Self {
        let text = "<task-notification><task-id>x</task-id></task-notification>";
        self.user_with(text, r#""origin":{"kind":"task-notification"},"#)
    }

    fn log(&self) -> Log {
        Log::read(self.lines.join("\n").as_bytes())
    }
}
