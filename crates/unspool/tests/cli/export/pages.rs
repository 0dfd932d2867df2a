//! Pages and sites as files. Their behaviour in a browser is tested in the engine.

use unspool_testkit::random::{self, RandomShape};
use unspool_testkit::{TestHome, session, uuid};

use super::export;
use crate::run::{SESSION, home_with, run};

const TALK: &str = r#"
u1 user "where is the needle"
a1 assistant "in the **haystack**"
u2 user "and the thread"
a2 assistant "beside it"
"#;

/// Returns the values of an attribute in a page.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let begin = format!(" {attribute}=\"");
    let parts = page.split(begin.as_str()).skip(1);
    parts.filter_map(|part| part.split('"').next()).collect()
}

/// The same conversation with ids of its own.
fn told_by(name: &str) -> String {
    let lines = TALK.lines().filter(|line| !line.is_empty());
    let lines: Vec<String> = lines.map(|line| format!("{name}-{line}")).collect();
    lines.join("\n")
}

#[test]
fn a_page_is_self_contained() {
    let exported = export(&home_with(TALK), &[SESSION, "--format", "html"]);
    assert_eq!(exported.names(), [format!("transcript_{SESSION}.html")]);
    let page = exported.only();
    assert!(page.starts_with("<!doctype html>"));
    assert!(page.contains("<strong>haystack</strong>"));
    assert!(page.contains("Content-Security-Policy"));
    assert!(page.contains("id=\"turn-2\""));
    for link in values(page, "href") {
        assert!(link.starts_with('#'), "{link}");
    }
    assert_eq!(values(page, "src"), Vec::<&str>::new());
}

#[test]
fn a_long_path_becomes_pages_that_lead_to_each_other() {
    let home = TestHome::new();
    home.add_session("/srv/a", SESSION, random::session(3, &RandomShape::linear(3000)));
    let exported = export(&home, &[SESSION, "--format", "html", "--paths", "active"]);
    let pages = exported.ending("html");
    assert!(pages.len() > 2, "{pages:?}");
    for name in &pages {
        let page = exported.text(name);
        let own = |link: &&str| link.contains(".html");
        for link in values(page, "href").into_iter().filter(own) {
            let file = link.split('#').next().unwrap_or_default();
            assert!(pages.contains(&file), "{link} in {name}");
        }
        assert!(page.ends_with("</html>\n"), "{name}");
    }
    let ran =
        run(&home, &["export", SESSION, "--format", "html", "--paths", "active", "--out", "-"]);
    assert_eq!(ran.ok().matches("<!doctype html>").count(), 1);
}

#[test]
fn a_site_has_lists_pages_and_a_search() {
    let home = TestHome::new();
    for (folder, name) in [("/srv/a", "one"), ("/srv/a", "two"), ("/srv/b", "three")] {
        let talk = format!("%cwd {folder}\n{}", told_by(name));
        home.add_session(folder, &uuid(name), session(&talk));
    }
    let exported = export(&home, &["--all", "--site"]);
    assert_eq!(exported.ran.code, Some(0), "{}", exported.ran.err);
    let names = exported.names();
    for wanted in ["index.html", "search/index.js", "assets/page.css"] {
        assert!(names.contains(&wanted), "{wanted} in {names:?}");
    }
    let inside = |folder: &str| names.iter().filter(|name| name.starts_with(folder)).count();
    assert_eq!((inside("projects/"), inside("sessions/")), (2, 3));
    let index = exported.text("index.html");
    assert!(index.contains("3 sessions in 2 projects"), "{index}");
    for link in values(index, "href") {
        let file = link.split('#').next().unwrap_or_default();
        assert!(file.is_empty() || names.contains(&file), "{link}");
    }
    let again = export(&home, &["--all", "--site"]);
    assert_eq!(again.files, exported.files);
}

#[test]
fn a_site_is_html_in_a_folder() {
    let home = home_with(TALK);
    for args in [&["--format", "md"][..], &["--out", "-"]] {
        run(&home, &[&["export", "--all", "--site"], args].concat()).says(2, &[]);
    }
}

#[test]
fn the_search_of_a_site_knows_everything_that_is_shown() {
    let talk = r#"
u1 user "quarrel about it"
c1 assistant call Bash:t1 {"command":"xylograph --now"}
r1 result t1 "zephyrine"
a1 assistant "wombat"
"#;
    let exported = export(&home_with(talk), &["--all", "--site"]);
    let scripts = exported.files.iter();
    let scripts = scripts.filter(|(name, _)| name.starts_with("search/w"));
    let words: String =
        scripts.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect();
    for word in ["quarrel", "xylograph", "zephyrine", "wombat"] {
        assert!(words.contains(word), "{word} in {words}");
    }
}
