//! Warnings about the files of a session.

use unspool_model::diagnostic::Diagnostic;
use unspool_store::session::Session;
use unspool_store::tail::LogFile;

use crate::ui::Ui;

/// The largest number of warnings about one file.
const REMARKS: usize = 5;

/// Prints the files of a session that could not be read, and the diagnostics of one log.
pub(super) fn say_remarks(ui: &Ui, session: &Session, file: &LogFile) {
    ui.warnings(&session.file_errors);
    let (path, log) = (file.path(), file.log());
    for Diagnostic { line, oddity } in log.diagnostics.iter().take(REMARKS) {
        ui.warning(&format!("{}:{line}: {oddity}", path.display()));
    }
    let more = log.diagnostics.len().saturating_sub(REMARKS);
    if more > 0 {
        ui.note(&format!("{more} more like these; `unspool check` lists them all"));
    }
}
