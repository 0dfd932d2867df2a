//! Words, phrases, marks and alternatives.

use super::{plain, query};

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let query = query(text);
        assert_eq!(plain(&query), *expected, "{text}");
        assert!(query.filters.is_empty(), "{text}");
    }
}

#[test]
fn words_are_wanted_phrases_are_required() {
    check(&[
        ("", ""),
        (" \t\n\u{3000} ", ""),
        ("one", "one"),
        ("one  two\u{3000}three", "one two three"),
        ("\"a phrase\"", "!<a phrase>"),
        ("“a phrase” x", "!<a phrase> x"),
        ("\"  a  phrase \"", "!<a  phrase>"),
        ("+must", "!must"),
        ("a -not", "a ¬not"),
        ("a -\"not this\"", "a ¬<not this>"),
        ("+\"a phrase\"", "!<a phrase>"),
        ("pre*", "pre…"),
        ("+pre* -post*", "!pre… ¬post…"),
        ("\"a\"b", "!<a> b"),
        ("\"a\"\"b\"", "!<a> !<b>"),
    ]);
}

#[test]
fn a_sentence_is_its_words() {
    check(&[
        ("Why does the test fail (sometimes), though?", "Why does the test fail sometimes though"),
        ("what's the 'right' port; 80 or 443?!", "what's the right port 80 or 443"),
        ("¿dónde está el índice?", "dónde está el índice"),
        ("and then … it — stops...", "and then it stops"),
        ("use AND or OR?", "use AND or OR"),
        ("a 5\" disk", "a 5 disk"),
        ("**Note:** see *this*", "Note see this…"),
        ("- one\n- two", "one two"),
        ("? ! ... () => && | -", ""),
        ("what does `-f` do", "what does -f do"),
        ("`OR` `tool:x` `a*`", "OR tool:x a…"),
        ("TODO: TODO:fix", "TODO TODO:fix"),
    ]);
}

#[test]
fn code_counts_as_written() {
    const CODE: &str = r#"
        parse_config foo::bar foo::<T>() src/main.rs src/main.rs:42 --no-verify ++i C++ C#
        .gitignore foo() vec![] #[derive(Debug)] a="b" key= _ __init__ $HOME/.cargo
        @scope/name #123 /clear ~/x 100% C:\Users\x https://example.com/a?b=c#d
        file:///etc/hosts file://x std::fs model::Log tool::parse a*b localhost:8080 12:30
        検索 日本語の全文検索 🦀 👩‍💻 → ❤️ naïve
    "#;
    for text in CODE.split_whitespace() {
        check(&[(text, text)]);
    }
}

#[test]
fn punctuation_around_words_is_left_out() {
    check(&[
        ("(foo)", "foo"),
        ("[[bin]]", "bin"),
        ("(foo())", "foo()"),
        ("foo(bar", "foo(bar"),
        ("std::", "std"),
        ("C++.", "C++"),
        ("`cargo test`", "cargo test"),
        ("これは何？", "これは何"),
        ("「検索」。", "検索"),
        ("foo**", "foo"),
        ("foo*?", "foo…"),
        ("foo::*", "foo::…"),
        ("src/*", "src/…"),
        ("*", ""),
        ("--*", ""),
        ("*.rs", ".rs"),
        ("'\"a b\"'", "!<a b>"),
    ]);
}

#[test]
fn one_sign_is_a_mark_two_are_a_word() {
    check(&[
        ("a --b", "a --b"),
        ("a ---b", "a ---b"),
        ("a -`-b`", "a ¬-b"),
        ("+-b", "!-b"),
        ("a -(b)", "a ¬b"),
        ("a -(-b)", "a ¬-b"),
        ("+OR", "!OR"),
        ("a -OR", "a ¬OR"),
        ("a -> b", "a b"),
        ("+ a", "a"),
    ]);
}

#[test]
fn alternatives_are_in_one_clause() {
    check(&[
        ("a OR b", "a|b"),
        ("a OR b OR c d", "a|b|c d"),
        ("a b OR c d OR e", "a b|c d|e"),
        ("(a OR b) c", "a|b c"),
        ("\"a b\" OR c*", "!<a b>|!c…"),
        ("+a OR b", "!a|!b"),
        ("a OR b OR +c", "!a|!b|!c"),
        ("a OR ? b", "a|b"),
        ("a or b", "a or b"),
        ("ORDER OR ORACLE", "ORDER|ORACLE"),
    ]);
}

#[test]
fn quotes_and_backslashes_are_escaped_in_phrases() {
    check(&[
        (r#""say \"hi\"""#, r#"!<say "hi">"#),
        (r#""C:\Users\x""#, r"!<C:\Users\x>"),
        (r#""C:\\""#, r"!<C:\>"),
        (r#""a\nb""#, r"!<a\nb>"),
        ("“say \"hi\"”", "!<say \"hi\">"),
    ]);
}

#[test]
fn spans_cover_marks_and_quotes_and_nothing_else() {
    let text = "(one) +two, -\"the three\"? pré* 四OR OR `-f`";
    let spans: Vec<&str> = query(text).terms.iter().map(|term| &text[term.span.clone()]).collect();
    let expected = ["one", "+two", "-\"the three\"", "pré*", "四OR", "-f"];
    assert_eq!(spans, expected);
}
