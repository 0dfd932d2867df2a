//! Searches over homes, from a typed query to its hits.

mod fixture;
mod order;

use unspool_testkit::home::{AgentFilePlace, TestSideFile};
use unspool_testkit::questions::{Evaluation, QuestionKind, Score};
use unspool_testkit::{TestHome, session, uuid};

use self::fixture::{CWD, SearchFixture, home_of};
use super::candidates::age_worth;
use super::*;

#[test]
fn words_are_optional_unless_the_query_says_so() {
    let home = home_of(
        r#"
        u1 user "alpha beta"
        a1 assistant "alpha gamma"
        u2 user "delta"
        "#,
    );
    let fixture = SearchFixture::new(&home);
    assert_eq!(fixture.texts("alpha beta"), ["alpha beta", "alpha gamma"]);
    assert_eq!(fixture.texts("alpha +gamma"), ["alpha gamma"]);
    assert_eq!(fixture.texts("alpha -gamma"), ["alpha beta"]);
    assert_eq!(fixture.texts("\"alpha gamma\""), ["alpha gamma"]);
    assert_eq!(fixture.texts("\"gamma alpha\"").len(), 0);
    assert_eq!(fixture.texts("+beta OR delta").len(), 2);
    assert_eq!(fixture.texts("alp*").len(), 2);
    assert_eq!(fixture.texts("+del*"), ["delta"]);
    assert_eq!(fixture.texts("nowhere").len(), 0);
}

