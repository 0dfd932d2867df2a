//! The plan of a run as rows of text, for the program and for `unspool drive start`.
//!
//! Each row is a name and a text. The rows are not painted, cut or sanitized here.

use unspool_drive::UsdAmount;
use unspool_drive::json::RunPlanJson;
use unspool_drive::trust::TrustVerdict;
use unspool_engine::ops::resume::shell_word;
use unspool_text::human;

/// Describes how a run would be started, as rows of a name and a text.
pub fn plan_rows(plan: &RunPlanJson) -> Vec<(&'static str, String)> {
    let command: Vec<String> = plan.command.iter().map(|word| shell_word(word)).collect();
    let trust = match plan.trust {
        TrustVerdict::Trusted => "trusted",
        TrustVerdict::Changed => "not trusted any more: what runs code has changed",
        TrustVerdict::Untrusted => "not trusted",
    };
    let deadlines = format!(
        "idle {}, waiting {}",
        deadline_words(plan.deadlines.idle),
        deadline_words(plan.deadlines.waiting)
    );
    let mut rows = vec![
        ("folder", format!("{} ({trust})", plan.cwd)),
        ("home", plan.home.clone()),
        ("command", command.join(" ")),
        ("environment", environment_words(plan)),
        ("mode", plan.permission_mode.to_string()),
        ("deadlines", deadlines),
    ];
    let budget = plan.budget.and_then(|it| UsdAmount::try_from(it).ok());
    rows.extend(budget.map(|budget| ("budget", budget.to_string())));
    let broken = plan.broken.iter();
    rows.extend(broken.map(|it| ("broken", format!("{}: {}", it.file.display(), it.reason))));
    rows
}

fn environment_words(plan: &RunPlanJson) -> String {
    let (mut set, mut removed) = (Vec::new(), String::new());
    for (name, value) in &plan.environment {
        match value {
            Some(value) => set.push(format!("{name}={}", shell_word(value))),
            None => removed = format!("{removed} and {name}"),
        }
    }
    format!("yours without UNSPOOL_*{removed}, and {}", set.join(" "))
}

/// Formats a deadline in seconds; `None` is switched off.
pub(crate) fn deadline_words(seconds: Option<u64>) -> String {
    seconds
        .map_or_else(|| "off".to_owned(), |seconds| human::duration(seconds.saturating_mul(1_000)))
}
