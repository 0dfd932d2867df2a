//! A range of messages is painted as in the whole transcript, with work in proportion to the range.

use proptest::prelude::*;
use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
use unspool_model::conversation::Turn;
use unspool_model::positions::TurnNumber;
use unspool_render::document::{Playback, PlaybackRequest, TranscriptHead, TurnHead, WriterPaper};
use unspool_render::html::{HtmlFragments, HtmlSurface, PageOptions};
use unspool_render::terminal::{
    self, AgentDisplay, DetailLevel, FoldHints, Options, Tools, TranscriptBlocks, TranscriptLines,
};
use unspool_testkit::random::{self, RandomShape};
use unspool_testkit::session;
use unspool_text::html::Painting;
use unspool_text::style::Line;

use crate::logs::{opened, options, real_sessions, write};
use crate::sample;

/// Opens a log as a session, and passes its transcript to a function.
fn with_log<T>(log: &[u8], run: impl FnOnce(&Transcript<'_>) -> T) -> T {
    let (_folder, file) = write(log);
    let session = opened(&file);
    run(&Transcript::new(&session, &TranscriptRequest::default()).expect("a transcript"))
}

/// Returns the two ways of showing a session that differ most.
fn both_options() -> [Options; 2] {
    let folded = options(Tools::Summary);
    let full = Options {
        thinking: DetailLevel::Full,
        tools: Tools::Full,
        agents: AgentDisplay::Inline,
        ..folded.clone()
    };
    [folded, full]
}

/// Returns the header of a page. It is not compared; only its turns matter.
fn head(shown: &Transcript<'_>) -> TranscriptHead {
    let turn = |(number, turn): (TurnNumber, &Turn)| TurnHead {
        number,
        prompt: String::new(),
        started: turn.started,
        duration_ms: turn.duration_ms,
        calls: turn.calls,
        outcome: turn.outcome,
        messages: turn.messages.clone(),
        interjections: Vec::new(),
    };
    let turns = TurnNumber::enumerate(&shown.turns).map(turn).collect();
    TranscriptHead { turns, ..sample::head(&[]) }
}

/// Paints the page of a transcript.
fn page(shown: &Transcript<'_>) -> String {
    let options = PageOptions { painting: Painting::Highlighted, site: None };
    let mut paper = WriterPaper(Vec::new());
    let mut surface = HtmlSurface::new(options, &mut paper);
    let playback = Playback::new(PlaybackRequest::new(shown));
    playback.play(&head(shown), &mut surface).expect("memory");
    String::from_utf8(paper.0).expect("text")
}

fn fragments<'a>(shown: &'a Transcript<'a>) -> HtmlFragments<'a> {
    HtmlFragments::new(PlaybackRequest::new(shown))
}

/// Asserts that consecutive ranges between these messages add up to the whole.
#[track_caller]
fn check(what: &str, shown: &Transcript<'_>, cuts: &[u32]) {
    let all = fragments(shown).messages();
    let mut bounds: Vec<u32> =
        cuts.iter().map(|cut| cut.clamp(&all.start, &all.end)).copied().collect();
    bounds.extend([all.start, all.end]);
    bounds.sort_unstable();
    let ranges = || bounds.windows(2).map(|pair| pair[0]..pair[1]);

    let pieces = fragments(shown);
    let pieces: String = ranges().map(|range| pieces.html(range).expect("reads")).collect();
    let page = page(shown);
    let start = page.find(&pieces).unwrap_or_else(|| {
        panic!("{what}, {bounds:?}: the page does not have\n{pieces}\nbut\n{page}")
    });
    let (above, below) = (&page[..start], &page[start + pieces.len()..]);
    assert!(pieces.is_empty() || above.ends_with("</header>\n"), "{what}");
    let ends = ["</main>", "<section class=\"turn\" id=\"unlinked\">"];
    assert!(pieces.is_empty() || ends.iter().any(|end| below.starts_with(end)), "{what}");

    for options in both_options() {
        let pieces = TranscriptLines::new(shown, &options);
        let pieces: Vec<Line> =
            ranges().flat_map(|range| pieces.lines(range).expect("reads")).collect();
        check_blocks(what, shown, &options, &bounds, &pieces);
        let mut whole = Vec::new();
        terminal::transcript(shown, &options, &mut |line| {
            whole.push(line);
            Ok(())
        })
        .expect("reads");
        let rule = whole.iter().position(|line| line.plain().starts_with("──"));
        let above = rule.map_or(0, |rule| rule + 1);
        let end = above + pieces.len();
        assert!(whole[above..].starts_with(&pieces), "{what}, {bounds:?}");
        // A session without a conversation lists its agents.
        let is_footer = whole.len() - end <= 4 || pieces.is_empty();
        assert!(is_footer, "{what}: a footer follows");
    }
}

/// Asserts that the blocks of ranges between these messages have these lines.
#[track_caller]
fn check_blocks(
    what: &str,
    shown: &Transcript<'_>,
    options: &Options,
    bounds: &[u32],
    lines: &[Line],
) {
    let blocks = TranscriptBlocks::new(shown, options, FoldHints::Options);
    let ranges = bounds.windows(2).map(|pair| pair[0]..pair[1]);
    let blocks: Vec<_> =
        ranges.flat_map(|range| blocks.blocks(range, &|_| None).expect("reads")).collect();
    let mut seen = Vec::new();
    for block in &blocks {
        seen.extend(block.gap.iter().chain(&block.lines).cloned());
        assert!(!block.lines.is_empty(), "{what}: {block:?}");
    }
    assert_eq!(seen, lines, "{what}, {bounds:?}");
    let is_ordered = blocks.is_sorted_by(|one, other| one.key < other.key);
    assert!(is_ordered, "{what}: keys are in order and each is there once");
}

#[test]
fn messages_of_real_sessions_are_painted_one_by_one_as_all_at_once() {
    for file in real_sessions() {
        let session = opened(&file);
        let shown = Transcript::new(&session, &TranscriptRequest::default()).expect("a transcript");
        let each: Vec<u32> = (0..shown.view.messages.len() as u32).collect();
        check(&file.display().to_string(), &shown, &each);
    }
}

/// Two calls that lead to one agent inside the file, each followed by a message.
const SHARED_AGENT: &str = r#"{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-11-09T08:00:00.000Z","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"c1","parentUuid":"u1","message":{"id":"m1","role":"assistant","model":"opus","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"look"}}]}}
{"type":"user","uuid":"p1","parentUuid":null,"isSidechain":true,"agentId":"g1","message":{"role":"user","content":"look"}}
{"type":"user","uuid":"r1","parentUuid":"c1","toolUseResult":{"agentId":"g1"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"done"}]}}
{"type":"assistant","uuid":"a1","parentUuid":"r1","message":{"id":"m2","role":"assistant","model":"opus","content":[{"type":"text","text":"again"}]}}
{"type":"assistant","uuid":"c2","parentUuid":"a1","message":{"id":"m3","role":"assistant","model":"opus","content":[{"type":"tool_use","id":"t2","name":"Task","input":{"prompt":"more"}}]}}
{"type":"user","uuid":"r2","parentUuid":"c2","toolUseResult":{"agentId":"g1"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"done"}]}}
{"type":"user","uuid":"u2","parentUuid":"r2","timestamp":"2026-11-10T08:00:00.000Z","message":{"role":"user","content":"thanks"}}
"#;

