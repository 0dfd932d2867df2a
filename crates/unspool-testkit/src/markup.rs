//! A parser that accepts only the markup of pages, and texts that attack pages.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Texts that try to break out of text.
pub const HOSTILE: &[&str] = &[
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "</code></pre></div><svg onload=alert(1)>",
    "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    "<img src=x onerror=\"alert(1)\">",
    "\"><a href=javascript:alert(1)>x</a>",
    "' onmouseover='alert(1)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1) \"t\")",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](https://evil.example/pixel.png)",
    "![x](javascript:alert(1))",
    "<javascript:alert(1)>",
    "[a]: javascript:alert(1)\n\n[a]",
    "<!-- x --> <![CDATA[ <b> ]]> <?php ?> <!doctype html>",
    "&lt;script&gt; &#60;script&#62; &#x3c;b&#x3e; &amp;lt;",
    "\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]0;title\x07\x1b[2J\x1b[31mred",
    "\x1b]0;never ends <b>",
    "\u{202e}txet\u{202c} \u{2066}x\u{2069} \u{200b}\u{feff}",
    "```\n</code></pre><script>\n```\n",
    "````html\n```\n<script>\n",
    "<base href=//evil><meta http-equiv=refresh content=0><link rel=x><iframe><form><object>",
    "{{constructor.constructor('alert(1)')()}}",
    "\0\u{1}\u{7f}\u{85}\u{2028}\u{2029}",
    "<a\n\thref\n=\n'javascript:x'\n>",
    "| <b> | x |\n|---|---|\n| </table><script> | \"' |",
];

/// The elements of pages.
static ELEMENTS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "a article aside b blockquote body br button code dd del details dialog div dl dt em \
         figcaption figure footer h1 h2 h3 h4 h5 h6 head header hr html img input ins kbd \
         label li main mark meta nav ol output p pre script search section small span strong \
         style summary table tbody td th thead time title tr ul link",
    )
});
/// Elements without an end tag.
const VOID: &[&str] = &["br", "hr", "img", "input", "meta", "link"];
/// The attributes of pages.
static ATTRIBUTES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "alt autocomplete charset class content datetime for hidden href http-equiv id lang \
         loading name open placeholder rel role scope spellcheck src start tabindex title type \
         colspan defer width height translate download",
    )
});

/// Elements that only pages of a server have.
static SERVED_ELEMENTS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| words("circle dialog form g i line meter option path rect select svg text"));
/// Attributes that only pages of a server have.
static SERVED_ATTRIBUTES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words(
        "action autocapitalize autofocus checked cx cy d disabled enterkeyhint fill high low \
         max method min opacity optimum preserveAspectRatio r rx selected stroke \
         stroke-linecap stroke-linejoin stroke-width text-anchor value viewBox x x1 x2 y y1 y2",
    )
});

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split(' ').collect()
}

/// The kind of page that contains the markup.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Markup {
    /// An exported file, which contains all resources that it shows.
    Exported,
    /// A page of a server, which may show images of that server.
    Served,
}

/// Fails unless the markup has only known elements and attributes, correct end tags, and addresses that load
/// nothing.
pub fn check_vocabulary(html: &str) {
    check(html, Markup::Exported);
}

/// Fails unless the markup is that of a served page: no styles and no scripts in it, and only images of the
/// same server.
pub fn check_served(html: &str) {
    assert!(!html.contains("<style"), "a style in {html:?}");
    check(html, Markup::Served);
}

fn check(html: &str, markup: Markup) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        check_text(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix("!doctype html>") {
            rest = after;
            continue;
        }
        let name_len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '/');
        let name = &rest[..name_len.expect("a tag ends")];
        rest = &rest[name.len()..];
        if let Some(name) = name.strip_prefix('/') {
            rest = rest.strip_prefix('>').expect("an end tag has no attributes");
            assert_eq!(open.pop(), Some(name), "in {html:?}");
            continue;
        }
        let is_served = markup == Markup::Served && SERVED_ELEMENTS.contains(name);
        let is_known = ELEMENTS.contains(name) || is_served;
        assert!(is_known, "<{name}> in {html:?}");
        let (after, is_closed) = check_attributes(name, rest, markup);
        rest = after;
        let has_source = matches!(name, "script" | "style") && !rest.starts_with("</");
        assert!(!has_source || markup == Markup::Exported, "<{name}> in {html:?}");
        if has_source {
            let end = rest.find(&format!("</{name}>")).expect("it ends");
            rest = &rest[end..];
        }
        if !VOID.contains(&name) && !is_closed {
            open.push(name);
        }
    }
    check_text(rest);
    assert!(open.is_empty(), "{open:?} open in {html:?}");
}

