//! The full text and the scan contain the same texts, with the same roles.

use std::collections::BTreeSet;

use proptest::prelude::*;
use unspool_model::log::Log;
use unspool_model::query::TextRole;
use unspool_model::roles;
use unspool_testkit::reallogs::RealLogs;

use super::*;
use crate::text::extract::{Extractor, LogOwner};
use crate::text::{EntryPart, documents};

/// A word or another piece of text, with its role.
type Told = (String, TextRole);

/// Returns every text that the scan searches, decoded, with its role.
fn scanned(log: &[u8]) -> Vec<Told> {
    let mut found = Vec::new();
    for line in log.split_inclusive(|&byte| byte == b'\n') {
        for piece in pieces(line) {
            let bytes = &line[piece.start..piece.end];
            let log = Log::read(bytes);
            let Some(entry) = log.entries.first() else {
                continue;
            };
            let mut each = |kind, text: unspool_model::json::Str<'_>| {
                let role = roles::role(kind, &log, entry);
                found.push((text.decode().into_owned(), role));
                Ok(())
            };
            let _ = match piece.kind {
                PieceKind::Blank => Ok(()),
                PieceKind::Record => texts_of(bytes, &mut each).1,
                PieceKind::Fragment => texts_of_fragment(bytes, &mut each),
            };
        }
    }
    found
}

/// Returns the words of a text that are not parts of ids.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |word: &&str| {
        word.len() > 2
            && word.chars().all(char::is_alphabetic)
            && !word.chars().all(|c| c.is_ascii_hexdigit())
    };
    text.split(|c: char| !c.is_alphanumeric()).filter(is_word)
}

fn words_of<'t>(texts: impl IntoIterator<Item = &'t Told>) -> BTreeSet<(&'t str, &'static str)> {
    let with_role = |(text, role): &'t Told| {
        // The client adds this prefix to the text of a result.
        let text = text.strip_prefix("Error: ").unwrap_or(text);
        words(text).map(|word| (word, role.name()))
    };
    texts.into_iter().flat_map(with_role).collect()
}

/// Tells whether the full text adds a word for a picture.
fn is_picture(word: &str) -> bool {
    matches!(word, "image" | "document")
}

fn assert_agreement(path: &Path) {
    let bytes = fs::read(path).expect("a log");
    // The full text indexes a last line without a newline separately.
    let end = memchr::memrchr(b'\n', &bytes).map_or(0, |newline| newline + 1);
    let scanned = scanned(&bytes[..end]);
    let mut indexed = Vec::new();
    documents(path, |document| {
        // The texts of an agent's sidecar are not in the log.
        if document.place.part != EntryPart::File {
            indexed.push((document.text, document.role));
        }
    })
    .expect("a log");
    let name = path.display();
    let (by_scan, by_index) = (words_of(&scanned), words_of(&indexed));
    for (word, role) in by_index.difference(&by_scan) {
        // Only the line before it decides that a record of the flat dialect is a result.
        let is_flat = *role == "result" && by_scan.contains(&(*word, "system"));
        assert!(is_picture(word) || is_flat, "{name}: only ranked search: {word} {role}");
    }
    // A repeated text is indexed once, with the role of its first occurrence.
    let known: BTreeSet<&str> = by_index.iter().map(|(word, _)| *word).collect();
    for (word, role) in &by_scan {
        assert!(known.contains(word), "{name}: only the scan: {word} {role}");
    }
}

#[test]
fn the_words_of_every_real_log_are_the_same_in_both() {
    let files = RealLogs::fixtures().files().into_iter();
    // Both read the history of prompts with the same code.
    for path in files.filter(|path| !path.ends_with("history.jsonl")) {
        assert_agreement(&path);
    }
}

