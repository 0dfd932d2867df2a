//! Reads prompts: text, standard input, images.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use unspool_drive::{PromptContent, PromptImage};
use unspool_text::base64;
use unspool_text::picture::picture_type;

use crate::errors::{UsageError, wrong_use};

/// The largest size of a prompt in bytes, images included.
const LARGEST: u64 = 20_000_000;

/// Reads a prompt; `None` without text and images. `-` is standard input.
pub(crate) fn prompt(text: Option<&str>, images: &[PathBuf]) -> Result<Option<PromptContent>> {
    let text = text.map(typed_text).transpose()?.unwrap_or_default();
    let mut left = LARGEST.saturating_sub(text.len() as u64);
    let images = images.iter().map(|file| {
        let bytes = read(file, left)?;
        left -= bytes.len() as u64;
        image(file, &bytes)
    });
    let images = images.collect::<Result<Vec<_>>>()?;
    if text.trim().is_empty() && images.is_empty() {
        return Ok(None);
    }
    Ok(Some(PromptContent { text, images }))
}

fn typed_text(text: &str) -> Result<String> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut typed = String::new();
    let mut input = io::stdin().take(LARGEST + 1);
    input.read_to_string(&mut typed).context("standard input cannot be read")?;
    if typed.len() as u64 > LARGEST {
        return Err(too_large("the prompt"));
    }
    Ok(typed)
}

fn read(file: &Path, most: u64) -> Result<Vec<u8>> {
    let words = || file.display().to_string();
    let mut bytes = Vec::new();
    let opened = File::open(file).with_context(words)?;
    opened.take(most + 1).read_to_end(&mut bytes).with_context(words)?;
    if bytes.len() as u64 > most {
        return Err(too_large(&words()));
    }
    Ok(bytes)
}

fn too_large(what: &str) -> anyhow::Error {
    let words = format!("{what} is too large: a prompt with its images has 20 MB at most");
    UsageError(words).into()
}

/// Detects the type of an image by its first bytes, not by its name.
fn image(file: &Path, bytes: &[u8]) -> Result<PromptImage> {
    let Some(media_type) = picture_type(bytes) else {
        let file = file.display();
        return wrong_use(format!("{file} is not an image; PNG, JPEG, GIF and WebP can be sent"));
    };
    Ok(PromptImage { media_type: media_type.to_owned(), data: base64::encode(bytes) })
}
