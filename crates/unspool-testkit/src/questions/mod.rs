//! Questions with known answers, to measure the ranking of a search.
//!
//! A home of a few hundred sessions about software, some of which contain a fact. Each question is about one
//! fact in other words, or has a code word verbatim; the other sessions have similar subjects and answer no
//! question. The same seed gives the same home.

mod distractors;
mod facts;

use std::fmt;

use serde_json::json;

use crate::dag::{self, quote};
use crate::home::TestHome;
use crate::ids::uuid;
use crate::rng::Rng;
use facts::Fact;

/// The number of sessions without a fact.
const DISTRACTORS: usize = 400;

/// A home with questions about it.
#[derive(Debug)]
pub struct Evaluation {
    /// The home.
    pub home: TestHome,
    /// The questions.
    pub questions: Vec<TestQuestion>,
}

/// A question and the session that answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestQuestion {
    /// The query.
    pub text: String,
    /// The id of the session that contains the answer.
    pub session: String,
    /// The kind of question.
    pub kind: QuestionKind,
}

/// The kind of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    /// A sentence.
    Sentence,
    /// A code word, verbatim.
    CodeWord,
}

/// Measures of a ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// The number of questions.
    pub questions: usize,
    /// The share of questions whose answer was the first hit.
    pub hit_at_1: f64,
    /// The share of questions whose answer was among the first five hits.
    pub hit_at_5: f64,
    /// The mean of one divided by the answer's rank.
    pub reciprocal_rank: f64,
}

impl Score {
    /// Computes the measures from ranks, counted from one; `None` if the answer was not found.
    pub fn of(ranks: &[Option<usize>]) -> Self {
        let all = ranks.len().max(1) as f64;
        let share = |limit| {
            let found = ranks.iter().flatten().filter(|rank| **rank <= limit);
            found.count() as f64 / all
        };
        Self {
            questions: ranks.len(),
            hit_at_1: share(1),
            hit_at_5: share(5),
            reciprocal_rank: ranks.iter().flatten().map(|rank| 1.0 / *rank as f64).sum::<f64>()
                / all,
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} questions: hit@1 {:.3}, hit@5 {:.3}, mean reciprocal rank {:.3}",
            self.questions, self.hit_at_1, self.hit_at_5, self.reciprocal_rank
        )
    }
}

/// The part of a turn that contains a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FactPosition {
    Prompt,
    Answer,
    Thinking,
    Command,
    Output,
}

impl Evaluation {
    /// Writes a home and returns it with its questions.
    pub fn new(seed: u64) -> Self {
        let home = TestHome::new();
        let mut rng = Rng::new(seed);
        let mut questions = Vec::new();
        for (number, fact) in facts::facts().iter().enumerate() {
            let session = uuid(&format!("fact {number}"));
            add(&home, &mut rng, &session, Some(fact));
            questions.push(TestQuestion {
                text: fact.question.clone(),
                session,
                kind: QuestionKind::Sentence,
            });
        }
        for (number, (word, text)) in facts::CODE_WORDS.iter().enumerate() {
            let session = uuid(&format!("code {number}"));
            let place =
                [FactPosition::Answer, FactPosition::Output, FactPosition::Command][number % 3];
            let fact = Fact {
                place,
                topic: "go on with the work of yesterday".to_owned(),
                text: (*text).to_owned(),
                question: (*word).to_owned(),
            };
            add(&home, &mut rng, &session, Some(&fact));
            questions.push(TestQuestion {
                text: (*word).to_owned(),
                session,
                kind: QuestionKind::CodeWord,
            });
        }
        for number in 0..DISTRACTORS {
            let session = uuid(&format!("distractor {number}"));
            add(&home, &mut rng, &session, None);
        }
        Self { home, questions }
    }
}

/// Writes one session of random turns, with a fact before one of them.
fn add(home: &TestHome, rng: &mut Rng, session: &str, fact: Option<&Fact>) {
    let cwd = format!("/srv/project{}", rng.below(12));
    let notation = format!("%session {session}\n%cwd {cwd}\n");
    let mut writer = QuestionSession { notation, turns: 0 };
    let turns = 2 + rng.below(6);
    let at = rng.below(turns);
    let thing = distractors::thing(rng);
    for number in 0..turns {
        if let Some(fact) = fact.filter(|_| number == at) {
            writer.fact(fact);
        }
        let turn = distractors::turn(rng, thing);
        writer.turn(
            &turn.prompt,
            None,
            turn.output.map(|output| ("make check", output)),
            &turn.answer,
        );
    }
    home.add_session(&cwd, session, dag::session(&writer.notation));
}

struct QuestionSession {
    notation: String,
    turns: usize,
}

impl QuestionSession {
    fn fact(&mut self, fact: &Fact) {
        let done = "That is done.";
        match fact.place {
            FactPosition::Prompt => {
                self.turn(&fact.text, None, None, "Understood, I will keep to that.");
            }
            FactPosition::Answer => self.turn(&fact.topic, None, None, &fact.text),
            FactPosition::Thinking => self.turn(&fact.topic, Some(&fact.text), None, done),
            FactPosition::Command => {
                self.turn(&fact.topic, None, Some((&fact.text, "ok".to_owned())), done);
            }
            FactPosition::Output => {
                let output = Some(("make status", fact.text.clone()));
                self.turn(&fact.topic, None, output, "I see what is going on.");
            }
        }
    }

    fn turn(
        &mut self,
        prompt: &str,
        thinking: Option<&str>,
        call: Option<(&str, String)>,
        answer: &str,
    ) {
        self.turns += 1;
        let number = self.turns;
        let mut lines = vec![format!("u{number} user {}", quote(prompt))];
        if let Some((command, output)) = call {
            let input = json!({ "command": command });
            lines.push(format!("c{number} assistant call Bash:t{number} {input}"));
            lines.push(format!("r{number} result t{number} {}", quote(&output)));
        }
        let thinking = thinking.map_or(String::new(), |text| format!("thinking {}", quote(text)));
        lines.push(format!("a{number} assistant {thinking} {}", quote(answer)));
        self.notation += &(lines.join("\n") + "\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_added_up() {
        let score = Score::of(&[Some(1), Some(2), Some(10), None]);
        assert_eq!((score.hit_at_1, score.hit_at_5), (0.25, 0.5));
        assert!((score.reciprocal_rank - 0.4).abs() < 1e-9);
    }

    #[test]
    fn every_question_has_a_session_with_its_fact() {
        let evaluation = Evaluation::new(3);
        assert!(evaluation.questions.len() >= 76);
        for question in &evaluation.questions {
            let name = format!("{}.jsonl", question.session);
            let projects = std::fs::read_dir(evaluation.home.path().join("projects"));
            let mut folders = projects.expect("a folder").flatten();
            assert!(folders.any(|folder| folder.path().join(&name).is_file()), "{}", question.text);
        }
    }

    #[test]
    fn questions_are_put_in_other_words() {
        for fact in facts::facts() {
            let text = fact.text.to_lowercase();
            assert!(!text.contains(&fact.question.to_lowercase()));
            let words: Vec<&str> = fact.question.split(' ').filter(|word| word.len() > 3).collect();
            let shared = words.iter().filter(|word| text.contains(&word.to_lowercase()));
            let shared = shared.count();
            assert!(shared < words.len(), "all words of {:?} are the fact's", fact.question);
        }
    }
}
