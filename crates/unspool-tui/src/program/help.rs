//! The help: the keys of a screen, as a menu that runs the chosen action.

use unspool_render::keys::{KeyAction, KeyBinding, KeyContext, KeySection, ShownKeys, help_rows};

use super::TuiProgram;
use crate::menu::{Menu, MenuChoice, MenuItem};
use crate::settings::{PickerUse, StartScreen};

impl TuiProgram {
    /// Builds the help: the keys of this screen first, then those of the other main screens.
    pub(super) fn help(&self) -> Menu {
        let context = self.stack.last().map(|(_, it)| it.input_mode().context);
        let context = context.unwrap_or(KeyContext::Reader);
        let mut items = self.items(context, &KeySection::ALL);
        let others = [KeyContext::Finder, KeyContext::Reader, KeyContext::Live];
        let others = others.into_iter().filter(|other| *other != context);
        items.extend(others.flat_map(inert_items));
        Menu::new("help", format!("Keys · {}", place(context)), items)
    }

    /// Returns menu items for the actions of some sections, as bound in a context.
    pub(super) fn items(&self, context: KeyContext, sections: &[KeySection]) -> Vec<MenuItem> {
        // Messages can only be inserted while a prompt is being edited.
        let edits_prompt = self.settings.start == StartScreen::Picker(PickerUse::Insert);
        let bindings = sections.iter().flat_map(|section| {
            let all = unspool_render::keys::bindings(context);
            let all = all.filter(move |binding| edits_prompt || !is_about_prompt(binding));
            all.filter(move |binding| binding.section == *section)
        });
        let items = bindings.map(|binding| {
            let own = self.matcher.own_keys(binding.action);
            let own = own.map(|keys| ShownKeys(keys).to_string());
            let keys: Vec<String> =
                own.chain(binding.keys().map(|keys| keys.to_string())).collect();
            MenuItem {
                key: keys.join(" "),
                label: binding.short.to_owned(),
                note: binding.section.title().to_lowercase(),
                words: format!("{} {}", binding.long, binding.words),
                choice: MenuChoice::Action(binding.action),
            }
        });
        items.collect()
    }
}

/// Tells whether a key acts on the prompt that is being edited.
fn is_about_prompt(binding: &KeyBinding) -> bool {
    match binding.action {
        KeyAction::InsertMessage | KeyAction::InsertTurn => true,
        KeyAction::Edit => binding.context == KeyContext::Finder,
        _ => false,
    }
}

/// Returns the name of a context's screen.
fn place(context: KeyContext) -> &'static str {
    match context {
        KeyContext::Finder => "picker",
        KeyContext::Live => "running sessions",
        KeyContext::Ask => "answer",
        KeyContext::Prompt => "prompt",
        _ => "reader",
    }
}

/// Returns items for the keys of another context, which only inform.
fn inert_items(context: KeyContext) -> Vec<MenuItem> {
    let rows = help_rows(context).into_iter();
    let items = rows.map(|row| {
        let keys = row.bindings.iter().flat_map(KeyBinding::keys);
        let keys: Vec<String> = keys.map(|keys| keys.to_string()).collect();
        let words = row.bindings.iter();
        let words = words.flat_map(|binding| [binding.short, binding.words]);
        let words: Vec<&str> = words.collect();
        MenuItem {
            key: keys.join(" "),
            label: row.label.to_owned(),
            note: format!("({})", place(context)),
            words: words.join(" "),
            choice: MenuChoice::Nothing,
        }
    });
    items.collect()
}
