//! Work grows with what is read and written, whatever a session is like.
//!
//! Steps are counted (`unspool_model::work`), never timed. Four times as much may take four times
//! the steps, and a little more for what is sorted.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use unspool_engine::home::{Resolved, open_path};
use unspool_engine::ops::export::{self, Format};
use unspool_engine::ops::transcript::ViewKind;
use unspool_engine::prices::PriceTable;
use unspool_engine::render::document::AgentLayout;
use unspool_engine::session::Session;
use unspool_model::work;
use unspool_testkit::SessionBuilder;

/// Asserts that four times as much takes at most five times the steps.
#[track_caller]
fn assert_linear(what: &str, few: usize, steps: impl Fn(usize) -> u64) {
    let (little, much) = (steps(few), steps(4 * few));
    assert!(little > 0, "{what}: steps are counted");
    assert!(
        much <= 5 * little,
        "{what}: {little} steps for {few}, {much} for four times as many"
    );
}

/// A folder with sessions in the notation of the test kit, each at the path that goes with it.
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
            let log = SessionBuilder::new().notation(notation).build();
            std::fs::write(&file, log).expect("writes");
            files.push(file);
        }
        Self { folder, files }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }
}

fn resolved(file: &Path) -> Resolved {
    Resolved {
        home: None,
        project: None,
        target: open_path(file).expect("a transcript"),
    }
}

/// Runs something with all of its parallel parts on one thread, and counts its steps.
fn steps_of(run: impl FnOnce() + Send) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a pool").install(|| work::count(run))
}

/// Returns the steps that it takes to export sessions, and asserts how many files are written.
fn export_steps(sessions: &[&str], format: Format, transcripts: usize) -> u64 {
    let logs = Logs::new(sessions);
    let sources: Vec<Resolved> = logs.files.iter().map(|file| resolved(file)).collect();
    let prices = PriceTable::built_in();
    let request = export::Request {
        sources: &sources,
        open: &|source| Session::open(source, None),
        relatives: &|_| Vec::new(),
        format,
        paths: export::PathChoice::All,
        agents: AgentLayout::Inline,
        view: ViewKind::History,
        prices: &prices,
        setting: export::Setting::Folder,
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

/// A session with so many rewinds to its beginning, and in each an answer next to the chain,
/// which a resume would leave out.
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
    // Each transcript names 200 other paths, so fewer are no measure. The other formats for
    // reading are laid out by the same code as Markdown.
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
        // Each path is in both, and is written once.
        export_steps(&[&session, &copy], Format::Jsonl, count)
    });
}
