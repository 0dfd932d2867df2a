//! Times as people write them.

mod month;

use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, ToSpan, Zoned};

use self::month::InMonth;
use crate::near::near;
use crate::time::Time;

/// The current time, and the time zone.
#[derive(Clone, PartialEq, Debug)]
pub struct Clock {
    /// The current time.
    pub now: Time,
    /// The zone in which days are counted.
    pub zone: TimeZone,
}

/// A period of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Period {
    /// The first instant, at which `since` starts.
    pub from: Time,
    /// The first instant after the period, before which `until` ends.
    pub until: Time,
}

/// Why a text is not a time.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TimeError {
    /// The text does not look like a time.
    #[error("`{}` is not a time; {}", text.escape_debug(), suggested(*near))]
    Unknown {
        /// The text.
        text: String,
        /// The word that the text may mean.
        near: Option<&'static str>,
    },
    /// The text looks like a date that does not exist.
    #[error("{} does not exist", .0.escape_debug())]
    NoSuchTime(String),
    /// The time is too far away.
    #[error("{} is too far away", .0.escape_debug())]
    OutOfRange(String),
}

/// Returns what to write in place of a text that is not a time.
fn suggested(near: Option<&str>) -> String {
    const FORMS: &str = "write `3d`, `2h`, `10:00`, `yesterday`, `monday`, `nov 1` or `2026-11-01`";
    near.map_or_else(|| FORMS.to_owned(), |word| format!("did you mean `{word}`?"))
}

/// Parses a time, ignoring case.
///
/// | written | period |
/// |---|---|
/// | `2026`, `2026-11`, `2026-11-01` | that year, month or day of the clock's zone |
/// | `2026-11-01T10`, `…T10:00`, `…T10:00:30`, `….250` | that hour, minute, second or millisecond; with `Z` or an offset such as `+02:00` in that zone |
/// | `today`, `yesterday` | that day |
/// | `monday`, `mon` … | the last such day, today included |
/// | `last monday` … | the last such day before today |
/// | `nov 1`, `1 november`, `nov 1 2025` | that day; without a year the last one, today included |
/// | `nov`, `nov 2025` | that month; without a year the last one, this one included |
/// | `10:00`, `10:00:30` | that minute or second; the last one that has begun |
/// | `yesterday 10:00`, `nov 1 10:00` … | that minute of that day |
/// | `this week`, `last week`, `this month`, `last year` … | that week (from Monday), month or year |
/// | `now` | this instant |
/// | `30s`, `15m`, `2h`, `3d`, `2w`, `6mo`, `1y`, `1d 12h`, `3 days ago` | the instant that long ago; days and longer units keep the time of day |
///
/// An instant is a period without length: both of its ends are the same. A space may be written in
/// place of the `T`. `since` starts at [`Period::from`], `until` ends before [`Period::until`].
pub fn period(text: &str, clock: &Clock) -> Result<Period, TimeError> {
    let word = text.trim().to_ascii_lowercase();
    let too_far = || TimeError::OutOfRange(text.to_owned());
    let now = Timestamp::from_millisecond(clock.now.as_millis()).map_err(|_| too_far())?;
    let now = now.to_zoned(clock.zone.clone());
    if let Some(date) = day(&word, now.date()) {
        return days(date, 1.day(), &clock.zone).ok_or_else(too_far);
    }
    if let Some((first, length)) = stretch(&word, now.date()) {
        return days(first, length, &clock.zone).ok_or_else(too_far);
    }
    if word == "now" {
        return Ok(instant(clock.now));
    }
    let none_such = || TimeError::NoSuchTime(text.to_owned());
    if looks_like_a_date(&word) {
        return dated(&word, &clock.zone).ok_or_else(none_such);
    }
    if let Some(named) = InMonth::read(&word) {
        return named.period(now.date(), &clock.zone).ok_or_else(none_such);
    }
    if let Some(of_day) = OfDay::read(&word, now.date()) {
        return of_day.period(&now).ok_or_else(none_such);
    }
    match length(&word) {
        Some(length) => back(&now, length).ok_or_else(too_far),
        // Only the numbers of this length are too large.
        None if length(&with_small_numbers(&word)).is_some() => Err(too_far()),
        None => Err(TimeError::Unknown {
            text: text.to_owned(),
            near: near(&word, &WORDS).first().copied(),
        }),
    }
}

