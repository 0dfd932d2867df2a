//! The state of the picker that is saved between runs of the program.
//!
//! All screens share one JSON object; the picker owns its member `picker`. Unknown members, in the picker's
//! part and around it, are preserved: an older or a newer unspool may have written them.

use serde_json::{Map, Value, json};
use unspool_model::named::Named;
use unspool_model::names;
use unspool_store::rows::{SessionKind, Status};

use super::rows::{PickerRow, RowScope};

/// The version of the format.
const VERSION: u64 = 1;

names! {
    /// The filter for the folders of sessions.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub(crate) enum PickerScope {
        /// The working directory.
        Here = "here",
        /// The repository.
        Repository = "repository",
        /// All folders.
        #[default]
        Everywhere = "everywhere",
    }
}

impl PickerScope {
    pub(crate) fn has(self, scope: RowScope) -> bool {
        match self {
            Self::Here => scope == RowScope::Here,
            Self::Repository => scope <= RowScope::Repository,
            Self::Everywhere => true,
        }
    }
}

names! {
    /// The sort order of rows.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub(crate) enum PickerSort {
        #[default]
        Newest = "newest",
        Oldest = "oldest",
        Tokens = "tokens",
        Cost = "cost",
        Size = "size",
        Turns = "turns",
        Title = "title",
    }
}

impl PickerSort {
    /// Returns the order in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Newest => "newest first",
            Self::Oldest => "oldest first",
            Self::Tokens => "most tokens first",
            Self::Cost => "highest cost first",
            Self::Size => "largest first",
            Self::Turns => "most turns first",
            Self::Title => "by title",
        }
    }
}

names! {
    /// The place of the preview.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum PreviewPlace {
        Right = "right",
        Below = "below",
        Off = "off",
    }
}

/// The kinds of sessions that are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PickerFilters {
    /// Sessions that a program ran.
    pub(crate) headless: bool,
    /// Agents, each with a row of its own.
    pub(crate) agents: bool,
    /// Sessions without a conversation.
    pub(crate) empty: bool,
    /// Only sessions with this status; all if `None`.
    pub(crate) status: Option<Status>,
    /// Only sessions that a process owns.
    pub(crate) live: bool,
}

impl Default for PickerFilters {
    /// Returns the default of `unspool list`: sessions that people and programs ran.
    fn default() -> Self {
        Self { headless: true, agents: false, empty: false, status: None, live: false }
    }
}

impl PickerFilters {
    /// Tells whether a row is shown.
    pub(crate) fn show(self, row: &PickerRow, is_live: bool) -> bool {
        (self.headless || row.kind != SessionKind::Headless)
            && (self.agents || row.kind != SessionKind::Agent)
            && (self.empty || !row.is_without_conversation() || row.is_gone || is_live)
            && self.status.is_none_or(|status| row.status == status)
            && (!self.live || is_live)
    }
}

/// The saved state of the picker.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct SavedPickerState {
    pub(crate) scope: PickerScope,
    pub(crate) sort: PickerSort,
    /// The place of the preview; chosen by the size of the screen if `None`.
    pub(crate) preview: Option<PreviewPlace>,
    pub(crate) filters: PickerFilters,
}

impl SavedPickerState {
    /// Reads the saved state. Members that cannot be read get their defaults.
    pub(crate) fn read(kept: Option<&str>) -> Self {
        let whole = kept.and_then(|kept| serde_json::from_str::<Value>(kept).ok());
        let part = whole.as_ref().and_then(|whole| whole.get("picker"));
        let text = |name: &str| part.and_then(|part| part.get(name)?.as_str());
        let first = PickerFilters::default();
        let flag = |name: &str, usual: bool| {
            let value = part.and_then(|part| part.get("filters")?.get(name)?.as_bool());
            value.unwrap_or(usual)
        };
        Self {
            scope: text("scope").and_then(Named::from_name).unwrap_or_default(),
            sort: text("sort").and_then(Named::from_name).unwrap_or_default(),
            preview: text("preview").and_then(Named::from_name),
            filters: PickerFilters {
                headless: flag("headless", first.headless),
                agents: flag("agents", first.agents),
                empty: flag("empty", first.empty),
                // Narrow filters are not restored: a list that is short because of a filter of last week
                // looks like lost sessions.
                status: None,
                live: false,
            },
        }
    }

    /// Writes the state into the saved JSON text.
    pub(crate) fn written_into(self, kept: Option<&str>) -> String {
        let whole = kept.and_then(|kept| serde_json::from_str::<Map<String, Value>>(kept).ok());
        let mut whole = whole.unwrap_or_default();
        whole.insert("schema".to_owned(), json!(VERSION));
        let part = whole.entry("picker").or_insert_with(|| json!({}));
        if !part.is_object() {
            *part = json!({});
        }
        part["scope"] = json!(self.scope.name());
        part["sort"] = json!(self.sort.name());
        part["preview"] = json!(self.preview.map(PreviewPlace::name));
        let PickerFilters { headless, agents, empty, .. } = self.filters;
        if !part["filters"].is_object() {
            part["filters"] = json!({});
        }
        part["filters"]["headless"] = json!(headless);
        part["filters"]["agents"] = json!(agents);
        part["filters"]["empty"] = json!(empty);
        format!("{:#}\n", Value::Object(whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_and_the_rest_stays() {
        let kept = SavedPickerState {
            scope: PickerScope::Here,
            sort: PickerSort::Cost,
            preview: Some(PreviewPlace::Off),
            filters: PickerFilters { headless: false, ..PickerFilters::default() },
        };
        let before = r#"{"schema": 9, "reader": {"x": 1}, "picker": {"later": true}}"#;
        let text = kept.written_into(Some(before));
        assert_eq!(SavedPickerState::read(Some(&text)), kept);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["reader"]["x"], 1);
        assert_eq!(value["picker"]["later"], true);
        assert_eq!(value["schema"], 1);
    }

    #[test]
    fn what_cannot_be_read_is_as_at_first() {
        for text in ["", "[]", "{\"picker\": 3}", "{\"picker\": {\"scope\": \"moon\"}}"] {
            assert_eq!(SavedPickerState::read(Some(text)), SavedPickerState::default(), "{text}");
            let written = SavedPickerState::default().written_into(Some(text));
            assert_eq!(SavedPickerState::read(Some(&written)), SavedPickerState::default());
        }
        assert_eq!(SavedPickerState::read(None), SavedPickerState::default());
    }
}
