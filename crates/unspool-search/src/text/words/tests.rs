//! Texts and their expected words, as tables.

use unspool_testkit::rng::Rng;

use super::*;

fn tokens(text: &str, stemming: Stemming) -> Vec<String> {
    let mut scanner = WordScanner::new(text);
    let mut stems = (stemming == Stemming::Stems).then(Stems::new);
    let mut found = Vec::new();
    let mut each = |token: FoundWord<'_>| {
        assert!(text.get(token.span.clone()).is_some(), "{text}: {token:?}");
        let text = token.text.replace(STEM, "~");
        found.push(format!("{}:{text}", token.position));
    };
    while scanner.step(stems.as_mut(), &mut each) {}
    found
}

fn check(text: &str, expected: &str) {
    let found = tokens(text, Stemming::Words);
    assert_eq!(found.join(" "), expected, "{text}");
}

#[test]
fn code_words_are_found_as_written_and_by_their_parts() {
    for (text, expected) in [
        ("parse_config", "0:parse 1:config"),
        ("foo::bar", "0:foo 1:bar"),
        ("src/main.rs", "0:src 1:main 2:rs"),
        ("--no-verify", "0:no 1:verify"),
        ("fooBar baz", "0:foobar 0:foo 1:bar 2:baz"),
        ("parseConfigFile", "0:parse 1:config 2:file"),
        ("URLs TODO", "0:urls 1:todo"),
        ("HTTPServer2", "0:httpserver2 0:http 1:server2"),
        ("GitHub", "0:github 0:git 1:hub"),
        ("C++ and c#", "0:c++ 0:c 1:and 2:c# 2:c"),
        ("v1.2.3 1.2.3", "0:1.2.3 0:1.2 1:1.2.3 1:1.2"),
        ("v2 v2.x", "0:v2 1:v2 2:x"),
        ("0.25 10", "0:0.25 1:10"),
        ("2026-11-01", "0:2026-11-01 0:2026-11 0:2026"),
        ("2026-11-16T07:00:00Z", "0:2026-11-16 0:2026-11 0:2026 1:t07 2:00 3:00z"),
        ("~/.claude/x", "0:.claude 0:claude 1:x"),
        ("__init__ _x", "0:init 1:x"),
        ("f(x).y, done... a.b", "0:f 1:x 2:y 3:done 4:a 5:b"),
        ("3.5mm", "0:3 1:5mm"),
    ] {
        check(text, expected);
    }
}

#[test]
fn sentences_are_words_in_lower_case() {
    check("Why, though?", "0:why 1:though");
    check("the user's file", "0:the 1:user 2:file");
    check("don't l'erreur", "0:dont 1:l 2:erreur");
    check("we’ll", "0:well");
    check("", "");
    check(" \n\t -- ", "");
}

#[test]
fn stems_are_next_to_the_words_they_come_from() {
    let found = tokens("Configured tests run", Stemming::Stems);
    assert_eq!(found, ["0:configured", "0:~configur", "1:tests", "1:~test", "2:run"]);
}

#[test]
fn letters_with_marks_are_found_with_and_without_them() {
    check("Café", "0:café 0:cafe");
    check("cafe\u{301}", "0:café 0:cafe");
    check("größer Straße", "0:größer 0:grosser 1:straße 1:strasse");
    check("Привет", "0:привет");
}

#[test]
fn text_without_spaces_is_pairs() {
    check("設定", "0:設定 1:定");
    check("파일 x", "0:파일 1:일 2:x");
    check("use設定", "0:use 1:設定 2:定");
    check("字", "0:字");
}

#[test]
fn emoji_are_words_and_frames_are_not() {
    check("ship it 🚀👍🏽", "0:ship 1:it 2:🚀 3:👍");
    check("│ ok ─ ✓ ⠋", "0:ok 1:✓");
}

#[test]
fn ids_are_kept_whole() {
    let uuid = "550e8400-e29b-41d4-a716-446655440000";
    check(uuid, &format!("0:{uuid}"));
    let sha = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
    check(sha, &format!("0:{sha}"));
    check("toolu_01A2b3C4d5E6f7G8h9 x", "0:toolu 1:01a2b3c4d5e6f7g8h9 2:x");
}

