//! Facets: values that hits have in common, as links that narrow the query.

use jiff::civil::Date;
use unspool_search::hit::SearchHit;
use unspool_store::rows::SessionRow;
use unspool_text::html::Html;
use unspool_text::human;

use super::widen::typed_words;
use crate::pages::parts::{StripBar, most_used, query_url, strip};
use crate::pages::zone::{PageZone, day_of};

/// The maximum number of offered values of a facet.
const OFFERED: usize = 7;
/// The maximum number of bars in the histogram.
const BARS: i64 = 24;

/// Values with the number of their hits, the most frequent first.
type Counts = Vec<(String, usize)>;

/// The facets of a search.
#[derive(Default)]
pub(super) struct SearchFacets {
    projects: Counts,
    roles: Counts,
    /// Tools that the sessions of the hits called, with the number of those sessions.
    tools: Counts,
    /// The histogram: the first day, the last day and the number of hits of each bar.
    times: Vec<(Date, Date, usize)>,
}

impl SearchFacets {
    /// Counts the facets of hits.
    pub(super) fn of(hits: &[SearchHit], rows: &[SessionRow], zone: &PageZone) -> Self {
        let row_of =
            |hit: &SearchHit| rows.iter().find(|row| row.id == hit.session && row.home == hit.home);
        let project = |hit| Some(row_of(hit)?.project_name());
        let tools = rows.iter().flat_map(|row| row.tools.keys().map(String::as_str));
        Self {
            projects: most_used(hits.iter().filter_map(project)),
            roles: most_used(hits.iter().map(|hit| hit.role.name())),
            tools: most_used(tools),
            times: histogram(hits, zone),
        }
    }

    /// Paints the facets of a query.
    pub(super) fn paint(&self, asked: &str, html: &mut Html) {
        self.paint_times(asked, html);
        for (field, title, counts) in [
            ("project", "Project", &self.projects),
            ("role", "Said by", &self.roles),
            ("tool", "Sessions with", &self.tools),
        ] {
            facet(field, title, counts, asked, html);
        }
    }

    fn paint_times(&self, asked: &str, html: &mut Html) {
        if self.times.len() < 2 {
            return;
        }
        html.tag("<section class=\"facet\"><h2>When</h2>");
        let base = without(asked, is_time);
        let bars: Vec<StripBar> = self
            .times
            .iter()
            .map(|(first, last, count)| {
                let query = format!("{base} since:{first} until:{last}");
                StripBar {
                    value: *count as u64,
                    title: format!("{first} to {last}: {}", human::plural(*count, "hit")),
                    way: Some(query_url("/search", &[("q", query.trim())])),
                    is_chosen: asked.contains(&format!("since:{first} until:{last}")),
                }
            })
            .collect();
        strip(&bars, "Hits by time", html);
        let ends = (self.times.first(), self.times.last());
        if let (Some((first, ..)), Some((_, last, _))) = ends {
            html.tag("<p class=\"ends\"><span>").text(&first.to_string());
            html.tag("</span><span>").text(&last.to_string());
            html.tag("</span></p>");
        }
        html.tag("</section>\n");
    }
}

fn facet(field: &str, title: &'static str, counts: &Counts, asked: &str, html: &mut Html) {
    let prefix = format!("{field}:");
    let mut chosen = typed_words(asked);
    chosen.retain(|word| word.starts_with(&prefix));
    if counts.len() < 2 && chosen.is_empty() {
        return;
    }
    html.tag("<section class=\"facet\"><h2>").tag(title).tag("</h2>\n<ul>");
    for word in &chosen {
        let way = query_url("/search", &[("q", &without(asked, |other| other == *word))]);
        html.tag("<li><a aria-current=\"true\"").attribute("href", &way);
        html.tag("><span>").text(word[prefix.len()..].trim_matches('"'));
        html.tag("</span><span class=\"n\">\u{d7}</span></a></li>");
    }
    for (value, count) in counts.iter().take(OFFERED) {
        let word = filter_word(field, value);
        if chosen.contains(&word.as_str()) {
            continue;
        }
        let way = query_url("/search", &[("q", &format!("{asked} {word}"))]);
        html.tag("<li><a").attribute("href", &way).tag("><span>");
        html.text(value).tag("</span><span class=\"n\">");
        html.number(*count as u64).tag("</span></a></li>");
    }
    html.tag("</ul></section>\n");
}

/// Formats a filter in the query language.
fn filter_word(field: &str, value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if value.chars().all(is_plain) {
        format!("{field}:{value}")
    } else {
        format!("{field}:\"{}\"", value.replace(['"', '\\'], " "))
    }
}

fn is_time(word: &str) -> bool {
    word.starts_with("since:") || word.starts_with("until:")
}

/// Returns a query without some of its words.
fn without(asked: &str, is_dropped: impl Fn(&str) -> bool) -> String {
    let mut words = typed_words(asked);
    words.retain(|word| !is_dropped(word));
    words.join(" ")
}

/// Counts hits by time, in bars that cover the same number of days.
fn histogram(hits: &[SearchHit], zone: &PageZone) -> Vec<(Date, Date, usize)> {
    let days: Vec<Date> = hits.iter().filter_map(|hit| day_of(hit.time?, &zone.zone)).collect();
    let (Some(first), Some(last)) = (days.iter().min(), days.iter().max()) else {
        return Vec::new();
    };
    let span = i64::from((*last - *first).get_days()) + 1;
    let width = (span + BARS - 1) / BARS;
    let after = |days: i64| first.saturating_add(jiff::Span::new().days(days));
    let count = (span + width - 1) / width;
    (0..count)
        .map(|bar| {
            let (from, to) = (after(bar * width), after(bar * width + width - 1));
            let inside = days.iter().filter(|day| (from..=to).contains(day)).count();
            (from, to, inside)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_written_and_taken_out() {
        assert_eq!(filter_word("project", "my-app"), "project:my-app");
        assert_eq!(filter_word("project", "my \"app\""), "project:\"my  app \"");
        assert_eq!(without("a since:3d until:\"2 days ago\" b", is_time), "a b");
    }

    #[test]
    fn a_chosen_value_is_shown_and_dropped_whole() {
        let asked = "a project:app project:application project:\"my app\"";
        let mut html = Html::new();
        facet("project", "Project", &vec![("my app".to_owned(), 3)], asked, &mut html);
        let painted = html.as_str();
        for (name, left) in [
            ("app", "a project:application project:\"my app\""),
            ("my app", "a project:app project:application"),
        ] {
            let mut line = Html::new();
            let way = query_url("/search", &[("q", left)]);
            line.attribute("href", &way).tag("><span>").text(name).tag("</span>");
            assert!(painted.contains(line.as_str()), "{name}: {painted}");
        }
        assert_eq!(painted.matches("<li>").count(), 3, "{painted}");
    }
}
