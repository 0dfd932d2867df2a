//! Lines that templates format, and the errors of invalid templates.

use std::collections::BTreeSet;

use super::*;
use crate::json::RowJson;
use unspool_store::testing::row;

fn sample() -> SessionRow {
    let mut row = row("abc", "/srv/demo");
    row.title = Some("Fix\tthe \u{1b}[31mparser\u{1b}[0m\nnow".to_owned());
    row.tools = [("Bash".to_owned(), 3), ("Read".to_owned(), 1)].into();
    row.models = vec!["a".to_owned(), "b".to_owned()];
    row.tokens.output = 7;
    row.tokens.input = 2;
    row.cost_usd = Some(1.23456);
    row
}

#[test]
fn fields_escapes_and_endings() {
    for (template, expected) in [
        ("{id}", "abc\n"),
        (r"{id}\t{title}", "abc\tFix the parser now\n"),
        (r"{id}\n", "abc\n"),
        (r"{id}\0", "abc\0"),
        (r"\\{{{id}}}", "\\{abc}\n"),
        ("{title:8}", "Fix the…\n"),
        ("{title:0}|", "|\n"),
        ("{id:2} {id:9}", "ab abc\n"),
        ("{tokens} {tokens.output}", "9 7\n"),
        ("{tools} {tools.Bash} {tools.Edit} {models}", "Bash:3,Read:1 3 0 a,b\n"),
        ("{cost_usd} {cost_usd:.2}", "1.23456 1.23\n"),
        ("{git_branch}|{home}|{live}", "||false\n"),
        ("{started}", "2026-11-01T10:00:00.000Z\n"),
        ("{duration_ms} {status} {kind}", "3600000 complete main\n"),
        ("", "\n"),
        ("é{id}", "éabc\n"),
    ] {
        let parsed = Template::parse(template).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(parsed.line(&sample()), expected, "{template}");
    }
}

#[test]
fn broken_templates_point_at_the_place() {
    for (template, carets, said) in [
        ("{id", "^", "this brace is not closed; write `{{` for a brace"),
        ("{id {title}", "^", "this brace is not closed; write `{{` for a brace"),
        ("id}", "  ^", "this brace closes nothing; write `}}` for a brace"),
        ("{id} {titel}", "      ^^^^^", "`titel` is not a field; did you mean `title`?"),
        (
            "{token.output}",
            " ^^^^^^^^^^^^",
            "`token.output` is not a field; did you mean `tokens.output`?",
        ),
        ("{title:x}", "      ^^", "write a width such as `:40`, or decimals such as `:.2`"),
        ("{title:+4}", "      ^^^", "write a width such as `:40`, or decimals such as `:.2`"),
        ("{title:.2}", "      ^^^", "only `cost_usd` has decimals"),
        (r"é\x", " ^^", r"only `\t`, `\n`, `\0` and `\\` mean something"),
        (r"{id}\", "    ^", r"only `\t`, `\n`, `\0` and `\\` mean something"),
    ] {
        let error = Template::parse(template).expect_err(template);
        assert_eq!(error.to_string(), said, "{template}");
        assert_eq!(error.point(template), format!("{template}\n{carets}"), "{template}");
    }
    let error = Template::parse("{}").expect_err("no name").to_string();
    assert!(error.starts_with("`` is not a field; the fields are id, home, "), "{error}");
}

#[test]
fn every_field_of_json_is_a_field_of_templates() {
    let row = sample();
    let json = serde_json::to_value(RowJson::from(&row)).expect("JSON");
    let object = json.as_object().expect("an object");
    let mut expected: BTreeSet<String> = object.keys().cloned().collect();
    expected.remove("schema");
    let tokens = object["tokens"].as_object().expect("an object").keys();
    expected.extend(tokens.map(|kind| format!("tokens.{kind}")));
    let fields: BTreeSet<String> = Template::fields().into_iter().collect();
    assert_eq!(fields, expected);
}
