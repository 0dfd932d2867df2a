//! What is said about the files of a session that was shown.

use unspool_model::diagnostic::Diagnostic;
use unspool_store::session::Session;
use unspool_store::tail::LogFile;

use crate::ui::Ui;

/// How many remarks about one file are said.
const REMARKS: usize = 5;

/// Says which files of a session could not be read, and what is odd about the bytes of one.
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
