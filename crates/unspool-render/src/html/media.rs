//! Images and documents.
//!
//! An image of a type that cannot contain a script is embedded in the page. Everything else is
//! named: SVG because it is a document that may contain scripts and addresses, and documents
//! because they do not belong in a page.

use unspool_model::record::MediaKind;
use unspool_text::html::{Html, is_base64};
use unspool_text::human;

use super::host::PaintContext;
use unspool_engine::ops::message::MediaText;

/// Paints an image, or the name of other media.
pub(super) fn media(media: &MediaText, brush: PaintContext<'_>, html: &mut Html) {
    if let Some(way) = brush.media_way().filter(|_| media.bytes.is_some()) {
        return served(media, &way, html);
    }
    let data = media.data.as_deref().filter(|data| !data.is_empty());
    let image = image_type(media).filter(|_| media.kind == MediaKind::Image);
    match (image, data) {
        (Some(kind), Some(data)) if data.bytes().all(is_base64) => {
            html.tag("<figure class=\"image\"><img alt=\"image\" loading=\"lazy\" src=\"data:");
            html.tag(kind).tag(";base64,").base64(data).tag("\">");
            html.tag("<figcaption>");
            name(media, html);
            html.tag("</figcaption></figure>\n");
        }
        _ => {
            html.tag("<p class=\"attachment\">");
            name(media, html);
            html.tag("</p>\n");
        }
    }
}

/// Paints an image that is loaded when it comes into view, or a download link for other media.
fn served(media: &MediaText, way: &str, html: &mut Html) {
    let is_image = media.kind == MediaKind::Image && image_type(media).is_some();
    if is_image {
        html.tag("<figure class=\"image\"><img alt=\"image\" loading=\"lazy\"");
        html.attribute("src", way).tag("><figcaption>");
        name(media, html);
        html.tag("</figcaption></figure>\n");
    } else {
        html.tag("<p class=\"attachment\"><a download").attribute("href", way).tag(">");
        name(media, html);
        html.tag("</a></p>\n");
    }
}

/// Returns the media type for the browser, if it shows the type as pixels and nothing else.
fn image_type(media: &MediaText) -> Option<&'static str> {
    match media.extension() {
        "png" => Some("image/png"),
        "jpg" => Some("image/jpeg"),
        "gif" => Some("image/gif"),
        "webp" => Some("image/webp"),
        _ => None,
    }
}

fn name(media: &MediaText, html: &mut Html) {
    html.tag(match media.kind {
        MediaKind::Image => "Image",
        MediaKind::Document => "Document",
    });
    if !media.media_type.is_empty() {
        html.tag(" \u{b7} ").text(&media.media_type);
    }
    match media.bytes {
        Some(bytes) => _ = html.tag(" \u{b7} ").text(&human::bytes(bytes)),
        None if media.data.is_none() => _ = html.tag(" \u{b7} not in the log"),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unspool_testkit::markup::{HOSTILE, check_vocabulary};
    use unspool_text::html::Painting;

    fn painted(kind: MediaKind, media_type: &str, data: Option<&str>) -> String {
        let thing = MediaText {
            kind,
            media_type: media_type.to_owned(),
            bytes: Some(3),
            data: data.map(Into::into),
        };
        let mut html = Html::new();
        media(&thing, PaintContext::in_file(Painting::Plain), &mut html);
        check_vocabulary(html.as_str());
        html.as_str().to_owned()
    }

    #[test]
    fn a_type_that_means_harm_is_text() {
        for text in HOSTILE {
            painted(MediaKind::Image, text, Some("AAAA"));
        }
    }

    #[test]
    fn pixels_are_shown() {
        let html = painted(MediaKind::Image, "image/png", Some("AAAA"));
        assert!(html.contains("src=\"data:image/png;base64,AAAA\""), "{html}");
        assert!(html.contains("Image · image/png · 3 B"), "{html}");
    }

    #[test]
    fn everything_else_is_named() {
        let cases = [
            (MediaKind::Image, "image/svg+xml", Some("AAAA")),
            (MediaKind::Image, "image/png", Some("AA\"><script>")),
            (MediaKind::Image, "image/png\" onerror=\"x", Some("AAAA")),
            (MediaKind::Image, "image/png", None),
            (MediaKind::Image, "image/png", Some("")),
            (MediaKind::Document, "image/png", Some("AAAA")),
            (MediaKind::Document, "application/pdf", Some("AAAA")),
            (MediaKind::Document, "<script>", None),
        ];
        for (kind, media_type, data) in cases {
            let html = painted(kind, media_type, data);
            assert!(html.starts_with("<p class=\"attachment\">"), "{html}");
        }
    }
}
