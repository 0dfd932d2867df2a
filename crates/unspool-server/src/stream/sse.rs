//! Server-sent events as text, and the answer that streams them.

use std::fmt::Write as _;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use futures_util::Stream;
use serde::Serialize;

/// The time of silence after which a connection sends a heartbeat. A browser that receives nothing
/// for fifteen seconds reconnects.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(10);

/// Events in the text format of the protocol.
#[derive(Default, Debug)]
pub(crate) struct EventText(String);

impl EventText {
    /// Writes how soon a browser should reconnect, in milliseconds.
    pub(crate) fn retry(&mut self, milliseconds: u32) {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "retry: {milliseconds}\n\n");
    }

    /// Writes an event, with its data as JSON on one line.
    pub(crate) fn event(&mut self, name: &str, id: Option<&str>, data: &impl Serialize) {
        let _ = writeln!(self.0, "event: {name}");
        if let Some(id) = id {
            let _ = writeln!(self.0, "id: {id}");
        }
        let mut json = Vec::new();
        // Writing to memory cannot fail, and every value here can be serialized.
        let _ = unspool_render::json::write(data, &mut json);
        self.0 += "data: ";
        self.0 += &String::from_utf8_lossy(&json);
        self.0 += "\n\n";
    }

    /// Writes a comment, which is a heartbeat.
    pub(crate) fn comment(&mut self) {
        self.0 += ":\n\n";
    }

    /// Appends other events.
    pub(crate) fn append(&mut self, other: &Self) {
        self.0 += &other.0;
    }

    /// Returns the text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether nothing was written.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Answers with a stream of events. The stream is not compressed, so that each event arrives at once.
pub(super) fn answer(
    events: impl Stream<Item = Result<EventText, std::convert::Infallible>> + Send + 'static,
) -> Response {
    use futures_util::StreamExt as _;
    let bytes = events.map(|text| text.map(|text| Bytes::from(text.0)));
    let mut response = Response::new(Body::from_stream(bytes));
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_of_data() {
        let mut text = EventText::default();
        text.event("message", Some("a.1"), &"two\nlines");
        text.comment();
        let expected = "event: message\nid: a.1\ndata: \"two\\nlines\"\n\n:\n\n";
        assert_eq!(text.0, expected);
    }
}
