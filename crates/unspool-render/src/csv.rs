//! Totals as CSV (RFC 4180): a header and one row per group.
//!
//! Text comes from logs, and a spreadsheet evaluates a cell that looks like a formula. Such a cell
//! gets an apostrophe in front, and control characters and escape sequences are removed.

use std::borrow::Cow;
use std::io::{self, Write};

use unspool_text::sanitize;

use unspool_engine::ops::stats::{By, Stats, Sums, used_keys};

/// The key of the only row if no groups were requested.
const TOTAL: &str = "total";

/// Writes a header and a row for each group, or one row of totals if no groups were requested.
pub fn stats(stats: &Stats, mut out: impl Write) -> io::Result<()> {
    let keys = used_keys(stats.by, stats.then).count().max(1);
    let mut head: Vec<Cow<'static, str>> = vec!["key".into()];
    head.extend((2..=keys).map(|number| Cow::from(format!("key_{number}"))));
    head.extend(cells(None, &stats.total).map(|(name, _)| name.into()));
    record(&head, &mut out)?;
    if stats.by == By::Nothing {
        let mut row = vec![Cow::Borrowed(TOTAL)];
        row.extend(cells(None, &stats.total).map(|(_, cell)| cell));
        return record(&row, &mut out);
    }
    for group in &stats.groups {
        let names = group.keys().map(|key| text(key.unwrap_or_default()).into());
        let mut row: Vec<Cow<'static, str>> = names.collect();
        row.extend(cells(group.label.as_deref(), &group.sums).map(|(_, cell)| cell));
        record(&row, &mut out)?;
    }
    Ok(())
}

/// Returns the cells after the keys, with the column names that scripts rely on.
fn cells(label: Option<&str>, sums: &Sums) -> [(&'static str, Cow<'static, str>); 16] {
    let tokens = &sums.tokens;
    let number = |number: u64| Cow::Owned(number.to_string());
    let cost = sums.cost.map(|cost| cost.usd().to_string());
    [
        ("label", text(label.unwrap_or_default()).into()),
        ("tokens_input", number(tokens.input)),
        ("tokens_output", number(tokens.output)),
        ("tokens_cache_write_5m", number(tokens.cache_write_5m)),
        ("tokens_cache_write_1h", number(tokens.cache_write_1h)),
        ("tokens_cache_read", number(tokens.cache_read)),
        ("cost_usd", cost.unwrap_or_default().into()),
        ("messages", number(sums.messages)),
        ("turns", number(sums.turns)),
        ("calls", number(sums.calls)),
        ("failed_calls", number(sums.failed_calls)),
        ("lines_added", number(sums.lines_added)),
        ("lines_removed", number(sums.lines_removed)),
        ("active_ms", number(sums.active_ms)),
        ("sessions", number(sums.sessions)),
        ("unpriced_tokens", number(sums.unpriced)),
    ]
}

/// Makes text safe for a terminal and for a spreadsheet.
fn text(text: &str) -> String {
    let clean = sanitize::inline(text);
    // Some spreadsheets ignore white space before a formula.
    if clean.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) {
        format!("'{clean}")
    } else {
        clean.into_owned()
    }
}

