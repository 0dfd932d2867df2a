//! What the picker remembers from one run to the next.
//!
//! All screens share one JSON object; the picker has the part `picker` of it. What it does not know, in
//! its part and around it, is kept as it is: an older or a newer unspool may have written it.

use serde_json::{Map, Value, json};
use unspool_model::named::Named;
use unspool_model::names;
use unspool_store::rows::{SessionKind, Status};

use super::rows::{PickerRow, RowScope};

/// The version of the format.
const VERSION: u64 = 1;

names! {
    /// Which sessions are shown, by where they were.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub(crate) enum PickerScope {
        /// Those of the folder that the user is in.
        Here = "here",
        /// Those of the repository.
        Repository = "repository",
        /// All.
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
    /// What rows are sorted by.
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
    /// Says the order in words.
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
    /// Where the preview is.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum PreviewPlace {
        Right = "right",
        Below = "below",
        Off = "off",
    }
}

/// Which kinds of sessions are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PickerFilters {
    /// Sessions that a program ran.
    pub(crate) headless: bool,
    /// Agents, each as a row.
    pub(crate) agents: bool,
    /// Sessions without a conversation.
    pub(crate) empty: bool,
    /// Only those that ended like this; in any way if none.
    pub(crate) status: Option<Status>,
    /// Only those that a process owns.
    pub(crate) live: bool,
}

impl Default for PickerFilters {
    /// As `unspool list` does: what people and programs ran.
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

/// What the picker remembers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct PickerKept {
    pub(crate) scope: PickerScope,
    pub(crate) sort: PickerSort,
    /// Where the preview is; by the size of the screen if none.
    pub(crate) preview: Option<PreviewPlace>,
    pub(crate) filters: PickerFilters,
}

impl PickerKept {
    /// Reads what was kept. What cannot be read is as it is at first.
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
                // Narrow filters are of the moment: a list that is short for a reason of last week
                // looks like a loss.
                status: None,
                live: false,
            },
        }
    }

    /// Writes itself into what was kept.
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
        let kept = PickerKept {
            scope: PickerScope::Here,
            sort: PickerSort::Cost,
            preview: Some(PreviewPlace::Off),
            filters: PickerFilters { headless: false, ..PickerFilters::default() },
        };
        let before = r#"{"schema": 9, "reader": {"x": 1}, "picker": {"later": true}}"#;
        let text = kept.written_into(Some(before));
        assert_eq!(PickerKept::read(Some(&text)), kept);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["reader"]["x"], 1);
        assert_eq!(value["picker"]["later"], true);
        assert_eq!(value["schema"], 1);
    }

    #[test]
    fn what_cannot_be_read_is_as_at_first() {
        for text in ["", "[]", "{\"picker\": 3}", "{\"picker\": {\"scope\": \"moon\"}}"] {
            assert_eq!(PickerKept::read(Some(text)), PickerKept::default(), "{text}");
            let written = PickerKept::default().written_into(Some(text));
            assert_eq!(PickerKept::read(Some(&written)), PickerKept::default());
        }
        assert_eq!(PickerKept::read(None), PickerKept::default());
    }
}
