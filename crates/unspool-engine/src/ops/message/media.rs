//! Images and documents inside messages.

use unspool_model::record::{Media, MediaData, MediaKind};
use unspool_text::{base64, human};

/// An image or a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MediaText {
    /// Which of the two.
    pub kind: MediaKind,
    /// Its media type, which may be anything.
    pub media_type: String,
    /// How many bytes it has; none if it is elsewhere.
    pub bytes: Option<u64>,
    /// Its bytes in base64; none if it is elsewhere or they were not asked for.
    pub data: Option<String>,
}

/// Whether the bytes of images and documents are read with a message.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum MediaBytes {
    /// Their size is enough.
    #[default]
    Counted,
    /// They are wanted.
    Read,
}

impl MediaText {
    /// Returns its bytes, if they are here.
    pub fn content(&self) -> Option<Vec<u8>> {
        base64::decode(self.data.as_deref()?)
    }

    /// Returns the ending for a file with its bytes. What a browser might run, and whatever is
    /// not known, is `bin`.
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

    /// Tells whether it is an image that every reader can show and none would run.
    pub fn is_picture(&self) -> bool {
        matches!(self.extension(), "png" | "jpg" | "gif" | "webp")
    }

    /// Says in brackets what it is: `[image, image/png, 2.1 kB]`.
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

/// Takes an image or a document out of a record.
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
