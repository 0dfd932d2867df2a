use super::*;
use proptest::prelude::*;

/// Highlights code and formats it as `[letter:text]`.
fn labelled(language: &str, text: &str) -> String {
    let language = Language::named(language).expect("a language by that name");
    let mut out = String::new();
    highlight(language, text, &mut |token, piece| match token {
        Some(token) => out.extend(["[", letter(token), ":", piece, "]"]),
        None => out.push_str(piece),
    });
    out
}

fn letter(token: CodeToken) -> &'static str {
    match token {
        CodeToken::Keyword => "k",
        CodeToken::Type => "t",
        CodeToken::Function => "f",
        CodeToken::String => "s",
        CodeToken::Number => "n",
        CodeToken::Comment => "c",
        CodeToken::Name => "v",
        CodeToken::Meta => "m",
        CodeToken::Added => "da",
        CodeToken::Removed => "dr",
    }
}

fn check(language: &str, text: &str, expected: &str) {
    assert_eq!(labelled(language, text), expected, "{language}: {text:?}");
}

#[test]
fn languages_made_of_words() {
    check(
        "rust",
        "pub fn f<'a>(x: &'a str) -> Option<char> { Some('x') } // why",
        "[k:pub] [k:fn] f<'a>(x: &'a str) -> [t:Option]<char> { [f:Some]([s:'x']) } [c:// why]",
    );
    check(
        "rs",
        "#[test]\nlet s = r#\"a\"b\"#; println!(\"{x}\\\"\"); /* a /* b */ c */ 0xff_u8",
        "[m:#[test]]\n[k:let] s = [s:r#\"a\"b\"#]; [f:println!]([s:\"{x}\\\"\"]); [c:/* a /* b */ c */] [n:0xff_u8]",
    );
    check(
        "python",
        "@cached\ndef f(self):\n    \"\"\"Doc\n    string\"\"\"\n    return None  # no",
        "[m:@cached]\n[k:def] [f:f]([k:self]):\n    [s:\"\"\"Doc\n    string\"\"\"]\n    [k:return] [n:None]  [c:# no]",
    );
    check(
        "tsx",
        "const x: Foo<number> = `a ${b}` + y.map((z) => z);",
        "[k:const] x: [t:Foo]<[k:number]> = [s:`a ${b}`] + y.[f:map]((z) => z);",
    );
    check(
        "json",
        "{\"a\": \"b\", \"c\": [1, true]}",
        "{[v:\"a\"]: [s:\"b\"], [v:\"c\"]: [[n:1], [n:true]]}",
    );
    check("go", "func main() { x := `a\nb` }", "[k:func] [f:main]() { x := [s:`a\nb`] }");
    check(
        "java",
        "@Override public int f() { return 'a'; }",
        "[m:@Override] [k:public] [k:int] [f:f]() { [k:return] [s:'a']; }",
    );
    check("c", "#include <a.h>\nint main(void)", "[m:#include] <a.h>\n[k:int] [f:main]([k:void])");
    check("cpp", "auto x = nullptr; /* a\nb */", "[k:auto] x = [n:nullptr]; [c:/* a\nb */]");
    check("sql", "SELECT count(*) from t -- all", "[k:SELECT] [f:count](*) [k:from] t [c:-- all]");
}

#[test]
fn quotes_without_an_end_stay_on_their_line() {
    check("js", "don't\nif (x) {}", "don't\n[k:if] (x) {}");
    check("js", "a \"b\nc\"", "a \"b\nc\"");
    check("python", "x = 'a\\'b'", "x = [s:'a\\'b']");
}

#[test]
fn commands() {
    check(
        "bash",
        "# why\nFOO=1 cargo test -p x | grep \"a b\" && echo $HOME ${X} 'y' 2",
        "[c:# why]\nFOO=1 [f:cargo] test [m:-p] x | [f:grep] [s:\"a b\"] && [f:echo] [v:$HOME] [v:${X}] [s:'y'] [n:2]",
    );
}

