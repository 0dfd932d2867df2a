//! Sessions about similar subjects as the facts, without an answer to any question.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::rng::Rng;

/// Templates of texts and the words for their placeholders, by name.
static CHOICES: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let lists = include_str!("distractors.txt").split("\n\n");
    let lists = lists.filter_map(|list| list.split_once(":\n"));
    lists.map(|(name, choices)| (name, choices.lines().collect())).collect()
});

/// A turn without a fact.
pub(super) struct DistractorTurn {
    pub(super) prompt: String,
    pub(super) answer: String,
    pub(super) output: Option<String>,
}

/// Returns a random turn about the subject of a session.
pub(super) fn turn(rng: &mut Rng, thing: &str) -> DistractorTurn {
    let output = rng.chance(0.5).then(|| fill("output", thing, rng));
    DistractorTurn {
        prompt: fill("prompt", thing, rng),
        answer: fill("answer", thing, rng),
        output,
    }
}

/// Returns a random subject for a session.
pub(super) fn thing(rng: &mut Rng) -> &'static str {
    pick("thing", rng)
}

fn pick(name: &str, rng: &mut Rng) -> &'static str {
    rng.pick(&CHOICES[name])
}

fn fill(template: &str, thing: &str, rng: &mut Rng) -> String {
    let mut text = pick(template, rng).replace("\\n", "\n").replace("{thing}", thing);
    let number = rng.between(2, 400).to_string();
    for (name, word) in [
        ("{part2}", pick("part", rng)),
        ("{part}", pick("part", rng)),
        ("{state}", pick("state", rng)),
        ("{failure}", pick("failure", rng)),
        ("{place}", pick("place", rng)),
        ("{n}", &number),
    ] {
        text = text.replace(name, word);
    }
    text
}
