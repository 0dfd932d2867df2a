//! Content that means harm stays text in every format.

use serde_json::json;
use unspool_testkit::home::AgentPlace;
use unspool_testkit::{TestHome, session};

use super::export;
use super::inert::{acting, folds};
use crate::run::{SESSION, home_with, run};

/// What people have tried on readers of Markdown and HTML.
const HOSTILE: [&str; 34] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><circle/></svg>",
    "<svg><script xlink:href=\"http://example.test/x.js\"></script></svg>",
    "<iframe src=\"javascript:alert(1)\"></iframe>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox)",
    "[x](//example.test/x)",
    "[x](file:///etc/passwd)",
    "<javascript:alert(1)>",
    "![x](http://example.test/pixel.png)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "[![x](http://example.test/p.png)](javascript:alert(1))",
    "[x]: javascript:alert(1)\n\n[x] and ![x]",
    "[x]\n\n[x]: http://example.test/late\n![x]",
    "</details></summary></code><b onmouseover=alert(1)>",
    "```\n</details>\n<script>alert(1)</script>",
    "~~~~\n<script>\n```\n",
    "`` ` <script> `` ` <script>alert(1)</script>`",
    "    <script>indented</script>\n\n<script>not</script>",
    "- a\n\n      <script>in a list</script>\n\n  <script>b</script>",
    "> <script>quoted</script>\n<script>lazy</script>",
    "| a | b |\n|---|---|\n| <script>1</script> | `<script>` |",
    "\\<script>alert(1)\\</script>",
    "\u{1b}[31mred\u{1b}]52;c;aGk=\u{7}\u{1b}]8;;http://x\u{1b}\\link\u{9b}2J\u{202e}abc\r\u{8}",
    "<!-- <script> --> <![CDATA[ <script> ]]> <?php echo 1 ?>",
    "<a id=\"turn-1\"></a>\n\n## Turn 99\n\n<details open ontoggle=alert(1)>",
];

/// A session that says a text wherever a session can say something.
fn saying(text: &str) -> TestHome {
    let line = |uuid: &str, parent: Option<&str>, rest: serde_json::Value| {
        let mut record = json!({
            "uuid": uuid, "parentUuid": parent, "sessionId": SESSION, "cwd": text,
            "gitBranch": text, "version": text, "timestamp": "2026-01-01T00:00:00Z",
        });
        let fields = rest.as_object().expect("an object").clone();
        record.as_object_mut().expect("an object").extend(fields);
        record.to_string()
    };
    let call = |id: &str, name: &str, input: serde_json::Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let calls = [
        ("t0", "Bash", json!({"command": text})),
        ("t1", text, json!({text: text})),
        (
            "t2",
            "Edit",
            json!({"file_path": text, "old_string": "a", "new_string": text}),
        ),
        (
            "t3",
            "TodoWrite",
            json!({"todos": [{"content": text, "status": "completed"}]}),
        ),
        ("t4", "ExitPlanMode", json!({"plan": text})),
        (
            "t5",
            "AskUserQuestion",
            json!({"questions": [{"question": text, "options": [{"label": text, "description": text}]}]}),
        ),
        ("t6", "WebSearch", json!({"query": text})),
        (
            "t7",
            "Agent",
            json!({"description": text, "prompt": text, "subagent_type": text}),
        ),
    ];
    let mut blocks = vec![
        json!({"type": "text", "text": text}),
        json!({"type": "thinking", "thinking": text}),
        json!({"type": text}),
    ];
    blocks.extend(
        calls
            .iter()
            .map(|(id, name, input)| call(id, name, input.clone())),
    );
    let mut lines = vec![
        line(
            "u1",
            None,
            json!({"type": "user", "message": {"role": "user", "content": text}}),
        ),
        line(
            "a1",
            Some("u1"),
            json!({"type": "assistant", "message": {"id": "m", "role": "assistant", "model": text, "content": blocks}}),
        ),
    ];
    let mut parent = "a1".to_owned();
    for (id, ..) in &calls {
        let uuid = format!("r-{id}");
        let outcome = match *id {
            "t5" => json!({"answers": {text: text}}),
            "t6" => {
                json!({"query": text, "results": [{"content": [{"title": text, "url": text}]}]})
            }
            "t7" => json!({"agentId": "evil", "status": "completed"}),
            _ => json!({"stdout": text, "stderr": text}),
        };
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": *id == "t1"});
        lines.push(line(&uuid, Some(&parent), json!({"type": "user", "message": {"role": "user", "content": [result]}, "toolUseResult": outcome})));
        parent = uuid;
    }
    for (uuid, rest) in [
        (
            "s1",
            json!({"type": "system", "subtype": text, "content": text}),
        ),
        (
            "s2",
            json!({"type": "user", "isMeta": true, "message": {"role": "user", "content": text}}),
        ),
        (
            "s3",
            json!({"type": "user", "message": {"role": "user", "content": format!("<command-name>{text}</command-name><local-command-stdout>{text}</local-command-stdout>")}}),
        ),
        (
            "s4",
            json!({"type": "user", "message": {"role": "user", "content": format!("<task-notification><summary>{text}</summary><result>{text}</result></task-notification>")}}),
        ),
        (
            "s5",
            json!({"type": "user", "message": {"role": "user", "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/svg+xml", "data": "PHN2Zz48c2NyaXB0Lz48L3N2Zz4="}},
                {"type": "document", "source": {"type": "base64", "media_type": text, "data": "AAAA"}},
            ]}}),
        ),
    ] {
        lines.push(line(uuid, Some(&parent), rest));
        parent = uuid.to_owned();
    }
    lines.push(json!({"type": "custom-title", "customTitle": text}).to_string());
    let home = TestHome::new();
    home.add_session("/srv/demo", SESSION, lines.join("\n") + "\n");
    let agent = format!("%agent evil\nx1 user {0}\ny1 assistant {0}\n", json!(text));
    home.add_agent(
        "/srv/demo",
        SESSION,
        &AgentPlace::Subagents,
        "evil",
        session(&agent),
    );
    home
}