#[test]
fn files_of_settings() {
    check(
        "yaml",
        "# c\na: 1\n- b: \"x\" # y\n  url: http://z",
        "[c:# c]\n[v:a]: [n:1]\n- [v:b]: [s:\"x\"] [c:# y]\n  [v:url]: http://z",
    );
    check(
        "toml",
        "[a.b]\nc = \"d\" # e\nf = true",
        "[t:[a.b]]\n[v:c] = [s:\"d\"] [c:# e]\n[v:f] = [k:true]",
    );
    check(
        "css",
        ".a { color: #fff; width: calc(1px + 2%) } /* x */",
        "[t:.a] { [v:color]: [n:#fff]; [v:width]: [f:calc]([n:1px] + [n:2%]) } [c:/* x */]",
    );
}

#[test]
fn markup() {
    check(
        "html",
        "<!-- c --><a href=\"x\">y &amp; z</a> <",
        "[c:<!-- c -->]<[k:a] [v:href]=[s:\"x\"]>y [n:&amp;] z</[k:a]> <",
    );
    check(
        "md",
        "# h\n- a `b` [c](d)\n```sh\nx\n```\n> q",
        "[k:# h]\n[m:-] a [s:`b`] [f:[c]](d)\n[c:```sh]\n[s:x]\n[c:```]\n[c:> q]",
    );
    check(
        "diff",
        "--- a\n@@ -1 +1 @@\n-x\n+y\n z",
        "[m:--- a]\n[k:@@ -1 +1 @@]\n[dr:-x]\n[da:+y]\n z",
    );
}

#[test]
fn languages_are_found_by_name_and_by_extension() {
    for name in ["Rust", "TypeScript", "c++", "YAML", "sh", "jsonl"] {
        assert!(Language::named(name).is_some(), "{name}");
    }
    assert!(Language::named("brainfuck").is_none());
    assert!(Language::named("").is_none());
}

#[test]
fn large_blocks_have_one_colour() {
    let text = "fn ".repeat(MAX_BYTES);
    assert!(!labelled("rust", &text).contains("[k:"));
}

/// Returns one name of every lexer and of every set of rules.
fn languages() -> Vec<&'static str> {
    let mut names = vec!["sh", "html", "css", "md", "diff", "yaml", "toml"];
    names.extend(rules::ALL.iter().map(|rules| rules.names[0]));
    names
}

#[test]
fn hostile_code_takes_linear_work() {
    let patterns = [
        "\"\\", "'\\", "`", "\\'", "\\\"", "/*", "*/", "r#\"", "\"\"\"", "<a ", "<!--", "&", "[",
        "`[", "${", "${a}", "$(", "#[", "@", "- ", "a:", "a=", "'a", "'\\u", "{", "#", "漢", "\n",
        "\n\"", "\n[", "\\\n\"", "\"'`", "[`", "<a '", "<a b=\"",
    ];
    for pattern in patterns {
        let text = pattern.repeat(16_000 / pattern.len());
        for name in languages() {
            let language = Language::named(name).expect("known");
            let steps = unspool_work::count(|| highlight(language, &text, &mut |_, _| {}));
            // Quadratic work would be thousands of steps for each byte.
            let each = steps / text.len() as u64;
            assert!(each <= 16, "{each} steps for each byte of {pattern:?} as {name}");
        }
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_or_added(
        text in "([\"'`\\\\/*#@$&<>{}\\[\\]():;=!|\\-+.,_ \n\ta-zA-Z0-9é漢]|/\\*|\\*/|\"\"\"|```|<!--|-->|r#\"){0,80}"
    ) {
        for language in languages() {
            let language = Language::named(language).expect("known");
            let mut pieces = String::new();
            highlight(language, &text, &mut |_, piece| pieces.push_str(piece));
            prop_assert_eq!(pieces.as_str(), &*clean(&text));
        }
    }
}
