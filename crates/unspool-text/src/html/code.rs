//! Code blocks of a page, highlighted or not.

use super::escape::Html;
use crate::highlight::{self, Language, fence_name};
use crate::style::CodeToken;

/// Whether code is highlighted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Painting {
    /// Code is shown in one colour.
    Plain,
    /// Code is highlighted if its language is known.
    #[default]
    Highlighted,
}

/// Paints a code block. `info` is the text after a fence: a language, nothing, or any other text.
pub fn code_block(info: &str, text: &str, painting: Painting, html: &mut Html) {
    let name = fence_name(info);
    html.tag("<div class=\"code\"");
    if !name.is_empty() {
        html.attribute("data-language", name);
    }
    html.tag("><pre tabindex=\"0\"><code>");
    code(Language::named(name), text, painting, html);
    html.tag("</code></pre></div>\n");
}

/// Paints code without a block around it.
fn code(language: Option<Language>, text: &str, painting: Painting, html: &mut Html) {
    let text = text.strip_suffix('\n').unwrap_or(text);
    match language {
        Some(language) if painting == Painting::Highlighted => {
            highlight::highlight(language, text, &mut |token, piece| match token {
                Some(token) => _ = html.tag(open(token)).text(piece).tag("</span>"),
                None => _ = html.text(piece),
            });
        }
        _ => _ = html.text(text),
    }
}

/// Returns the opening tag of a labelled piece of code.
fn open(token: CodeToken) -> &'static str {
    match token {
        CodeToken::Keyword => "<span class=\"k\">",
        CodeToken::Type => "<span class=\"t\">",
        CodeToken::Function => "<span class=\"f\">",
        CodeToken::String => "<span class=\"s\">",
        CodeToken::Number => "<span class=\"n\">",
        CodeToken::Comment => "<span class=\"c\">",
        CodeToken::Name => "<span class=\"v\">",
        CodeToken::Meta => "<span class=\"m\">",
        CodeToken::Added => "<span class=\"da\">",
        CodeToken::Removed => "<span class=\"dr\">",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unspool_testkit::markup::{HOSTILE, check_vocabulary};

    fn painted(info: &str, text: &str) -> String {
        let mut html = Html::new();
        code_block(info, text, Painting::Highlighted, &mut html);
        html.as_str().to_owned()
    }

    #[test]
    fn blocks_name_their_language() {
        let pre = "<pre tabindex=\"0\"><code>";
        assert_eq!(
            painted("rust,ignore", "a\n\n"),
            format!("<div class=\"code\" data-language=\"rust\">{pre}a\n</code></pre></div>\n")
        );
        assert_eq!(
            painted("", "</code>"),
            format!("<div class=\"code\">{pre}&lt;/code&gt;</code></pre></div>\n")
        );
        assert_eq!(
            painted("\"><script>", "x"),
            format!(
                "<div class=\"code\" data-language=\"&quot;&gt;&lt;script&gt;\">{pre}x</code></pre></div>\n"
            )
        );
    }

    #[test]
    fn hostile_code_stays_inside() {
        for text in HOSTILE {
            for language in
                ["", "html", "rust", "bash", "markdown", "diff", "css", "yaml", "toml", "x-unknown"]
            {
                check_vocabulary(&painted(language, text));
            }
        }
    }
}
