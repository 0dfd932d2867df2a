//! Finds the configuration of a folder that runs code when a client works there.
//!
//! Reads settings, MCP servers, and the folders for hooks, commands, agents and skills of a folder and its
//! parents up to its repository; runs nothing and changes nothing. The report lists them for a person, with
//! settings files that cannot be parsed, and has a fingerprint that changes with them. Links to folders are
//! followed. Of files that are too long or too many, the fingerprint has names, sizes, inodes and times; a
//! folder with even more files has a new fingerprint at each scan, so trust in it ends. Permission rules that
//! the client writes when a person answers "always" (lists in `permissions` of `settings.local.json`) are in
//! the list and not in the fingerprint: otherwise each such answer would end the trust.

use std::collections::HashSet;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use unspool_store::home::layout::{DEFAULT_HOME, LOCAL_SETTINGS, SETTINGS};

use crate::ids::{hex, random_uuid};

/// The longest file that is read.
const LONGEST: u64 = 4 << 20;
/// The maximum number of files in a folder that are read.
const MOST_FILES: usize = 2_000;
/// The maximum number of files and folders in a folder that are listed. Chosen by judgement: listing them
/// takes less than a second.
const MOST_LISTED: usize = 50_000;
/// Settings that are commands.
const COMMANDS: [&str; 7] = [
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "gcpAuthRefresh",
    "otelHeadersHelper",
    "statusLine",
    "fileSuggestion",
];
/// Settings that change what runs, or what runs without asking.
const GRANTS: [&str; 6] = [
    "env",
    "permissions",
    "enabledPlugins",
    "extraKnownMarketplaces",
    "enableAllProjectMcpServers",
    "enabledMcpjsonServers",
];
/// Lists of `permissions` to which the client adds rules when a person answers "always".
const RULES: [&str; 4] = ["allow", "ask", "deny", "additionalDirectories"];
/// Folders whose files are commands, or instruct the client to run commands.
const FOLDERS: [&str; 5] = ["hooks", "commands", "agents", "skills", "plugins"];

/// A part of the configuration that runs code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CodeSource {
    /// `hook`, `command`, `setting`, `mcp_server` or `file`.
    pub kind: String,
    /// The file that has this part.
    pub file: PathBuf,
    /// The command or setting; empty for `file`.
    pub what: String,
}

/// A settings file that cannot be parsed. The client may interpret it in another way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BrokenSettings {
    /// The file.
    pub file: PathBuf,
    /// The error.
    pub reason: String,
}

/// The configuration of a folder that runs code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TrustReport {
    /// The folder, with symlinks resolved.
    pub folder: PathBuf,
    /// The parts that run code.
    pub sources: Vec<CodeSource>,
    /// Files that cannot be parsed or read.
    pub broken: Vec<BrokenSettings>,
    /// The fingerprint of the configuration; empty if the folder was not scanned.
    pub print: String,
}

/// Whether a person trusts a folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TrustVerdict {
    /// The folder is trusted and has not changed since.
    Trusted,
    /// The folder was trusted, and its configuration that runs code has changed since.
    Changed,
    /// The folder is not trusted.
    Untrusted,
}

/// The author of a settings file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SettingsAuthor {
    /// A person.
    Person,
    /// The client too, when a person answers "always".
    Client,
}

struct TrustReader {
    hash: Sha256,
    sources: Vec<CodeSource>,
    broken: Vec<BrokenSettings>,
}

impl TrustReport {
    /// Scans a folder and its parents up to its repository.
    pub fn of(folder: &Path) -> std::io::Result<Self> {
        Self::scan(folder, MOST_LISTED)
    }

    fn scan(folder: &Path, most_listed: usize) -> std::io::Result<Self> {
        let folder = folder.canonicalize()?;
        let mut reader =
            TrustReader { hash: Sha256::new(), sources: Vec::new(), broken: Vec::new() };
        for place in places(&folder) {
            let claude = place.join(DEFAULT_HOME);
            reader.settings(&claude.join(SETTINGS), SettingsAuthor::Person);
            reader.settings(&claude.join(LOCAL_SETTINGS), SettingsAuthor::Client);
            reader.servers(&place.join(".mcp.json"));
            for name in FOLDERS {
                reader.files(&claude.join(name), most_listed);
            }
        }
        Ok(Self {
            folder,
            sources: reader.sources,
            broken: reader.broken,
            print: hex(&reader.hash.finalize()),
        })
    }

