//! Records: what is replaced in them, and that everything else stays.

use super::*;

#[test]
fn only_the_secret_changes() {
    let token = format!("ghp_{}", noise(36));
    for (record, expected) in [
        (
            r#"{ "a" : "x\u00e9\/ TOKEN \ud83d\ude00\q" , "n":1.50 }"#,
            r#"{ "a" : "x\u00e9\/ [redacted:github-token] \ud83d\ude00\q" , "n":1.50 }"#,
        ),
        (r#"{"TOKEN":{"b":[]}}"#, r#"{"[redacted:github-token]":{"b":[]}}"#),
        (r#"["TOKEN","TOKEN"]"#, r#"["[redacted:github-token]","[redacted:github-token]"]"#),
        ("{\"a\":\"tab\t TOKEN\"}", "{\"a\":\"tab\t [redacted:github-token]\"}"),
        (r#"{"a":"wilma\u0040host.org"}"#, r#"{"a":"[redacted:email]"}"#),
        (
            r#"{"a":"https:\/\/u:hunter2@h\/x"}"#,
            r#"{"a":"https:\/\/u:[redacted:url-password]@h\/x"}"#,
        ),
        (r#"{"cwd":"C:\\Users\\fred\\x"}"#, r#"{"cwd":"[redacted:home]\\x"}"#),
        (r#"{"cwd":"\/home\/fred\/x"}"#, r#"{"cwd":"[redacted:home]\/x"}"#),
    ] {
        let replaced = record.replace("TOKEN", &token);
        assert_eq!(json(&replaced), expected, "{record}");
    }
}

#[test]
fn bytes_that_are_no_text_stay() {
    let token = format!("ghp_{}", noise(36));
    let record = [b"{\"a\":\"\xff\\n ", token.as_bytes(), b" \xfe\"}"].concat();
    let redacted = redactor().json(&record, &mut SecretTally::default()).into_owned();
    assert_eq!(redacted, b"{\"a\":\"\xff\\n [redacted:github-token] \xfe\"}");
}

#[test]
fn a_value_is_judged_by_its_key_and_an_argument_by_its_option() {
    for (record, expected) in [
        (r#"{"password":"hunter2"}"#, r#"{"password":"[redacted:password]"}"#),
        (
            r#"{"env": {"API_TOKEN" : "abcd1234efgh"}}"#,
            r#"{"env": {"API_TOKEN" : "[redacted:token]"}}"#,
        ),
        (
            r#"{"args":["-x","--password","hunter2","y"]}"#,
            r#"{"args":["-x","--password","[redacted:password]","y"]}"#,
        ),
        (
            r#"{"Authorization":"Bearer abcd1234efgh5678"}"#,
            r#"{"Authorization":"[redacted:token]"}"#,
        ),
        (r#"{"password":null,"a":"hunter2"}"#, r#"{"password":null,"a":"hunter2"}"#),
        (r#"{"password":{"a":"hunter2"}}"#, r#"{"password":{"a":"hunter2"}}"#),
        (r#"{"password":["hunter2"],"token":7}"#, r#"{"password":["hunter2"],"token":7}"#),
        (
            r#"{"usage":{"input_tokens":12},"token":"x"}"#,
            r#"{"usage":{"input_tokens":12},"token":"x"}"#,
        ),
        (
            r#"{"password":"Enter your password","prompt":"wilma"}"#,
            r#"{"password":"Enter your password","prompt":"[redacted:user]"}"#,
        ),
        (
            r#"{"password":"see me@host.org please now and then or ask a colleague"}"#,
            r#"{"password":"see [redacted:email] please now and then or ask a colleague"}"#,
        ),
    ] {
        assert_eq!(json(record), expected);
    }
}

#[test]
fn json_inside_json_is_found_at_any_depth() {
    let secrets = [
        ("{\"password\":\"hunter2\"}".to_owned(), "hunter2"),
        ("mail wim@host.org".to_owned(), "wim@host"),
        ("postgres://u:hunter2@h/x".to_owned(), "hunter2"),
        ("PASSWORD=hunter2\nx".to_owned(), "hunter2"),
        ("cd /home/fred/x\n".to_owned(), "fred"),
        (
            [
                "-----BEGIN PRIVATE KEY-----".to_owned(),
                key_lines(3).join("\n"),
                "-----END PRIVATE KEY-----\n".to_owned(),
            ]
            .join("\n"),
            "aZ3k",
        ),
    ];
    for (given, secret) in secrets {
        let mut nested = given;
        for depth in 1..6 {
            nested = serde_json::json!({ "input": nested, "n": depth }).to_string();
            let redacted = json(&nested);
            assert!(!redacted.contains(secret), "{depth}: {redacted}");
            let mut inner = redacted;
            for _ in 0..depth {
                let value: serde_json::Value =
                    serde_json::from_str(&inner).expect("JSON stays JSON");
                inner = value["input"].as_str().expect("a string").to_owned();
            }
            assert!(inner.contains("[redacted:"), "{inner}");
        }
    }
}

#[test]
fn words_of_the_format_are_no_user_names() {
    let rules = RedactRules {
        user_names: ["uuid", "summary", "abcdef12"].map(String::from).into(),
        ..RedactRules::default()
    };
    let record = r#"{"type":"summary","uuid":"abcdef12","summary":"the summary","sessionId":"abcdef12-1111-4222-8333-abcdef121234"}"#;
    let redacted =
        Redactor::new(&rules).json(record.as_bytes(), &mut SecretTally::default()).into_owned();
    assert_eq!(
        String::from_utf8_lossy(&redacted),
        r#"{"type":"summary","uuid":"abcdef12","summary":"the [redacted:user]","sessionId":"abcdef12-1111-4222-8333-abcdef121234"}"#
    );
}

#[test]
fn paths_that_are_keys_are_texts() {
    let record = r#"{"files":{"/media/gerda/x":{"wilma and co":1}}}"#;
    assert_eq!(
        json(record),
        r#"{"files":{"/media/[redacted:user]/x":{"[redacted:user] and co":1}}}"#
    );
}

#[test]
fn images_and_signatures_stay() {
    let image = format!("iVBORw0KGgoAKIA{}/SK{}/{}==", upper(16), hex(32), noise(400));
    let signature = format!("EqQBCgIYAhIM/AKIA{}/{}", upper(16), noise(60));
    let record = format!(
        r#"{{"content":[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{image}"}}}},{{"type":"thinking","thinking":"","signature":"{signature}"}}]}}"#
    );
    assert_eq!(json(&record), record);
}

#[test]
fn torn_records_are_redacted_on_both_sides_of_the_tear() {
    let token = format!("ghp_{}", noise(36));
    for record in [
        r#"{"type":"user","content":"my TOKEN and"#,
        r#"{"type":"user","content":"my TOKEN"#,
        r#"ent":"my TOKEN \"x\"","b":"\"password\": \"hunter2\" TOKEN"}"#,
        r#"rest TOKEN of a line"}"#,
        "TOKEN",
        r#"{"a":"x"{"b":"TOKEN"}"#,
        r#"my password="hunter2" TOKEN","b":1}"#,
        r#"{"a":"{\"password\":\"hunter2 TOKEN"#,
        "{\"a\":\"TOKEN\\",
    ] {
        let redacted = json(&record.replace("TOKEN", &token));
        assert!(!redacted.contains(&token), "{redacted}");
        assert!(!redacted.contains("hunter2"), "{redacted}");
    }
}
