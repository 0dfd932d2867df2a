//! Deadlines and budget as fields: of an open run, where a choice applies at once, and of the next run.
//!
//! The value that is set is in `data-value`, from which the script shows it; an empty value means off.

use unspool_drive::RunLimits;
use unspool_drive::json::RunJson;
use unspool_text::html::Html;
use unspool_text::human;

/// The offered idle deadlines, in seconds.
const IDLE: [u64; 5] = [60, 300, 900, 3_600, 14_400];
/// The offered waiting deadlines, in seconds.
const WAITING: [u64; 5] = [300, 1_800, 3_600, 14_400, 43_200];

/// Paints the fields of an open run.
pub(super) fn paint_limits(run: &RunJson, html: &mut Html) {
    let limits = RunLimits { idle: run.deadlines.idle, waiting: run.deadlines.waiting };
    html.tag("<form data-limits>");
    paint_fields("limits", limits, run.budget, html);
    html.tag("</form>\n");
}

/// Paints the fields of the next run, inside the form that starts it, with the deadlines of the settings.
pub(super) fn paint_next_limits(limits: RunLimits, html: &mut Html) {
    paint_fields("next-limits", limits, None, html);
}

fn paint_fields(id: &'static str, limits: RunLimits, budget: Option<f64>, html: &mut Html) {
    html.tag("<details class=\"limits\"")
        .attribute("id", id)
        .tag("><summary>Deadlines and budget</summary>\n<div class=\"fields\">\n");
    let idle = ("idle", "End the client when it is idle for");
    paint_choice(idle, &IDLE, limits.idle, html);
    let waiting = ("waiting", "Answer for me when I do not for");
    paint_choice(waiting, &WAITING, limits.waiting, html);
    let budget = budget.map(|dollars| dollars.to_string());
    let budget = budget.unwrap_or_default();
    html.tag("<label>Budget in US dollars <input type=\"number\" name=\"budget\" min=\"0\" ");
    html.tag("step=\"any\" placeholder=\"none\" inputmode=\"decimal\"");
    html.attribute("value", &budget).attribute("data-value", &budget);
    html.tag("></label>\n</div></details>\n");
}

/// Paints a deadline: the offered values, the value that is set, and off.
fn paint_choice(
    (name, label): (&'static str, &'static str),
    offered: &[u64],
    set: Option<u64>,
    html: &mut Html,
) {
    html.tag("<label>").tag(label).tag(" <select");
    html.attribute("name", name);
    let value = |seconds: Option<u64>| seconds.map_or_else(String::new, |set| set.to_string());
    html.attribute("data-value", &value(set)).tag(">");
    let mut all: Vec<u64> = offered.iter().copied().chain(set).collect();
    all.sort_unstable();
    all.dedup();
    for seconds in all.into_iter().map(Some).chain([None]) {
        html.tag("<option").attribute("value", &value(seconds));
        html.tag(if seconds == set { " selected>" } else { ">" });
        match seconds {
            Some(seconds) => html.text(&human::duration(seconds.saturating_mul(1000))),
            None => html.tag("never"),
        };
        html.tag("</option>");
    }
    html.tag("</select></label>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_that_is_set_is_offered_once_and_off_is_empty() {
        let painted = |set| {
            let mut html = Html::new();
            paint_choice(("idle", "Idle"), &IDLE, set, &mut html);
            html.as_str().to_owned()
        };
        let other = painted(Some(77));
        assert!(other.contains("data-value=\"77\""), "{other}");
        assert!(other.contains("value=\"77\" selected"), "{other}");
        let known = painted(Some(300));
        assert_eq!(known.matches("<option").count(), IDLE.len() + 1, "{known}");
        assert!(painted(None).contains("value=\"\" selected>never"));
    }
}