    /// Returns the report of a folder that is not scanned.
    pub fn unseen(folder: PathBuf) -> Self {
        Self { folder, sources: Vec::new(), broken: Vec::new(), print: String::new() }
    }

    /// Returns a line for each part of the configuration and each broken file.
    pub fn lines(&self) -> Vec<String> {
        let inside = |path: &Path| {
            let inside = path.strip_prefix(&self.folder).unwrap_or(path);
            on_one_line(&inside.display().to_string())
        };
        let sources = self.sources.iter().map(|source| {
            let (kind, file) = (source.kind.replace('_', " "), inside(&source.file));
            match source.what.as_str() {
                "" => format!("{kind}  {file}"),
                what => format!("{kind}  {file}  {what}"),
            }
        });
        let broken = self.broken.iter().map(|broken| {
            let (file, reason) = (inside(&broken.file), &broken.reason);
            format!("cannot be read  {file}  {reason}")
        });
        sources.chain(broken).collect()
    }
}

/// Returns the settings files of a client's home that cannot be parsed. The client ignores such a file,
/// including its rules that deny something.
pub fn broken_in_home(home: &Path) -> Vec<BrokenSettings> {
    let mut reader = TrustReader { hash: Sha256::new(), sources: Vec::new(), broken: Vec::new() };
    for name in [SETTINGS, LOCAL_SETTINGS] {
        reader.object(&home.join(name));
    }
    reader.broken
}

/// Returns the folder and its parents up to its repository.
fn places(folder: &Path) -> Vec<PathBuf> {
    let top = folder.ancestors().find(|above| above.join(".git").exists());
    let Some(top) = top else {
        return vec![folder.to_owned()];
    };
    let inside = folder.ancestors().take_while(|above| above.starts_with(top));
    inside.map(Path::to_owned).collect()
}

impl TrustReader {
    fn found(&mut self, kind: &str, file: &Path, what: String) {
        self.sources.push(CodeSource { kind: kind.to_owned(), file: file.to_owned(), what });
    }

    /// Adds a file and its bytes to the fingerprint. Their lengths keep adjacent parts from running together.
    fn print(&mut self, file: &Path, bytes: &[u8]) {
        for part in [file.as_os_str().as_encoded_bytes(), bytes] {
            self.hash.update((part.len() as u64).to_le_bytes());
            self.hash.update(part);
        }
    }

