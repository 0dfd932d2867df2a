//! Exports: which transcripts are written, their names and their content.

mod hostile;
mod inert;
mod layout;
mod pages;
mod paths;
mod real;
mod secrets;
mod usage;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use unspool_testkit::{TestHome, files_below};

use crate::run::{Ran, SESSION, run};

/// The files of an export by name, including those in folders.
pub(crate) struct Exported {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) ran: Ran,
}

impl Exported {
    /// Returns the names of the files.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.files.keys().map(String::as_str).collect()
    }

    /// Returns the names of the files with an extension.
    pub(crate) fn ending(&self, extension: &str) -> Vec<&str> {
        let mut names = self.names();
        names.retain(|name| Path::new(name).extension().is_some_and(|end| end == extension));
        names
    }

    /// Returns the text of a file.
    pub(crate) fn text(&self, name: &str) -> &str {
        let file = self.files.get(name);
        let file = file.unwrap_or_else(|| panic!("no {name} in {:?}", self.names()));
        std::str::from_utf8(file).expect("UTF-8")
    }

    /// Returns the text of the only file.
    pub(crate) fn only(&self) -> &str {
        assert_eq!(self.files.len(), 1, "{:?}", self.names());
        self.text(self.names()[0])
    }

    /// Returns the texts of all text files, below each other.
    pub(crate) fn all(&self) -> String {
        let mut all = String::new();
        for name in self.names() {
            let bytes = self.files[name].len();
            let text = if name.contains("_files/") {
                format!("({bytes} bytes)\n")
            } else {
                self.text(name).to_owned()
            };
            writeln!(all, "======== {name}").expect("room");
            all.push_str(&text);
        }
        all
    }
}

/// Returns the name of a transcript of the session that most tests export.
fn name(ending: &str) -> String {
    format!("transcript_{SESSION}{ending}")
}

/// Exports into an empty folder.
pub(crate) fn export(home: &TestHome, args: &[&str]) -> Exported {
    let folder = home.user_home().join("exported");
    let _ = fs::remove_dir_all(&folder);
    let out = folder.display().to_string();
    let ran = run(home, &[&["export", "--out", &out], args].concat());
    let files = files_below(&folder).into_iter().map(|path| {
        let name = path.strip_prefix(&folder).expect("inside").display().to_string();
        (name, fs::read(&path).expect("a file"))
    });
    Exported { files: files.collect(), ran }
}
