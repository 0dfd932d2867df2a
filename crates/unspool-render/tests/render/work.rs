//! Work is proportional to the size of input and output, for sessions of any shape.
//!
//! Steps are counted (`unspool_work`), never timed.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use unspool_engine::ops::transcript::{self, Transcript, ViewKind};
use unspool_engine::ops::tree;
use unspool_render::document::AgentLayout;
use unspool_render::export::{self, Format};
use unspool_store::home::Resolved;
use unspool_store::prices::PriceTable;
use unspool_store::session::Session;
use unspool_testkit::session;
use unspool_work::assert_linear;

use crate::logs::{opened, resolved, write};

/// A folder with sessions in the notation of the test kit, and the paths of their files.
struct Logs {
    folder: tempfile::TempDir,
    files: Vec<PathBuf>,
}

impl Logs {
    fn new(sessions: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut files = Vec::new();
        for (number, notation) in sessions.iter().enumerate() {
            let name = format!("{number:08}-1111-4111-8111-111111111111.jsonl");
            let file = folder.path().join(name);
            let log = session(notation);
            std::fs::write(&file, log).expect("writes");
            files.push(file);
        }
        Self { folder, files }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }
}

/// Runs a function with all of its parallel parts on one thread, and counts its steps.
fn steps_of(run: impl FnOnce() + Send) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a pool").install(|| unspool_work::count(run))
}

/// Returns the steps of an export of sessions, and asserts the number of written files.
fn export_steps(sessions: &[&str], format: Format, transcripts: usize) -> u64 {
    let logs = Logs::new(sessions);
    let sources: Vec<Resolved> = logs.files.iter().map(|file| resolved(file)).collect();
    let prices = PriceTable::built_in();
    let request = export::ExportRequest {
        sources: &sources,
        open: &|source| Session::open(source, None),
        relatives: &|_| Vec::new(),
        format,
        paths: export::PathChoice::All,
        agents: AgentLayout::Inline,
        view: ViewKind::History,
        prices: &prices,
        setting: export::OutputSetting::Folder,
        redaction: None,
    };
    let mut written = 0;
    let steps = steps_of(|| {
        let mut plan = export::plan(&request, &AtomicU64::new(0));
        let report = export::write(&request, &mut plan, &logs.out(), &AtomicU64::new(0));
        written = report.map_or(0, |report| report.written.len());
    });
    assert_eq!(written, transcripts);
    steps
}

/// Returns a session with this many rewinds to its beginning, each with an answer next to the
/// chain, which a resume would leave out.
fn rewinds(count: usize) -> String {
    let mut lines = vec!["u0 user \"start\"\na0 assistant \"ok\"".to_owned()];
    for number in 1..=count {
        lines.push(format!(
            "u{number} user < a0 \"again\"\n\
             c{number} assistant msg=m{number} call Bash:t{number} {{}}\n\
             p{number} progress hook_progress < c{number}\n\
             r{number} result < c{number} t{number} \"ok\"\n\
             a{number} assistant < r{number} msg=n{number} \"next to the chain\"\n\
             v{number} user < p{number} \"go on\""
        ));
    }
    lines.join("\n")
}

#[test]
fn export_of_very_many_branches_takes_work_in_proportion() {
    // Each transcript names 200 other paths, so a smaller number measures nothing. The same code
    // lays out all formats for reading.
    for format in [Format::Markdown, Format::Jsonl] {
        assert_linear(format.extension(), 210, |count| {
            export_steps(&[&rewinds(count)], format, count)
        });
    }
}

#[test]
fn export_of_a_session_and_its_copy_takes_work_in_proportion() {
    assert_linear("copies", 50, |count| {
        let session = rewinds(count);
        let copy = format!("{session}\nw{count} assistant \"more\"");
        // Each path is in both sessions, and is written once.
        export_steps(&[&session, &copy], Format::Jsonl, count)
    });
}

/// Returns the steps of drawing the tree of a session, and asserts the numbers of rows and agents.
fn tree_steps(log: &[u8], (rows, agents): (usize, usize)) -> u64 {
    let (_folder, file) = write(log);
    let session = opened(&file);
    steps_of(|| {
        let shown = Transcript::new(&session, &transcript::TranscriptRequest::default());
        let shown = shown.expect("a transcript");
        let drawn = tree::rows(&shown).expect("rows");
        let found: usize = drawn.iter().map(|row| row.agents.len()).sum();
        assert_eq!((drawn.len(), found), (rows, agents));
    })
}

#[test]
fn a_tree_of_very_many_compactions_takes_work_in_proportion() {
    assert_linear("compactions", 100, |count| {
        let mut lines = vec!["u0 user \"start\"\na0 assistant \"ok\"".to_owned()];
        for number in 1..=count {
            lines.push(format!(
                "b{number} system compact_boundary\nu{number} user summary \"so far\""
            ));
        }
        let log = session(&lines.join("\n"));
        tree_steps(&log, (count + 1, 0))
    });
}

/// Returns a call that starts an agent inside the file, the agent's prompt, and the result of the
/// call. `above` is the parent of the call, `side` the fields that mark an entry of an agent.
fn inline_agent(number: usize, above: &str, side: &str) -> String {
    format!(
        r#"{{"type":"assistant","uuid":"c{number}","parentUuid":"{above}",{side}"message":{{"id":"m{number}","role":"assistant","content":[{{"type":"tool_use","id":"t{number}","name":"Task","input":{{"prompt":"task {number}"}}}}]}}}}
{{"type":"user","uuid":"p{number}","parentUuid":null,"isSidechain":true,"agentId":"g{number}","message":{{"role":"user","content":"task {number}"}}}}
{{"type":"user","uuid":"r{number}","parentUuid":"c{number}",{side}"toolUseResult":{{"agentId":"g{number}"}},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{number}","content":"done"}}]}}}}
"#
    )
}

const PROMPT: &str = r#"{"type":"user","uuid":"r0","parentUuid":null,"message":{"role":"user","content":"go"}}
"#;

#[test]
fn a_tree_of_very_many_agents_takes_work_in_proportion() {
    assert_linear("agents of one turn", 100, |count| {
        let agents =
            (1..=count).map(|number| inline_agent(number, &format!("r{}", number - 1), ""));
        let log = PROMPT.to_owned() + &agents.collect::<String>();
        tree_steps(log.as_bytes(), (1, count))
    });
}

#[test]
fn a_tree_of_agents_that_started_one_another_takes_work_in_proportion() {
    assert_linear("agents of agents", 100, |count| {
        let first = inline_agent(1, "r0", "");
        let others = (2..=count).map(|number| {
            let own = number - 1;
            let side = format!(r#""isSidechain":true,"agentId":"g{own}","#);
            inline_agent(number, &format!("p{own}"), &side)
        });
        let log = PROMPT.to_owned() + &first + &others.collect::<String>();
        tree_steps(log.as_bytes(), (1, count))
    });
}
