//! Answers to questions that a person wrote instead of choosing one.

use super::LogText;
use super::value::RawObject;
use crate::json::JsonShape;

/// An answer to a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuestionAnswer<'a> {
    /// The question.
    pub question: LogText<'a>,
    /// The answer; several choices are joined with commas.
    pub answer: LogText<'a>,
    /// Who worded the answer.
    pub wording: AnswerAuthor,
}

/// Who worded an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AnswerAuthor {
    /// The model: it is one of the offered answers.
    Offered,
    /// The person.
    Free,
}

/// Reads the answers from the `toolUseResult` of a call that asked questions.
pub(super) fn answers<'a>(result: &RawObject<'a>) -> Option<Vec<QuestionAnswer<'a>>> {
    let answers = result.get("answers");
    if !answers.is(JsonShape::Object) {
        return None;
    }
    // Each question with the labels of its choices.
    let questions = result.objects("questions").into_iter().filter_map(|asked| {
        let options = asked.objects("options").into_iter();
        let labels: Vec<_> = options.filter_map(|option| option.text("label")).collect();
        Some((asked.text("question")?, labels))
    });
    let questions: Vec<_> = questions.collect();
    let answers = answers.object().0.into_iter().map(|(asked, value)| {
        let given = match value.array() {
            Some(_) => value.texts(),
            None => value.text().into_iter().collect(),
        };
        let offered = questions.iter().find(|(question, _)| *question == asked);
        // Without the question, the offered answers are unknown, so the answer counts as offered.
        let free = offered.is_some_and(|(_, labels)| {
            let mut given = given.iter();
            given.any(|answer| !is_chosen(answer, labels))
        });
        QuestionAnswer {
            question: LogText::Owned(asked),
            answer: LogText::Owned(given.join(", ")),
            wording: if free { AnswerAuthor::Free } else { AnswerAuthor::Offered },
        }
    });
    Some(answers.collect())
}

/// Returns the words of a person in `raw`, the `toolUseResult` of a call that asked questions:
/// free answers, and notes on offered ones.
pub(crate) fn free_answers(raw: &[u8]) -> Vec<String> {
    let result = RawObject::read(raw);
    let given = answers(&result).unwrap_or_default().into_iter();
    let free = given.filter(|given| given.wording == AnswerAuthor::Free);
    let mut words: Vec<String> = free.map(|given| given.answer.trim().to_owned()).collect();
    for (_, annotation) in result.get("annotations").object().0 {
        words.extend(annotation.object().text("notes").map(|notes| notes.trim().to_owned()));
    }
    words.retain(|words| !words.is_empty());
    words
}

/// Tells whether an answer is one of the labels, or several of them joined with commas.
fn is_chosen(answer: &str, labels: &[LogText<'_>]) -> bool {
    let mut rest = answer.trim();
    while !rest.is_empty() {
        // A label may contain a comma, so the longest match is taken.
        let after = |label: &LogText<'_>| {
            let rest = rest.strip_prefix(label.trim()).filter(|_| !label.trim().is_empty())?;
            if rest.is_empty() { Some(rest) } else { rest.strip_prefix(',').map(str::trim_start) }
        };
        match labels.iter().filter_map(after).min_by_key(|rest| rest.len()) {
            Some(shorter) => rest = shorter,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::free_answers;

    #[test]
    fn answers_that_were_not_offered_are_words() {
        for (answers, annotations, expected) in [
            (r#""Which?":"Red""#, "", &[][..]),
            (r#""Which?":"Blue, dark, Red""#, "", &[]),
            (r#""Which?":["Red","Blue, dark"]"#, "", &[]),
            (r#""Which?":"Reddish""#, "", &["Reddish"]),
            (r#""Which?":" none,\nreally ""#, "", &["none,\nreally"]),
            (r#""Which?":["Red","mine"]"#, "", &["Red, mine"]),
            (r#""Which?":"Red""#, r#""Which?":{"notes":"but dark"}"#, &["but dark"]),
            (r#""Which?":"""#, r#""Which?":{"unanswered":"skipped"}"#, &[]),
            (r#""Else?":"free""#, "", &[]),
        ] {
            let raw = format!(
                r#"{{"questions":[{{"question":"Which?","options":[{{"label":"Red"}},{{"label":"Blue, dark"}}]}}],"answers":{{{answers}}},"annotations":{{{annotations}}}}}"#
            );
            assert_eq!(free_answers(raw.as_bytes()), expected, "{answers}");
        }
        assert!(free_answers(b"[]").is_empty());
        assert!(free_answers(br#"{"answers":{"a":"b"}}"#).is_empty());
    }
}
