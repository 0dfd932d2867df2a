//! Single files of extreme shapes, generated on first use.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use unspool_testkit::generate;

/// The extreme property of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ShapeKind {
    Chain,
    /// With the number of forks.
    Forks(u64),
    LongLine,
    Nested,
}

/// A file of an extreme shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileShape {
    pub(crate) kind: ShapeKind,
    /// The number of entries, the bytes of the long line, or the depth of nesting.
    size: u64,
}

/// One shape of each kind, in the sizes of the budgets.
pub(crate) const FULL: [FileShape; 4] = [
    FileShape::chain(1_000_000),
    FileShape { kind: ShapeKind::Forks(10_000), size: 1_000_000 },
    FileShape { kind: ShapeKind::LongLine, size: 200_000_000 },
    FileShape { kind: ShapeKind::Nested, size: 100_000 },
];

impl FileShape {
    /// Creates the shape of an unbroken chain of entries.
    pub(crate) const fn chain(entries: u64) -> Self {
        Self { kind: ShapeKind::Chain, size: entries }
    }

    /// Returns the shape with its size divided.
    pub(crate) fn part(self, divisor: u64) -> Self {
        let kind = match self.kind {
            ShapeKind::Forks(forks) => ShapeKind::Forks(forks / divisor),
            kind => kind,
        };
        Self { kind, size: self.size / divisor }
    }

    /// Returns the name of the kind.
    pub(crate) fn name(self) -> &'static str {
        match self.kind {
            ShapeKind::Chain => "chain",
            ShapeKind::Forks(_) => "forks",
            ShapeKind::LongLine => "long line",
            ShapeKind::Nested => "nested",
        }
    }

    fn write(self, file: &mut File) -> io::Result<()> {
        let written = match self.kind {
            ShapeKind::Chain => generate::chain(file, self.size),
            ShapeKind::Forks(forks) => generate::forks(file, self.size, forks),
            ShapeKind::LongLine => generate::long_line(file, self.size),
            ShapeKind::Nested => generate::nested(file, self.size),
        };
        written.map(|_| ())
    }
}

/// Writes the size, without the kind.
impl fmt::Display for FileShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ShapeKind::Chain | ShapeKind::Nested => f.write_str(&short(self.size)),
            ShapeKind::Forks(forks) => write!(f, "{}/{}", short(self.size), short(forks)),
            ShapeKind::LongLine => write!(f, "{} MB", self.size / 1_000_000),
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

/// The generated files of this run.
pub(crate) struct Shapes {
    folder: PathBuf,
}

impl Shapes {
    /// Creates the files in a folder.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.join("shapes") }
    }

    /// Returns the file of a shape and its size in bytes, generating it if needed.
    pub(crate) fn file(&self, shape: FileShape) -> io::Result<(PathBuf, u64)> {
        let path = self.folder.join(format!("{:?}-{}.jsonl", shape.kind, shape.size));
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
            assert_eq!(shape.part(20).name(), shape.name());
        }
    }

    #[test]
    fn a_file_is_made_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let shapes = Shapes::in_folder(folder.path());
        let shape = FileShape::chain(10);
        let (path, bytes) = shapes.file(shape).expect("writes");
        assert_eq!(fs::read(&path).expect("reads").len() as u64, bytes);
        fs::write(&path, "x").expect("writes");
        assert_eq!(shapes.file(shape).expect("reads"), (path, 1));
    }
}
