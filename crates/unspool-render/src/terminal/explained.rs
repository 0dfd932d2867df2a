//! Which lines of a session are counted in totals, as a table.

use std::path::Path;

use unspool_model::ids::short;
use unspool_text::style::{Line, Role};
use unspool_text::{human, wrap};

use super::insight::{headed, left, right};
use unspool_engine::ops::stats::{
    CountReason, CountStatus, CountedLine, CreditCounts, Explained, ExplainedLine,
};
use unspool_store::prices::Cost;

/// Draws for each line of a session whether it is counted.
pub fn explained(explained: &Explained, width: usize) -> Vec<Line> {
    let mut lines = table(explained, width);
    if !lines.is_empty() {
        lines.push(Line::new());
    }
    for line in totals(explained) {
        lines.extend(wrap(&line, width));
    }
    lines
}

fn table(explained: &Explained, width: usize) -> Vec<Line> {
    if explained.lines.is_empty() {
        return Vec::new();
    }
    let mut table = headed(vec![
        ("FILE", left().min(8).max(24).priority(150)),
        ("LINE", right()),
        ("MESSAGE", left().min(8).max(32).priority(140).flexible()),
        ("MODEL", left().min(12).max(28).priority(100)),
        ("INPUT", right().priority(120)),
        ("OUTPUT", right().priority(200)),
        ("WRITES", right().priority(110)),
        ("READS", right().priority(110)),
        ("", left().min(16)),
    ]);
    for line in &explained.lines {
        table.row(cells(line, explained));
    }
    table.lines(width)
}

fn cells(line: &ExplainedLine, explained: &Explained) -> Vec<Line> {
    let role = match line.status {
        CountStatus::Counted => Role::Number,
        CountStatus::NotCounted { .. } => Role::Muted,
    };
    let tokens = &line.tokens;
    let writes = tokens.cache_write_5m.saturating_add(tokens.cache_write_1h);
    let file = match &line.agent {
        Some(agent) => Line::of(format!("agent {agent}"), Role::Id),
        None => Line::of("session", Role::Plain),
    };
    vec![
        file,
        Line::of(line.line.to_string(), role),
        Line::of(line.message.clone().unwrap_or_default(), Role::Muted),
        Line::of(line.model.clone().unwrap_or_default(), Role::Model),
        Line::of(tokens.input.to_string(), role),
        Line::of(tokens.output.to_string(), role),
        Line::of(writes.to_string(), role),
        Line::of(tokens.cache_read.to_string(), role),
        match &line.status {
            CountStatus::Counted => Line::of("counted", Role::Success),
            CountStatus::NotCounted { why, winner } => not_counted(line, *why, winner, explained),
        },
    ]
}

/// Explains why a line is not counted, and which line is counted instead.
fn not_counted(
    line: &ExplainedLine,
    why: CountReason,
    winner: &CountedLine,
    explained: &Explained,
) -> Line {
    let how = match why {
        CountReason::FewerOutput => "less output than",
        CountReason::FewerTokens => "fewer tokens than",
        CountReason::Repeat => "repeats",
    };
    let mut words = Line::of(format!("{how} line {}", winner.line), Role::Muted);
    if winner.session != explained.session {
        let session = short(winner.session.as_str());
        words.add(format!(" of session {session}"), Role::Muted);
    } else if !winner.is_in(&line.file) {
        words.add(format!(" of {}", file_name(&winner.file)), Role::Muted);
    }
    words
}

fn file_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Returns the totals of the lines, and where messages, calls and turns are counted.
fn totals(explained: &Explained) -> Vec<Line> {
    let counted = |line: &&ExplainedLine| line.status == CountStatus::Counted;
    let lines = explained.lines.len();
    let count = explained.lines.iter().filter(counted).count();
    let tokens = &explained.tokens;
    let mut first =
        Line::of(format!("{count} of {} counted", human::plural(lines, "line")), Role::Title);
    let cost = explained.cost.map(Cost::usd).map(human::dollars);
    let cost = cost.unwrap_or_else(|| "no price".to_owned());
    first.add(
        format!(
            ": input {}, output {}, cache writes {} (5 min) and {} (1 h), cache reads {}; {cost}",
            tokens.input,
            tokens.output,
            tokens.cache_write_5m,
            tokens.cache_write_1h,
            tokens.cache_read,
        ),
        Role::Plain,
    );
    let shares =
        [("message", explained.messages), ("call", explained.calls), ("turn", explained.turns)];
    let mut all = vec![first];
    all.extend(shares.into_iter().filter_map(|(noun, shares)| share(noun, shares)));
    all
}

