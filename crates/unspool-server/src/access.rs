//! Access control: tokens, the cookie derived from a token, and one-time links.
//!
//! Every user of a machine can connect to a port on loopback, but not every user may read the logs. So a
//! request carries the read token (`Authorization: Bearer`), or a cookie that a browser got through a
//! one-time link. The token is generated once and kept in the state folder, readable by its owner only.
//! Driving has its own token; a one-time link also gives the browser a key derived from that one. A one-time
//! link contains a code of 128 bits. The server keeps a file named by the code's hash, and using the link
//! removes that file, so a code works once, even after a restart and for a link that another process made.
//! Without a state folder (the demo), tokens and codes are in memory.
//!
//! This module knows files and secrets, but not HTTP or the clock: the time is passed in.

#![expect(
    clippy::disallowed_methods,
    reason = "tokens and codes are files of the server's own, in the folder for state"
)]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// How long a one-time link is valid: long enough to walk to a phone, by judgement.
const LINK_LIFE: Duration = Duration::from_mins(10);
/// How many wrong codes within a minute block further codes.
const WRONG_CODES: u32 = 10;
/// The file of the read token, in the state folder.
const READ_TOKEN: &str = "read.token";
/// The file of the drive token, in the state folder.
const DRIVE_TOKEN: &str = "drive.token";
/// The folder of the codes of one-time links, in the state folder.
const CODES: &str = "links";

/// A secret, compared in constant time.
#[derive(Clone)]
pub struct AccessKey(String);

impl AccessKey {
    /// Wraps a secret that a person chose.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// Generates a secret of 256 random bits.
    fn random() -> Result<Self, AccessError> {
        Ok(Self(random_hex(32)?))
    }

    /// Returns the secret.
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// Returns whether the text equals the secret.
    pub fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }

    /// Derives the cookie that a browser keeps instead of the read token.
    fn cookie(&self) -> Self {
        Self(digest(&["unspool cookie", &self.0]))
    }

    /// Derives the key that a page keeps instead of the drive token.
    fn page_key(&self) -> Self {
        Self(digest(&["unspool page key", &self.0]))
    }
}

impl std::fmt::Debug for AccessKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AccessKey")
    }
}

/// The URL path of a one-time link, without the server's address: `/in/CODE`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OneTimeLink(String);

impl OneTimeLink {
    /// Returns the URL path.
    pub fn way(&self) -> &str {
        &self.0
    }
}

/// An error of loading or creating tokens and codes.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// A file with a token or a code cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The system provides no random numbers.
    #[error("no random numbers can be had: {0}")]
    Random(getrandom::Error),
}

/// The result of checking a code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CodeVerdict {
    /// The code was right, and is used up.
    Right,
    /// The code is wrong, used or expired.
    Wrong,
    /// Too many wrong codes were tried within a minute.
    TooMany,
}

/// The read token, the drive token, and the codes of one-time links.
#[derive(Debug)]
pub struct Access {
    read: AccessKey,
    cookie: AccessKey,
    drive: AccessKey,
    page_key: AccessKey,
    codes: CodeStore,
    wrong: Mutex<Option<(SystemTime, u32)>>,
}

/// The codes of one-time links: the hash of each with its expiry time.
#[derive(Debug)]
enum CodeStore {
    Folder(PathBuf),
    Memory(Mutex<HashMap<String, SystemTime>>),
}

impl Access {
    /// Reads the tokens from the state folder, or generates them there. If `chosen` is given, it
    /// serves as both tokens.
    pub fn in_folder(folder: &Path, chosen: Option<AccessKey>) -> Result<Self, AccessError> {
        let (read, drive) = match chosen {
            Some(key) => (key.clone(), key),
            None => (kept_token(&folder.join(READ_TOKEN))?, kept_token(&folder.join(DRIVE_TOKEN))?),
        };
        let codes = folder.join(CODES);
        unspool_store::files::private::make_private(&codes)
            .map_err(|error| AccessError::File { path: codes.clone(), error })?;
        Ok(Self::of(read, drive, CodeStore::Folder(codes)))
    }

