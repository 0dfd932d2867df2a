//! Keys, clicks and taps.
//!
//! Keys are given as the characters that they type. Keys that type no character have constants here.

use serde_json::{Value, json};

use super::Browser;

/// The Tab key.
pub const TAB: &str = "\u{e004}";
/// The Enter key.
pub const ENTER: &str = "\u{e007}";
/// The Control key, for [`Browser::press_with`].
pub const CONTROL: &str = "\u{e009}";
/// The Escape key.
pub const ESCAPE: &str = "\u{e00c}";
/// The arrow up key.
pub const UP: &str = "\u{e013}";
/// The arrow down key.
pub const DOWN: &str = "\u{e015}";

/// The device that touches the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pointer {
    Mouse,
    Finger,
}

impl Browser {
    /// Presses and releases keys one after the other.
    pub fn press(&mut self, keys: &str) {
        self.press_with(&[], keys);
    }

    /// Presses and releases keys one after the other while the keys of `held` are down.
    pub fn press_with(&mut self, held: &[&str], keys: &str) {
        let key = |kind: &str, value: &str| json!({ "type": kind, "value": value });
        let mut actions: Vec<Value> = held.iter().map(|held| key("keyDown", held)).collect();
        for character in keys.chars() {
            let value = character.to_string();
            actions.push(key("keyDown", &value));
            actions.push(key("keyUp", &value));
        }
        actions.extend(held.iter().rev().map(|held| key("keyUp", held)));
        self.act(&json!({ "type": "key", "id": "keys", "actions": actions }));
    }

    /// Clicks the centre of the first element that matches a selector. Scrolls the element into view first;
    /// another element on top of it gets the click.
    pub fn click(&mut self, selector: &str) {
        self.touch(selector, Pointer::Mouse);
    }

    /// Taps the centre of the first element that matches a selector.
    pub fn tap(&mut self, selector: &str) {
        self.touch(selector, Pointer::Finger);
    }

    fn touch(&mut self, selector: &str, pointer: Pointer) {
        let find = json!({ "using": "css selector", "value": selector });
        let element = self.command("POST", "element", &find);
        let id = element.as_object().and_then(|names| names.values().next());
        let id = id.and_then(Value::as_str).expect("an element has an id");
        let scroll = json!({ "script": "arguments[0].scrollIntoView({ block: 'nearest', behavior: 'instant' })",
            "args": [element] });
        self.command("POST", "execute/sync", &scroll);
        self.wait_until_it_rests(selector);
        let (device, kind) = match pointer {
            Pointer::Mouse => ("mouse", "mouse"),
            Pointer::Finger => ("finger", "touch"),
        };
        let origin = json!({ "element-6066-11e4-a52e-4f735466cecf": id });
        let actions = json!([
            { "type": "pointerMove", "origin": origin, "x": 0, "y": 0, "duration": 0 },
            { "type": "pointerDown", "button": 0 },
            { "type": "pointerUp", "button": 0 },
        ]);
        self.act(&json!({ "type": "pointer", "id": device, "parameters": { "pointerType": kind },
            "actions": actions }));
    }

    /// Waits until an element has the same position twice. The pointer moves to a position, so it would miss
    /// an element of a page that is still laid out or scrolls to its end.
    fn wait_until_it_rests(&mut self, selector: &str) {
        let selector = json!(selector);
        let place = format!(
            "return JSON.stringify(document.querySelector({selector})?.getBoundingClientRect())"
        );
        let mut before = Value::Null;
        self.wait_until("an element comes to rest", |page| {
            let now = page.run(&place);
            now == std::mem::replace(&mut before, now.clone())
        });
    }

    fn act(&mut self, device: &Value) {
        self.command("POST", "actions", &json!({ "actions": [device] }));
    }
}