/// Keys that have a meaning somewhere, or look as if they had one.
const KEYS: &str = r"
message content toolUseResult attachment data customTitle aiTitle summary agentName tag lastPrompt
toolName toolArguments type subtype uuid parentUuid sessionId version cwd gitBranch slug effort
userType hash level model role origin operation usage permissionMode status mode toolStats
resolvedModel persistedOutputPath agentId taskId task_id id tool_use_id timestamp text thinking
input name signature caller is_error source media_type base64 prompt commandMode hookEvent
stop_reason stop_sequence container 0 1 7x payload stdout stderr originalFile structuredPatch
lines patch file filePath note normalizedMessages isMeta isSidechain isApiErrorMessage
isCompactSummary d\u0061ta
";

/// Values that decide the kind of a record or a block.
const TYPES: &str = r"
user assistant system attachment progress summary custom-title queue-operation last-prompt tag
text thinking tool_use tool_result image document agent_progress queued_command compact_boundary
new
";

fn any_of(words: &'static str) -> impl Strategy<Value = &'static str> {
    prop::sample::select(words.split_whitespace().collect::<Vec<_>>())
}

/// A value: a string with a place for a number, or an array or object of values.
fn value() -> impl Strategy<Value = String> {
    let encoded = format!("\"@{}\"", "QUJD".repeat(80));
    let data = format!("\"@{}\"", "QUJD".repeat(20));
    let leaf = prop_oneof![
        12 => Just("\"@\"".to_owned()),
        1 => Just("\"one @ two\\n@\"".to_owned()),
        1 => Just("\"00000000-0000-4000-8000-@\"".to_owned()),
        1 => Just(encoded),
        1 => Just(data),
        1 => prop::sample::select(vec!["true", "false", "null", "7", "[]", "{}"])
            .prop_map(str::to_owned),
        3 => any_of(TYPES).prop_map(|name| format!("\"{name}\"")),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            3 => object(inner),
        ]
    })
}

fn object(value: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = String> {
    let keys: Vec<&str> = KEYS.split_whitespace().collect();
    let keys = prop::sample::subsequence(keys, 0..7).prop_shuffle();
    let kind = prop::option::weighted(0.5, any_of(TYPES));
    (keys, prop::collection::vec(value, 7), kind).prop_map(|(keys, values, kind)| {
        let kind = kind.filter(|_| !keys.contains(&"type"));
        let named = kind.map(|kind| format!("\"type\":\"{kind}\""));
        let pairs = keys.iter().zip(values);
        let pairs = pairs.map(|(key, value)| format!("\"{key}\":{value}"));
        let all: Vec<String> = named.into_iter().chain(pairs).collect();
        format!("{{{}}}", all.join(","))
    })
}

/// A record with the shape of a real one, or any object.
fn record() -> impl Strategy<Value = String> {
    const SHAPES: [&str; 7] = [
        r#"{"type":"user","message":{"content":[#]},"more":#}"#,
        r#"{"type":"assistant","message":{"content":[#,#],"k":#}}"#,
        r#"{"type":"user","message":{"content":[{"type":"tool_result","content":#}]},"toolUseResult":#}"#,
        r#"{"type":"attachment","attachment":#}"#,
        r#"{"type":"progress","data":{"agentId":"a","message":#,"k":#}}"#,
        r#"{"type":"progress","data":{"message":{"message":#,"k":#,"type":"assistant"}}}"#,
        r#"{"type":"system","subtype":"local_command","content":#}"#,
    ];
    let shaped = (prop::sample::select(&SHAPES[..]), prop::collection::vec(value(), 3));
    let shaped = shaped.prop_map(|(shape, values)| {
        let mut values = values.into_iter();
        let put = |mut out: String, part: &str| {
            if !out.is_empty() {
                out += &values.next().unwrap_or_default();
            }
            out + part
        };
        shape.split('#').fold(String::new(), put)
    });
    prop_oneof![2 => shaped, 1 => object(value())]
}

/// Numbers the strings, so that no text repeats another.
fn numbered(record: &str) -> (String, Vec<String>) {
    let mut tokens = Vec::new();
    let mut out = String::new();
    for (number, part) in record.split('@').enumerate() {
        if number > 0 {
            let token = format!("word{number:08}");
            out += &token;
            tokens.push(token);
        }
        out += part;
    }
    (out, tokens)
}

/// Returns the tokens that texts contain, with their roles.
fn held<'t>(tokens: &'t [String], texts: &[Told]) -> BTreeSet<(&'t str, &'static str)> {
    let of_token = |token: &'t String| {
        let holding = texts.iter().filter(move |(text, _)| text.contains(token.as_str()));
        holding.map(move |(_, role)| (token.as_str(), role.name()))
    };
    tokens.iter().flat_map(of_token).collect()
}