    /// Generates tokens that are lost with the process. If `chosen` is given, it serves as both tokens.
    pub fn in_memory(chosen: Option<AccessKey>) -> Result<Self, AccessError> {
        let (read, drive) = match chosen {
            Some(key) => (key.clone(), key),
            None => (AccessKey::random()?, AccessKey::random()?),
        };
        Ok(Self::of(read, drive, CodeStore::Memory(Mutex::default())))
    }

    fn of(read: AccessKey, drive: AccessKey, codes: CodeStore) -> Self {
        Self {
            cookie: read.cookie(),
            page_key: drive.page_key(),
            read,
            drive,
            codes,
            wrong: Mutex::default(),
        }
    }

    /// Returns the read token.
    pub fn read_token(&self) -> &AccessKey {
        &self.read
    }

    /// Returns the drive token.
    pub fn drive_token(&self) -> &AccessKey {
        &self.drive
    }

    /// Returns the key that a page sends to drive.
    pub(crate) fn page_key(&self) -> &AccessKey {
        &self.page_key
    }

    /// Returns the cookie that a browser keeps.
    pub(crate) fn cookie(&self) -> &AccessKey {
        &self.cookie
    }

    /// Creates a link that lets one browser in, once.
    pub fn new_link(&self, now: SystemTime) -> Result<OneTimeLink, AccessError> {
        let code = random_hex(16)?;
        let (name, end) = (digest(&["unspool link", &code]), now + LINK_LIFE);
        match &self.codes {
            CodeStore::Folder(folder) => {
                forget_old(folder, now);
                let path = folder.join(name);
                write_private(&path, &seconds(end).to_string())
                    .map_err(|error| AccessError::File { path, error })?;
            }
            CodeStore::Memory(codes) => {
                let mut codes = codes.lock().unwrap_or_else(PoisonError::into_inner);
                codes.retain(|_, end| *end > now);
                codes.insert(name, end);
            }
        }
        Ok(OneTimeLink(format!("/in/{code}")))
    }

    /// Checks a code, and uses it up if it is right.
    pub(crate) fn take_code(&self, code: &str, now: SystemTime) -> CodeVerdict {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = wrong.filter(|(since, _)| {
            let age = now.duration_since(*since).unwrap_or_default();
            age < Duration::from_mins(1)
        });
        if recent.is_some_and(|(_, count)| count >= WRONG_CODES) {
            return CodeVerdict::TooMany;
        }
        if self.codes.take(&digest(&["unspool link", code]), now) {
            return CodeVerdict::Right;
        }
        let (since, count) = recent.unwrap_or((now, 0));
        *wrong = Some((since, count + 1));
        CodeVerdict::Wrong
    }
}

impl CodeStore {
    /// Removes a code and returns whether it was there and had not expired.
    fn take(&self, name: &str, now: SystemTime) -> bool {
        match self {
            Self::Folder(folder) => {
                let path = folder.join(name);
                let end = read_short(&path).ok().and_then(|text| text.parse().ok());
                let removed = fs::remove_file(&path).is_ok();
                removed && end.is_some_and(|end: u64| end > seconds(now))
            }
            Self::Memory(codes) => {
                let mut codes = codes.lock().unwrap_or_else(PoisonError::into_inner);
                codes.remove(name).is_some_and(|end| end > now)
            }
        }
    }
}

