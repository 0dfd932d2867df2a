//! The data folder, for state that cannot be rebuilt from logs.
//!
//! This module knows where the folder is and checks that it is private; its content belongs to other modules.

use std::io;
use std::path::Path;

use super::Library;
use super::error::{DataFolderError, LibraryError};
use unspool_store::files::private::{is_open_to_others, make_private};

impl Library {
    /// Returns the data folder; creates it if it does not exist. A folder that other users can open
    /// is an error, since they could read the state in it.
    pub fn data_folder(&self) -> Result<&Path, LibraryError> {
        let folder = self.settings.data.as_deref();
        let folder = folder.ok_or(DataFolderError::NoPlace)?;
        let failed =
            |error: io::Error| DataFolderError::Unusable { path: folder.to_owned(), error };
        make_private(folder).map_err(failed)?;
        if is_open_to_others(folder).map_err(failed)? {
            return Err(DataFolderError::OpenToOthers(folder.to_owned()).into());
        }
        Ok(folder)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;
    use std::time::SystemTime;

    use super::*;
    use crate::library::{ErrorClass, LibraryClock, LibrarySettings};

    fn library(data: Option<PathBuf>) -> Library {
        let clock = LibraryClock::fixed(SystemTime::UNIX_EPOCH);
        let settings = LibrarySettings { data, ..LibrarySettings::of_home("/nowhere", clock) };
        Library::open(settings).expect("a library")
    }

    #[test]
    fn it_is_made_private_and_refused_if_it_is_not() {
        let around = tempfile::tempdir().expect("a folder");
        let folder = around.path().join("share/unspool");
        let library = library(Some(folder.clone()));
        assert_eq!(library.data_folder().expect("a folder"), folder);
        let permissions = fs::metadata(&folder).expect("a folder").permissions();
        assert_eq!(permissions.mode() & 0o777, 0o700);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o750)).expect("permissions");
        let error = library.data_folder().expect_err("a refusal");
        assert_eq!(error.class(), ErrorClass::Unreadable);
        assert!(error.to_string().contains("chmod 700"), "{error}");
    }

    #[test]
    fn without_a_place_there_is_none() {
        let error = library(None).data_folder().expect_err("an error");
        assert!(matches!(error, LibraryError::Data(DataFolderError::NoPlace)));
    }
}