/// Checks the attributes of a tag. Returns the text after the tag, and whether the tag is self-closing, which
/// only drawings may be.
fn check_attributes<'a>(element: &str, mut rest: &'a str, markup: Markup) -> (&'a str, bool) {
    loop {
        rest = rest.trim_start_matches([' ', '\n']);
        if let Some(after) = rest.strip_prefix('>') {
            return (after, false);
        }
        let is_drawing = SERVED_ELEMENTS.contains(element);
        if let Some(after) = rest.strip_prefix("/>").filter(|_| is_drawing) {
            return (after, true);
        }
        let len = rest.find(['=', ' ', '>']).expect("a tag ends");
        let name = &rest[..len];
        let known =
            ATTRIBUTES.contains(name) || name.starts_with("data-") || name.starts_with("aria-");
        let served = markup == Markup::Served && SERVED_ATTRIBUTES.contains(name);
        assert!(known || served, "{name:?} of <{element}>");
        rest = &rest[len..];
        let Some(quoted) = rest.strip_prefix("=\"") else {
            continue;
        };
        let end = quoted.find('"').expect("a value ends");
        let value = &quoted[..end];
        check_text(value);
        check_address(element, name, value, markup);
        rest = &quoted[end + 1..];
    }
}

fn check_address(element: &str, name: &str, value: &str, markup: Markup) {
    if name == "src" && element == "img" {
        let types = ["png", "jpeg", "gif", "webp"];
        let ours = types.iter().any(|t| value.starts_with(&format!("data:image/{t};base64,")));
        let own = value.starts_with('/') && !value.starts_with("//");
        assert!(ours || (own && markup == Markup::Served), "{value:?}");
    } else if matches!(name, "src" | "href") {
        let lower = value.to_ascii_lowercase();
        // After a slash, `?` or `#`, a colon belongs to the path.
        let is_scheme = |scheme: &str| !scheme.contains(['/', '?', '#']);
        let scheme = lower.split_once(':').map(|(scheme, _)| scheme.to_owned());
        let scheme = scheme.filter(|scheme| is_scheme(scheme));
        let harmless = scheme.is_none_or(|s| matches!(s.as_str(), "http" | "https" | "mailto"));
        assert!(harmless, "{value:?}");
        let loads = matches!(element, "script" | "link");
        assert!(!loads || !lower.contains("//"), "{value:?}");
    }
}

/// Fails if text between tags could be parsed as markup.
fn check_text(text: &str) {
    assert!(!text.contains('>'), "{text:?}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{text:?}");
    for (at, _) in text.match_indices('&') {
        let entities = ["&lt;", "&gt;", "&amp;", "&quot;", "&#39;", "&nbsp;"];
        assert!(entities.iter().any(|e| text[at..].starts_with(e)), "{text:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_markup_is_accepted() {
        check_vocabulary("<p class=\"a\">x &lt; y<br></p><a href=\"#x\">z</a>");
        check_vocabulary("<script>if (a < b) {}</script>");
    }

    #[test]
    fn a_server_shows_its_own_pictures() {
        check_served("<img alt=\"x\" src=\"/s/1/media/2/0\"><meter max=\"1\" value=\"0\"></meter>");
        check_served("<svg viewBox=\"0 0 1 1\"><rect x=\"1\"/></svg><a href=\"/x/line:1\">y</a>");
        for html in [
            "<img src=\"//evil.example/x\">",
            "<p style=\"x\"></p>",
            "<script>1</script>",
            "<style>p {}</style>",
            "<form onsubmit=\"x\"></form>",
            "<svg onload=\"x\"></svg>",
            "<p/>",
            "<script/>",
            "<a href=\"javascript:x\">y</a>",
            "<svg><foreignObject></foreignObject></svg>",
        ] {
            let result = std::panic::catch_unwind(|| check_served(html));
            assert!(result.is_err(), "{html:?}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let cases = [
            "<svg></svg>",
            "<p onclick=\"x\"></p>",
            "<p style=\"x\"></p>",
            "<p>",
            "<p></b>",
            "a > b",
            "a & b",
            "<a href=\"javascript:x\"></a>",
            "<img src=\"https://x\">",
            "<p class=\"\x1b\"></p>",
        ];
        for html in cases {
            let result = std::panic::catch_unwind(|| check_vocabulary(html));
            assert!(result.is_err(), "{html:?}");
        }
    }
}
