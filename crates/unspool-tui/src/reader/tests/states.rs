//! Every state of the reader, at four sizes and without colour.

use std::fmt::Write as _;

use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{session, uuid};

use super::stage::{ReadStage, own};
use crate::lab::SIZES;

/// Compares the screens of a state with those that were read and found good.
fn check(name: &str, state: &dyn Fn((u16, u16)) -> ReadStage) {
    let mut screens = String::new();
    for size in SIZES {
        let (columns, rows) = size;
        let screen = state(size).screen().replace(&uuid("s"), "SESSION");
        // Writing into a string cannot fail.
        let _ = writeln!(screens, "{columns}×{rows}\n{screen}");
    }
    let size = (80, 24);
    let (colored, mut plain) = (state(size), state(size));
    plain.without_color();
    assert!(!plain.has_colors(), "{name} has colours without colour");
    assert_eq!(plain.screen(), colored.screen(), "{name} without colour");
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!(name, screens);
    });
}

/// A session that started agents, one of which works.
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