/// Reads the token from a file; generates one if the file is missing or its token is too short.
fn kept_token(path: &Path) -> Result<AccessKey, AccessError> {
    let failed = |error| AccessError::File { path: path.to_owned(), error };
    match read_short(path) {
        Ok(token) if token.len() >= 32 => return Ok(AccessKey(token)),
        Ok(_) => fs::remove_file(path).map_err(failed)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let token = AccessKey::random()?;
    match write_private(path, token.secret()) {
        Ok(()) => Ok(token),
        // Another process created the file first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            read_short(path).map(AccessKey).map_err(failed)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Reads a file of at most 256 bytes.
fn read_short(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(256).read_to_string(&mut text)?;
    Ok(text.trim().to_owned())
}

/// Creates a file that only its owner may read, unless it exists. The file appears with all of its bytes.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let unique = random_hex(8).map_err(io::Error::other)?;
    let draft = folder.join(format!(".{unique}.tmp"));
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // A hard link fails if the file exists; a rename would replace another process's file.
    options.open(&draft)?.write_all(text.as_bytes())?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    linked
}

/// Removes the files of expired codes, and drafts that a killed process left.
fn forget_old(folder: &Path, now: SystemTime) {
    for item in fs::read_dir(folder).into_iter().flatten().flatten() {
        let end = read_short(&item.path()).ok();
        let end = end.and_then(|text| text.parse::<u64>().ok());
        // Another process may be about to fill an empty draft.
        let changed = || item.metadata().and_then(|data| data.modified()).ok();
        let end = end.or_else(|| {
            changed().map(|changed| seconds(changed).saturating_add(LINK_LIFE.as_secs()))
        });
        if end.is_none_or(|end| end <= seconds(now)) {
            // A file that cannot be removed does no harm: its code has expired.
            let _ = fs::remove_file(item.path());
        }
    }
}

fn seconds(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hex(&hash.finalize())
}

fn random_hex(bytes: usize) -> Result<String, AccessError> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random).map_err(AccessError::Random)?;
    Ok(hex(&random))
}

/// Formats bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: SystemTime = SystemTime::UNIX_EPOCH;

    fn code(link: &OneTimeLink) -> &str {
        link.way().strip_prefix("/in/").expect("a way in")
    }

    #[test]
    fn a_token_is_made_once_and_kept_for_its_owner() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Access::in_folder(folder.path(), None).expect("access");
        let second = Access::in_folder(folder.path(), None).expect("access");
        assert_eq!(first.read_token().secret(), second.read_token().secret());
        assert_eq!(first.read_token().secret().len(), 64);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let file = fs::metadata(folder.path().join(READ_TOKEN)).expect("a file");
            assert_eq!(file.permissions().mode() & 0o777, 0o600);
        }
        let chosen = Access::in_folder(folder.path(), Some(AccessKey::new("mine")));
        assert!(chosen.expect("access").read_token().is("mine"));
    }

    #[test]
    fn a_code_works_once_wherever_it_was_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let server = Access::in_folder(folder.path(), None).expect("access");
        let command = Access::in_folder(folder.path(), None).expect("access");
        let memory = Access::in_memory(None).expect("access");
        for (maker, taker) in [(&command, &server), (&memory, &memory)] {
            let link = maker.new_link(NOW).expect("a link");
            assert_eq!(taker.take_code(code(&link), NOW), CodeVerdict::Right);
            assert_eq!(taker.take_code(code(&link), NOW), CodeVerdict::Wrong);
        }
    }

    #[test]
    fn a_code_grows_old() {
        let access = Access::in_memory(None).expect("access");
        let link = access.new_link(NOW).expect("a link");
        let later = NOW + LINK_LIFE;
        assert_eq!(access.take_code(code(&link), later), CodeVerdict::Wrong);
    }

    #[test]
    fn a_draft_of_another_process_stays_until_it_is_old() {
        let folder = tempfile::tempdir().expect("a folder");
        let draft = folder.path().join(".0.tmp");
        fs::write(&draft, "").expect("written");
        let changed = fs::metadata(&draft).and_then(|data| data.modified()).expect("a time");
        forget_old(folder.path(), changed);
        assert!(draft.exists());
        forget_old(folder.path(), changed + LINK_LIFE);
        assert!(!draft.exists());
    }

    #[test]
    fn guessing_ends_after_some_wrong_codes_and_begins_again_a_minute_later() {
        let access = Access::in_memory(None).expect("access");
        for _ in 0..WRONG_CODES {
            assert_eq!(access.take_code("../x", NOW), CodeVerdict::Wrong);
        }
        let link = access.new_link(NOW).expect("a link");
        assert_eq!(access.take_code(code(&link), NOW), CodeVerdict::TooMany);
        let later = NOW + Duration::from_mins(1);
        assert_eq!(access.take_code(code(&link), later), CodeVerdict::Right);
    }
}
