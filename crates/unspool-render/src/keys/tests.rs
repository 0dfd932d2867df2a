use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use unspool_model::named::Named as _;

use super::*;

/// Keys that every terminal reports as other keys: Backspace, Tab, down, Enter and Escape.
const NEVER: [&str; 5] = ["Ctrl-h", "Ctrl-i", "Ctrl-j", "Ctrl-m", "Ctrl-["];

/// Names of keys that do not type a character, and of Space.
const NAMED: [&str; 9] =
    ["ArrowDown", "ArrowUp", "Enter", "Escape", "F1", "PageDown", "PageUp", "Space", "Tab"];

fn all_bindings() -> impl Iterator<Item = KeyBinding> {
    KeyContext::ALL.into_iter().flat_map(bindings)
}

#[test]
fn no_key_means_two_things_in_a_context() {
    for context in KeyContext::ALL {
        let mut taken: BTreeMap<&str, KeyAction> = BTreeMap::new();
        for binding in bindings(context) {
            for key in binding.keys() {
                let before = taken.insert(key.as_str(), binding.action);
                assert_eq!(before, None, "{context:?}: {key}");
            }
        }
        // A key must not begin a sequence of the same context either.
        for key in taken.keys() {
            let prefixes = taken.keys().filter(|other| {
                let rest = key.strip_prefix(**other);
                rest.is_some_and(|rest| rest.starts_with(' '))
            });
            assert_eq!(prefixes.collect::<Vec<_>>(), Vec::<&&str>::new(), "{key}");
        }
    }
}

#[test]
fn every_action_has_a_row_and_a_name_of_its_own() {
    let bound: BTreeSet<KeyAction> = all_bindings().map(|binding| binding.action).collect();
    let mut names = BTreeSet::new();
    for action in KeyAction::ALL {
        assert!(bound.contains(action), "{action:?}");
        assert!(names.insert(action.name()), "{action:?}");
        assert_eq!(KeyAction::from_name(action.name()), Some(*action));
    }
    for context in KeyContext::ALL {
        let mut seen = BTreeSet::new();
        for binding in bindings(context) {
            assert!(seen.insert(binding.action), "{context:?}: {binding:?}");
            assert!(!binding.short.is_empty() && !binding.long.is_empty());
        }
    }
}

#[test]
fn keys_are_written_as_browsers_name_them() {
    for binding in all_bindings() {
        for press in binding.keys().flat_map(KeySequence::presses) {
            let held = ["Ctrl-", "Shift-", "Alt-"].iter().find_map(|held| press.strip_prefix(held));
            let key = held.unwrap_or(press);
            let is_letter = key.chars().count() == 1 && key.chars().all(|c| c.is_ascii_graphic());
            assert!(is_letter || NAMED.contains(&key), "{binding:?}");
            assert!(!NEVER.contains(&press), "{binding:?}");
            let on_pages = !KeyContext::TERMINAL.contains(&binding.context);
            assert!(!on_pages || held.is_none(), "the browser has it: {binding:?}");
        }
    }
}

#[test]
fn letters_are_text_where_a_line_is_typed() {
    let typed = [KeyContext::Finder, KeyContext::Prompt];
    for binding in typed.into_iter().flat_map(bindings) {
        for key in binding.keys() {
            let text = key.as_str();
            let is_text = text.len() == 1 && !text.chars().all(|c| c.is_ascii_punctuation());
            assert!(!is_text && text != "Space", "{binding:?}");
        }
    }
}

#[test]
fn exported_pages_keep_the_keys_that_they_had() {
    let had = [
        ("j", KeyAction::NextTurn),
        ("k", KeyAction::PreviousTurn),
        ("n", KeyAction::NextMatch),
        ("p", KeyAction::PreviousMatch),
        ("/", KeyAction::Search),
        ("o", KeyAction::Unfold),
        ("s", KeyAction::Sides),
        ("t", KeyAction::Theme),
        ("?", KeyAction::Help),
    ];
    for (key, action) in had {
        let binding = action.binding(KeyContext::Export).expect("it is bound");
        assert_eq!(binding.keys().next(), Some(KeySequence(key)), "{action:?}");
    }
}

#[test]
fn what_exported_pages_can_do_server_pages_can_do_with_the_same_keys() {
    for export in bindings(KeyContext::Export) {
        let page = export.action.binding(KeyContext::Page);
        let page = page.unwrap_or_else(|| panic!("{export:?}"));
        assert_eq!(page.keys, export.keys, "{export:?}");
    }
}

#[test]
fn sequences_are_shown_as_readers_know_them() {
    let shown = |text: &'static str| KeySequence(text).to_string();
    assert_eq!(shown("g g"), "gg");
    assert_eq!(shown("Escape"), "Esc");
    assert_eq!(shown("Shift-ArrowDown"), "Shift-\u{2193}");
    assert_eq!(shown("Ctrl-d"), "Ctrl-D");
    assert_eq!(shown("Space"), "Space");
}

/// Formats the help of a context as a Markdown table.
fn document_table(context: KeyContext) -> String {
    let mut text = "| key | does |\n|---|---|\n".to_owned();
    for row in help_rows(context) {
        let keys = row.bindings.iter().map(|binding| {
            let keys = binding.keys().map(|key| format!("`{key}`"));
            keys.collect::<Vec<_>>().join(" ")
        });
        let keys = keys.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "| {keys} | {} |", row.label);
    }
    text
}

#[test]
fn the_documents_list_the_keys_of_the_table() {
    let pages = include_str!("../../../../docs/html.md");
    let terminal = include_str!("../../../../docs/terminal.md");
    for (name, document, context) in [
        ("html", pages, KeyContext::Export),
        ("html", pages, KeyContext::Site),
        ("terminal", terminal, KeyContext::Finder),
        ("terminal", terminal, KeyContext::Reader),
        ("terminal", terminal, KeyContext::Live),
        ("terminal", terminal, KeyContext::Ask),
        ("terminal", terminal, KeyContext::Prompt),
    ] {
        let table = document_table(context);
        assert!(document.contains(&table), "docs/{name}.md: the keys of {context:?} are:\n{table}");
    }
}
