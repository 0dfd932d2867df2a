//! Finds the people that logs name: the user names of home folders.
//!
//! A log written in `/Users/fred` is about fred, no matter who exports it, so his name is
//! redacted like the user's own, wherever it is a word. A home folder that is only mentioned is
//! weaker evidence, since `/home/about` may be a page: its name is redacted only in paths.

use std::collections::BTreeSet;
use std::ops::Range;

use memchr::memmem;
use unspool_model::schema::RecordKey;

use super::view::PlainBytes;
use super::{RedactRules, escape, home};

/// The names of the folders that contain home folders.
const ABOVE: [&str; 2] = ["home", "Users"];
/// The maximal number of names of each kind: a log may contain a list of thousands.
const MOST: usize = 500;
/// How many bytes of the next part are needed for home folders that begin at the end of a part.
pub const REACH: usize = 128;
/// Pages of websites and parts of programs, which also follow `/home/`.
const PAGES: &str = "\
    about page pages components component index settings profile dashboard login logout signup \
    views view screens screen widgets widget layout layouts assets images styles api news blog \
    contact help search feed features feature hero header footer banner router routes store hooks \
    utils lib libs test tests spec docs shared common sections section content static public";

/// The people in some logs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct People {
    /// Home folders whose names have characters other than ASCII letters and digits.
    homes: BTreeSet<String>,
    /// The names of people whose sessions were logged.
    owners: BTreeSet<String>,
    /// The names of home folders that are mentioned.
    mentioned: BTreeSet<String>,
}

impl People {
    /// Collects names from a part of a log. Home folders that begin after `end` are left to the
    /// next part, which begins there.
    pub fn learn(&mut self, part: &[u8], end: usize) {
        for above in ABOVE {
            let mut last = (false, &b""[..]);
            let places = memmem::find_iter(part, above);
            for at in places.take_while(|&at| at < end) {
                let Some((folder, name)) = home_at(part, at..at + above.len()) else {
                    continue;
                };
                // Every record repeats its folder, so the last one is skipped.
                let this =
                    (RecordKey::Cwd.opens_at_end(&part[..folder.start]), &part[folder.clone()]);
                if this != last {
                    last = this;
                    self.add(part, folder, name);
                }
            }
        }
    }

    /// Adds a home folder, depending on the bytes before it.
    fn add(&mut self, part: &[u8], range: Range<usize>, name: Range<usize>) {
        let before = &part[..range.start];
        let (Ok(folder), Ok(name)) = (str::from_utf8(&part[range]), str::from_utf8(&part[name]))
        else {
            return;
        };
        let encoded = !folder.contains(['/', '\\']);
        let name = name.trim_start_matches('\\');
        let is_page = PAGES.split(' ').any(|page| name.eq_ignore_ascii_case(page));
        let inside = before
            .last()
            .is_some_and(|&byte| byte.is_ascii_alphanumeric() || b"_.-)]}".contains(&byte));
        let deep = inside && folder.contains("/home/") && !before.ends_with(b"/var");
        let names = match (RecordKey::Cwd.opens_at_end(before), encoded || !(is_page || deep)) {
            (true, _) => &mut self.owners,
            (false, true) => &mut self.mentioned,
            (false, false) => return,
        };
        if names.len() < MOST {
            names.insert(name.to_owned());
        }
        let odd = |letter: char| !letter.is_ascii_alphanumeric();
        if !encoded && name.contains(odd) && self.homes.len() < MOST {
            let folder = escape::decode(folder.as_bytes());
            self.homes.insert(String::from_utf8_lossy(&folder).into_owned());
        }
    }

    /// Adds the names of other logs.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.homes.extend(other.homes);
        self.owners.extend(other.owners);
        self.mentioned.extend(other.mentioned);
        self
    }

    /// Adds the names to rules, which then redact them.
    pub fn add_to(self, rules: &mut RedactRules) {
        rules.home_dirs.extend(self.homes.into_iter().take(MOST));
        rules.user_names.extend(self.owners.into_iter().take(MOST));
        rules.path_names.extend(self.mentioned.into_iter().take(MOST));
        for names in [&mut rules.home_dirs, &mut rules.user_names, &mut rules.path_names] {
            names.sort_unstable();
            names.dedup();
        }
    }
}

/// Finds the home folder around the name of the folder above it, and the person's name in it.
fn home_at(part: &[u8], above: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let before = above.start.checked_sub(1)?;
    let text = PlainBytes::plain(part);
    let end = above.end + 1;
    let folder = match (part[before], part.get(above.end)?) {
        (b'/', b'/') => home::folder(text, before..end)?,
        (b'\\', b'\\') => home::folder(text, above.start..end)?,
        (b'-', b'-') => home::encoded(text, before..end)?,
        _ => return None,
    };
    let name = end.min(folder.end)..folder.end;
    Some((folder, name))
}

#[cfg(test)]
mod tests {
    use super::super::{Redactor, SecretTally};
    use super::*;

    fn learned(log: &str) -> Redactor {
        let mut people = People::default();
        people.learn(log.as_bytes(), log.len());
        let mut rules = RedactRules::default();
        people.add_to(&mut rules);
        Redactor::new(&rules)
    }

    #[test]
    fn the_owner_of_a_log_is_redacted_wherever_it_is_a_word() {
        let log = r#"{"text":"/Users/fred.flint","cwd":"/Users/fred.flint/src","x":1}
            {"cwd":"C:\\Users\\barney\\src"}"#;
        let redactor = learned(log);
        for (text, expected) in [
            ("drwx 2 fred.flint staff", "drwx 2 [redacted:user] staff"),
            ("feature/barney-x", "feature/[redacted:user]-x"),
            ("-Users-fred-flint-src", "[redacted:home]-src"),
            ("%2Fmnt%2Fbarney%2F", "%2Fmnt%2F[redacted:user]%2F"),
            ("/scratch/barney/x", "/scratch/[redacted:user]/x"),
        ] {
            assert_eq!(redactor.text(text, &mut SecretTally::default()), expected);
        }
    }

    #[test]
    fn a_name_that_is_mentioned_is_redacted_in_paths() {
        let log = r#"{"text":"see /home/betty/x, C:\\Users\\pebbles\\y and -Users-dino-app"}"#;
        let redactor = learned(log);
        for (text, expected) in [
            ("/media/betty/usb", "/media/[redacted:user]/usb"),
            ("cd ~betty", "cd ~[redacted:user]"),
            ("D:\\data\\pebbles\\x", "D:\\data\\[redacted:user]\\x"),
            ("-scratch-betty-app", "-scratch-[redacted:user]-app"),
            ("%2Fmedia%2Fdino%2F", "%2Fmedia%2F[redacted:user]%2F"),
            ("betty said x/bettys y-betty-z", "betty said x/bettys y-betty-z"),
        ] {
            assert_eq!(redactor.text(text, &mut SecretTally::default()), expected);
        }
    }

    #[test]
    fn pages_and_folders_of_programs_are_no_one() {
        let log = r#"{"text":"href=\"/home/about\" src/home/widgetry/x /home/user/y /home/ab/z"}"#;
        let redactor = learned(log);
        let kept = "src/about/x src/widgetry/x /srv/user/x /srv/ab/x";
        assert_eq!(redactor.text(kept, &mut SecretTally::default()), kept);
    }
}
