//! System packages that cargo cannot install.

use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::step::ProgramStep;

/// A program that must be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Package {
    /// The program to look for in `PATH`.
    binary: &'static str,
    /// The Debian package that contains it.
    debian: &'static str,
    /// The reason why it is needed.
    why: &'static str,
}

/// The packages for `cargo xtask test`.
pub(crate) const FOR_TESTS: &[Package] = &[
    Package {
        binary: "cc",
        // Not `gcc` alone, which only recommends the C library's start files.
        debian: "build-essential",
        why: "rustc links every binary with it",
    },
    Package { binary: "chromium", debian: "chromium", why: "pages are looked at in it" },
    Package {
        binary: "chromedriver",
        debian: "chromium-driver",
        why: "it drives the browser that looks at pages",
    },
];

/// The additional packages for `cargo xtask fuzz`.
pub(crate) const FOR_FUZZING: &[Package] =
    &[Package { binary: "c++", debian: "g++", why: "libFuzzer is compiled from C++" }];

/// The facts that decide whether packages may be installed on this machine.
#[derive(Debug, Clone, Copy)]
struct HostInfo {
    is_root: bool,
    is_debian: bool,
    is_ci: bool,
}

/// How to become root for apt-get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Privilege {
    /// This process is root.
    Own,
    /// With sudo, without a password.
    Sudo,
}

/// The action for missing packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InstallPlan {
    /// None: all packages are installed.
    Ready,
    /// Install them.
    Install(Privilege),
    /// Leave the machine alone and fail with the list.
    Refuse,
}

/// Installs missing packages if that is allowed here, and otherwise fails with the list.
pub(crate) fn ensure(packages: &[Package]) -> Result<()> {
    let path = env::var_os("PATH").unwrap_or_default();
    let missing = missing(packages, &path);
    match plan(&missing, HostInfo::current()) {
        InstallPlan::Ready => Ok(()),
        InstallPlan::Refuse => bail!("{}", request(&missing)),
        InstallPlan::Install(privilege) => {
            eprintln!("installing missing system packages:{}", list(&missing));
            apt_steps(&missing, privilege).iter().try_for_each(ProgramStep::run)
        }
    }
}

impl HostInfo {
    fn current() -> Self {
        let id = Command::new("id").arg("-u").output();
        Self {
            is_root: id.is_ok_and(|out| out.stdout.trim_ascii() == b"0"),
            is_debian: Path::new("/etc/debian_version").exists(),
            is_ci: env::var_os("CI").is_some_and(|value| value == "true"),
        }
    }
}

/// Returns the packages whose program is not in any folder of `path`.
fn missing(packages: &[Package], path: &OsStr) -> Vec<Package> {
    let folders: Vec<_> = env::split_paths(path).collect();
    let is_here = |binary| folders.iter().any(|folder| folder.join(binary).is_file());
    let absent = packages.iter().filter(|package| !is_here(package.binary));
    absent.copied().collect()
}

/// Decides whether packages may be installed: as root on a Debian-like
/// system, and always on a continuous-integration machine.
fn plan(missing: &[Package], machine: HostInfo) -> InstallPlan {
    let HostInfo { is_root, is_debian, is_ci } = machine;
    if missing.is_empty() {
        InstallPlan::Ready
    } else if is_root && (is_debian || is_ci) {
        InstallPlan::Install(Privilege::Own)
    } else if is_ci {
        InstallPlan::Install(Privilege::Sudo)
    } else {
        InstallPlan::Refuse
    }
}

/// Returns one update of the package lists, then one installation of all packages.
fn apt_steps(packages: &[Package], privilege: Privilege) -> [ProgramStep; 2] {
    let apt_get = |arguments: &str| {
        let quiet = format!("DEBIAN_FRONTEND=noninteractive apt-get {arguments}");
        match privilege {
            Privilege::Own => ProgramStep::new("env", &quiet),
            Privilege::Sudo => ProgramStep::new("sudo", &format!("--non-interactive env {quiet}")),
        }
    };
    [
        apt_get("update"),
        apt_get("install -y --no-install-recommends").args(packages.iter().map(|p| p.debian)),
    ]
}

/// Returns the message for a user whose machine is left alone.
fn request(missing: &[Package]) -> String {
    let names: Vec<_> = missing.iter().map(|package| package.debian).collect();
    format!(
        "system packages are missing:{}\ninstall them (Debian: `apt-get install {}`) and run again",
        list(missing),
        names.join(" ")
    )
}

/// Returns one indented line for each package, each after a line break.
fn list(packages: &[Package]) -> String {
    packages.iter().fold(String::new(), |mut text, package| {
        let Package { binary, debian, why } = package;
        let _ = write!(text, "\n  {debian}: no `{binary}` in PATH; {why}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHELL: Package = Package { binary: "sh", debian: "dash", why: "runs scripts" };
    const ABSENT: Package =
        Package { binary: "no-such-program-here", debian: "nowhere", why: "proves a point" };

    fn planned(missing: &[Package], facts: &str) -> InstallPlan {
        let machine = HostInfo {
            is_root: facts.contains("root"),
            is_debian: facts.contains("debian"),
            is_ci: facts.contains("ci"),
        };
        plan(missing, machine)
    }

    #[test]
    fn packages_are_installed_only_where_we_may() {
        let cases = [
            ("", InstallPlan::Refuse),
            ("debian", InstallPlan::Refuse),
            ("root", InstallPlan::Refuse),
            ("root debian", InstallPlan::Install(Privilege::Own)),
            ("root ci", InstallPlan::Install(Privilege::Own)),
            ("root debian ci", InstallPlan::Install(Privilege::Own)),
            ("ci", InstallPlan::Install(Privilege::Sudo)),
            ("debian ci", InstallPlan::Install(Privilege::Sudo)),
        ];
        for (facts, expected) in cases {
            assert_eq!(planned(&[ABSENT], facts), expected, "{facts}");
            assert_eq!(planned(&[], facts), InstallPlan::Ready, "{facts}");
        }
    }

    #[test]
    fn only_absent_programs_are_missing() {
        let path = OsStr::new("/usr/bin:/bin");
        assert_eq!(missing(&[SHELL, ABSENT], path), [ABSENT]);
        assert_eq!(missing(&[SHELL], OsStr::new("")), [SHELL]);
    }

    #[test]
    fn apt_updates_once_and_installs_everything_together() {
        let lines = |privilege| apt_steps(&[SHELL, ABSENT], privilege).map(|s| s.to_string());
        let [update, install] = lines(Privilege::Own);
        assert_eq!(update, "env DEBIAN_FRONTEND=noninteractive apt-get update");
        assert_eq!(
            install,
            "env DEBIAN_FRONTEND=noninteractive \
             apt-get install -y --no-install-recommends dash nowhere"
        );
        let [update, _] = lines(Privilege::Sudo);
        assert!(update.starts_with("sudo --non-interactive env "), "{update}");
    }

    #[test]
    fn refusal_names_packages_and_reasons() {
        assert_eq!(
            request(&[SHELL, ABSENT]),
            "system packages are missing:\
             \n  dash: no `sh` in PATH; runs scripts\
             \n  nowhere: no `no-such-program-here` in PATH; proves a point\
             \ninstall them (Debian: `apt-get install dash nowhere`) and run again"
        );
    }
}
