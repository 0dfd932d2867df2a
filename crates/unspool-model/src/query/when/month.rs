//! Days and months that are written with the month's name.

use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{Period, days, number};

/// The names of the months, which may be cut after three letters.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Maximum number of years between two days with one date: 1900 had no 29 February.
const RAREST: i16 = 8;

/// A month or a day of a month, as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct InMonth {
    month: i8,
    day: Option<i8>,
    year: Option<i16>,
}

impl InMonth {
    /// Parses `nov`, `nov 1`, `1 nov` or `nov 2025`, and a day with a year after it.
    pub(super) fn read(word: &str) -> Option<Self> {
        let mut words =
            word.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        let (first, second, third) = (words.next()?, words.next(), words.next());
        if words.next().is_some() {
            return None;
        }
        let year = |text: &str| number(text, 4).filter(|_| text.len() == 4);
        let day = |text: &str| number(text, 2)?.try_into().ok();
        let year_after = match third {
            Some(text) => Some(year(text)?),
            None => None,
        };
        let (name, rest) = match (month(first), second) {
            (Some(month), rest) => (month, rest),
            (None, Some(second)) => (month(second)?, Some(first)),
            (None, None) => return None,
        };
        let of_month = |day, year| Self { month: name, day, year };
        match rest {
            None => Some(of_month(None, None)),
            Some(text) if third.is_none() && month(first).is_some() && text.len() == 4 => {
                Some(of_month(None, Some(year(text)?)))
            }
            Some(text) => Some(of_month(Some(day(text)?), year_after)),
        }
    }

    /// Returns the day; `None` for a month, and for a day that no year has.
    pub(super) fn day(self, today: Date) -> Option<Date> {
        self.day?;
        self.first(today)
    }

    /// Returns the month or the day as a period; `None` if the day does not exist.
    pub(super) fn period(self, today: Date, zone: &TimeZone) -> Option<Period> {
        let length = match self.day {
            Some(_) => 1.day(),
            None => 1.month(),
        };
        days(self.first(today)?, length, zone)
    }

    /// Returns the first day: that of the named year, else the last one up to today.
    fn first(self, today: Date) -> Option<Date> {
        let of = |year| Date::new(year, self.month, self.day.unwrap_or(1)).ok();
        match self.year {
            Some(year) => of(year),
            None => {
                (0..=RAREST).filter_map(|back| of(today.year() - back)).find(|date| *date <= today)
            }
        }
    }
}

fn month(name: &str) -> Option<i8> {
    let at = MONTHS.iter().position(|full| name.len() >= 3 && full.starts_with(name))?;
    i8::try_from(at + 1).ok()
}
