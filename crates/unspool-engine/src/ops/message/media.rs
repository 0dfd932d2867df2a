//! Images and documents inside messages.

use unspool_model::record::{Media, MediaData, MediaKind};
use unspool_text::{base64, human};

/// An image or a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MediaText {
    /// Whether it is an image or a document.
    pub kind: MediaKind,
    /// The media type, which may be any text.
    pub media_type: String,
    /// The number of bytes; `None` if the content is not in the log.
    pub bytes: Option<u64>,
    /// The content in base64; `None` if it is not in the log or was not requested.
    pub data: Option<String>,
}

/// Whether the bytes of images and documents are read with a message.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum MediaBytes {
    /// Only their size is read.
    #[default]
    Counted,
    /// Their bytes are read.
    Read,
}

impl MediaText {
    /// Returns the decoded content, if it was read.
    pub fn content(&self) -> Option<Vec<u8>> {
        base64::decode(self.data.as_deref()?)
    }

    /// Returns the file extension for the content. Types that a browser might run and unknown types
    /// get `bin`.
    pub fn extension(&self) -> &'static str {
        match self.media_type.as_str() {
            "image/png" => "png",
            "image/jpeg" | "image/jpg" => "jpg",
            "image/gif" => "gif",
            "image/webp" => "webp",
            "application/pdf" => "pdf",
            "text/plain" => "txt",
            _ => "bin",
        }
    }

    /// Reports whether this is an image that every browser can show and none would run.
    pub fn is_picture(&self) -> bool {
        matches!(self.extension(), "png" | "jpg" | "gif" | "webp")
    }

    /// Returns a description in brackets: `[image, image/png, 2.1 kB]`.
    pub fn words(&self) -> String {
        let what = match self.kind {
            MediaKind::Image => "image",
            MediaKind::Document => "document",
        };
        let mut words = vec![what.to_owned()];
        words.extend(Some(self.media_type.clone()).filter(|text| !text.is_empty()));
        let size = self.bytes.map(human::bytes);
        words.push(size.unwrap_or_else(|| "elsewhere".to_owned()));
        format!("[{}]", words.join(", "))
    }
}

/// Converts an image or a document of a record.
pub(super) fn media_text(media: Media<'_>, wanted: MediaBytes) -> MediaText {
    let data = media.data.filter(|_| wanted == MediaBytes::Read);
    MediaText {
        kind: media.kind,
        media_type: media.media_type.into_owned(),
        bytes: media.bytes,
        data: data.map(|data| match data {
            MediaData::Base64(text) => text.decode().into_owned(),
            MediaData::Text(text) => base64::encode(text.decode().as_bytes()),
        }),
    }
}