#[test]
fn code_words_are_found_as_written() {
    let planted = [
        "parse_config",
        "foo::bar",
        "src/main.rs",
        "--no-verify",
        "fooBar",
        "C++",
        "1.2.3",
        "https://example.test/a/b?c=d",
        "550e8400-e29b-41d4-a716-446655440000",
        "設定ファイル",
        "🚀",
        "café",
        ".env",
        "größer",
    ];
    let home = TestHome::new();
    for (number, word) in planted.iter().enumerate() {
        let notation = format!(r#"u1 user "before {word} after""#);
        home.add_session(CWD, &uuid(&format!("s{number}")), session(&notation));
    }
    home.add_session(
        CWD,
        &uuid("parts"),
        session(r#"u1 user "parse config foo bar src main rs no verify c env""#),
    );
    let fixture = SearchFixture::new(&home);
    for word in planted {
        for query in [word.to_owned(), format!("+`{word}`"), format!("\"{word}\"")] {
            let texts = fixture.texts(&query);
            assert_eq!(texts[0], format!("before {word} after"), "{query}");
        }
        let strict = fixture.texts(&format!("+`{word}`"));
        assert_eq!(strict.len(), 1, "{word}: {strict:?}");
    }
    for (query, word) in [
        ("cafe", "café"),
        ("groesser", "nothing"),
        ("grosser", "größer"),
        ("config", "parse_config"),
        ("設定", "設定ファイル"),
        ("設", "設定ファイル"),
        ("foobar", "fooBar"),
        ("1.2", "1.2.3"),
    ] {
        let found = fixture.texts(query).iter().any(|text| text.contains(word));
        assert_eq!(found, word != "nothing", "{query}");
    }
}

#[test]
fn other_forms_are_found_and_the_exact_one_comes_first() {
    let home = TestHome::new();
    for (name, text) in [
        ("a", "the parser was configured by hand"),
        ("b", "configure the parser"),
        ("c", "something else about a database"),
    ] {
        home.add_session(CWD, &uuid(name), session(&format!(r#"u1 user "{text}""#)));
    }
    let fixture = SearchFixture::new(&home);
    let texts = fixture.texts("configured");
    assert_eq!(texts[0], "the parser was configured by hand");
    assert_eq!(texts.len(), 2);
    assert_eq!(fixture.texts("+configured").len(), 1);
    assert_eq!(fixture.texts("db"), ["something else about a database"]);
    assert_eq!(fixture.texts("+db").len(), 0);
}

#[test]
fn filters_narrow_what_is_found() {
    let home = TestHome::new();
    home.add_session(
        "/srv/one",
        &uuid("one"),
        session(
            r#"
            u1 user "needle in a prompt"
            a1 assistant thinking "needle in a thought" "needle in an answer" call Bash:t1 {"command":"grep needle"} call mcp__git__log:t2 {"q":"needle"}
            r1 result t1 "needle in a failure" error
            u2 user "needle in an image" image
            "#,
        ),
    );
    home.add_session("/srv/two", &uuid("two"), session(r#"u1 user "needle elsewhere""#));
    let agent = session("%agent a1\nu1 user \"needle of an agent\"");
    home.add_agent("/srv/one", &uuid("one"), &AgentFilePlace::Subagents, "a1", agent);
    home.add_history("/srv/old", "gone-session", 1_000, "needle of old");
    home.add_history("/srv/one", &uuid("one"), 1_000, "needle in a prompt");
    let fixture = SearchFixture::new(&home);
    assert_eq!(fixture.hits("needle").len(), 10);
    for (query, expected) in [
        ("needle role:thinking", &["needle in a thought"][..]),
        ("needle tool:bash role:tool", &["Bash\ngrep needle"]),
        ("needle tool:git", &["mcp__git__log\nneedle"]),
        ("needle has:error", &["needle in a failure"]),
        ("needle has:image", &["needle in an image"]),
        ("needle project:two", &["needle elsewhere"]),
        ("needle is:agent", &["needle of an agent"]),
        ("needle until:1971-01-01", &["needle of old"]),
        ("needle since:1971-01-01 project:two", &["needle elsewhere"]),
        ("has:error", &["needle in a failure"]),
        ("role:thinking -tool:Bash", &["needle in a thought"]),
    ] {
        assert_eq!(fixture.texts(query), expected, "{query}");
    }
    assert_eq!(fixture.hits("needle -project:one -is:gone").len(), 1);
}

#[test]
fn hits_know_where_they_are() {
    let home = TestHome::new();
    let path = home.add_session(
        CWD,
        &uuid("s"),
        session("u1 user \"first thing\"\na1 assistant \"an answer with a needle in it\""),
    );
    home.add_history("/srv/old", "gone-session", 86_400_000, "a prompt with a thimble");
    let fixture = SearchFixture::new(&home);
    let hits = fixture.hits("needle");
    let [hit] = &hits[..] else {
        panic!("{hits:?}");
    };
    assert_eq!(hit.session.as_str(), uuid("s"));
    assert_eq!(hit.entry.as_ref().map(AsRef::as_ref), Some(&*uuid("a1")));
    assert_eq!((hit.file.clone(), hit.offset > 0), (path, true));
    assert_eq!(hit.kind.map(unspool_model::entry::MessageKind::name), Some("answer"));
    assert_eq!(hit.snippet.matches.first(), Some(&(17..23)));
    assert!(!hit.gone && hit.agent.is_none() && hit.score > 0.0);

    let hits = fixture.hits("thimble");
    assert_eq!(hits.len(), 1);
    assert!(hits[0].gone);
    assert_eq!(hits[0].session.as_str(), "gone-session");
    assert_eq!(hits[0].time, Some(Time::from_millis(86_400_000)));
}

#[test]
fn a_spilled_output_leads_to_the_entry_that_it_belongs_to() {
    let home = TestHome::new();
    let line = r#"{"type":"user","uuid":"r1","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"<persisted-output>\nOutput too large. Full output saved to: /h/tool-results/toolu_1.txt\n\nPreview"}]}}"#;
    let log = home.add_session(
        CWD,
        &uuid("s"),
        format!("{}{line}\n", String::from_utf8_lossy(&session("u1 user \"go\""))),
    );
    let output = TestSideFile::ToolResult { cwd: CWD.to_owned(), name: "toolu_1.txt".to_owned() };
    home.add_side_file(&uuid("s"), &output, "line one\nline two has a needle\n");
    let fixture = SearchFixture::new(&home);
    let hits = fixture.hits("needle");
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].file, log);
    assert_eq!(hits[0].entry.as_ref().map(AsRef::as_ref), Some("r1"));
    assert_eq!(hits[0].session.as_str(), uuid("s"));
    assert!(hits[0].snippet.text.contains("two has a needle"));
}

#[test]
fn what_is_not_there_any_more_is_no_hit() {
    let home = TestHome::new();
    let path = home.add_session(CWD, &uuid("s"), session(r#"u1 user "a needle""#));
    home.add_session(CWD, &uuid("t"), session(r#"u1 user "another needle""#));
    let fixture = SearchFixture::new(&home);
    std::fs::remove_file(path).expect("removes");
    assert_eq!(fixture.texts("needle"), ["another needle"]);
}

#[test]
fn noise_comes_below_what_a_person_typed() {
    let home = TestHome::new();
    let own = r#"
        u1 user "find it"
        a1 assistant call Bash:t1 {"command":"unspool search widget"}
        r1 result t1 "the widget broke because of the gasket, the widget, the widget"
    "#;
    home.add_session(CWD, &uuid("own"), session(own));
    let agent = session("%agent a1\nu1 user \"the widget broke because of the gasket\"");
    home.add_agent(CWD, &uuid("own"), &AgentFilePlace::Subagents, "a1", agent);
    let storm: String =
        (0..50).map(|_| "-- queue enqueue \"the widget broke because of the gasket!\"\n").collect();
    home.add_session(CWD, &uuid("storm"), session(&format!("u1 user \"go\"\n{storm}")));
    home.add_session(
        CWD,
        &uuid("typed"),
        session(r#"u1 user "the widget broke because of the gasket?""#),
    );
    let fixture = SearchFixture::new(&home);
    let answer = fixture.search("why did the widget break", 10);
    let order: Vec<&str> = answer.sessions.iter().map(|found| found.session.as_str()).collect();
    assert_eq!(order[0], uuid("typed"));
    let storm = answer.sessions.iter().find(|found| found.session.as_str() == uuid("storm"));
    assert_eq!(storm.map(|found| found.hits.len()), Some(1), "a storm is one hit");
}

#[test]
fn a_long_session_does_not_crowd_out_the_others() {
    let home = TestHome::new();
    let lines = (0..400).map(|number| format!("u{number} user \"needle needle needle {number}\""));
    let long = lines.collect::<Vec<_>>().join("\n");
    home.add_session(CWD, &uuid("long"), session(&long));
    for number in 0..30 {
        let notation = format!(r#"u1 user "one needle among many other words {number}""#);
        home.add_session(CWD, &uuid(&format!("s{number}")), session(&notation));
    }
    let fixture = SearchFixture::new(&home);
    let answer = fixture.search("needle", 20);
    assert_eq!(answer.sessions.len(), 20);
    assert!(answer.more);
    assert_eq!(fixture.search("needle", 50).sessions.len(), 31);
}

#[test]
fn hits_are_limited_in_all_and_by_session() {
    let home = TestHome::new();
    for name in ["a", "b", "c"] {
        let lines = (0..5).map(|number| format!("u{number} user \"needle {name} {number}\""));
        let notation = lines.collect::<Vec<_>>().join("\n");
        home.add_session(CWD, &uuid(name), session(&notation));
    }
    let fixture = SearchFixture::new(&home);
    let counts = |limit, of_session| {
        let answer = fixture.ask("needle", limit, of_session);
        let sessions = answer.sessions.iter();
        let counts: Vec<usize> = sessions.map(|session| session.hits.len()).collect();
        (counts, answer.more)
    };
    assert_eq!(counts(7, Some(3)), (vec![3, 3, 1], true));
    assert_eq!(counts(6, Some(3)), (vec![3, 3], true));
    assert_eq!(counts(8, Some(2)), (vec![4, 2, 2], true));
    assert_eq!(counts(50, Some(2)), (vec![5, 5, 5], false));
    let (best, more) = counts(7, None);
    assert_eq!((best.iter().sum::<usize>(), more), (7, true));
}

#[test]
fn what_fits_worse_is_found_after_much_that_fits_better() {
    let mut lines: Vec<String> = (0..12).map(|n| format!("u{n} user \"fooq barq {n}\"")).collect();
    lines.push(
        r#"v1 user "a long text in which, among many other words, fooq::barq occurs once""#
            .to_owned(),
    );
    let home = home_of(&lines.join("\n"));
    let fixture = SearchFixture::new(&home);
    for query in [r#""fooq::barq""#, "+fooq::barq"] {
        let found = fixture.ask(query, 20, Some(3));
        assert_eq!(found.hits(), 1, "{query}");
    }
    let first = &fixture.ask("fooq::barq", 20, Some(3)).sessions[0].hits[0];
    assert!(first.snippet.text.contains("fooq::barq"), "{first:?}");
    let all = fixture.ask("fooq", 50, None);
    assert_eq!((all.hits(), all.more), (13, false));
}

#[test]
fn a_name_is_found_when_it_is_typed_in_small_letters() {
    let home = home_of(r#"u1 user "call getUserByIdOrName there""#);
    let fixture = SearchFixture::new(&home);
    for query in ["getuserbyidorname", "+getuserbyidorname", "GETUSERBYIDORNAME"] {
        assert_eq!(fixture.texts(query).len(), 1, "{query}");
    }
    assert!(fixture.texts("getuserbyidornothing").is_empty());
}

#[test]
fn a_phrase_goes_on_in_the_next_line() {
    let home = home_of(r#"u1 user "connection\nreset:  by \u001b[31mpeer\u001b[0m!""#);
    let fixture = SearchFixture::new(&home);
    let query = r#""connection reset: by peer!""#;
    assert_eq!(fixture.texts(query).len(), 1);
}

#[test]
fn a_filter_that_rejects_nearly_everything_finds_what_is_there() {
    let home = TestHome::new();
    for number in 0..300 {
        let notation = format!(r#"u1 user "needle needle {number}""#);
        home.add_session("/srv/big", &uuid(&format!("s{number}")), session(&notation));
    }
    let weak = format!(r#"u1 user "{} needle""#, "filler ".repeat(300));
    home.add_session("/srv/small", &uuid("small"), session(&weak));
    for number in 0..5 {
        let left = format!("u1 user \"go\"\nu2 user \"needle {number}\"\nu3 user < u1 \"on\"");
        home.add_session("/srv/left", &uuid(&format!("left{number}")), session(&left));
    }
    let fixture = SearchFixture::new(&home);
    assert_eq!(fixture.search("needle project:small", 5).sessions.len(), 1);
    assert_eq!(fixture.search("needle is:abandoned", 5).sessions.len(), 5);
}

#[test]
fn long_texts_have_snippets_of_the_piece_that_was_found() {
    let words = (0..40_000).map(|number| format!("w{number}"));
    let filler = words.collect::<Vec<_>>().join(" ");
    let home = home_of(&format!(
        "u1 user \"go\"\na1 assistant call Bash:t1 {{}}\nr1 result t1 \"{filler} needle {filler}\""
    ));
    let fixture = SearchFixture::new(&home);
    let texts = fixture.texts("needle");
    assert_eq!(texts.len(), 1);
    assert!(texts[0].contains("w39999 needle w0"), "{texts:?}");
}

#[test]
fn questions_find_their_answers() {
    let evaluation = Evaluation::new(1);
    let fixture = SearchFixture::new(&evaluation.home);
    let mut ranks = [Vec::new(), Vec::new()];
    let mut missed = Vec::new();
    for question in &evaluation.questions {
        let query = match question.kind {
            QuestionKind::Sentence => question.text.clone(),
            QuestionKind::CodeWord => format!("`{}`", question.text),
        };
        let answer = fixture.search(&query, 10);
        let is_it = |found: &SessionHits| found.session.as_str() == question.session;
        let rank = answer.sessions.iter().position(is_it).map(|at| at + 1);
        if rank != Some(1) {
            missed.push(format!("{rank:?} {}", question.text));
        }
        ranks[usize::from(question.kind == QuestionKind::CodeWord)].push(rank);
    }
    let [sentences, words] = ranks.map(|ranks| Score::of(&ranks));
    let report = format!("sentences: {sentences}\ncode words: {words}\n{}", missed.join("\n"));
    tell(&report);
    assert!(sentences.hit_at_1 >= 0.68, "{report}");
    assert!(sentences.hit_at_5 >= 0.79, "{report}");
    assert!(sentences.reciprocal_rank >= 0.73, "{report}");
    assert!(words.hit_at_1 >= 1.0, "{report}");
}

/// Prints a report that is useful even if the test passes.
#[expect(clippy::print_stderr, reason = "the scores are the point of the test")]
fn tell(report: &str) {
    eprintln!("{report}");
}

#[test]
fn the_numbers_of_lines_are_no_part_of_a_file() {
    let home = home_of(r#"u1 user "403\tlet answer =\n404\t    compute(42);\n405\t}""#);
    let fixture = SearchFixture::new(&home);
    for (query, expected) in [("answer", 1), (r#""compute(42)""#, 1), ("42", 1), ("404", 0)] {
        assert_eq!(fixture.texts(query).len(), expected, "{query}");
    }
}

#[test]
fn which_text_comes_first_does_not_depend_on_when_it_is_asked() {
    let time = |text: &str| Time::parse(text).expect("a time");
    let (copy, original) = (time("2026-11-15T18:54:43.274Z"), time("2026-11-15T18:54:40.407Z"));
    let yesterday = time("2026-11-14T23:59:59.000Z");
    for seconds in 0..1000 {
        let now = Time::from_millis(copy.as_millis() + seconds * 86_399_000);
        let worth = |time| age_worth(Some(time), now);
        assert_eq!(worth(copy).to_bits(), worth(original).to_bits(), "{seconds}");
        assert!(worth(original) >= worth(yesterday), "{seconds}");
    }
    assert!(age_worth(Some(copy), original) >= age_worth(Some(yesterday), original));
}
