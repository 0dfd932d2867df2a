use super::*;
use proptest::prelude::*;

fn check(cases: &[(&str, &str)]) {
    for (raw, expected) in cases {
        assert_eq!(clean(raw), *expected, "{raw:?}");
    }
}

#[test]
fn safe_text_is_borrowed() {
    for text in [
        "",
        "plain",
        "tab\tand\nbreak",
        "naïve – “quotes” … 漢字 ☃",
        "e\u{301} ☺\u{fe0f}",
        "👩\u{200d}👩\u{200d}👧 👩🏽\u{200d}🚀 🏳\u{fe0f}\u{200d}🌈",
        "می\u{200c}خواهم",
        "🏴\u{e0067}\u{e0062}\u{e007f}",
        "<&\"'>",
    ] {
        assert!(matches!(clean(text), Cow::Borrowed(_)), "{text:?}");
    }
}

#[test]
fn escape_sequences_are_removed() {
    check(&[
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;5;200;1mx\x1b[m", "x"),
        ("\x1b[?25l\x1b[2J\x1b[1;1Hx", "x"),
        ("\x1b[>0 qx", "x"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;ZXZpbA==\x07x", "x"),
        ("\x1bPq#0;2;0;0;0\x1b\\x", "x"),
        ("\x1b_Gf=24;AAAA\x1b\\x", "x"),
        ("\x1b^pm\x1b\\x\x1bXsos\x1b\\y", "xy"),
        ("\x1b(0x\x1b(B", "x"),
        ("\x1b#8x\x1b%Gy", "xy"),
        ("\x1b7x\x1b8\x1bcy\x1b=z", "xyz"),
        ("\x1bNax\x1bOPy", "xy"),
        ("\u{9b}31mred\u{9b}0m", "red"),
        ("\u{9d}0;title\u{9c}x", "x"),
        ("\u{90}dcs\u{9c}x\u{9f}apc\x1b\\y", "xy"),
        ("\u{8e}ax\u{8f}by", "xy"),
    ]);
}

#[test]
fn incomplete_sequences_hide_nothing() {
    check(&[
        ("\x1b", "␛"),
        ("\x1b[", "␛["),
        ("\x1b[31", "␛[31"),
        ("\x1b[31\nx", "␛[31\nx"),
        ("\x1b[3é", "␛[3é"),
        ("\x1b]0;title and all the rest", "␛]0;title and all the rest"),
        ("\x1b]0;title\nrest\x07", "␛]0;title\nrest␇"),
        ("\x1b]0;\x1b[31mx", "␛]0;x"),
        ("\x1b\x1b[31mx", "␛x"),
        ("\x1béx", "␛éx"),
        ("\x1b(", "␛("),
        ("\u{9b}", "\u{fffd}"),
        ("\u{9d}x", "\u{fffd}x"),
    ]);
}

#[test]
fn controls_are_shown() {
    check(&[
        ("a\0b\x07c\x7f", "a␀b␇c␡"),
        ("\x0b\x0c", "␋␌"),
        ("a\u{80}b\u{85}c", "a\u{fffd}b\u{fffd}c"),
        ("a\u{2028}b\u{2029}c", "a\nb\nc"),
    ]);
}

#[test]
fn in_prose_carriage_returns_and_backspaces_hide_nothing() {
    check(&[
        ("a\r\nb", "a\nb"),
        ("rm -rf all\rharmless", "rm -rf all\nharmless"),
        ("abc\x08\x08X", "abc␈␈X"),
    ]);
}

#[test]
fn in_output_carriage_returns_and_backspaces_leave_the_last_state() {
    let cases = [
        ("a\r\nb", "a\nb"),
        ("a\r\r\nb", "a\nb"),
        ("a\rb", "b"),
        ("10%\r50%\r100%\r\ndone\r", "100%\ndone"),
        ("x\n10%\r\x1b[K20%", "x\n20%"),
        ("\ra", "a"),
        ("a\r\x07", "␇"),
        ("abc\x08\x08X", "aX"),
        ("_\x08x", "x"),
        ("\x08a\n\x08b", "a\nb"),
        ("a\r\x08", "a"),
    ];
    for (raw, expected) in cases {
        assert_eq!(output(raw), expected, "{raw:?}");
    }
}

#[test]
fn hidden_characters_are_dropped_or_shown() {
    check(&[
        ("a\u{202e}cod.exe", "a\u{fffd}cod.exe"),
        ("\u{2066}x\u{2069}", "\u{fffd}x\u{fffd}"),
        ("a\u{200b}b\u{feff}c\u{2060}d\u{ad}e", "abcde"),
        ("pass\u{200d}word\u{200c}", "password"),
        ("👩\u{200d}x\u{200d}👩", "👩x👩"),
        ("\u{200d}👩", "👩"),
        ("می\u{200c}\u{200c}خ", "می\u{200c}خ"),
        ("hi\u{e0068}\u{e0069}", "hi\u{fffd}\u{fffd}"),
    ]);
}

#[test]
fn tabs_expand_to_stops() {
    let cases = [
        ("a\tb", "a   b"),
        ("\t\tx", "        x"),
        ("abcd\te", "abcd    e"),
        ("漢\tx\n\ty", "漢  x\n    y"),
        ("none", "none"),
    ];
    for (raw, expected) in cases {
        assert_eq!(expand_tabs(raw, 4), expected, "{raw:?}");
    }
    assert_eq!(expand_tabs("a\tb", 0), "a b");
}

#[test]
fn one_line_takes_the_first_meaningful_line() {
    let cases = [
        ("", 10, ""),
        ("  \n\n  fix   the\tbug \nmore", 20, "fix the bug"),
        ("```\ncode", 10, "code"),
        ("---", 10, "---"),
        ("a long sentence", 6, "a lon…"),
        ("漢字漢字", 5, "漢字…"),
        ("漢字漢字", 6, "漢字…"),
        ("x\ry\r\nz", 10, "x"),
        ("\x1b[1mbold\x1b[0m", 10, "bold"),
        ("abc", 0, ""),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ];
    for (raw, max, expected) in cases {
        assert_eq!(one_line(raw, max), expected, "{raw:?}");
    }
}

#[test]
fn many_introducers_take_work_in_proportion_to_the_text() {
    for unit in ["\x1b]", "\x1b[", "\u{9d}", "\x1b[1;", "\x1b]x\x08", "a\u{200d}"] {
        unspool_work::assert_linear(unit, 5_000, |count| {
            let text = unit.repeat(count);
            unspool_work::count(|| assert!(!clean(&text).contains('\u{1b}')))
        });
    }
}

/// Generates text with many special characters.
fn nasty() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            "[\\[\\]PX^_NO(;0-9mKa-c\\\\ ]",
            "[\u{0}-\u{1f}\u{7f}-\u{9f}]",
            "[\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}👩\u{fe0f}म🏴\u{e0061}\u{301}漢]",
            any::<char>().prop_map(String::from),
        ],
        0..40,
    )
    .prop_map(|parts| parts.concat())
}

fn is_safe(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t'))
}

proptest! {
    #[test]
    fn clean_text_contains_no_controls(text in prop_oneof![any::<String>(), nasty()]) {
        let cleaned = clean(&text);
        prop_assert!(is_safe(&cleaned), "{:?}", cleaned);
        let hidden = cleaned.find(['\u{202e}', '\u{2066}', '\u{200b}']);
        prop_assert_eq!(hidden, None);
        prop_assert_eq!(matches!(cleaned, Cow::Borrowed(_)), cleaned == text);
    }

    #[test]
    fn cleaning_twice_changes_nothing(text in nasty()) {
        let once = clean(&text).into_owned();
        prop_assert_eq!(clean(&once), once.as_str());
    }

    #[test]
    fn one_line_fits(text in nasty(), max in 0usize..12) {
        let line = one_line(&text, max);
        prop_assert!(width(&line) <= max && is_safe(&line) && !line.contains(['\n', '\t']));
    }

    #[test]
    fn truncation_fits_and_keeps_a_prefix(text in any::<String>(), max in 0usize..12) {
        let cut = truncate_width(&text, max);
        prop_assert!(width(&cut) <= max);
        prop_assert!(text.starts_with(cut.trim_end_matches('…')));
    }
}
