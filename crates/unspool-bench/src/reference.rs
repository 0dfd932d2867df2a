//! The references of all results: the simplest programs that read the same bytes.

use std::fs::File;
use std::io::{self, Read as _};
use std::mem::replace;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use memchr::memchr_iter;
use serde::Serialize;
use serde::de::IgnoredAny;
use unspool_testkit::generate::NEEDLE;

use crate::logs::{self, BenchTranscript, Logs};
use crate::stopwatch::timed;

/// How many bytes are read at a time.
const CHUNK: usize = 256 * 1024;

/// How often each reference is measured before the benches.
const ROUNDS: usize = 3;

/// Times of the simplest programs in seconds, the best of all rounds. L runs on one thread and is
/// processor time; the others are wall time.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct References {
    /// R: reading all bytes with as many threads as cores.
    pub(crate) read: f64,
    /// J: parsing every line as JSON without values, with as many threads as cores.
    pub(crate) json: f64,
    /// L: splitting all bytes into lines on one thread.
    pub(crate) lines: f64,
    /// W: walking over all files with their metadata.
    pub(crate) walk: f64,
    /// G: ripgrep counting a rare word, if it is installed.
    pub(crate) grep: Option<f64>,
}

impl References {
    /// Measures each reference a few times.
    pub(crate) fn measure(logs: &Logs, threads: usize) -> io::Result<Self> {
        let mut found = Self {
            read: f64::INFINITY,
            json: f64::INFINITY,
            lines: f64::INFINITY,
            walk: f64::INFINITY,
            grep: None,
        };
        for _ in 0..ROUNDS {
            found.read_again(logs, threads)?;
            found.lines_again(logs)?;
            let (walk, ()) = timed(|| logs::walk(logs.home(), &mut |_, _| ()))?;
            found.walk = found.walk.min(walk.wall);
            found.grep_again(logs);
        }
        Ok(found)
    }

    /// Measures R and J again. A bench does so next to each of its rounds, so that both run under
    /// the same load.
    pub(crate) fn read_again(&mut self, logs: &Logs, threads: usize) -> io::Result<()> {
        let (lap, _) = timed(|| read_all(logs.transcripts(), threads, count_bytes))?;
        self.read = self.read.min(lap.wall);
        let (lap, _) = timed(|| read_all(logs.transcripts(), threads, count_json))?;
        self.json = self.json.min(lap.wall);
        Ok(())
    }

    /// Measures G again.
    pub(crate) fn grep_again(&mut self, logs: &Logs) {
        if let Some(seconds) = grep(NEEDLE, &logs.home().join("projects")) {
            self.grep = Some(self.grep.unwrap_or(f64::INFINITY).min(seconds));
        }
    }

    /// Measures L again.
    pub(crate) fn lines_again(&mut self, logs: &Logs) -> io::Result<()> {
        self.lines = self.lines.min(lines_of(logs.transcripts())?);
        Ok(())
    }
}

/// Measures L of a few files.
pub(crate) fn lines_of(files: &[BenchTranscript]) -> io::Result<f64> {
    Ok(timed(|| count_lines(files))?.0.cpu)
}

/// Applies `count` to all files with some threads, each of which takes the next file when it is done
/// with one; returns the sum.
fn read_all(files: &[BenchTranscript], threads: usize, count: CountFile) -> io::Result<u64> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut buffer = Vec::new();
        let mut sum = 0;
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            sum += count(&file.path, &mut buffer)?;
        }
        Ok(sum)
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("reading does not panic")).sum()
    })
}

/// Counts something in a file, with a buffer that is reused for the next file.
type CountFile = fn(&Path, &mut Vec<u8>) -> io::Result<u64>;

fn count_bytes(path: &Path, buffer: &mut Vec<u8>) -> io::Result<u64> {
    buffer.resize(CHUNK, 0);
    let mut bytes = 0;
    each_chunk(path, buffer, |chunk| bytes += chunk.len() as u64)?;
    Ok(bytes)
}

/// Counts the lines that are valid JSON.
fn count_json(path: &Path, buffer: &mut Vec<u8>) -> io::Result<u64> {
    buffer.clear();
    File::open(path)?.read_to_end(buffer)?;
    let mut start = 0;
    let lines = memchr_iter(b'\n', buffer).map(|end| &buffer[replace(&mut start, end + 1)..end]);
    let is_json = |line: &&[u8]| serde_json::from_slice::<IgnoredAny>(line).is_ok();
    Ok(lines.filter(is_json).count() as u64)
}

/// Counts the lines of files on one thread.
fn count_lines(files: &[BenchTranscript]) -> io::Result<u64> {
    let mut buffer = vec![0; CHUNK];
    let mut lines = 0;
    for file in files {
        each_chunk(&file.path, &mut buffer, |chunk| {
            lines += memchr_iter(b'\n', chunk).count() as u64;
        })?;
    }
    Ok(lines)
}

fn each_chunk(path: &Path, buffer: &mut [u8], mut visit: impl FnMut(&[u8])) -> io::Result<()> {
    let mut file = File::open(path)?;
    loop {
        match file.read(buffer)? {
            0 => return Ok(()),
            length => visit(&buffer[..length]),
        }
    }
}

/// Runs ripgrep, if it is installed, and returns its time in seconds. An exit code of 1 means that
/// there were no matches, which takes time too.
pub(crate) fn grep(pattern: &str, folder: &Path) -> Option<f64> {
    let mut command = Command::new("rg");
    command.args(["-uu", "-c", pattern]).arg(folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().ok()?;
    matches!(status.code(), Some(0 | 1)).then(|| start.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_every_line_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let files: Vec<BenchTranscript> = [CHUNK - 1, 0, 3 * CHUNK + 7]
            .iter()
            .enumerate()
            .map(|(index, &length)| {
                let path = folder.path().join(index.to_string());
                std::fs::write(&path, b"x\n".repeat(length)).expect("writes");
                let bytes = 2 * length as u64;
                BenchTranscript { path, bytes }
            })
            .collect();
        let lines = 4 * CHUNK as u64 + 6;
        assert_eq!(count_lines(&files).expect("reads"), lines);
        assert_eq!(read_all(&files, 2, count_bytes).expect("reads"), 2 * lines);
        assert_eq!(read_all(&files, 2, count_json).expect("reads"), 0);
        std::fs::write(&files[0].path, "{\"a\":[1]}\n[]\nx\n").expect("writes");
        assert_eq!(read_all(&files, 2, count_json).expect("reads"), 2);
    }
}
