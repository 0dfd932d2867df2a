//! Checks that outputs that were too long for the log exist as side files.

use std::path::PathBuf;

use unspool_model::entry::Flags;
use unspool_model::record::Record;

use super::findings::{Findings, quoted};
use super::{CheckedFile, RuleId};
use unspool_store::home::{layout, resolve_spilled};

pub(super) fn check(subject: &CheckedFile<'_>, findings: &mut Findings) {
    let log = subject.log;
    let folder = folder(subject);
    let mut reader = subject.file.reader();
    for entry in log.entries.iter().filter(|entry| entry.flags.has(Flags::SPILLED)) {
        let path = match reader.bytes(entry.span) {
            Ok(bytes) => Record::read(bytes).spilled_path(),
            Err(error) => {
                findings.whole(RuleId::UnreadableFile, || format!("cannot be read: {error}"));
                return;
            }
        };
        let Some(path) = path else { continue };
        let found = folder.as_deref().and_then(|folder| resolve_spilled(folder, &path));
        if found.is_none() {
            findings.at(RuleId::MissingSpilledOutput, log, entry, || {
                format!("its output {} is not there", quoted(&path))
            });
        }
    }
}

/// Returns the session's folder, which also contains an agent's file that was opened by itself.
fn folder(subject: &CheckedFile<'_>) -> Option<PathBuf> {
    let around = || layout::session_folder_of(subject.file.path()).map(Into::into);
    subject.session.dir.clone().or_else(around)
}
