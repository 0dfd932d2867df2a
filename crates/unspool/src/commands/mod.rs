//! One module for each command: its arguments, one request to the library, and printing.

pub(crate) mod archive;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod drive;
pub(crate) mod export;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod pick;
pub(crate) mod recap;
mod remarks;
pub(crate) mod resume;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod tree;
pub(crate) mod watch;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// The largest number of lines of a command's file.
    const MOST: usize = 200;

    #[test]
    fn files_of_commands_are_short() {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands")];
        while let Some(folder) = folders.pop() {
            for item in fs::read_dir(folder).expect("a folder") {
                let path = item.expect("an item").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let lines = fs::read_to_string(&path).expect("a file").lines().count();
                assert!(lines <= MOST, "{} has {lines} lines", path.display());
            }
        }
    }
}
