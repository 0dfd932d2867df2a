//! Ids that are unique across processes, and the current time.

use std::fs::File;
use std::io::Read as _;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::{ids, time};

/// Returns a new uuid.
pub(crate) fn new_uuid() -> String {
    let (high, low) = random();
    String::from_utf8_lossy(&ids::format_uuid(high, low)).into_owned()
}

/// Returns a new id with a prefix, such as `toolu_01…`.
pub(crate) fn new_id(prefix: &str) -> String {
    let (high, low) = random();
    format!("{prefix}{high:016X}{:08X}", low >> 32)
}

fn random() -> (u64, u64) {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .expect("the system gives random bytes");
    let bits = u128::from_le_bytes(bytes);
    ((bits >> 64) as u64, bits as u64)
}

/// Returns the time in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
    since_epoch.map_or(0, |time| time.as_millis() as i64)
}

/// Returns the time in the format of logs.
pub(crate) fn now_iso() -> String {
    time::iso(now_ms())
}
