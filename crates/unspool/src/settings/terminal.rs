//! Settings of the full-screen program.

use std::path::Path;

use toml::de::DeValue;
use unspool_model::named::Named as _;
use unspool_model::near::near;
use unspool_render::keys::{KeyAction, KeyContext, is_key_sequence};
use unspool_tui::{TerminalBackground, TuiFault};

use super::checker::{SettingsChecker, SettingsSection, named};
use super::environment::EDITING;
use super::{Environment, Sourced};

const KEYS: [&str; 3] = ["background", "mouse", "keys"];

/// The settings of the full-screen program.
#[derive(Clone, Debug)]
pub(crate) struct TerminalSettings {
    /// Whether the terminal's background is dark or light, if known.
    pub(crate) background: Sourced<Option<TerminalBackground>>,
    /// Set if the terminal reports true colour.
    pub(crate) has_true_color: bool,
    /// Set if the program captures the mouse.
    pub(crate) mouse: Sourced<bool>,
    /// Key bindings, with keys written as in the table of keys.
    pub(crate) keys: Vec<Sourced<(String, KeyAction)>>,
    /// The user's editor with its arguments.
    pub(crate) editor: Option<String>,
    /// The thread that panics in a test; read only by debug builds.
    pub(crate) fault: Option<TuiFault>,
    /// Set if unspool was started as an editor by unspool.
    pub(crate) is_editing: bool,
}

/// The values of the settings file.
#[derive(Clone, Default, Debug)]
pub(super) struct FileTerminal {
    background: Option<Sourced<TerminalBackground>>,
    mouse: Option<Sourced<bool>>,
    keys: Vec<Sourced<(String, KeyAction)>>,
}

impl TerminalSettings {
    pub(super) fn resolve(environment: &Environment, file: &FileTerminal) -> Self {
        let mouse = file.mouse.clone();
        let editors = ["UNSPOOL_EDITOR", "VISUAL", "EDITOR"];
        let editors = editors.into_iter().filter_map(|name| environment.get(name));
        Self {
            background: background(environment, file),
            has_true_color: environment
                .get("COLORTERM")
                .is_some_and(|depth| depth == "truecolor" || depth == "24bit"),
            mouse: mouse.unwrap_or_else(|| Sourced::by_default(true)),
            keys: file.keys.clone(),
            editor: editors
                .filter_map(|editor| Some(editor.to_str()?.to_owned()))
                .find(|editor| !is_unspool(editor)),
            is_editing: environment.get(EDITING).is_some(),
            fault: environment
                .get("UNSPOOL_FAULT")
                .filter(|_| cfg!(debug_assertions))
                .and_then(|fault| TuiFault::from_name(fault.to_str()?)),
        }
    }
}

/// Returns the background of the file, else of the terminal's environment variable.
fn background(
    environment: &Environment,
    file: &FileTerminal,
) -> Sourced<Option<TerminalBackground>> {
    let said = || environment.take("COLORFGBG", |said| background_of_colors(said.to_str()?));
    let set = file.background.clone().or_else(said);
    set.map_or_else(|| Sourced::by_default(None), |set| set.map(Some))
}

/// Parses `COLORFGBG` of some terminals: `15;0` or `15;default;0`, with the background last. Of the sixteen
/// colours, white and the bright ones except bright black are light.
fn background_of_colors(colors: &str) -> Option<TerminalBackground> {
    let number: u8 = colors.rsplit(';').next()?.trim().parse().ok()?;
    match number {
        0..7 | 8 => Some(TerminalBackground::Dark),
        7 | 9..16 => Some(TerminalBackground::Light),
        _ => None,
    }
}

/// Tells whether an editor is `unspool pick --editor`, which edits prompts and would start the user's
/// editor.
fn is_unspool(editor: &str) -> bool {
    let program = editor.split_whitespace().next().map(Path::new);
    let name = program.and_then(Path::file_name);
    name.is_none_or(|name| name == "unspool")
}

impl FileTerminal {
    pub(super) fn read(
        checker: &mut SettingsChecker<'_>,
        section: SettingsSection<'_, '_>,
    ) -> Self {
        checker.reject_unknown_keys(section, &KEYS, &[]);
        Self {
            background: checker.take(section, "background", "\"dark\" or \"light\"", |value| {
                TerminalBackground::from_name(value.as_str()?)
            }),
            mouse: checker.take(section, "mouse", "true or false", |value| match value {
                DeValue::Boolean(truth) => Some(*truth),
                _ => None,
            }),
            keys: bound_keys(checker, section),
        }
    }
}

fn bound_keys(
    checker: &mut SettingsChecker<'_>,
    section: SettingsSection<'_, '_>,
) -> Vec<Sourced<(String, KeyAction)>> {
    let Some(value) = section.table.get("keys") else {
        return Vec::new();
    };
    let Some(table) = value.get_ref().as_table() else {
        checker.type_error(&named("keys", section.head), value, "a table: [terminal.keys]", None);
        return Vec::new();
    };
    let mut bound = Vec::new();
    for (key, value) in table {
        let keys: &str = key.get_ref();
        if !is_key_sequence(keys) {
            let words = format!("`{}` is not a key such as `Ctrl-G` or `g x`", keys.escape_debug());
            checker.wrong(key.span(), words);
            continue;
        }
        let word = value.get_ref().as_str();
        let action = word.and_then(KeyAction::from_name).filter(|action| {
            let mut contexts = KeyContext::TERMINAL.into_iter();
            contexts.any(|context| action.binding(context).is_some())
        });
        if let Some(action) = action {
            let origin = checker.origin(&value.span());
            bound.push(Sourced::new((as_in_table(keys), action), origin));
            continue;
        }
        let meant =
            word.and_then(|word| near(word, KeyAction::NAMES).first().map(ToString::to_string));
        let name = named(keys, "terminal.keys");
        checker.type_error(&name, value, "the name of an action", meant.as_deref());
    }
    bound
}

/// Normalizes keys as the table of keys writes them: a letter with Control is in lower case.
fn as_in_table(keys: &str) -> String {
    let presses = keys.split(' ').map(|press| match press.strip_prefix("Ctrl-") {
        Some(letter) if letter.chars().count() == 1 => {
            format!("Ctrl-{}", letter.to_lowercase())
        }
        _ => press.to_owned(),
    });
    presses.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_with_control_is_one_key_however_it_is_written() {
        for (written, expected) in [("Ctrl-G", "Ctrl-g"), ("g Ctrl-X", "g Ctrl-x"), ("G", "G")] {
            assert_eq!(as_in_table(written), expected);
        }
    }

    #[test]
    fn the_last_colour_is_the_background() {
        for (said, expected) in [
            ("15;0", Some("dark")),
            ("0;15", Some("light")),
            ("0;default;7", Some("light")),
            ("7;8", Some("dark")),
            ("default;default", None),
            ("15;200", None),
            ("", None),
        ] {
            let found = background_of_colors(said).map(TerminalBackground::name);
            assert_eq!(found, expected, "{said:?}");
        }
    }
}
