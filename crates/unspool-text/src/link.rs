//! Which targets links of a log may lead to: the one policy of pages and of Markdown.

/// Where a URL in a log leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkTarget<'u> {
    /// To the web or to mail: the URL without white space around it.
    Web(&'u str),
    /// To a place near the document: a file or a heading.
    Nearby,
    /// Anywhere else: a script, data, a host without a scheme, or an unknown target.
    Elsewhere,
}

impl<'u> LinkTarget<'u> {
    /// Classifies a URL, which may be any text. Browsers skip white space and control characters in
    /// a scheme, so this does too.
    pub fn of(url: &'u str) -> Self {
        let url = url.trim();
        let is_odd = |c: char| c.is_control() || c.is_whitespace();
        let bare: String = url.chars().filter(|&c| !is_odd(c)).collect();
        let scheme_end = bare.find([':', '/', '?', '#']);
        let Some(end) = scheme_end.filter(|&end| bare[end..].starts_with(':')) else {
            return if bare.starts_with("//") { Self::Elsewhere } else { Self::Nearby };
        };
        let is_whole = match bare[..end].to_ascii_lowercase().as_str() {
            "http" | "https" => bare[end..].starts_with("://"),
            "mailto" => true,
            _ => false,
        };
        if is_whole && bare.len() == url.len() { Self::Web(url) } else { Self::Elsewhere }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_judged_by_their_scheme() {
        for url in ["http://a", "HTTPS://a/b?c#d", "mailto:a@b", " https://a "] {
            assert_eq!(LinkTarget::of(url), LinkTarget::Web(url.trim()), "{url:?}");
        }
        for url in ["", "src/a.rs", "my file.md", "#x", "/a:b", "a@b", "?a:b"] {
            assert_eq!(LinkTarget::of(url), LinkTarget::Nearby, "{url:?}");
        }
        let others = [
            "javascript:alert(1)",
            "java\nscript:x",
            "data:text/html,x",
            "file:///etc",
            "//a",
            "/\t/a",
            "vbscript:x",
            "https:x",
            "a b://c",
            "https://a\tb",
            "\u{1}https://a",
            "blob:x",
        ];
        for url in others {
            assert_eq!(LinkTarget::of(url), LinkTarget::Elsewhere, "{url:?}");
        }
    }
}