    /// Reads a JSON file that may be missing.
    fn object(&mut self, file: &Path) -> Option<Map<String, Value>> {
        let bytes = match read(file) {
            Ok(bytes) => bytes?,
            Err(reason) => {
                self.broken(file, reason, &outline(file));
                return None;
            }
        };
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(fields)) => Some(fields),
            Ok(_) => {
                self.broken(file, "it is not a JSON object".to_owned(), &bytes);
                None
            }
            Err(error) => {
                self.broken(file, error.to_string(), &bytes);
                None
            }
        }
    }

    fn broken(&mut self, file: &Path, reason: String, bytes: &[u8]) {
        self.print(file, bytes);
        let file = file.to_owned();
        self.broken.push(BrokenSettings { file, reason });
    }

    fn settings(&mut self, file: &Path, author: SettingsAuthor) {
        let Some(fields) = self.object(file) else {
            return;
        };
        let printed = match author {
            SettingsAuthor::Person => Some(fields.clone()),
            // The client creates the file with its first rule, which must not change the fingerprint.
            SettingsAuthor::Client => Some(without_rules(&fields)).filter(|rest| !rest.is_empty()),
        };
        if let Some(printed) = printed {
            self.print(file, Value::from(printed).to_string().as_bytes());
        }
        for hook in fields.get("hooks").map(hook_commands).unwrap_or_default() {
            self.found("hook", file, hook);
        }
        for name in COMMANDS {
            if let Some(value) = fields.get(name) {
                self.found("command", file, format!("{name}: {}", said(value)));
            }
        }
        for name in GRANTS {
            if let Some(value) = fields.get(name) {
                self.found("setting", file, format!("{name}: {}", said(value)));
            }
        }
    }

    fn servers(&mut self, file: &Path) {
        let Some(fields) = self.object(file) else {
            return;
        };
        self.print(file, Value::from(fields.clone()).to_string().as_bytes());
        let servers = fields.get("mcpServers").and_then(Value::as_object);
        for (name, server) in servers.into_iter().flatten() {
            self.found("mcp_server", file, format!("{name}: {}", said(server)));
        }
    }

    /// Adds the files of a folder and its subfolders, sorted by path. If there are more than [`MOST_FILES`],
    /// none is read; if there are more than `most`, they are not even listed.
    fn files(&mut self, folder: &Path, most: usize) {
        let Some(found) = list(folder, most) else {
            let reason = format!("it has more than {most} files, so it cannot be trusted");
            // No scan finds this fingerprint again.
            return self.broken(folder, reason, random_uuid().as_bytes());
        };
        if found.len() > MOST_FILES {
            for file in &found {
                self.print(file, &outline(file));
            }
            let reason = format!("it has more than {MOST_FILES} files");
            return self.broken(folder, reason, b"many");
        }
        for file in found {
            match read(&file) {
                // The files in the target of a link are on the list too.
                _ if file.is_dir() => self.print(&file, &outline(&file)),
                Ok(bytes) => self.print(&file, &bytes.unwrap_or_default()),
                Err(reason) => self.broken(&file, reason, &outline(&file)),
            }
            self.found("file", &file, String::new());
        }
    }
}

/// Lists the files of a folder and its subfolders, sorted by path; `None` if there are more than `most`.
/// Links to folders are on the list and are also followed, but no folder is listed twice.
fn list(folder: &Path, most: usize) -> Option<Vec<PathBuf>> {
    let (mut open, mut links) = (vec![folder.to_owned()], Vec::new());
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    // Folders come before links, so that a link is not the name of what is in the folder itself.
    while let Some(folder) = open.pop().or_else(|| links.pop()) {
        let data = fs::metadata(&folder).ok();
        if !data.is_some_and(|data| seen.insert((data.dev(), data.ino()))) {
            continue;
        }
        let items = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut items: Vec<_> = items.take(most + 1).collect();
        // The order of links must not depend on the file system.
        items.sort_by_key(fs::DirEntry::path);
        for item in items {
            let path = item.path();
            match item.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(kind) if kind.is_symlink() && path.is_dir() => {
                    links.push(path.clone());
                    found.push(path);
                }
                _ => found.push(path),
            }
        }
        if found.len() + open.len() + seen.len() > most {
            return None;
        }
    }
    found.sort();
    Some(found)
}

/// Returns settings without the permission lists to which the client adds rules.
fn without_rules(fields: &Map<String, Value>) -> Map<String, Value> {
    let mut rest = fields.clone();
    if let Some(permissions) = rest.get_mut("permissions").and_then(Value::as_object_mut) {
        permissions.retain(|name, _| !RULES.contains(&name.as_str()));
        if permissions.is_empty() {
            rest.remove("permissions");
        }
    }
    rest
}

/// Replaces control characters, so that a file cannot forge another line of the list.
fn on_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Returns bytes that represent a file that cannot be read: its length, inode and times.
fn outline(file: &Path) -> Vec<u8> {
    let Ok(data) = fs::metadata(file) else {
        return b"unreadable".to_vec();
    };
    let parts = [data.len(), data.ino(), data.mtime() as u64];
    let parts = parts.into_iter().chain([
        data.mtime_nsec() as u64,
        data.ctime() as u64,
        data.ctime_nsec() as u64,
    ]);
    let bytes = parts.flat_map(u64::to_le_bytes);
    b"unreadable".iter().copied().chain(bytes).collect()
}

/// Reads a file; `None` if it does not exist.
fn read(file: &Path) -> Result<Option<Vec<u8>>, String> {
    match fs::metadata(file) {
        Ok(data) if !data.is_file() => return Err("it is not a file".to_owned()),
        Ok(data) if data.len() > LONGEST => return Err("it is too long".to_owned()),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    }
    let mut bytes = Vec::new();
    let opened = fs::File::open(file).map_err(|error| error.to_string())?;
    let read = opened.take(LONGEST).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    Ok(Some(bytes))
}