const WORDS: [&str; 16] = [
    "today",
    "yesterday",
    "this week",
    "last week",
    "this month",
    "last month",
    "this year",
    "last year",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "now",
];

/// Returns the day that a word names.
fn day(word: &str, today: Date) -> Option<Date> {
    match word {
        "today" => return Some(today),
        "yesterday" => return today.yesterday().ok(),
        _ => {}
    }
    match word.strip_prefix("last ") {
        Some(name) => weekday(name.trim_start(), today.yesterday().ok()?),
        None => weekday(word, today),
    }
}

/// Returns the last day with a name, up to a day.
fn weekday(name: &str, until: Date) -> Option<Date> {
    const WEEKDAYS: [(&str, Weekday); 7] = [
        ("monday", Weekday::Monday),
        ("tuesday", Weekday::Tuesday),
        ("wednesday", Weekday::Wednesday),
        ("thursday", Weekday::Thursday),
        ("friday", Weekday::Friday),
        ("saturday", Weekday::Saturday),
        ("sunday", Weekday::Sunday),
    ];
    let named = |(full, _): &&(&str, Weekday)| name.len() >= 3 && full.starts_with(name);
    let (_, weekday) = WEEKDAYS.iter().find(named)?;
    let back = i64::from(weekday.until(until.weekday()));
    until.checked_sub(back.days()).ok()
}

/// A time of a day, with the day if one is named.
struct OfDay<'w> {
    day: Option<Date>,
    time: &'w str,
}

impl<'w> OfDay<'w> {
    /// Splits a text that ends with a time of day; returns `None` for other texts, or if the
    /// text before the time is not a day.
    fn read(word: &'w str, today: Date) -> Option<Self> {
        let (before, time) = match word.rsplit_once(char::is_whitespace) {
            Some((before, time)) => (before.trim_end(), time),
            None => ("", word),
        };
        if !time.contains(':') || !time.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        if before.is_empty() {
            return Some(Self { day: None, time });
        }
        let in_month = || InMonth::read(before)?.day(today);
        let day = Some(day(before, today).or_else(in_month)?);
        Some(Self { day, time })
    }

    fn period(&self, now: &Zoned) -> Option<Period> {
        let on = |date: Date| timed(date, self.time, now.time_zone());
        let has_begun = |period: &Period| period.from <= time(now.timestamp());
        match self.day {
            Some(day) => on(day),
            None => on(now.date()).filter(has_begun).or_else(|| on(now.date().yesterday().ok()?)),
        }
    }
}

/// Returns the first day and the length of the week, month or year that two words name.
fn stretch(word: &str, today: Date) -> Option<(Date, Span)> {
    let mut words = word.split_whitespace();
    let (which, unit) = (words.next()?, words.next()?);
    let since_monday = i64::from(Weekday::Monday.until(today.weekday()));
    let (first, length) = match unit {
        "week" => (today.checked_sub(since_monday.days()).ok()?, 1.week()),
        "month" => (today.first_of_month(), 1.month()),
        "year" => (today.first_of_year(), 1.year()),
        _ => return None,
    };
    let first = match which {
        "this" => first,
        "last" => first.checked_sub(length).ok()?,
        _ => return None,
    };
    words.next().is_none().then_some((first, length))
}

/// Tells whether a text starts with a year, so that it can only be a date.
fn looks_like_a_date(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    word.len() - rest.len() == 4 && (rest.is_empty() || rest.starts_with('-'))
}

