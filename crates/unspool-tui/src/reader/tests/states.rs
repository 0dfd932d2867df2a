//! Every state of the reader, in four sizes and without colour.

use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{session, uuid};

use super::screens::{FORKED, IMPORTER, add_agent, importer, long};
use super::stage::{ReadStage, own, without_bars};
use crate::settings::{MissingClient, ResumeOffer, ResumeRefusal, ResumeWay, ResumeWayOut};
use crate::testing::lab::{command, screens};

/// Compares the screens of a state with the approved snapshot.
fn check(name: &str, state: &dyn Fn((u16, u16)) -> ReadStage) {
    let screens = without_bars(&screens(|size| state(size).lab));
    let screens = screens.replace(&uuid("s"), "SESSION");
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!(name, screens);
    });
}

/// A session with agents, one of which is working.
const LAUNCHES: &str = r#"
    %cwd /srv/tidepool
    u1 user @0 "Check the release."
    a1 assistant call Agent:t1 {"description":"Soak-test the release build","subagent_type":"general-purpose","prompt":"p"}
    r1 result t1 agent=a7448df7 "No error in ten minutes." @640
    a2 assistant @641 call Agent:t2 {"description":"Compare the API docs with the routes that the server has","subagent_type":"Explore","prompt":"p"}
    r2 result t2 agent=b20c41aa error "API error" @660
    a3 assistant @661 call Agent:t3 {"description":"Read the changelog","prompt":"p"}
    r3 result t3 agent=c3d1e5f7 denied=interrupt "[Request interrupted by user for tool use]" @670
    u2 user @700 "Go on."
    a4 assistant @701 call Agent:t4 {"description":"Build the packages","subagent_type":"general-purpose","prompt":"p"}
"#;

/// The agents of that session: done, failed, interrupted, working.
const AGENTS: [(&str, &str); 4] = [
    (
        "a7448df7",
        r#"
        %agent a7448df7
        g1 user @2 "p"
        g2 assistant @5 call Bash:c1 {"command":"./soak 10m"}
        g3 result c1 error "no such file" @6
        g4 assistant @10 call Bash:c2 {"command":"./target/soak 10m"}
        g5 result c2 "ok" @620
        g6 assistant "No error in ten minutes." @639
        "#,
    ),
    (
        "b20c41aa",
        "%agent b20c41aa\nh1 user @642 \"p\"\nh2 assistant @650 api-error=rate_limit \"API error\"\n",
    ),
    (
        "c3d1e5f7",
        "%agent c3d1e5f7\ni1 user @662 \"p\"\ni2 assistant @664 call Read:c1 {\"file_path\":\"CHANGELOG.md\"}\n",
    ),
    (
        "d4e2f608",
        "%agent d4e2f608\nj1 user @702 \"p\"\nj2 assistant @710 call Bash:c1 {\"command\":\"cargo build\"}\n",
    ),
];

#[test]
fn agents_and_what_became_of_them() {
    check("agents", &|size| {
        let mut reading = ReadStage::of_log(session(LAUNCHES), size, |home| {
            let place = AgentFilePlace::Subagents;
            for (id, log) in AGENTS {
                home.add_agent("/srv/tidepool", &uuid("s"), &place, id, session(log));
                if id == "d4e2f608" {
                    let meta = r#"{"toolUseId":"t4"}"#;
                    home.add_agent_meta("/srv/tidepool", &uuid("s"), &place, id, meta);
                }
            }
            own(home);
        });
        reading.keys("ga");
        reading
    });
}

/// Checks the state that actions lead to, in the importer's session.
fn check_importer(name: &str, act: impl Fn(&mut ReadStage)) {
    check(name, &|(columns, rows)| {
        let mut reading = importer(columns, rows);
        act(&mut reading);
        reading
    });
}

#[test]
fn keys_lead_to_states() {
    for (name, keys) in [
        ("end", ""),
        ("start", "gg"),
        ("agent", "gg ] n n ⏎"),
        ("search", "gg /test␣seven⏎"),
        ("search_typed", "/test␣sev"),
        ("search_nothing", "/nowhere␣at␣all⏎"),
        ("folds_open", "gg o"),
        ("folds_lines", "gg xx"),
        ("fold_one", "gg n ⏎"),
        ("side_by_side", "gg c s"),
        ("pane_tree", "gt"),
        ("pane_agents", "ga"),
        ("pane_files", "gf"),
        ("pane_summary", "gi"),
        ("pane_raw", "gg]gr"),
        ("pane_waterfall", "gw"),
        ("pane_outline", "go"),
        ("help", "?"),
        ("help_found", "?turn"),
        ("menu", "X"),
        ("sequence", "g"),
        ("resume", "r"),
    ] {
        check_importer(name, |reading| {
            reading.keys(keys);
        });
    }
}

#[test]
fn the_log_is_deleted_replaced_or_cut_off_while_it_is_read() {
    check_importer("deleted", |reading| {
        reading.delete();
    });
    check_importer("replaced", |reading| {
        reading.write(session("%session t\nx1 user \"something else\"\nx2 assistant \"yes\""));
    });
    check_importer("truncated", |reading| {
        let log = session(IMPORTER);
        reading.write(&log[..log.len() / 3]);
    });
}

