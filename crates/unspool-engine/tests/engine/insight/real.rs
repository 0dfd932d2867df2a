//! Invariants on the logs of real clients.

use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
use unspool_model::positions::PathNumber;
use unspool_testkit::reallogs::RealLogs;

use super::{changes, context, paths, timeline};
use crate::setup::open;

/// Lays out every path of every session and agent of the real logs.
fn each_transcript(take: &mut dyn FnMut(&Transcript<'_>)) {
    let mut count = 0;
    for file in RealLogs::fixtures().files() {
        let Some(session) = open(&file) else {
            continue;
        };
        let asked = |request: &TranscriptRequest| Transcript::new(&session, request);
        let Ok(mut shown) = asked(&TranscriptRequest::default()) else {
            continue;
        };
        for number in PathNumber::all(shown.path_count()) {
            shown.turn_to_path(number).expect("a path");
            take(&shown);
            count += 1;
        }
        for agent in shown.agents.clone() {
            let request =
                TranscriptRequest { agent: Some(agent.id.clone()), ..TranscriptRequest::default() };
            take(&asked(&request).expect("an agent"));
        }
    }
    assert!(count > 100, "only {count} paths were found");
}

#[test]
fn timelines_nest_and_add_up() {
    let mut spans = 0;
    each_transcript(&mut |shown| spans += timeline::lawful(shown).spans.len());
    assert!(spans > 500, "only {spans} spans were found");
}

#[test]
fn contexts_have_their_answers_in_order() {
    let mut points = 0;
    each_transcript(&mut |shown| points += context::lawful(shown).points.len());
    assert!(points > 300, "only {points} answers were found");
}

#[test]
fn costs_of_paths_add_up_to_the_session() {
    each_transcript(&mut paths::lawful_costs);
}

#[test]
fn neighbouring_paths_can_be_compared() {
    let mut compared = 0;
    each_transcript(&mut |shown| {
        for number in 1..shown.path_count() {
            paths::lawful(shown, number, number + 1);
            compared += 1;
        }
    });
    assert!(compared > 10, "only {compared} pairs were found");
}

#[test]
fn changes_are_those_of_the_summary() {
    each_transcript(&mut |shown| {
        let found = changes::lawful(shown);
        // The summary of a session includes the agents of all its paths.
        if shown.path_count() == 1 && shown.agents.is_empty() {
            changes::agrees_with_summary(shown, &found);
        }
    });
}