/// Parses a year, a month, a day or a time of a day.
fn dated(word: &str, zone: &TimeZone) -> Option<Period> {
    let (date, time) = match word.split_once(['t', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (word, None),
    };
    let mut parts = date.split('-');
    let year = number(parts.next()?, 4)?;
    let (month, day) = (parts.next(), parts.next());
    if parts.next().is_some() || (time.is_some() && day.is_none()) {
        return None;
    }
    let length = match (month, day) {
        (None, _) => 1.year(),
        (_, None) => 1.month(),
        _ => 1.day(),
    };
    let month = month.map_or(Some(1), |month| number(month, 2))?;
    let day = day.map_or(Some(1), |day| number(day, 2))?;
    let date = Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    match time {
        Some(time) => timed(date, time, zone),
        None => days(date, length, zone),
    }
}

fn number(digits: &str, longest: usize) -> Option<i16> {
    let digits_only = digits.bytes().all(|b| b.is_ascii_digit());
    (digits_only && digits.len() <= longest).then(|| digits.parse().ok())?
}

/// Parses a time of day; the period is as long as its smallest unit.
fn timed(date: Date, time: &str, zone: &TimeZone) -> Option<Period> {
    let end = time.find(['z', '+', '-']).unwrap_or(time.len());
    let (clock, offset) = time.split_at(end);
    let colons = clock.matches(':').count();
    let length = match clock.len() {
        ..=2 if colons == 0 => SignedDuration::from_hours(1),
        ..=5 if colons == 1 => SignedDuration::from_mins(1),
        ..=8 if colons == 2 => SignedDuration::from_secs(1),
        _ if colons == 2 && clock.contains('.') => SignedDuration::from_millis(1),
        _ => return None,
    };
    // The name of a zone in brackets would be ignored.
    if offset.contains('[') || clock.contains('[') {
        return None;
    }
    // In a date an hour has two digits; people also write one.
    let zero = if clock.find(':') == Some(1) { "0" } else { "" };
    let full = match colons {
        0 => format!("{date}T{clock}:00{offset}"),
        _ => format!("{date}T{zero}{clock}{offset}"),
    };
    let start = if offset.is_empty() {
        let civil: DateTime = full.parse().ok()?;
        civil.to_zoned(zone.clone()).ok()?.timestamp()
    } else {
        full.parse::<Timestamp>().ok()?
    };
    let until = start.checked_add(length).ok()?;
    Some(between(start, until))
}

/// Returns the period from the start of a day to the start of a later one.
fn days(first: Date, length: Span, zone: &TimeZone) -> Option<Period> {
    let start = |date: Date| date.to_zoned(zone.clone()).ok();
    let following = first.checked_add(length).ok()?;
    Some(between(start(first)?.timestamp(), start(following)?.timestamp()))
}

/// Parses a length of time such as `3d` or `3 days ago`.
fn length(word: &str) -> Option<Span> {
    let counts = word.starts_with(|c: char| c.is_ascii_digit());
    let names = word.bytes().any(|b| b.is_ascii_alphabetic());
    // A text without a unit, or with a colon, would be parsed as a time of day.
    if !counts || !names || word.contains(':') {
        return None;
    }
    Some(word.parse::<Span>().ok()?.abs())
}

/// Returns a text with every number in it replaced with 1.
fn with_small_numbers(word: &str) -> String {
    let mut small = String::new();
    for c in word.chars() {
        if !c.is_ascii_digit() {
            small.push(c);
        } else if !small.ends_with('1') {
            small.push('1');
        }
    }
    small
}

fn back(now: &Zoned, length: Span) -> Option<Period> {
    let then = now.checked_sub(length).ok()?;
    Some(instant(time(then.timestamp())))
}

fn instant(at: Time) -> Period {
    Period { from: at, until: at }
}

fn between(from: Timestamp, until: Timestamp) -> Period {
    Period { from: time(from), until: time(until) }
}

fn time(at: Timestamp) -> Time {
    Time::from_millis(at.as_millisecond())
}