#[test]
fn paths() {
    check("forked", &|size| ReadStage::of_log(session(FORKED), size, |_| {}));
    check("paths", &|size| {
        let mut reading = ReadStage::of_log(session(FORKED), size, |_| {});
        reading.keys("<P");
        reading
    });
    check("flipped", &|size| {
        let straight: String = FORKED.lines().take(5).collect::<Vec<_>>().join("\n");
        let mut reading = ReadStage::of_log(session(&straight), size, |_| {});
        reading.write(session(FORKED));
        reading
    });
}

#[test]
fn the_end_is_followed_or_what_is_new_is_counted() {
    check("follow", &|size| {
        let mut reading = ReadStage::of_log(session(&long(20)), size, own);
        reading.keys("F").write(session(&long(22)));
        reading
    });
    check("follow_new", &|size| {
        let mut reading = ReadStage::of_log(session(&long(20)), size, own);
        reading.keys("gg]]").write(session(&long(22)));
        reading
    });
}

#[test]
fn there_is_no_conversation() {
    check("empty", &|size| ReadStage::of_log("", size, |_| {}));
    check("agents_left", &|size| {
        let named = "{\"type\":\"custom-title\",\"customTitle\":\"Named\"}\n";
        ReadStage::of_log(named, size, add_agent)
    });
    check("gone", &|size| {
        ReadStage::of_log("", size, |home| {
            let project = home.project_dir("/srv/tidepool");
            std::fs::remove_dir_all(project).expect("deletes");
        })
    });
    check("damaged", &|size| {
        let damaged = format!("{IMPORTER}\n-- raw {{\"type\":\"user\",\"uu\n-- raw nonsense\n");
        ReadStage::of_log(session(&damaged), size, |_| {})
    });
}

#[test]
fn resuming_is_refused_with_what_can_be_done() {
    // The texts of the binary.
    let running = ResumeRefusal {
        words: "the session is running: process 4711 owns it, and two processes would write into one log"
            .to_owned(),
        remarks: Vec::new(),
        remedies: vec![ResumeWayOut::Resume(ResumeWay::fork())],
    };
    let folder_gone = ResumeRefusal {
        words: "/srv/tidepool: the folder of the session is gone".to_owned(),
        remarks: vec![
            "`unspool resume 5f3a1d20 --in /srv` goes on in that folder; the session keeps its log, and the model is told where it works now".to_owned(),
            "`mkdir -p /srv/tidepool` makes an empty one".to_owned(),
        ],
        remedies: vec![
            ResumeWayOut::Resume(ResumeWay {
                folder: Some("/srv".into()),
                ..ResumeWay::default()
            }),
            ResumeWayOut::Copy("mkdir -p /srv/tidepool".to_owned()),
        ],
    };
    let states = [("resume_running", running), ("resume_folder_gone", folder_gone)];
    for (name, refusal) in states {
        check_importer(name, |reading| {
            reading.lab.resumes(Err(refusal.clone()));
            reading.keys("r");
        });
    }
    check_importer("resume_other_folder", |reading| {
        let offer = ResumeOffer {
            command: Ok(command("claude")),
            line: "cd /srv/tidepool-old && claude --resume 5f3a1d20-0000-4000-8000-000000000000".to_owned(),
            remarks: vec![
                "/srv/tidepool is gone; /srv/tidepool-old is another folder that the session was in".to_owned(),
            ],
        };
        reading.lab.resumes(Ok(offer));
        reading.keys("r");
    });
}

#[test]
fn without_a_client_the_command_can_be_copied() {
    let offer = ResumeOffer {
        command: Err(MissingClient {
            words: "Claude Code cannot be found: the program `claude` is not there".to_owned(),
            advice: Some("install it (https://code.claude.com/docs), or name the program with UNSPOOL_CLAUDE or with `client` in the settings".to_owned()),
        }),
        line: "cd /srv/tidepool && claude --resume 5f3a1d20".to_owned(),
        remarks: Vec::new(),
    };
    check_importer("resume_no_client", |reading| {
        reading.lab.resumes(Ok(offer.clone()));
        reading.keys("r");
    });
    for keys in ["yc", "r1"] {
        let mut reading = importer(80, 24);
        reading.lab.resumes(Ok(offer.clone()));
        reading.keys(keys);
        assert_eq!(reading.lab.copied(), std::slice::from_ref(&offer.line), "{keys}");
    }
}

#[test]
fn a_way_out_of_a_refusal_is_taken() {
    let refusal = ResumeRefusal {
        words: "the folder is gone".to_owned(),
        remarks: Vec::new(),
        remedies: vec![ResumeWayOut::Copy("mkdir -p /srv/tidepool".to_owned())],
    };
    let mut reading = importer(80, 24);
    reading.lab.resumes(Err(refusal));
    reading.keys("r1");
    assert_eq!(reading.lab.copied(), ["mkdir -p /srv/tidepool"]);
}

#[test]
fn without_a_server_one_is_offered() {
    check_importer("no_server", |reading| {
        reading.keys("yl");
    });
    let mut reading = importer(80, 24);
    reading.keys("yl2");
    assert_eq!(reading.lab.copied(), ["unspool serve --open"]);
}