#[test]
fn an_agent_is_shown_under_the_first_call_only() {
    with_log(SHARED_AGENT.as_bytes(), |shown| {
        let all = fragments(shown);
        let count = |range| {
            let html = all.html(range).expect("reads");
            html.matches("<details class=\"agent\">").count()
        };
        let messages = all.messages();
        assert_eq!(count(messages.clone()), 1);
        let each = messages.clone().map(|index| count(index..index + 1));
        assert_eq!(each.sum::<usize>(), 1);
        check("a shared agent", shown, &messages.collect::<Vec<_>>());
    });
}

#[test]
fn what_an_agent_was_told_is_shown_once_and_the_script_of_a_workflow_stays() {
    with_log(SHARED_AGENT.as_bytes(), |shown| {
        let first = fragments(shown).html(1..2).expect("reads");
        assert!(first.contains("<div class=\"typed\">look"), "{first}");
        assert!(!first.contains("detail asked"), "{first}");
    });
    let workflow = SHARED_AGENT
        .replace(r#""name":"Task""#, r#""name":"Workflow""#)
        .replace(r#"{"prompt":"look"}"#, r#"{"script":"phase(1)"}"#);
    with_log(workflow.as_bytes(), |shown| {
        let first = fragments(shown).html(1..2).expect("reads");
        assert!(first.contains("<details class=\"agent\">"), "{first}");
        let text = first.replace("</span>", "").replace("<span class=\"f\">", "");
        assert!(text.contains("phase("), "{first}");
    });
}

#[test]
fn a_piece_of_whole_turns_is_balanced() {
    let log = session("u1 user \"one\"\na1 assistant \"x\"\nu2 user \"two\"\na2 assistant \"y\"");
    with_log(&log, |shown| {
        let all = fragments(shown);
        for turn in &shown.turns {
            let html = all.html(turn.messages.clone()).expect("reads");
            unspool_testkit::markup::check_vocabulary(&html);
        }
        assert_eq!(all.html(7..9).expect("reads"), "", "there are four messages");
        assert_eq!(all.html(0..9).expect("reads"), all.html(0..4).expect("reads"));
    });
}

#[test]
fn a_range_is_read_and_nothing_else() {
    for count in [50, 500] {
        let turns = (0..count).map(|number| {
            format!("u{number} user \"question\"\na{number} assistant msg=m{number} \"answer\"")
        });
        let notation = turns.collect::<Vec<_>>().join("\n");
        let log = session(&notation);
        with_log(&log, |shown| {
            let options = options(Tools::Summary);
            let (html, lines) = (fragments(shown), TranscriptLines::new(shown, &options));
            html.html(1..2).expect("reads");
            lines.lines(1..2).expect("reads");
            let middle = count..count + 10;
            let steps = unspool_work::count(|| {
                html.html(middle.clone()).expect("reads");
            });
            // Each message is read, and its word painted in a few steps.
            assert!(steps <= 50, "{steps} steps for the markup of ten messages of {count}");
            let steps = unspool_work::count(|| {
                lines.lines(middle).expect("reads");
            });
            assert!(steps <= 250, "{steps} steps for the lines of ten messages of {count}");
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn ranges_of_random_sessions_are_the_whole(
        seed in any::<u64>(),
        cuts in proptest::collection::vec(0u32..60, 0..6),
    ) {
        let log = random::session(seed, &RandomShape::any(seed, 60));
        with_log(&log, |shown| check("a random session", shown, &cuts));
    }
}
