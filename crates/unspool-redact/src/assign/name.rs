//! Which names stand for secrets.

use super::super::Kind;

/// A name that stands for a secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Name {
    pub(super) kind: Kind,
    pub(super) trust: Trust,
}

/// How sure a name alone is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trust {
    /// The name of a header: a scheme and a token are its value.
    Header,
    /// Whatever is assigned to it is secret.
    Sure,
    /// What is assigned to it is secret if it looks random.
    Perhaps,
}

/// Ends of names, letters and digits only, and how sure they are.
const ENDS: &[(&str, Trust)] = &[
    ("password", Trust::Sure),
    ("passwd", Trust::Sure),
    ("passphrase", Trust::Sure),
    ("passcode", Trust::Sure),
    ("secret", Trust::Sure),
    ("secretkey", Trust::Sure),
    ("secretaccesskey", Trust::Sure),
    ("apikey", Trust::Sure),
    ("privatekey", Trust::Sure),
    ("encryptionkey", Trust::Sure),
    ("signingkey", Trust::Sure),
    ("masterkey", Trust::Sure),
    ("accountkey", Trust::Sure),
    ("sharedaccesskey", Trust::Sure),
    ("authtoken", Trust::Sure),
    ("accesstoken", Trust::Sure),
    ("refreshtoken", Trust::Sure),
    ("bearertoken", Trust::Sure),
    ("apitoken", Trust::Sure),
    ("bottoken", Trust::Sure),
    ("subscriptionkey", Trust::Sure),
    ("authkey", Trust::Perhaps),
    ("functionskey", Trust::Perhaps),
    ("accesskey", Trust::Perhaps),
    ("licensekey", Trust::Perhaps),
    ("sharedkey", Trust::Perhaps),
    ("deploykey", Trust::Perhaps),
    ("servicekey", Trust::Perhaps),
    ("adminkey", Trust::Perhaps),
    ("servicerolekey", Trust::Perhaps),
    ("clientkey", Trust::Perhaps),
    ("consumerkey", Trust::Perhaps),
    ("storagekey", Trust::Perhaps),
    ("jwtkey", Trust::Perhaps),
    ("hmackey", Trust::Perhaps),
    ("token", Trust::Perhaps),
    ("credential", Trust::Perhaps),
    ("authorization", Trust::Header),
];

/// Ends that must be a word of their own: `db_pass`, `PGPASS`, but not `compass`.
const WORDS: &[(&str, Trust)] = &[
    ("pass", Trust::Sure),
    ("pwd", Trust::Sure),
    ("auth", Trust::Perhaps),
];

/// Words after the word that counts: `PASSWORD_PROD`, `SECRET_KEY_BASE`.
const TAILS: &str = "\
    prod production dev staging test live local value base text plain raw old new string default \
    admin root main primary secondary";

/// Beginnings that make a token no secret: it pages, cancels or belongs to a parser.
const HARMLESS: &str = "\
    nextpage next page continuation cancellation cancel sync resume max num current last first \
    pad eos bos unk stop design start end";

/// Parts of names that are worth a look, in small letters, with what may follow them: a
/// letter of the word, or what ends a name.
const PARTS: &[(&str, &str)] = &[
    ("pass", "wpc=:\"'`]\\"),
    ("pwd", ""),
    ("secret", ""),
    ("token", ""),
    ("credential", ""),
    ("authorization", ""),
    ("_auth", ""),
];

/// Returns literals of which one stands in every name: each part in small letters, capitals and
/// with a capital at its start; and each key with a letter of the word before it, joined in any way.
pub(super) fn literals() -> Vec<String> {
    let mut literals = Vec::new();
    for (part, behind) in PARTS {
        let mut capital = part.to_string();
        capital[..1].make_ascii_uppercase();
        for spelled in [part.to_string(), part.to_ascii_uppercase(), capital] {
            let upper = spelled.ends_with(|end: char| end.is_ascii_uppercase());
            let letters = behind
                .chars()
                .map(|end| if upper { end.to_ascii_uppercase() } else { end });
            literals.extend(letters.map(|end| format!("{spelled}{end}")));
            if behind.is_empty() {
                literals.push(spelled);
            }
        }
    }
    literals.push("--pass ".to_owned());
    for stem in ENDS.iter().filter_map(|(end, _)| end.strip_suffix("key")) {
        let last = &stem[stem.len() - 2..];
        let upper = last.to_ascii_uppercase();
        for joint in ["key", "_key", "-key", "Key", "-Key"] {
            literals.push(format!("{last}{joint}"));
        }
        for joint in ["KEY", "_KEY", "-KEY"] {
            literals.push(format!("{upper}{joint}"));
        }
    }
    literals.sort_unstable();
    literals.dedup();
    literals
}

