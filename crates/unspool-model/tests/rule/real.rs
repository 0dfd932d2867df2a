//! Sessions that the real client wrote itself and then resumed: queued prompts, rewinds,
//! "summarize from here", two processes on one session, kills at every moment.

use unspool_model::entry::MessageKind;
use unspool_testkit::resumes::{self, RealResume};

use crate::sent::{Sent, messages};

/// Returns what unspool says is sent, in the notation of the cases.
fn ours(case: &RealResume) -> Vec<String> {
    let (messages, _) = messages(case.log.as_bytes());
    let mut said = Vec::new();
    for (kind, sent) in messages {
        let pictures =
            matches!(&sent[..], [Sent::Text(text), ..] if text.starts_with("[Image: source"));
        match kind {
            // The client sends these as reminders, which the cases leave out.
            MessageKind::Queued | MessageKind::AgentReport | MessageKind::Command => continue,
            MessageKind::Meta if !pictures => continue,
            _ => {}
        }
        let is_answer = matches!(kind, MessageKind::Answer | MessageKind::Error);
        let calls = sent.iter().filter(|s| matches!(s, Sent::Call(..))).count();
        for block in sent {
            match block {
                Sent::Text(text) if is_answer => said.push(format!("A:{}", repeated(&text))),
                Sent::Text(text) => said.push(format!("U:{text}")),
                Sent::Call(..) => said.push("USE".to_owned()),
                Sent::Thinking(_) => {}
            }
        }
        said.extend(std::iter::repeat_n("RES".to_owned(), calls));
    }
    said.iter().map(|text| flat(text)).collect()
}

/// Returns the text that an answer of the scripted model repeats.
fn repeated(text: &str) -> &str {
    let quoted = text.split_once("You said: '").map(|(_, rest)| rest);
    quoted.map_or(text, |rest| rest.trim_end_matches('\''))
}

/// Returns a text on one line, as far as the cases keep it.
fn flat(text: &str) -> String {
    let text = text.replace("\\n", " ").replace('\n', " ");
    text.chars().take(32).collect::<String>().trim().to_owned()
}

/// Returns the texts of a case that are from the session itself, up to the prompt of the resume.
fn theirs(case: &RealResume) -> Vec<String> {
    let probe = |text: &&String| *text != "U:probe" && *text != "U:after resume";
    let sent = case.sent.iter().take_while(probe);
    sent.filter(|text| {
        let other = !text.starts_with("U:") && !text.starts_with("A:");
        let media = other && !["USE", "RES", "RES!"].contains(&text.as_str());
        !media && *text != "A:No response requested."
    })
    .map(|text| flat(text.trim_end_matches('!')))
    .collect()
}

#[test]
fn every_state_that_the_client_wrote_is_sent_as_it_sent_it() {
    let cases = resumes::real();
    assert_eq!(cases.len(), 17);
    for case in &cases {
        assert_eq!(ours(case), theirs(case), "{}", case.scenario);
    }
}
