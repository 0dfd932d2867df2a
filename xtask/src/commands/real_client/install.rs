//! Installs the real client with npm below `target`.
//!
//! npm gets a lock file with the hashes that are pinned here, and refuses a package with a
//! different hash. The client belongs to its vendor; no part of it is in this repository.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::paths;
use crate::step::ProgramStep;

/// The package; the program itself is in a package for each platform.
const PACKAGE: &str = "@anthropic-ai/claude-code";

/// A version of the client with the hashes of its packages.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PinnedClient {
    pub(super) version: &'static str,
    integrity: &'static str,
    platforms: &'static [PinnedPlatform],
}

/// The package of a platform.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PinnedPlatform {
    /// The names of the platform in Rust.
    system: (&'static str, &'static str),
    /// The suffix of the package's name.
    suffix: &'static str,
    integrity: &'static str,
}

/// The versions that can be run; the first is the default.
pub(super) const PINNED: [PinnedClient; 1] = [PinnedClient {
    version: "2.1.325",
    integrity: "sha512-OUxCb0sx734zJh9zGTP9oF01gZ44DCGFaw7hgD4byepjRRGyvHzgUOwC7dlCgVIljV6CiEVDjq+\
                anY3GUvKFQw==",
    platforms: &[
        PinnedPlatform {
            system: ("linux", "x86_64"),
            suffix: "linux-x64",
            integrity: "sha512-BqZzMvP/zgLLL34S+7OzbG+cyoFp7gwWHU5koVwsyMlTAz+0zZAmbY+UkzvtN2RXxp6A\
                        cMenbYIjQJxoXfUY3w==",
        },
        PinnedPlatform {
            system: ("linux", "aarch64"),
            suffix: "linux-arm64",
            integrity: "sha512-NCvQcOxr685Y4mkYUjQT8l/Ouzw0k2xWloWeyzfsUtWiOedHosPkaW6XCSpzAl1dMuvD\
                        NBF97qpWgVDrSdK2Vw==",
        },
    ],
}];

impl PinnedClient {
    /// Returns the package for this machine, if there is one.
    pub(super) fn platform(&self) -> Option<&'static PinnedPlatform> {
        let mut platforms = self.platforms.iter();
        platforms.find(|platform| platform.system == (OS, ARCH))
    }

    fn manifest(&self, platform: &PinnedPlatform) -> String {
        format!(
            r#"{{"name":"real-client","version":"0.0.0","private":true,"dependencies":{}}}"#,
            self.dependencies(platform)
        )
    }

    fn dependencies(&self, platform: &PinnedPlatform) -> String {
        let (version, suffix) = (self.version, platform.suffix);
        format!(r#"{{"{PACKAGE}":"{version}","{PACKAGE}-{suffix}":"{version}"}}"#)
    }

    fn lock(&self, platform: &PinnedPlatform) -> String {
        let version = self.version;
        let entry = |suffix: &str, integrity: &str| {
            format!(
                r#""node_modules/{PACKAGE}{suffix}":{{"version":"{version}","integrity":"{integrity}"}}"#
            )
        };
        format!(
            r#"{{"name":"real-client","version":"0.0.0","lockfileVersion":3,"requires":true,"packages":{{"":{{"name":"real-client","version":"0.0.0","dependencies":{}}},{},{}}}}}"#,
            self.dependencies(platform),
            entry("", self.integrity),
            entry(&format!("-{}", platform.suffix), platform.integrity),
        )
    }
}

/// Installs a client, unless it is installed, and returns the path of its program.
pub(super) fn ensure(client: &PinnedClient, platform: &PinnedPlatform) -> Result<PathBuf> {
    let folder = paths::target().join("real-client").join(client.version);
    let program =
        folder.join("node_modules").join(format!("{PACKAGE}-{}", platform.suffix)).join("claude");
    // npm's own records do not tell whether the installation succeeded; this file does.
    let stamp = folder.join("installed");
    let lock = client.lock(platform);
    if program.is_file() && fs::read_to_string(&stamp).is_ok_and(|text| text == lock) {
        return Ok(program);
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    write(&folder.join("package.json"), &client.manifest(platform))?;
    write(&folder.join("package-lock.json"), &lock)?;
    ProgramStep::new("npm", "ci --ignore-scripts --no-audit --no-fund --no-update-notifier")
        .within(folder.clone())
        .run()
        .context("the real client could not be installed with the pinned hashes")?;
    ensure!(program.is_file(), "npm installed no {}", program.display());
    write(&stamp, &lock)?;
    Ok(program)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_has_both_hashes_and_no_address() {
        for client in &PINNED {
            for platform in client.platforms {
                let lock = client.lock(platform);
                for hash in [client.integrity, platform.integrity] {
                    assert!(lock.contains(hash), "{lock}");
                    assert_eq!(hash.len(), "sha512-".len() + 88, "{hash}");
                }
                assert!(!lock.contains("http"), "{lock}");
                assert!(client.manifest(platform).contains(client.version));
            }
        }
    }
}
