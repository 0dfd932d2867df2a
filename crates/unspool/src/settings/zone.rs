//! Time zones by name.

use std::fs;

use jiff::tz::{self, TimeZone};
use unspool_model::near::near;

use super::Zone;

impl Zone {
    /// Finds `local`, `utc` or a zone of the system by name.
    pub(super) fn find(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("local") {
            return Some(Self::local("local"));
        }
        let zone = if name.eq_ignore_ascii_case("utc") {
            TimeZone::UTC
        } else {
            TimeZone::get(name).ok()?
        };
        Some(Self { name: zone.iana_name().unwrap_or(name).to_owned(), zone: Some(zone) })
    }

    /// Finds the system's zone by the link `/etc/localtime`, if `TZ` is not set. The default method first
    /// lists all zones, which are hundreds of files.
    pub(super) fn linked(self) -> Self {
        Self { zone: self.zone.or_else(linked), ..self }
    }

    /// Suggests a zone for a wrong name: a similar name, or one with this last part.
    pub(super) fn near(name: &str) -> Option<String> {
        let known: Vec<String> = tz::db().available().map(|zone| zone.to_string()).collect();
        let names: Vec<&str> = known.iter().map(String::as_str).chain(["local"]).collect();
        let city = |zone: &&&str| {
            let last = zone.rsplit('/').next().unwrap_or_default();
            last.eq_ignore_ascii_case(&name.replace(' ', "_"))
        };
        let meant = names.iter().find(city).copied();
        meant.or_else(|| near(name, &names).first().copied()).map(str::to_owned)
    }
}

/// Reads the zone that `/etc/localtime` links to, if it is a link.
fn linked() -> Option<TimeZone> {
    let link = "/etc/localtime";
    let target = fs::read_link(link).ok()?;
    let (_, name) = target.to_str()?.rsplit_once("zoneinfo/")?;
    TimeZone::tzif(name, &fs::read(link).ok()?).ok()
}
