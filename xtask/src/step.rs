//! Runs a command line, which is printed first and named in errors.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, ensure};

/// A change to the environment: a new value, or `None` to remove the variable.
pub(crate) type EnvChange = (OsString, Option<OsString>);

/// A program with its arguments and environment. Its `Display` form can be pasted
/// into a shell.
#[derive(Debug, Clone)]
pub(crate) struct ProgramStep {
    program: &'static str,
    args: Vec<String>,
    env: Vec<(&'static str, &'static str)>,
    surroundings: Vec<EnvChange>,
    folder: Option<PathBuf>,
}

impl ProgramStep {
    /// Creates a step that runs `program`, with arguments separated by spaces.
    pub(crate) fn new(program: &'static str, args: &str) -> Self {
        Self {
            program,
            args: args.split_whitespace().map(String::from).collect(),
            env: Vec::new(),
            surroundings: Vec::new(),
            folder: None,
        }
    }

    /// Creates a step that runs the cargo that started this task.
    pub(crate) fn cargo(args: &str) -> Self {
        Self::new("cargo", args)
    }

    /// Adds arguments that may contain spaces.
    pub(crate) fn args(mut self, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable that is printed as part of the command line.
    pub(crate) fn env(mut self, name: &'static str, value: &'static str) -> Self {
        self.env.push((name, value));
        self
    }

    /// Changes the environment of the command; not printed.
    pub(crate) fn surrounded_by(mut self, changes: Vec<EnvChange>) -> Self {
        self.surroundings.extend(changes);
        self
    }

    /// Runs in `folder` instead of the current folder.
    pub(crate) fn within(mut self, folder: PathBuf) -> Self {
        self.folder = Some(folder);
        self
    }

    /// Prints the command line and runs it; an error names it.
    pub(crate) fn run(&self) -> Result<()> {
        self.announce();
        let status = self.command().status().with_context(|| self.unstarted())?;
        ensure!(status.success(), "`{self}` failed ({status})");
        Ok(())
    }

    /// Runs without output; returns whether it succeeded.
    pub(crate) fn succeeds(&self) -> bool {
        let mut command = self.command();
        command.stdin(Stdio::null());
        command.output().is_ok_and(|out| out.status.success())
    }

    /// Prints the command line, runs it, and passes each line of its standard
    /// error to `see` after echoing it.
    pub(crate) fn watch(&self, mut see: impl FnMut(&str)) -> Result<ExitStatus> {
        self.announce();
        let mut child =
            self.command().stderr(Stdio::piped()).spawn().with_context(|| self.unstarted())?;
        if let Some(pipe) = child.stderr.take() {
            each_line(BufReader::new(pipe), |bytes| {
                // A closed terminal must not end the run, so errors of the echo are ignored.
                let _ = io::stderr().write_all(bytes);
                see(String::from_utf8_lossy(bytes).trim_end());
            })
            .with_context(|| format!("cannot read the output of `{self}`"))?;
        }
        child.wait().with_context(|| format!("cannot wait for `{self}`"))
    }

    fn announce(&self) {
        eprintln!("==> {self}");
    }

    fn unstarted(&self) -> String {
        format!("cannot start `{self}`")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(executable(self.program));
        command.args(&self.args);
        for (name, value) in &self.surroundings {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.envs(self.env.iter().copied());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }
}

impl fmt::Display for ProgramStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.env {
            write!(f, "{name}={} ", quoted(value))?;
        }
        f.write_str(self.program)?;
        self.args.iter().try_for_each(|arg| write!(f, " {}", quoted(arg)))
    }
}

/// Returns the file to start for a program name. Cargo passes its own path to its children, which
/// keeps every step on the toolchain of the user.
fn executable(program: &str) -> OsString {
    let own_cargo = (program == "cargo").then(|| env::var_os("CARGO")).flatten();
    own_cargo.unwrap_or_else(|| program.into())
}

/// Quotes a word for a POSIX shell if needed.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn each_line(mut input: impl BufRead, mut see: impl FnMut(&[u8])) -> io::Result<()> {
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        see(&line);
        line.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_is_a_line_for_the_shell() {
        let step = ProgramStep::cargo("doc --no-deps")
            .env("RUSTDOCFLAGS", "-D warnings")
            .args(["plain", "two words", "it's", ""])
            .surrounded_by(vec![("HOME".into(), Some("/tmp/x".into()))]);
        assert_eq!(
            step.to_string(),
            r"RUSTDOCFLAGS='-D warnings' cargo doc --no-deps plain 'two words' 'it'\''s' ''"
        );
    }

    #[test]
    fn failure_names_the_command_line() {
        let error = ProgramStep::new("false", "--really").run().expect_err("must fail");
        assert_eq!(error.to_string(), "`false --really` failed (exit status: 1)");
        let error = ProgramStep::new("no-such-program-here", "x").run().expect_err("must fail");
        assert_eq!(error.to_string(), "cannot start `no-such-program-here x`");
    }

    #[test]
    fn watching_sees_lines_that_are_not_utf8() {
        let mut seen = Vec::new();
        let status = ProgramStep::new("sh", "-c")
            .args([r"printf 'a\n\377b\nlast' >&2; exit 3"])
            .watch(|line| seen.push(line.to_owned()))
            .expect("sh starts");
        assert_eq!(seen, ["a", "\u{fffd}b", "last"]);
        assert_eq!(status.code(), Some(3));
    }

    #[test]
    fn surroundings_are_set_and_removed() {
        // Cargo sets CARGO_PKG_NAME for every test.
        let check = ProgramStep::new("sh", "-c")
            .args([r#"test "$ADDED" = yes && test -z "${CARGO_PKG_NAME+x}""#])
            .surrounded_by(vec![
                ("ADDED".into(), Some("yes".into())),
                ("CARGO_PKG_NAME".into(), None),
            ]);
        assert!(check.succeeds());
    }
}
