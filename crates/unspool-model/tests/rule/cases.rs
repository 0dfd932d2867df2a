//! Random sessions that the real client resumed.

use std::collections::BTreeMap;

use unspool_testkit::resumes::{self, ResumeCase};

use crate::sent::{Sent, resumed};

/// Returns the mark in a text, such as `MKU12`.
fn mark(text: &str) -> Option<String> {
    let start = text.find("MK")?;
    let digits = |c: &char| c.is_ascii_digit();
    let rest = &text[start + 2..];
    let kind = rest.chars().next()?;
    let number: String = rest.chars().skip(1).take_while(digits).collect();
    Some(format!("MK{kind}{number}"))
}

fn is_queued(mark: &str) -> bool {
    mark.starts_with("MKQ")
}

/// What unspool computes for a case, as marks.
struct Ours {
    sent: Vec<String>,
    results: BTreeMap<String, String>,
    answered: Vec<String>,
    tip: Option<String>,
}

fn ours(case: &ResumeCase) -> Ours {
    let found = resumed(case.log.as_bytes());
    let mut ours =
        Ours { sent: Vec::new(), results: BTreeMap::new(), answered: Vec::new(), tip: found.tip };
    for block in &found.sent {
        match block {
            Sent::Text(text) | Sent::Thinking(text) => ours.sent.extend(mark(text)),
            Sent::Call(id, result) => {
                let call = mark(id).expect("every call has a mark");
                ours.sent.push(call.clone());
                match result.as_deref().and_then(mark) {
                    Some(result) => {
                        ours.results.insert(call, result);
                    }
                    None => ours.answered.push(call),
                }
            }
        }
    }
    ours
}

/// Returns how unspool differs from the client, if it does. The position of queued prompts
/// among the others may differ: the client moves them in front of the answer that took them up.
fn difference(case: &ResumeCase) -> Option<String> {
    let ours = ours(case);
    let apart = |marks: &[String]| -> (Vec<String>, Vec<String>) {
        marks.iter().cloned().partition(|mark| is_queued(mark))
    };
    let ((mut queued, said), (mut wanted_queued, wanted)) = (apart(&ours.sent), apart(&case.sent));
    queued.sort();
    wanted_queued.sort();
    let mut answered = ours.answered.clone();
    let mut wanted_answered = case.answered.clone();
    answered.sort();
    wanted_answered.sort();
    if said != wanted || queued != wanted_queued {
        return Some(format!("sent {:?}, not {:?}", ours.sent, case.sent));
    }
    if ours.results != case.results {
        return Some(format!("results {:?}, not {:?}", ours.results, case.results));
    }
    if answered != wanted_answered {
        return Some(format!("answered {answered:?}, not {wanted_answered:?}"));
    }
    if case.tip.is_some() && ours.tip != case.tip {
        return Some(format!("tip {:?}, not {:?}", ours.tip, case.tip));
    }
    None
}

#[test]
fn every_random_session_is_sent_as_the_client_sent_it() {
    let cases = resumes::cases();
    assert_eq!(cases.len(), 535);
    let different: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let difference = difference(case)?;
            Some(format!("{} {:?}: {difference}", case.seed, case.features))
        })
        .collect();
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}
