//! Finds or builds the program `scripted-client`.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::home::files_below;

const NAME: &str = "scripted-client";

/// Returns the path of the program `scripted-client`, for tests of any crate.
///
/// The program is in the parent of the folder of the test's own program, where cargo puts it when it builds
/// the whole workspace. If it is missing or older than its source, it is built, because `cargo nextest run
/// -p` of another crate does not build it. A lock makes other tests wait for the build.
///
/// # Panics
///
/// If cargo cannot build it; the message contains cargo's output.
pub fn scripted_client() -> PathBuf {
    let test = env::current_exe().expect("a test knows its own program");
    let folder = build_folder(&test);
    let program = folder.join(format!("{NAME}{}", env::consts::EXE_SUFFIX));
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !is_fresh(&program, source) {
        let lock = File::create(folder.join(format!("{NAME}.lock"))).expect("a lock file");
        lock.lock().expect("a lock");
        if !is_fresh(&program, source) {
            build(folder, source);
        }
    }
    assert!(program.is_file(), "cargo built {NAME}, but {} is not there", program.display());
    program
}

/// Returns the folder of the profile: the parent of the folder `deps` or `examples` that contains a test.
fn build_folder(test: &Path) -> &Path {
    let mut folders = test.ancestors().skip(1);
    let folder = folders.find(|folder| folder.join("deps").is_dir());
    folder.unwrap_or_else(|| {
        panic!("{} is not in a target folder, so {NAME} cannot be found from it", test.display())
    })
}

/// Tells whether a program is at least as new as all of its source files.
fn is_fresh(program: &Path, source: &Path) -> bool {
    let Some(built) = modified(program) else {
        return false;
    };
    let mut sources = files_below(&source.join("src"));
    sources.push(source.join("Cargo.toml"));
    let newest = sources.iter().map(|source| modified(source)).max();
    newest.flatten().is_some_and(|newest| newest <= built)
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

fn build(folder: &Path, source: &Path) {
    let target = folder.parent().expect("a profile's folder is in a target folder");
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--quiet", "--locked", "--bin", NAME, "--profile", profile])
        .arg("--manifest-path")
        .arg(source.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        .output()
        .unwrap_or_else(|error| panic!("cannot start cargo to build {NAME}: {error}"));
    assert!(
        output.status.success(),
        "cargo cannot build {NAME}:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_older_than_its_source_is_not_fresh() {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("crate");
        fs::create_dir_all(source.join("src/deep")).expect("folders");
        fs::write(source.join("Cargo.toml"), "").expect("written");
        let program = folder.path().join("program");
        assert!(!is_fresh(&program, &source));
        fs::write(source.join("src/deep/a.rs"), "").expect("written");
        crate::home::next_tick();
        fs::write(&program, "").expect("written");
        assert!(is_fresh(&program, &source));
        crate::home::next_tick();
        fs::write(source.join("src/deep/a.rs"), "x").expect("written");
        assert!(!is_fresh(&program, &source));
    }

    #[test]
    fn the_folder_of_the_profile_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let debug = folder.path().join("debug");
        fs::create_dir_all(debug.join("deps")).expect("folders");
        assert_eq!(build_folder(&debug.join("deps/some_test-1a")), debug);
    }
}
