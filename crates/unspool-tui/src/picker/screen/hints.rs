//! The hints in the last row of the picker.

use unspool_render::keys::KeyAction;

use crate::settings::PickerUse;

/// Keys with their descriptions.
type KeyHints = &'static [(&'static str, &'static str)];

/// The hints while turns for a prompt are typed.
pub(super) const TURNS: KeyHints = &[("Enter", "takes them"), ("Esc", "closes")];

/// The actions of a browsing picker, the most useful first.
pub(super) const BROWSE: [KeyAction; 10] = [
    KeyAction::Open,
    KeyAction::Resume,
    KeyAction::FullText,
    KeyAction::Scope,
    KeyAction::ActionMenu,
    KeyAction::Mark,
    KeyAction::Sort,
    KeyAction::Filters,
    KeyAction::Preview,
    KeyAction::CopyMenu,
];

/// The actions that need no row.
pub(super) const NO_ROW: [KeyAction; 5] = [
    KeyAction::Close,
    KeyAction::NewSession,
    KeyAction::FullText,
    KeyAction::Scope,
    KeyAction::Filters,
];

const ONE: KeyHints = &[
    ("Enter", "chooses"),
    ("Ctrl-F", "full text"),
    ("Ctrl-T", "scope"),
    ("Esc", "leaves"),
    ("F1", "keys"),
];

const SEVERAL: KeyHints = &[
    ("Enter", "chooses"),
    ("Tab", "marks"),
    ("Ctrl-F", "full text"),
    ("Ctrl-T", "scope"),
    ("Esc", "leaves"),
    ("F1", "keys"),
];

const INSERT: KeyHints = &[
    ("Enter", "into the prompt"),
    ("Ctrl-E", "editor"),
    ("Ctrl-T", "scope"),
    ("Esc", "leaves"),
    ("F1", "keys"),
];

/// Returns the hints of a picker for a script or a prompt, where the words of the table of keys would be
/// wrong.
pub(super) fn own(usage: &PickerUse) -> Option<KeyHints> {
    match usage {
        PickerUse::Browse => None,
        PickerUse::Choose { several: false, .. } => Some(ONE),
        PickerUse::Choose { several: true, .. } => Some(SEVERAL),
        PickerUse::Insert => Some(INSERT),
    }
}
