//! Single files of an extreme shape, made when they are first asked for.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use unspool_testkit::generate;

/// A file of an extreme shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileShape {
    Chain { entries: u64 },
    Forks { entries: u64, forks: u64 },
    LongLine { bytes: u64 },
    Nested { depth: u64 },
}

/// One shape of each kind, as large as the budgets speak of.
pub(crate) const FULL: [FileShape; 4] = [
    FileShape::Chain { entries: 1_000_000 },
    FileShape::Forks { entries: 1_000_000, forks: 10_000 },
    FileShape::LongLine { bytes: 200_000_000 },
    FileShape::Nested { depth: 100_000 },
];

impl FileShape {
    /// Returns the shape at a fraction of its size.
    pub(crate) fn part(self, divisor: u64) -> Self {
        match self {
            Self::Chain { entries } => Self::Chain { entries: entries / divisor },
            Self::Forks { entries, forks } => {
                Self::Forks { entries: entries / divisor, forks: forks / divisor }
            }
            Self::LongLine { bytes } => Self::LongLine { bytes: bytes / divisor },
            Self::Nested { depth } => Self::Nested { depth: depth / divisor },
        }
    }

    /// Returns the name of the kind.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Chain { .. } => "chain",
            Self::Forks { .. } => "forks",
            Self::LongLine { .. } => "long line",
            Self::Nested { .. } => "nested",
        }
    }

    fn file_name(self) -> String {
        match self {
            Self::Chain { entries } => format!("chain-{entries}.jsonl"),
            Self::Forks { entries, forks } => format!("forks-{entries}-{forks}.jsonl"),
            Self::LongLine { bytes } => format!("line-{bytes}.jsonl"),
            Self::Nested { depth } => format!("nested-{depth}.jsonl"),
        }
    }

    fn write(self, file: &mut File) -> io::Result<()> {
        let written = match self {
            Self::Chain { entries } => generate::chain(file, entries),
            Self::Forks { entries, forks } => generate::forks(file, entries, forks),
            Self::LongLine { bytes } => generate::long_line(file, bytes),
            Self::Nested { depth } => generate::nested(file, depth),
        };
        written.map(|_| ())
    }
}

/// Writes the size, without the kind.
impl fmt::Display for FileShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chain { entries } => write!(f, "{}", short(*entries)),
            Self::Forks { entries, forks } => write!(f, "{}/{}", short(*entries), short(*forks)),
            Self::LongLine { bytes } => write!(f, "{} MB", bytes / 1_000_000),
            Self::Nested { depth } => write!(f, "{}", short(*depth)),
        }
    }
}

fn short(number: u64) -> String {
    match number {
        _ if number >= 1_000_000 && number.is_multiple_of(1_000_000) => {
            format!("{}M", number / 1_000_000)
        }
        _ if number >= 1_000 && number.is_multiple_of(1_000) => format!("{}k", number / 1_000),
        _ => number.to_string(),
    }
}

/// The files of this run.
pub(crate) struct Shapes {
    folder: PathBuf,
}

impl Shapes {
    /// Puts the files into a folder.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.join("shapes") }
    }

    /// Returns the file of a shape, with its size.
    pub(crate) fn file(&self, shape: FileShape) -> io::Result<(PathBuf, u64)> {
        let path = self.folder.join(shape.file_name());
        if !path.exists() {
            fs::create_dir_all(&self.folder)?;
            let unfinished = path.with_extension("part");
            shape.write(&mut File::create(&unfinished)?)?;
            fs::rename(&unfinished, &path)?;
        }
        let bytes = fs::metadata(&path)?.len();
        Ok((path, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_keeps_the_kind() {
        let sizes: Vec<String> = FULL.iter().map(|shape| shape.part(2).to_string()).collect();
        assert_eq!(sizes, ["500k", "500k/5k", "100 MB", "50k"]);
        for shape in FULL {
            assert_eq!(shape.part(20).kind(), shape.kind());
        }
    }

    #[test]
    fn a_file_is_made_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let shapes = Shapes::in_folder(folder.path());
        let shape = FileShape::Chain { entries: 10 };
        let (path, bytes) = shapes.file(shape).expect("writes");
        assert_eq!(fs::read(&path).expect("reads").len() as u64, bytes);
        fs::write(&path, "x").expect("writes");
        assert_eq!(shapes.file(shape).expect("reads"), (path, 1));
    }
}