/// Returns the commands of hooks: `{Event: [{hooks: [{command}]}]}`.
fn hook_commands(hooks: &Value) -> Vec<String> {
    let events = hooks.as_object().into_iter().flatten();
    let mut commands = Vec::new();
    for (event, matchers) in events {
        for matcher in matchers.as_array().into_iter().flatten() {
            for hook in matcher["hooks"].as_array().into_iter().flatten() {
                let command = hook.get("command").unwrap_or(hook);
                commands.push(format!("{event}: {}", said(command)));
            }
        }
    }
    commands
}

/// Returns a short text for a value.
fn said(value: &Value) -> String {
    let command = value.get("command").unwrap_or(value);
    let text = match command {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let arguments = value.get("args").and_then(Value::as_array);
    let arguments = arguments.into_iter().flatten().map(said);
    let text = std::iter::once(text).chain(arguments).collect::<Vec<_>>();
    let text = text.join(" ");
    on_one_line(&text).chars().take(400).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, file: &str, text: &str) {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    #[test]
    fn what_runs_code_is_named_with_its_file() {
        let at = tempfile::tempdir().expect("a folder");
        let folder = at.path();
        write(
            folder,
            ".claude/settings.json",
            r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"./evil.sh"}]}]},"statusLine":{"type":"command","command":"line.sh"},"theme":"dark"}"#,
        );
        write(
            folder,
            ".mcp.json",
            r#"{"mcpServers":{"db":{"command":"npx","args":["-y","db"]},"web":{"url":"https://x"}}}"#,
        );
        write(folder, ".claude/settings.local.json", "{\"hooks\": ");
        write(folder, ".claude/commands/go/now.md", "!`ls`");
        let report = TrustReport::of(folder).expect("a report");
        let found: Vec<String> = report
            .sources
            .iter()
            .map(|source| format!("{} {}", source.kind, source.what))
            .collect();
        assert_eq!(
            found,
            [
                "hook PreToolUse: ./evil.sh",
                "command statusLine: line.sh",
                "mcp_server db: npx -y db",
                "mcp_server web: {\"url\":\"https://x\"}",
                "file ",
            ]
        );
        assert_eq!(report.broken.len(), 1);
        assert!(report.broken[0].file.ends_with(".claude/settings.local.json"));
    }

    #[test]
    fn the_print_changes_with_what_runs_code_and_not_with_rules_of_the_client() {
        let at = tempfile::tempdir().expect("a folder");
        let folder = at.path();
        let print = || TrustReport::of(folder).expect("a report").print;
        let empty = print();
        write(folder, "src/main.rs", "fn main() {}");
        assert_eq!(print(), empty);
        write(folder, ".claude/settings.local.json", r#"{"permissions":{"allow":["Bash(ls)"]}}"#);
        assert_eq!(print(), empty, "the first rule makes the file");
        write(
            folder,
            ".claude/settings.local.json",
            r#"{"permissions":{"allow":["Bash(ls)","Bash(cat)"]}}"#,
        );
        assert_eq!(print(), empty);
        let shown = TrustReport::of(folder).expect("a report").sources;
        assert!(shown[0].what.contains("Bash(cat)"), "{shown:?}");
        let mut seen = vec![empty];
        for (file, text) in [
            (
                ".claude/settings.local.json",
                r#"{"permissions":{"defaultMode":"bypassPermissions"}}"#,
            ),
            (".claude/settings.local.json", r#"{"hooks":{}}"#),
            (".claude/settings.json", r#"{"permissions":{"allow":["Bash"]}}"#),
            (".claude/settings.json", "{"),
            (".mcp.json", r#"{"mcpServers":{}}"#),
            (".claude/hooks/a.sh", "one"),
            (".claude/hooks/a.sh", "two"),
            (".claude/skills/a/SKILL.md", "x"),
        ] {
            write(folder, file, text);
            assert!(!seen.contains(&print()), "{file}");
            seen.push(print());
        }
    }

    #[test]
    fn a_file_that_is_too_long_ends_trust_when_it_changes() {
        for file in [".claude/hooks/long.sh", ".claude/settings.json"] {
            let at = tempfile::tempdir().expect("a folder");
            let folder = at.path();
            let report = || TrustReport::of(folder).expect("a report");
            let text = "x".repeat(LONGEST as usize + 1);
            write(folder, file, &text);
            let first = report();
            assert_eq!(first.broken.len(), 1, "{file}");
            assert_eq!(report().print, first.print, "{file}");
            write(folder, file, &format!("{text}; rm"));
            assert_ne!(report().print, first.print, "{file}");
        }
    }

    #[test]
    fn a_change_among_too_many_files_ends_trust() {
        let at = tempfile::tempdir().expect("a folder");
        let folder = at.path();
        for number in 0..=MOST_FILES {
            write(folder, &format!(".claude/skills/{}/{number}", number % 7), "x");
        }
        let report = || TrustReport::of(folder).expect("a report");
        let first = report();
        assert_eq!(first.broken.len(), 1);
        assert_eq!(report().print, first.print);
        write(folder, ".claude/skills/3/3", "rm");
        let second = report().print;
        assert_ne!(second, first.print);
        fs::rename(folder.join(".claude/skills/3/3"), folder.join(".claude/skills/3/other"))
            .expect("renames");
        assert_ne!(report().print, second);
    }

    #[test]
    fn a_folder_that_cannot_be_listed_is_never_trusted() {
        let at = tempfile::tempdir().expect("a folder");
        let folder = at.path();
        let print = |most| TrustReport::scan(folder, most).expect("a report").print;
        for number in 0..4 {
            write(folder, &format!(".claude/hooks/{number}/a"), "x");
        }
        assert_eq!(print(10), print(10));
        assert_ne!(print(5), print(5));
    }

    #[test]
    fn files_in_a_folder_that_is_a_link_count_once() {
        use std::os::unix::fs::symlink;
        let at = tempfile::tempdir().expect("a folder");
        let (folder, shared) = (at.path().join("work"), at.path().join("shared"));
        write(&folder, ".claude/skills/own/SKILL.md", "own");
        write(&shared, "deep/SKILL.md", "one");
        let skills = folder.join(".claude/skills");
        symlink(&shared, skills.join("a")).expect("a link");
        symlink("..", skills.join("own/up")).expect("a link");
        symlink(&skills, shared.join("back")).expect("a link");
        symlink("loop", skills.join("loop")).expect("a link");
        let report = || TrustReport::of(&folder).expect("a report");
        let first = report();
        let skills = skills.canonicalize().expect("a folder");
        let files = first.sources.iter().map(|source| source.file.strip_prefix(&skills));
        let files: Vec<_> = files.map(|file| file.expect("inside").display().to_string()).collect();
        assert_eq!(files, ["a", "a/back", "a/deep/SKILL.md", "loop", "own/SKILL.md", "own/up"]);
        assert_eq!(first.broken.len(), 1, "the link to itself");
        assert_eq!(report().print, first.print);
        write(&shared, "deep/SKILL.md", "two");
        let second = report().print;
        assert_ne!(second, first.print);
        fs::remove_file(skills.join("own/up")).expect("removes");
        symlink("../..", skills.join("own/up")).expect("a link");
        assert_ne!(report().print, second);
    }

    #[test]
    fn folders_above_count_up_to_the_repository() {
        let at = tempfile::tempdir().expect("a folder");
        let inner = at.path().join("repo/a/b");
        fs::create_dir_all(&inner).expect("a folder");
        write(at.path(), ".mcp.json", r#"{"mcpServers":{"outside":{"command":"x"}}}"#);
        write(at.path(), "repo/.mcp.json", r#"{"mcpServers":{"inside":{"command":"x"}}}"#);
        let names = || {
            let report = TrustReport::of(&inner).expect("a report");
            report.sources.into_iter().map(|source| source.what).collect::<Vec<_>>()
        };
        assert_eq!(names(), Vec::<String>::new());
        fs::create_dir_all(at.path().join("repo/.git")).expect("a folder");
        assert_eq!(names(), ["inside: x"]);
    }
}