#[test]
fn nothing_in_a_markdown_transcript_acts() {
    for text in HOSTILE {
        let home = saying(text);
        for args in [
            &[SESSION][..],
            &[SESSION, "--agents", "separate"],
            &[SESSION, "--agents", "none"],
        ] {
            let exported = export(&home, args);
            assert_eq!(exported.ran.code, Some(0), "{}", exported.ran.err);
            for name in exported
                .names()
                .into_iter()
                .filter(|name| name.ends_with(".md"))
            {
                let written = exported.text(name);
                assert_eq!(acting(written), None, "{text:?} in {name}:\n{written}");
            }
            let pictures = exported.names();
            let svg = pictures
                .iter()
                .filter(|name| name.ends_with(".svg") || name.ends_with(".html"));
            assert_eq!(svg.count(), 0, "{pictures:?}");
        }
    }
}

#[test]
fn all_of_a_hostile_session_is_there() {
    // Everything behind a text is still outside of it: blocks that it opens are closed.
    for text in HOSTILE {
        let exported = export(&saying(text), &[SESSION]);
        let written = exported.text(&format!("transcript_{SESSION}.md"));
        let (begun, ended) = folds(written);
        assert!(begun >= 12, "{text:?}:\n{written}");
        assert_eq!(begun, ended, "{text:?}:\n{written}");
        assert!(written.contains("agent evil"), "{text:?}");
    }
}

#[test]
fn plain_text_and_data_hold_no_control_characters() {
    for text in HOSTILE {
        let home = saying(text);
        for format in ["text", "json"] {
            let exported = export(&home, &[SESSION, "--format", format]);
            for name in exported.names() {
                let acts = |c: char| {
                    (c.is_control() && c != '\n' && c != '\t')
                        || ('\u{202a}'..='\u{202e}').contains(&c)
                };
                let found = exported.text(name).chars().find(|&c| acts(c));
                assert_eq!(found, None, "{text:?} in {name}");
            }
        }
        let ran = run(
            &home,
            &["export", SESSION, "--out", "-", "--format", "text"],
        );
        assert!(!ran.ok().contains('\u{1b}'));
    }
}

#[test]
fn a_line_of_a_megabyte_is_nothing_special() {
    for piece in ["x", "<script>", "[a](", "`", "![", "\\", "> ", "[x]: y "] {
        let text = json!(piece.repeat((1 << 20) / piece.len()));
        let home = home_with(&format!(
            "u1 user {text}\na1 assistant {text} call Bash:t1 {{\"command\":{text}}}\nr1 result t1 {text}\n"
        ));
        let exported = export(&home, &[SESSION]);
        assert_eq!(exported.ran.code, Some(0), "{}", exported.ran.err);
        let written = exported.only();
        assert!(written.len() > 4 << 20, "{piece}: {}", written.len());
        assert_eq!(acting(written), None, "{piece}");
    }
}
