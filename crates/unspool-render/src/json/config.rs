//! Settings as JSON.

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

/// A settings file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConfigFileJson {
    /// The path of the file.
    pub path: String,
    /// Whether the file exists.
    pub exists: bool,
}

/// A setting.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SettingJson {
    /// The name of the setting.
    pub name: String,
    /// The value of the setting.
    pub value: SettingValueJson,
    /// The source of the value: `default`, `flag`, `environment` or `file`.
    pub source: &'static str,
    /// The flag, the variable or the line that sets the value.
    pub origin: Option<String>,
}

/// The value of a setting.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SettingValueJson {
    /// The setting has no value.
    None(()),
    /// A boolean.
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

/// The price of a million tokens in US dollars, by kind.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PriceJson {
    /// Input that is not read from the cache.
    pub input: f64,
    /// Output of the model.
    pub output: f64,
    /// Input written to the cache for five minutes.
    pub cache_write_5m: f64,
    /// Input written to the cache for an hour.
    pub cache_write_1h: f64,
    /// Input read from the cache.
    pub cache_read: f64,
    /// The first day on which the price applies.
    pub from: Option<String>,
}