fn indexed(line: &[u8]) -> Vec<Told> {
    let mut found = Vec::new();
    let is_copied = |_: &str, _: &str| false;
    let mut extractor = Extractor::new(LogOwner::Session, &is_copied);
    extractor.lines(line, 0, &mut |document| {
        found.push((document.text, document.role));
    });
    found
}

fn assert_same(line: &str, tokens: &[String]) {
    let by_scan = scanned(line.as_bytes());
    let by_index = indexed(line.as_bytes());
    assert_eq!(held(tokens, &by_index), held(tokens, &by_scan), "{line}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn a_record_with_any_keys_has_the_same_texts_and_roles_in_both(record in record()) {
        let (line, tokens) = numbered(&record);
        assert_same(&line, &tokens);
    }

    #[test]
    fn a_torn_record_has_the_same_texts_in_both(record in record(), cut in any::<prop::sample::Index>()) {
        let (line, tokens) = numbered(&record);
        assert_same(&line[..cut.index(line.len())], &tokens);
    }
}

#[test]
fn words_given_with_a_refusal_are_a_persons() {
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\\nneedle";
    let line = format!(
        r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"{refused}"}}]}},"toolUseResult":"User rejected tool use"}}"#
    );
    for texts in [indexed(line.as_bytes()), scanned(line.as_bytes())] {
        let roles: Vec<TextRole> = texts
            .iter()
            .filter(|(text, _)| text.contains("needle"))
            .map(|(_, role)| *role)
            .collect();
        assert_eq!(roles, [TextRole::User], "{texts:?}");
    }
}

#[test]
fn words_in_odd_places_have_one_role_or_none() {
    for (line, expected) in [
        (r#"{"type":"user","toolUseResult":{"level":"needle"}}"#, Some(TextRole::Result)),
        (r#"{"type":"user","toolUseResult":{"model":"needle"}}"#, Some(TextRole::Result)),
        (r#"{"type":"user","toolUseResult":{"subtype":"needle"}}"#, None),
        (r#"{"type":"new","payload":{"model":"needle"}}"#, Some(TextRole::System)),
        (r#"{"type":"new","payload":{"hash":"needle"}}"#, Some(TextRole::System)),
        (r#"{"type":"new","payload":{"slug":"needle"}}"#, Some(TextRole::System)),
        (r#"{"type":"new","payload":{"id":"needle"}}"#, None),
        (r#"{"type":"new","hash":"needle"}"#, None),
        (r#"{"type":"tag","tag":"needle"}"#, Some(TextRole::Title)),
        (r#"{"type":"user","summary":"needle"}"#, Some(TextRole::System)),
        (
            r#"{"type":"assistant","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"needle"}]}}"#,
            Some(TextRole::Assistant),
        ),
        (
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"},{"type":"text","text":"needle"}]}}"#,
            Some(TextRole::User),
        ),
        (
            r#"{"type":"assistant","subtype":"thinking","message":"needle"}"#,
            Some(TextRole::Thinking),
        ),
        (
            r#"{"type":"progress","data":{"message":{"type":"assistant","message":{"content":[{"type":"text","text":"needle"}]}}}}"#,
            Some(TextRole::Assistant),
        ),
    ] {
        let expected = Vec::from_iter(expected);
        let roles = |texts: Vec<Told>| {
            let has = |(text, role): Told| (text == "needle").then_some(role);
            texts.into_iter().filter_map(has).collect::<Vec<TextRole>>()
        };
        assert_eq!(roles(indexed(line.as_bytes())), expected, "ranked: {line}");
        assert_eq!(roles(scanned(line.as_bytes())), expected, "scan: {line}");
    }
}
