//! E-mail addresses, home folders and user names.

use super::*;

#[test]
fn addresses_are_found() {
    check(&[
        ("mail wim@host.org.", "mail [redacted:email]."),
        ("jürgen.groß@müller.de!", "[redacted:email]!"),
        ("邮箱wim@host.org的", "邮箱[redacted:email]的"),
        ("<Wim.X+tag@mail.host.co.uk>", "<[redacted:email]>"),
        ("mailto:a_b@x-y.io?s=1", "mailto:[redacted:email]?s=1"),
        ("a@b.de,c@d.fr", "[redacted:email],[redacted:email]"),
        ("wilma@corp.internal", "[redacted:email]"),
        ("12+wim@users.noreply.github.com", "[redacted:email]"),
        ("line\\nwim@host.org\\n", "line\\n[redacted:email]\\n"),
        ("Author: Wim <wim@host.org>\n", "Author: Wim <[redacted:email]>\n"),
    ]);
}

#[test]
fn what_only_has_an_at_sign_stays() {
    check_kept(&[
        "git@github.com:a/b.git",
        "noreply@anthropic.com",
        "no-reply@x.org",
        "logo@2x.png",
        "icon@3x.jpg",
        "left-pad@1.2.3",
        "compare/rust@v0.2.0...rust@v0.2.1",
        "react@18.0.0-rc.one",
        "@types/node@20.1.0",
        "@app.route('/')",
        "pkg@latest",
        "pkg@^1.2.3",
        "this@MainActivity.finish()",
        "return@forEach",
        "a@b",
        "@media screen",
        "user@host:/path",
        "x @ y.zz",
        "@@ -1,2 +3,4 @@",
        "file@v1",
        "foo@bar.js",
        "actions/checkout@v4",
        "a@.org",
        "me@-.org",
    ]);
}

#[test]
fn home_folders_are_found_however_they_are_written() {
    check(&[
        ("/home/fred/src", "[redacted:home]/src"),
        ("cd /home/fred", "cd [redacted:home]"),
        ("/home/fred.", "[redacted:home]."),
        ("/Users/fred.flint/x y", "[redacted:home]/x y"),
        ("C:\\Users\\fred\\src", "[redacted:home]\\src"),
        ("C:\\\\Users\\\\fred\\\\src", "[redacted:home]\\\\src"),
        ("C:/Users/fred/src", "[redacted:home]/src"),
        ("/mnt/c/Users/fred", "/mnt/c[redacted:home]"),
        ("file:///home/fred/x", "file://[redacted:home]/x"),
        ("/srv/people/wilma/x", "[redacted:home]/x"),
        ("-home-fred-src-app", "[redacted:home]-src-app"),
        ("projects/-Users-fred-app/x.jsonl", "projects/[redacted:home]-app/x.jsonl"),
        ("C--Users-fred-app", "[redacted:home]-app"),
        ("-srv-people-wilma-app", "[redacted:home]-app"),
        ("/home/fred:/home/barney", "[redacted:home]:[redacted:home]"),
        ("/home/é/x", "[redacted:home]/x"),
        ("/home/fred，然后", "[redacted:home]，然后"),
        ("/home/小明/x", "[redacted:home]/x"),
        ("C:\\Users\\Fred Flint\\src", "[redacted:home]\\src"),
        ("\\\\wsl$\\Ubuntu\\home\\fred\\x", "\\\\wsl$\\Ubuntu[redacted:home]\\x"),
        ("-I/srv/people/wilma/include", "-I[redacted:home]/include"),
    ]);
    check_kept(&[
        "/home/",
        "/home",
        "/home/$USER",
        "/home/<you>",
        "/home/*/x",
        "/Users/Shared/x",
        "/home/linuxbrew/.linuxbrew",
        "https://example.com/home/about",
        "<a href=\"/home/index.html\">",
        "go-home-now",
        "Users",
        "for Users\\n",
        "/root/x",
        "/srv/people/wilmas",
        "/homes/fred",
    ]);
}

#[test]
fn user_names_are_found_as_words() {
    check(&[
        ("hello wilma!", "hello [redacted:user]!"),
        ("feature/wilma-x", "feature/[redacted:user]-x"),
        ("drwxr-x 2 wilma wilma 4096", "drwxr-x 2 [redacted:user] [redacted:user] 4096"),
        ("line\\nwilma\\n", "line\\n[redacted:user]\\n"),
        ("cafe 12", "[redacted:user] 12"),
    ]);
    check_kept(&[
        "wilmas",
        "Wilma_x wilma_x",
        "root",
        "ab",
        "cafeteria",
        "a-cafe-4",
        "[redacted:wilma]",
        "toolu_wilma",
    ]);
}

#[test]
fn a_short_or_common_name_is_not_looked_for() {
    let rules = RedactRules {
        user_names: ["user", "root", "al", "dev", "123", "Admin"].map(String::from).into(),
        home_dirs: vec!["/".into(), String::new(), "/r".into(), "/root".into()],
        ..RedactRules::default()
    };
    let redactor = Redactor::new(&rules);
    let mut tally = SecretTally::default();
    let kept = "user root al dev 123 admin / /r -root x";
    assert_eq!(redactor.text(kept, &mut tally), kept);
    assert_eq!(redactor.text("/root/x", &mut tally), "[redacted:home]/x");
}