fn share(noun: &str, shares: CreditCounts) -> Option<Line> {
    let all = shares.here + shares.elsewhere;
    if all == 0 {
        return None;
    }
    let all = human::plural(all as usize, noun);
    Some(if shares.elsewhere == 0 {
        Line::of(format!("{all}, all counted here"), Role::Muted)
    } else {
        let (here, elsewhere) = (shares.here, shares.elsewhere);
        let words =
            format!("{all}: {here} counted here, {elsewhere} in a session that contains them too");
        Line::of(words, Role::Muted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use unspool_model::ids::{AgentId, SessionId};
    use unspool_model::usage::Tokens;

    fn line(number: u32, agent: Option<&str>, status: CountStatus) -> ExplainedLine {
        ExplainedLine {
            file: PathBuf::from("/logs/own.jsonl"),
            agent: agent.map(AgentId::new),
            line: number,
            message: Some(format!("msg_\x1b[31m{number:020}")),
            model: Some("claude-opus-5-5".to_owned()),
            time: None,
            tokens: Tokens {
                input: 3,
                output: u64::from(number),
                cache_write_5m: 100,
                cache_write_1h: 20,
                cache_read: 14_000,
            },
            status,
        }
    }

    fn not_counted(why: CountReason, session: &str, file: &str) -> CountStatus {
        CountStatus::NotCounted {
            why,
            winner: CountedLine {
                session: SessionId::new(session),
                file: PathBuf::from(format!("/logs/{file}.jsonl")),
                line: 12,
            },
        }
    }

    fn sample() -> Explained {
        Explained {
            session: SessionId::new("11111111-own"),
            lines: vec![
                line(12, None, CountStatus::Counted),
                line(13, None, not_counted(CountReason::Repeat, "11111111-own", "own")),
                line(14, None, not_counted(CountReason::FewerOutput, "22222222-other", "other")),
                line(
                    15,
                    Some("a1"),
                    not_counted(CountReason::FewerTokens, "11111111-own", "agent-a2"),
                ),
            ],
            tokens: Tokens::default(),
            cost: None,
            messages: CreditCounts { here: 2, elsewhere: 1 },
            calls: CreditCounts::default(),
            turns: CreditCounts { here: 1, elsewhere: 0 },
            unpriced_models: Vec::new(),
        }
    }

    #[test]
    fn every_line_says_what_came_of_it() {
        let lines = explained(&sample(), 120);
        let text: Vec<String> = lines.iter().map(Line::plain).collect();
        let expected = "\
FILE      LINE  MESSAGE      MODEL            INPUT  OUTPUT  WRITES  READS
session     12  msg_000000…  claude-opus-5-5      3      12     120  14000  counted
session     13  msg_000000…  claude-opus-5-5      3      13     120  14000  repeats line 12
session     14  msg_000000…  claude-opus-5-5      3      14     120  14000  less output than line 12 of session 22222222
agent a1    15  msg_000000…  claude-opus-5-5      3      15     120  14000  fewer tokens than line 12 of agent-a2.jsonl

1 of 4 lines counted: input 0, output 0, cache writes 0 (5 min) and 0 (1 h), cache reads 0; no price
3 messages: 2 counted here, 1 in a session that contains them too
1 turn, all counted here";
        assert_eq!(text.join("\n"), expected, "\n{}", text.join("\n"));
    }

    #[test]
    fn tables_fit() {
        for width in 20..200 {
            for line in explained(&sample(), width) {
                assert!(line.width() <= width, "at {width}: {}", line.plain());
                assert!(!line.plain().contains('\x1b'));
            }
        }
    }
}
