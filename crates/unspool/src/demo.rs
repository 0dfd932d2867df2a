//! A made-up home inside the binary, for users without sessions.
//!
//! The home is unpacked into a temporary folder and deleted at the end of the run. Each log gets the time
//! of its last entry as its modification time, so "newest" means the same as for real logs.

#![expect(clippy::disallowed_methods, reason = "the demo is unpacked into a folder of its own")]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use unspool_model::log::Log;
use unspool_model::time::Time;
use unspool_store::home::layout;

macro_rules! files {
    ($($path:literal,)*) => {
        &[$(($path, include_bytes!(concat!("../demo/home/", $path)))),*]
    };
}

/// All files of the home with their paths.
const FILES: &[(&str, &[u8])] = files![
    "file-history/418c61d3-8df5-498c-8174-194179093da7/40a2ff4fa74d1d01@v1",
    "file-history/418c61d3-8df5-498c-8174-194179093da7/43b3eb8723bb8620@v1",
    "file-history/418c61d3-8df5-498c-8174-194179093da7/43b3eb8723bb8620@v2",
    "file-history/418c61d3-8df5-498c-8174-194179093da7/a487f1dcef745365@v1",
    "file-history/418c61d3-8df5-498c-8174-194179093da7/a487f1dcef745365@v2",
    "file-history/418c61d3-8df5-498c-8174-194179093da7/a487f1dcef745365@v3",
    "file-history/418c61d3-8df5-498c-8174-194179093da7/ea34edde974d8915@v1",
    "file-history/418c61d3-8df5-498c-8174-194179093da7/ea34edde974d8915@v2",
    "file-history/418c61d3-8df5-498c-8174-194179093da7/ea34edde974d8915@v3",
    "file-history/418c61d3-8df5-498c-8174-194179093da7/f0ce556ddef62da3@v2",
    "file-history/4ba648c7-a2f3-46b0-9c34-713ce5b4c5b4/7f13488a5a2c83c7@v1",
    "file-history/4ba648c7-a2f3-46b0-9c34-713ce5b4c5b4/7f13488a5a2c83c7@v2",
    "file-history/4ba648c7-a2f3-46b0-9c34-713ce5b4c5b4/7f13488a5a2c83c7@v3",
    "history.jsonl",
    "plans/posts-from-markdown-quiet-lantern.md",
    "projects/-home-dev-lanterna-site/7b59812e-78d4-4bbe-aa2a-c04903735e7c.jsonl",
    "projects/-home-dev-lanterna-site/95ed253b-884c-4712-8efe-c57bebb36cc3.jsonl",
    "projects/-home-dev-lanterna-site/a828d6d4-8af5-4765-b679-ffb019157da0.jsonl",
    "projects/-home-dev-lanterna-site/ae665bbb-a107-46a8-bd71-82356e44f054.jsonl",
    "projects/-home-dev-notes/1cd74a85-83d0-49f3-b7fe-8107b32eae4b.jsonl",
    "projects/-home-dev-notes/378ba99a-cb38-4037-a835-19aba2d9e136.jsonl",
    "projects/-home-dev-notes/43e6d206-1d92-410f-95cd-a6563da55a00.jsonl",
    "projects/-home-dev-notes/a9ebd74d-e713-4d2b-99d3-b22c901672a7.jsonl",
    "projects/-home-dev-notes/agent-8d782bc6.jsonl",
    "projects/-home-dev-notes/e86afe98-3ca4-4fe9-afbf-67914f4ad30e.jsonl",
    "projects/-home-dev-tidepool/418c61d3-8df5-498c-8174-194179093da7.jsonl",
    "projects/-home-dev-tidepool/418c61d3-8df5-498c-8174-194179093da7/custom-title.json",
    "projects/-home-dev-tidepool/46e1edf5-ff12-4658-bc07-637a4d08dd66.jsonl",
    "projects/-home-dev-tidepool/46e1edf5-ff12-4658-bc07-637a4d08dd66/tool-results/toolu_01KHuTScvjiyqL5D4ACmTTy8.txt",
    "projects/-home-dev-tidepool/4ba648c7-a2f3-46b0-9c34-713ce5b4c5b4.jsonl",
    "projects/-home-dev-tidepool/5f425fae-57da-4e8b-a397-af7f73dc191e.jsonl",
    "projects/-home-dev-tidepool/5f425fae-57da-4e8b-a397-af7f73dc191e/subagents/agent-a0ab4f5a87d2572d6.jsonl",
    "projects/-home-dev-tidepool/5f425fae-57da-4e8b-a397-af7f73dc191e/subagents/agent-a0ab4f5a87d2572d6.meta.json",
    "projects/-home-dev-tidepool/5f425fae-57da-4e8b-a397-af7f73dc191e/subagents/agent-a7448df777ae7188e.jsonl",
    "projects/-home-dev-tidepool/5f425fae-57da-4e8b-a397-af7f73dc191e/subagents/agent-a7448df777ae7188e.meta.json",
    "projects/-home-dev-tidepool/5f425fae-57da-4e8b-a397-af7f73dc191e/subagents/agent-ae6fbb74d797d3dec.jsonl",
    "projects/-home-dev-tidepool/5f425fae-57da-4e8b-a397-af7f73dc191e/subagents/agent-ae6fbb74d797d3dec.meta.json",
    "projects/-home-dev-tidepool/b961a680-f01f-4011-aede-fea10619290c.jsonl",
    "tasks/418c61d3-8df5-498c-8174-194179093da7/1.json",
    "tasks/418c61d3-8df5-498c-8174-194179093da7/2.json",
    "tasks/418c61d3-8df5-498c-8174-194179093da7/3.json",
    "todos/378ba99a-cb38-4037-a835-19aba2d9e136-agent-378ba99a-cb38-4037-a835-19aba2d9e136.json",
];

/// Returns the home in the folder that the demo is unpacked in.
pub(crate) fn home(unpacked: &Path) -> PathBuf {
    unpacked.join(layout::DEFAULT_HOME)
}

/// Unpacks the home.
pub(crate) fn unpack() -> io::Result<TempDir> {
    let dir = tempfile::Builder::new().prefix("unspool-demo-").tempdir()?;
    for (path, bytes) in FILES {
        let path = home(dir.path()).join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, bytes)?;
        if layout::is_log(&path) {
            date(&path, bytes)?;
        }
    }
    Ok(dir)
}

fn date(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let ended = Log::read(bytes).facts.ended.map_or(0, Time::as_millis);
    let since_epoch = Duration::from_millis(ended.unsigned_abs());
    File::options().write(true).open(path)?.set_modified(SystemTime::UNIX_EPOCH + since_epoch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_in_the_binary() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/home");
        let mut listed: Vec<_> = FILES.iter().map(|(path, _)| root.join(path)).collect();
        listed.sort();
        assert_eq!(unspool_testkit::files_below(&root), listed);
    }
}
