//! Names whose values are secrets.

use super::super::SecretKind;

/// A name whose value is a secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SecretName {
    pub(super) kind: SecretKind,
    pub(super) trust: NameTrust,
}

/// How reliable a name is as a sign of a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NameTrust {
    /// The name of a header, whose value is a scheme and a token.
    Header,
    /// Any assigned value is a secret.
    Sure,
    /// An assigned value is a secret if it looks random.
    Perhaps,
}

/// Ends of names, in letters and digits only, with their trust.
const ENDS: &[(&str, NameTrust)] = &[
    ("password", NameTrust::Sure),
    ("passwd", NameTrust::Sure),
    ("passphrase", NameTrust::Sure),
    ("passcode", NameTrust::Sure),
    ("secret", NameTrust::Sure),
    ("secretkey", NameTrust::Sure),
    ("secretaccesskey", NameTrust::Sure),
    ("apikey", NameTrust::Sure),
    ("privatekey", NameTrust::Sure),
    ("encryptionkey", NameTrust::Sure),
    ("signingkey", NameTrust::Sure),
    ("masterkey", NameTrust::Sure),
    ("accountkey", NameTrust::Sure),
    ("sharedaccesskey", NameTrust::Sure),
    ("authtoken", NameTrust::Sure),
    ("accesstoken", NameTrust::Sure),
    ("refreshtoken", NameTrust::Sure),
    ("bearertoken", NameTrust::Sure),
    ("apitoken", NameTrust::Sure),
    ("bottoken", NameTrust::Sure),
    ("subscriptionkey", NameTrust::Sure),
    ("authkey", NameTrust::Perhaps),
    ("functionskey", NameTrust::Perhaps),
    ("accesskey", NameTrust::Perhaps),
    ("licensekey", NameTrust::Perhaps),
    ("sharedkey", NameTrust::Perhaps),
    ("deploykey", NameTrust::Perhaps),
    ("servicekey", NameTrust::Perhaps),
    ("adminkey", NameTrust::Perhaps),
    ("servicerolekey", NameTrust::Perhaps),
    ("clientkey", NameTrust::Perhaps),
    ("consumerkey", NameTrust::Perhaps),
    ("storagekey", NameTrust::Perhaps),
    ("jwtkey", NameTrust::Perhaps),
    ("hmackey", NameTrust::Perhaps),
    ("token", NameTrust::Perhaps),
    ("credential", NameTrust::Perhaps),
    ("authorization", NameTrust::Header),
];

/// Ends that must be whole words: `db_pass`, `PGPASS`, but not `compass`.
const WORDS: &[(&str, NameTrust)] =
    &[("pass", NameTrust::Sure), ("pwd", NameTrust::Sure), ("auth", NameTrust::Perhaps)];

/// Words that may follow the end of a name: `PASSWORD_PROD`, `SECRET_KEY_BASE`.
const TAILS: &str = "\
    prod production dev staging test live local value base text plain raw old new string default \
    admin root main primary secondary";

/// Words before `token` that make it harmless: tokens for paging, cancelling or parsing.
const HARMLESS: &str = "\
    nextpage next page continuation cancellation cancel sync resume max num current last first \
    pad eos bos unk stop design start end";

/// Parts of names that may matter, in lower case, with the characters that may follow them: a
/// letter of the word, or the end of the name.
const PARTS: &[(&str, &str)] = &[
    ("pass", "wpc=:\"'`]\\"),
    ("pwd", ""),
    ("secret", ""),
    ("token", ""),
    ("credential", ""),
    ("authorization", ""),
    ("_auth", ""),
];

/// Returns literals, one of which is in every name: each part in lower case, in upper case and
/// with a capital first letter; and each key with the letters before it, joined in any way.
pub(super) fn literals() -> Vec<String> {
    let mut literals = Vec::new();
    for (part, following) in PARTS {
        let mut capital = part.to_string();
        capital[..1].make_ascii_uppercase();
        for spelled in [part.to_string(), part.to_ascii_uppercase(), capital] {
            let upper = spelled.ends_with(|end: char| end.is_ascii_uppercase());
            let letters =
                following.chars().map(|end| if upper { end.to_ascii_uppercase() } else { end });
            literals.extend(letters.map(|end| format!("{spelled}{end}")));
            if following.is_empty() {
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

impl SecretName {
    /// Reads a name of letters, digits, `_`, `-` and `.`; none if its values are not secrets.
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
        (!harmless).then(|| Self { kind: kind(&plain, end), trust: *trust })
    }

    /// Tells whether the end of a name is in capitals, like that of an environment variable.
    pub(super) fn is_upper(&self, name: &[u8]) -> bool {
        let letters = name.iter().rev().filter(|byte| byte.is_ascii_alphabetic());
        self.trust != NameTrust::Header && letters.take(4).all(u8::is_ascii_uppercase)
    }
}

/// Tells whether a name is written like that of a header: words joined by dashes, each with a
/// capital, or a name that begins with `x-`.
pub(super) fn is_header(name: &[u8]) -> bool {
    let extension = name.len() > 2 && name[..2].eq_ignore_ascii_case(b"x-");
    let mut words = name.split(|&byte| byte == b'-');
    let capitals =
        name.contains(&b'-') && words.all(|word| word.first().is_some_and(u8::is_ascii_uppercase));
    extension || capitals
}

/// Returns the longest matching end: `apitoken` before `token`.
fn longest(plain: &str) -> Option<&'static (&'static str, NameTrust)> {
    let fitting = ENDS.iter().filter(|(end, _)| plain.ends_with(end));
    fitting.max_by_key(|(end, _)| end.len())
}

fn kind(plain: &str, end: &str) -> SecretKind {
    match end {
        "secretaccesskey" => SecretKind::known("aws-secret"),
        "accountkey" | "sharedaccesskey" => SecretKind::known("azure-key"),
        _ if end.starts_with("pass") || end == "pwd" => SecretKind::PASSWORD,
        "secretkey" if plain.starts_with("aws") => SecretKind::known("aws-secret"),
        "authorization" | "auth" => SecretKind::TOKEN,
        _ if end.ends_with("token") => SecretKind::TOKEN,
        _ => SecretKind::SECRET,
    }
}

/// Removes a last word that distinguishes several secrets.
fn without_tail(name: &str) -> &str {
    let Some(at) = name.rfind(['_', '-', '.']) else {
        return name;
    };
    let tail = &name[at + 1..];
    let counts = TAILS.split(' ').any(|word| tail.eq_ignore_ascii_case(word));
    if counts { &name[..at] } else { name }
}

/// Tells whether `word` is the last word of a name: after a `_`, `-`, `.` or at a hump.
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
