//! Keys and tokens of providers.

use super::super::tokens::SHAPES;
use super::*;

/// Returns kinds and their tokens, one kind on a line. `{n9}` is nine random letters and digits,
/// `{h9}` hexadecimal digits, `{u9}` capitals and digits.
pub(super) fn samples() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    include_str!("tokens.txt").lines().map(|line| {
        let mut words = line.split(' ');
        (words.next().expect("a kind"), words.collect())
    })
}

/// Expands a token.
pub(super) fn token(sample: &str) -> String {
    let mut token = String::new();
    for piece in sample.split_inclusive('}') {
        let Some((plain, run)) = piece.strip_suffix('}').and_then(|piece| piece.split_once('{'))
        else {
            token += piece;
            continue;
        };
        let length = run[1..].parse().expect("a length");
        token += plain;
        token += &match &run[..1] {
            "n" => noise(length),
            "h" => hex(length),
            _ => upper(length),
        };
    }
    token
}

#[test]
fn every_kind_of_token_is_found_alone_and_among_other_text() {
    for (kind, samples) in samples() {
        for token in samples.into_iter().map(token) {
            let marker = format!("[redacted:{kind}]");
            for (before, following) in [
                ("", ""),
                ("use ", " now"),
                ("\n", "\n"),
                ("\\n", "\\n"),
                ("(", "),"),
                ("`", "`"),
                ("+", ""),
                ("é", "…"),
                ("x = \"", "\";"),
            ] {
                let given = format!("{before}{token}{following}");
                assert_eq!(text(&given), format!("{before}{marker}{following}"), "{given}");
            }
        }
    }
}

#[test]
fn every_shape_has_an_example() {
    for shape in SHAPES {
        let of_kind = samples().filter(|(kind, _)| *kind == shape.kind);
        let mut tokens = of_kind.flat_map(|(_, tokens)| tokens);
        assert!(
            tokens.any(|token| token.starts_with(shape.prefix)),
            "{} has no example for {}",
            shape.kind,
            shape.prefix
        );
    }
    let mut prefixes: Vec<&str> = SHAPES.iter().map(|shape| shape.prefix).collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    assert_eq!(prefixes.len(), SHAPES.len(), "a prefix is there twice");
}

#[test]
fn what_only_begins_like_a_token_stays() {
    let long = noise(64);
    for kept in [
        "ghp_short".to_owned(),
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx".to_owned(),
        "sk-fading-circle sk-learn task-list-0123456789-item".to_owned(),
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxx".to_owned(),
        format!("disk-{long}"),
        format!("AKIA{}", upper(17)),
        format!("AKIA{}x", upper(16)),
        format!("/{}AKIA{}/{}", noise(20), upper(16), noise(20)),
        format!("SK{}", upper(32)),
        format!("monkey-{}", hex(32)),
        format!("keyboard eyJ{long} eyJ.eyJ.eyJ"),
        "npm_config_registry=x npm_lifecycle_event".to_owned(),
        "pypi-server hf_hub_download dapi SG.1 re_match hvs. v1.0-rc1".to_owned(),
        "https://hooks.slack.com/services/".to_owned(),
        "12:AAbc 123456789:AAshort".to_owned(),
        "foo.Get.bar a.Xyz123.b".to_owned(),
        "glpat-xxxxxxxxxxxxxxxxxxxx".to_owned(),
    ] {
        check_kept(&[&kept]);
    }
}

#[test]
fn ids_and_hashes_stay() {
    let sha = hex(40);
    for kept in [
        "550e8400-e29b-41d4-a716-446655440000".to_owned(),
        "12345678-cafe-4abc-8def-cafecafecafe".to_owned(),
        format!("commit {sha}\nsha256:{}", hex(64)),
        format!("msg_01{} toolu_01{} req_011{}", noise(22), noise(22), noise(22)),
        format!("integrity sha512-{}==", noise(86)),
        format!("data:image/png;base64,iVBORw0KGgo{}", noise(400)),
    ] {
        check_kept(&[&kept]);
    }
}

#[test]
fn the_secret_next_to_the_id_of_a_key_is_found() {
    let (id, secret) = (format!("AKIA{}", upper(16)), noise(40));
    for between in [",", ", ", "\t", "\",\"", " : "] {
        assert_eq!(
            text(&format!("{id}{between}{secret}\n")),
            format!("[redacted:aws-key]{between}[redacted:aws-secret]\n")
        );
    }
    assert_eq!(text(&format!("{id} {}", hex(40))), format!("[redacted:aws-key] {}", hex(40)));
}

#[test]
fn a_signature_in_a_url_is_found() {
    let signature = noise(43);
    for before in ["https://x.net/a?sig=", "https://x.net/a?sv=1&sig="] {
        assert_eq!(
            text(&format!("{before}{signature}%3D&se=2")),
            format!("{before}[redacted:azure-signature]&se=2")
        );
    }
    check_kept(&["?sig=abc", "&sig=$SIG"]);
}