#[test]
fn lists_of_hashes_are_kept() {
    let hashes = [
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "b6589fc6ab0dc82cf12099d1c2d40ab994e8410c",
        "356a192b7913b04c54574d18c28d46e6395428ab",
    ];
    assert_eq!(tokens(&hashes.join("\n"), Stemming::Words).len(), 3);
}

#[test]
fn colours_are_no_part_of_words() {
    check("\u{1b}[32mok\u{1b}[0m \u{1b}[0;1;38;5;9merror\u{1b}[0m[E0308]", "0:ok 1:error 2:e0308");
    check("\u{1b} \u{1b}[ x \u{1b}[3", "0:x 1:3");
    assert_eq!(without_colours("a\u{1b}[1mb\u{1b}[0mc\u{1b}"), "abc");
    assert_eq!(without_colours("\u{1b}[1m"), "");
    assert_eq!(without_colours("plain"), "plain");
}

#[test]
fn encoded_data_leaves_its_beginning_only() {
    let piece = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";
    let lines = [piece; 50].join("\n");
    assert_eq!(tokens(&lines, Stemming::Words).len(), 1);
    let slashed = [piece; 50].join("/");
    assert_eq!(tokens(&slashed, Stemming::Words).len(), 1);
    let long = "x".repeat(100_000);
    let found = tokens(&long, Stemming::Words);
    assert_eq!(found, [format!("0:{}", "x".repeat(64))]);
    // The kept beginning distinguishes values; hashes stay whole.
    assert_eq!(
        tokens(&piece.repeat(3), Stemming::Words),
        [format!("0:{}", piece[..32].to_lowercase())]
    );
    let hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    check(hash, &format!("0:{hash}"));
    // Words after an id in a path are not data.
    check("/da39a3ee5e6b4b0d3255/src", "0:da39a3ee5e6b4b0d3255 1:src");
}

#[test]
fn line_numbers_of_a_file_reader_are_left_out() {
    check("     7→let x\n", "0:let 1:x");
    check("7 → x", "0:7 1:x");
    check("1\tlet x\n2\t\n3\tx = 5\t6\n", "0:let 1:x 2:x 3:5 4:6");
    check("  9\ta\r\n 10\tb", "0:a 1:b");
    // Other numbers before tabs are those of a table.
    check("12\tsrc\n4\ttests\n", "0:12 1:src 2:4 3:tests");
    check("7\tx", "0:7 1:x");
    check("a 1\tb\n2\tc", "0:a 1:1 2:b 3:2 4:c");
    check("4294967295\ta\n4294967296\tb", "0:4294967295 1:a 2:4294967296 3:b");
}

#[test]
fn positions_never_fall_and_spans_are_characters() {
    let text = "a_b.c-d fooBar 設定ファイル café 🚀 x'y don't 1.2.3.4 .env c++ \u{301}";
    let found = tokens(text, Stemming::Stems);
    let positions: Vec<u32> =
        found.iter().filter_map(|token| token.split(':').next()?.parse().ok()).collect();
    assert!(positions.is_sorted(), "{found:?}");
}

#[test]
fn a_text_is_looked_at_in_parts_without_a_difference() {
    let parts = [
        "a",
        "B",
        "7",
        "12",
        "\t",
        "\n",
        " ",
        "→",
        "é",
        "ß",
        "設",
        "🚀",
        "\u{301}",
        "\u{1b}[1m",
        "\u{1b}",
        "'s",
        "’t",
        "+",
        "++",
        "#",
        ".",
        "-",
        "_",
        "/",
        "=",
        "fooBar",
        "v1.",
        "2026-11-16T07",
        "iVBORw0KGgoAAAANSUhEUgAA",
        "01234567-89ab-cdef-0123-456789abcdef",
        "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklm",
    ];
    let mut rng = Rng::new(7);
    for _ in 0..20_000 {
        let text: String = (0..rng.below(40)).map(|_| rng.pick(&parts)).collect();
        let found = tokens(&text, Stemming::Stems);
        let positions: Vec<u32> =
            found.iter().filter_map(|token| token.split(':').next()?.parse().ok()).collect();
        assert!(positions.is_sorted(), "{text:?}");
        // The boundaries of windows make no difference.
        let moved = format!("{}{text}", " ".repeat(rng.below(80)));
        assert_eq!(tokens(&moved, Stemming::Stems), found, "{moved:?}");
    }
}