fn record(cells: &[Cow<'_, str>], out: &mut impl Write) -> io::Result<()> {
    let mut line = String::new();
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            line.push(',');
        }
        if cell.contains([',', '"', '\r', '\n']) {
            line.push('"');
            line.push_str(&cell.replace('"', "\"\""));
            line.push('"');
        } else {
            line.push_str(cell);
        }
    }
    line.push_str("\r\n");
    out.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unspool_engine::ops::stats::{StatsGroup, Then};
    use unspool_model::usage::Tokens;

    fn of(by: By, groups: Vec<StatsGroup>) -> Stats {
        Stats {
            by,
            then: Then::default(),
            total: Sums {
                tokens: Tokens {
                    input: 1,
                    output: 2,
                    cache_write_5m: 3,
                    cache_write_1h: 4,
                    cache_read: 5,
                },
                messages: 6,
                ..Sums::default()
            },
            groups,
            others: None,
            days: Vec::new(),
            unpriced_models: Vec::new(),
        }
    }

    fn group(key: Option<&str>, label: Option<&str>) -> StatsGroup {
        StatsGroup {
            key: key.map(str::to_owned),
            then: Vec::new(),
            label: label.map(str::to_owned),
            sums: Sums::default(),
        }
    }

    fn written(stats: &Stats) -> String {
        let mut out = Vec::new();
        super::stats(stats, &mut out).expect("memory takes everything");
        String::from_utf8(out).expect("text")
    }

    /// Parses a table according to RFC 4180.
    fn read(text: &str) -> Vec<Vec<String>> {
        let mut rows = vec![vec![String::new()]];
        let mut quoted = false;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let row = rows.last_mut().expect("a row");
            let cell = row.last_mut().expect("a cell");
            match c {
                '"' if quoted && chars.peek() == Some(&'"') => {
                    chars.next();
                    cell.push('"');
                }
                '"' => quoted = !quoted,
                ',' if !quoted => row.push(String::new()),
                '\r' if !quoted && chars.peek() == Some(&'\n') => {
                    chars.next();
                    rows.push(vec![String::new()]);
                }
                c => cell.push(c),
            }
        }
        rows.pop();
        rows
    }

    #[test]
    fn everything_is_one_row() {
        assert_eq!(
            written(&of(By::Nothing, Vec::new())),
            "key,label,tokens_input,tokens_output,tokens_cache_write_5m,tokens_cache_write_1h,\
             tokens_cache_read,cost_usd,messages,turns,calls,failed_calls,lines_added,\
             lines_removed,active_ms,sessions,unpriced_tokens\r\n\
             total,,1,2,3,4,5,,6,0,0,0,0,0,0,0,0\r\n"
        );
    }

    #[test]
    fn every_key_has_a_column() {
        let mut parted = group(Some("2026-11-09"), None);
        parted.then = vec![Some("opus".to_owned()), None];
        let mut stats = of(By::Day, vec![parted]);
        stats.then = [By::Model, By::Branch];
        let rows = read(&written(&stats));
        assert_eq!(rows[0][..4], ["key", "key_2", "key_3", "label"]);
        assert_eq!(rows[1][..4], ["2026-11-09", "opus", "", ""]);
    }

    #[test]
    fn text_is_quoted_and_no_formula() {
        let cases = [
            ("/srv/app", "/srv/app"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=1+1", "'=1+1"),
            ("=cmd|' /C calc'!A0, x", "\"'=cmd|' /C calc'!A0, x\""),
            ("+1", "'+1"),
            ("-srv-app", "'-srv-app"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'    =1"),
            ("\u{1b}[31m=1", "'=1"),
            ("two\nlines", "two lines"),
        ];
        for (key, expected) in cases {
            let stats = of(By::Project, vec![group(Some(key), None)]);
            let line = written(&stats);
            let line = line.lines().nth(1).expect("a row");
            assert!(line.starts_with(&format!("{expected},,0,")), "{key:?}: {line}");
        }
    }

    proptest! {
        #[test]
        fn every_row_has_every_column(
            texts in prop::collection::vec((any::<String>(), prop::option::of(any::<String>())), 0..5),
        ) {
            let groups = texts
                .iter()
                .map(|(key, label)| group(Some(key.as_str()), label.as_deref()))
                .collect();
            let rows = read(&written(&of(By::Branch, groups)));
            prop_assert_eq!(rows.len(), texts.len() + 1);
            for row in rows {
                prop_assert_eq!(row.len(), 17);
                let safe = |cell: &String| !cell.trim_start().starts_with(['=', '+', '-', '@']);
                prop_assert!(row.iter().all(safe), "{:?}", row);
                prop_assert!(!row.iter().any(|cell| cell.contains(char::is_control)));
            }
        }
    }
}
