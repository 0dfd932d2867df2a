//! The marker of an archive: a file that identifies a folder as an archive and lists its homes.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The file name of the marker.
pub const MARKER: &str = "unspool-archive.json";
/// The value of the marker's `format` field.
const FORMAT: &str = "unspool-archive";
/// The version of the layout.
const VERSION: u32 = 1;
/// A longer file is not a marker. Chosen by judgement: a marker has about a hundred bytes per home.
const LONGEST: u64 = 1 << 20;

/// A home in an archive.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ArchivedHome {
    /// The name of its folder in the archive.
    pub folder: String,
    /// Where the home was when it was first archived.
    pub from: String,
}

/// The content of the marker.
#[derive(Serialize, Deserialize)]
pub(crate) struct ArchiveMarker {
    format: String,
    version: u32,
    /// The homes in the archive.
    pub(crate) homes: Vec<ArchivedHome>,
}

/// Why a marker cannot be used.
#[derive(Debug)]
pub(crate) enum MarkerFault {
    /// The folder has no marker.
    Missing,
    /// The marker cannot be read.
    Unreadable(io::Error),
    /// The marker is damaged or not ours, for this reason.
    Wrong(String),
    /// A newer release wrote the marker, with this version of the layout.
    Newer(u32),
}

impl ArchiveMarker {
    /// Makes the marker of an archive with these homes.
    pub(crate) fn new(homes: Vec<ArchivedHome>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, homes }
    }

    /// Reads and checks the marker of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, MarkerFault> {
        let path = folder.join(MARKER);
        let bytes = match fs::metadata(&path) {
            Ok(data) if data.is_file() && data.len() <= LONGEST => {
                fs::read(&path).map_err(MarkerFault::Unreadable)?
            }
            _ => return Err(MarkerFault::Missing),
        };
        let marker: Self = serde_json::from_slice(&bytes)
            .map_err(|error| MarkerFault::Wrong(error.to_string()))?;
        if marker.format != FORMAT {
            let reason = format!("its format is `{}`", marker.format);
            return Err(MarkerFault::Wrong(reason));
        }
        if marker.version > VERSION {
            return Err(MarkerFault::Newer(marker.version));
        }
        // The name becomes part of a path, and an archive may come from an untrusted source.
        let odd = |home: &&ArchivedHome| !is_home_folder(&home.folder);
        if let Some(home) = marker.homes.iter().find(odd) {
            let reason = format!("`{}` is not one of its folders", home.folder);
            return Err(MarkerFault::Wrong(reason));
        }
        Ok(marker)
    }
}

/// Returns whether a name has the form that archives give to folders of homes.
pub(crate) fn is_home_folder(name: &str) -> bool {
    let number = name.strip_prefix("home-").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}
