//! Keys and tokens of providers.

use super::super::tokens::SHAPES;
use super::*;

/// A kind and tokens of it. `{n9}` means nine random letters and digits, `{h9}` digits of
/// hexadecimal numbers, `{u9}` for capitals and digits.
pub(super) const SAMPLES: &[(&str, &[&str])] = &[
    ("age-key", &["AGE-SECRET-KEY-1{u58}"]),
    ("alibaba-key", &["LTAI{n20}"]),
    ("anthropic-key", &["sk-ant-api03-{n50}-{n42}AA", "sk-ant-oat01-{n90}"]),
    ("artifactory-key", &["AKCp{n69}"]),
    ("atlassian-token", &["ATATT3{n186}=", "ATCTT3{n60}", "ATBB{n32}"]),
    ("aws-key", &["AKIA{u16}", "ASIA{u16}", "ABIA{u16}", "ACCA{u16}"]),
    ("brevo-key", &["xkeysib-{h64}-{n16}"]),
    ("buildkite-token", &["bkua_{h40}"]),
    ("circleci-token", &["CCIPAT_{n22}_{h40}"]),
    ("cloudflare-key", &["v1.0-{h24}-{h146}"]),
    ("cloudflare-token", &["cfat_{n40}", "cfut_{n40}", "cfk_{n40}"]),
    ("clojars-token", &["CLOJARS_{h60}"]),
    ("contentful-token", &["CFPAT-{n43}"]),
    ("databricks-token", &["dapi{h32}"]),
    ("digitalocean-token", &["dop_v1_{h64}", "doo_v1_{h64}", "dor_v1_{h64}"]),
    ("discord-token", &["MT{n24}.Gb3kQ9.{n38}", "ND{n22}.XyZ-_1.{n27}"]),
    ("discord-webhook", &["/api/webhooks/123456789012345678/{n68}"]),
    ("docker-token", &["dckr_pat_{n27}", "dckr_oat_{n32}"]),
    ("doppler-token", &["dp.pt.{n43}"]),
    ("dropbox-token", &["sl.{n140}"]),
    ("dynatrace-token", &["dt0c01.{u24}.{u64}"]),
    ("figma-token", &["figd_{n40}"]),
    ("fly-token", &["fm2_{n80}", "fo1_{n43}"]),
    ("github-token", &["ghp_{n36}", "gho_{n36}", "ghu_{n36}", "ghs_{n36}", "ghr_{n36}"]),
    ("github-token", &["github_pat_{n22}_{n59}"]),
    (
        "gitlab-token",
        &["glpat-{n20}", "gldt-{n20}", "glrt-{n20}", "glcbt-{n20}", "glsoat-{n20}", "glft-{n20}"],
    ),
    ("gitlab-token", &["glptt-{h40}", "gloas-{h64}", "glpat-{n40}.01.{n9}"]),
    ("google-api-key", &["AIza{n35}"]),
    ("google-secret", &["GOCSPX-{n28}"]),
    ("google-token", &["ya29.{n80}", "1//0{n60}"]),
    ("grafana-token", &["glsa_{n32}_{h8}", "glc_eyJ{n60}="]),
    ("groq-key", &["gsk_{n52}"]),
    ("heroku-key", &["HRKU-{h8}-{h4}-{h4}-{h4}-{h12}"]),
    ("huggingface-token", &["hf_{n34}", "api_org_{n34}"]),
    ("jwt", &["eyJ{n33}.eyJ{n60}.{n43}"]),
    ("langfuse-key", &["sk-lf-{h8}-{h4}-{h4}-{h4}-{h12}"]),
    ("langsmith-key", &["lsv2_pt_{h32}_{h10}", "lsv2_sk_{h32}"]),
    ("linear-key", &["lin_api_{n40}", "lin_oauth_{h64}"]),
    ("mailgun-key", &["key-{h32}"]),
    ("mapbox-token", &["sk.eyJ{n60}.{n22}"]),
    ("netlify-token", &["nfp_{n36}"]),
    ("newrelic-key", &["NRAK-{u27}"]),
    ("notion-token", &["ntn_{n46}", "secret_{n43}"]),
    ("npm-token", &["npm_{n36}"]),
    ("onepassword-token", &["ops_eyJ{n300}"]),
    (
        "openai-key",
        &["sk-{n48}", "sk-proj-{n74}_{n58}", "sk-svcacct-{n60}", "sk-admin-{n60}", "sk-None-{n48}"],
    ),
    ("openrouter-key", &["sk-or-v1-{h64}"]),
    ("perplexity-key", &["pplx-{n48}"]),
    ("pinecone-key", &["pcsk_{n6}_{n63}"]),
    ("planetscale-token", &["pscale_tkn_{n43}", "pscale_oauth_{n43}"]),
    ("planetscale-password", &["pscale_pw_{n43}"]),
    ("postman-key", &["PMAK-{h24}-{h34}"]),
    ("pulumi-token", &["pul-{h40}"]),
    ("pypi-token", &["pypi-AgEIcHlwaS5vcmc{n120}"]),
    ("replicate-token", &["r8_{n37}"]),
    ("resend-key", &["re_{n8}_{n24}"]),
    ("rubygems-key", &["rubygems_{h48}"]),
    ("sendgrid-key", &["SG.{n22}.{n43}"]),
    ("sentry-token", &["sntrys_eyJ{n80}_{n43}", "sntryu_{h64}"]),
    ("shopify-token", &["shpat_{h32}", "shpca_{h32}", "shppa_{h32}", "shpss_{h32}"]),
    (
        "slack-token",
        &[
            "xoxa-123456789012-{n24}",
            "xoxb-123456789012-{n24}",
            "xoxc-123456789012-{n24}",
            "xoxd-123456789012-{n24}",
            "xoxe-123456789012-{n24}",
            "xoxo-123456789012-{n24}",
            "xoxp-123456789012-{n24}",
            "xoxr-123456789012-{n24}",
            "xoxs-123456789012-{n24}",
        ],
    ),
    ("slack-token", &["xoxe.xoxp-1-{n146}", "xapp-1-A0{u9}-{h64}"]),
    (
        "slack-webhook",
        &[
            "hooks.slack.com/services/T0{u8}/B0{u8}/{n24}",
            "hooks.slack.com/workflows/T0{u8}/B0{u8}/{n24}",
            "hooks.slack.com/triggers/T0{u8}/B0{u8}/{n24}",
        ],
    ),
    ("sourcegraph-token", &["sgp_{h40}"]),
    ("square-token", &["sq0atp-{n22}", "sq0csp-{n43}", "EAAA{n60}"]),
    (
        "stripe-key",
        &["sk_live_{n32}", "sk_test_{n32}", "rk_live_{n32}", "rk_test_{n32}", "whsec_{n32}"],
    ),
    ("supabase-key", &["sbp_{h40}", "sb_secret_{n22}_{n8}"]),
    ("tailscale-key", &["tskey-auth-{n12}-{n32}"]),
    (
        "teams-webhook",
        &[
            "webhook.office.com/webhookb2/{h8}-{h4}-{h4}-{h4}-{h12}@{h8}-{h4}-{h4}-{h4}-{h12}/IncomingWebhook/{h32}",
        ],
    ),
    ("telegram-token", &["1234567890:AA{n33}", "12345678:AA{n33}"]),
    ("twilio-key", &["SK{h32}"]),
    ("vault-token", &["hvs.{n90}", "hvb.{n90}", "hvr.{n90}"]),
    ("vercel-token", &["vcp_{n56}"]),
    ("xai-key", &["xai-{n80}"]),
];

/// Writes a token out.
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
    for (kind, samples) in SAMPLES {
        for token in samples.iter().map(|sample| token(sample)) {
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
        let of_kind = SAMPLES.iter().filter(|(kind, _)| *kind == shape.kind);
        let mut tokens = of_kind.flat_map(|(_, tokens)| *tokens);
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
