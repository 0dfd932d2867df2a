//! Prices in the settings file.

use jiff::civil::Date;
use toml::de::{DeArray, DeValue};
use unspool_store::prices::{Override, Rate, Rates};

use super::Sourced;
use super::checker::{FileValue, SettingsChecker, SettingsSection, named};

const RATES: [&str; 5] = ["input", "output", "cache_write_5m", "cache_write_1h", "cache_read"];

/// Reads the table of prices: for each model one table, or several with dates. Returns them in file order.
pub(super) fn read(
    checker: &mut SettingsChecker<'_>,
    prices: SettingsSection<'_, '_>,
) -> Vec<Sourced<Override>> {
    let mut read = Vec::new();
    for (key, value) in prices.table {
        let model: &str = key.get_ref();
        if model.trim().is_empty() {
            checker.wrong(key.span(), "a price needs the name of a model");
            continue;
        }
        match value.get_ref() {
            DeValue::Table(_) => {
                let at = key.span().start;
                read.extend(one(checker, model, value, at).map(|price| (at, price)));
            }
            DeValue::Array(rows) if is_tables(rows) => {
                for row in rows {
                    let at = row.span().start;
                    read.extend(one(checker, model, row, at).map(|price| (at, price)));
                }
            }
            _ => {
                let name = named(model, prices.head);
                checker.type_error(&name, value, "a table with input and output", None);
            }
        }
    }
    read.sort_by_key(|(at, _)| *at);
    read.into_iter().map(|(_, price)| price).collect()
}

/// Reads one price, whose position is that of its name.
fn one(
    checker: &mut SettingsChecker<'_>,
    model: &str,
    value: &FileValue<'_>,
    at: usize,
) -> Option<Sourced<Override>> {
    let head = format!("prices.\"{}\"", model.escape_debug());
    let section = SettingsSection { head: &head, table: value.get_ref().as_table()? };
    let unknown = checker.reject_unknown_keys(section, &[&RATES[..], &["from"]].concat(), &[]);
    let [input, output, short_write, long_write, read] = RATES.map(|key| {
        let price = checker.take(section, key, "dollars for a million tokens", usd);
        price.map(|price| price.value)
    });
    let from = checker.take(section, "from", "a date such as 2026-01-31", date);
    for key in ["input", "output"] {
        // A missing key may be present under a misspelt name.
        if unknown == 0 && section.table.get(key).is_none() {
            checker.wrong(at..at, format!("[{head}] needs `{key}`"));
        }
    }
    let usual = Rates::usual(input?, output?);
    let rates = Rates {
        cache_write_5m: short_write.unwrap_or(usual.cache_write_5m),
        cache_write_1h: long_write.unwrap_or(usual.cache_write_1h),
        cache_read: read.unwrap_or(usual.cache_read),
        ..usual
    };
    let price = Override { model: model.to_owned(), from: from.map(|from| from.value), rates };
    Some(Sourced::new(price, checker.origin(&(at..at))))
}

fn is_tables(rows: &DeArray<'_>) -> bool {
    !rows.is_empty() && rows.iter().all(|row| row.get_ref().is_table())
}

fn usd(value: &DeValue<'_>) -> Option<Rate> {
    let dollars: f64 = match value {
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok()?,
        DeValue::Float(number) => number.as_str().parse().ok()?,
        _ => return None,
    };
    Rate::from_usd(dollars)
}

/// Reads a date, written as a TOML date or as a string.
fn date(value: &DeValue<'_>) -> Option<Date> {
    match value {
        DeValue::Datetime(time) if time.time.is_none() => time.date?.to_string().parse().ok(),
        DeValue::String(text) if text.len() == "2026-01-31".len() => text.parse().ok(),
        _ => None,
    }
}
