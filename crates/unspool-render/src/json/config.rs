//! Settings as scripts see them.

use serde::Serialize;

use super::{SCHEMA, wire};

wire! {
    /// All settings: one object.
    pub struct ConfigJson new(file: Option<ConfigFileJson>, settings: Vec<SettingJson>) {
        schema: u32 = SCHEMA,
        file: Option<ConfigFileJson> = file,
        settings: Vec<SettingJson> = settings,
    }
}

/// A file of settings.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConfigFileJson {
    /// The file.
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
}

/// A setting.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SettingJson {
    /// What it is called.
    pub name: String,
    /// What it is set to.
    pub value: SettingValueJson,
    /// What set it: `default`, `flag`, `environment` or `file`.
    pub source: &'static str,
    /// Which flag, variable or line.
    pub origin: Option<String>,
}

/// The value of a setting.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SettingValueJson {
    /// It is not set.
    None(()),
    /// A truth.
    Truth(bool),
    /// A number.
    Number(usize),
    /// A text.
    Text(String),
    /// Several texts.
    List(Vec<String>),
    /// A price.
    Price(PriceJson),
}

/// What a million tokens cost in US dollars, by kind.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PriceJson {
    /// Read without the cache.
    pub input: f64,
    /// Written by the model.
    pub output: f64,
    /// Put into the cache for five minutes.
    pub cache_write_5m: f64,
    /// Put into the cache for an hour.
    pub cache_write_1h: f64,
    /// Read from the cache.
    pub cache_read: f64,
    /// The day from which it counts.
    pub from: Option<String>,
}