impl Name {
    /// Reads a name of letters, digits, `_`, `-` and `.`.
    pub(super) fn read(name: &[u8]) -> Option<Self> {
        let name = str::from_utf8(name).ok()?;
        let name = without_tail(name.trim_end_matches(|end: char| !end.is_ascii_alphabetic()));
        let plain: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_lowercase())
            .collect();
        let word = || WORDS.iter().find(|(word, _)| ends_with_word(name, word));
        let (end, trust) = longest(&plain).or_else(word)?;
        let before = plain.strip_suffix(end).unwrap_or_default();
        let harmless = *end == "token" && HARMLESS.split(' ').any(|start| before.ends_with(start));
        (!harmless).then(|| Self {
            kind: kind(&plain, end),
            trust: *trust,
        })
    }

    /// Tells whether a name ends as variables of the environment do: in capitals.
    pub(super) fn is_upper(&self, name: &[u8]) -> bool {
        let letters = name.iter().rev().filter(|byte| byte.is_ascii_alphabetic());
        self.trust != Trust::Header && letters.take(4).all(u8::is_ascii_uppercase)
    }
}

/// Tells whether a name is written as that of a header: words with dashes, each with a capital, or
/// one that begins with `x-`.
pub(super) fn is_header(name: &[u8]) -> bool {
    let extension = name.len() > 2 && name[..2].eq_ignore_ascii_case(b"x-");
    let mut words = name.split(|&byte| byte == b'-');
    let capitals =
        name.contains(&b'-') && words.all(|word| word.first().is_some_and(u8::is_ascii_uppercase));
    extension || capitals
}

/// Returns the longest end that fits: `apitoken` before `token`.
fn longest(plain: &str) -> Option<&'static (&'static str, Trust)> {
    let fitting = ENDS.iter().filter(|(end, _)| plain.ends_with(end));
    fitting.max_by_key(|(end, _)| end.len())
}

fn kind(plain: &str, end: &str) -> Kind {
    match end {
        "secretaccesskey" => Kind::known("aws-secret"),
        "accountkey" | "sharedaccesskey" => Kind::known("azure-key"),
        _ if end.starts_with("pass") || end == "pwd" => Kind::PASSWORD,
        "secretkey" if plain.starts_with("aws") => Kind::known("aws-secret"),
        "authorization" | "auth" => Kind::TOKEN,
        _ if end.ends_with("token") => Kind::TOKEN,
        _ => Kind::SECRET,
    }
}

/// Takes one word away that says which of several secrets it is.
fn without_tail(name: &str) -> &str {
    let Some(at) = name.rfind(['_', '-', '.']) else {
        return name;
    };
    let tail = &name[at + 1..];
    let counts = TAILS.split(' ').any(|word| tail.eq_ignore_ascii_case(word));
    if counts { &name[..at] } else { name }
}

/// Tells whether the last word of a name is this one: after a `_`, `-`, `.` or a hump.
fn ends_with_word(name: &str, word: &str) -> bool {
    let Some(at) = name.len().checked_sub(word.len()) else {
        return false;
    };
    let (Some(before), Some(last)) = (name.get(..at), name.get(at..)) else {
        return false;
    };
    let hump = last.starts_with(|first: char| first.is_ascii_uppercase())
        && before.ends_with(|end: char| end.is_ascii_lowercase());
    let apart = before.is_empty() || before.ends_with(['_', '-', '.']);
    let environment = name.bytes().all(|byte| byte.is_ascii_uppercase()) && before == "PG";
    last.eq_ignore_ascii_case(word) && (hump || apart || environment)
}
