//! Passwords and tokens that are assigned to a name, and text that only looks like it.

use super::*;

/// Texts with their redacted forms; `VALUE` is random.
const ASSIGNED: &[(&str, &str)] = &[
    ("PASSWORD=hunter2", "PASSWORD=[redacted:password]"),
    ("PASSWORD=correcthorse", "PASSWORD=[redacted:password]"),
    ("export DB_PASS=hunter2 && run", "export DB_PASS=[redacted:password] && run"),
    ("PGPASSWORD=hunter2 psql", "PGPASSWORD=[redacted:password] psql"),
    ("  password: hunter2\n", "  password: [redacted:password]\n"),
    ("  password: correcthorse\n", "  password: [redacted:password]\n"),
    ("password = 'hunter2'", "password = '[redacted:password]'"),
    ("password=hunter2\n", "password=[redacted:password]\n"),
    ("Server=db;User=sa;Password=Ab!9xyz;", "Server=db;User=sa;Password=[redacted:password];"),
    ("{\"password\":\"hunter2\"}", "{\"password\":\"[redacted:password]\"}"),
    ("{\\\"password\\\": \\\"hunter2\\\"}", "{\\\"password\\\": \\\"[redacted:password]\\\"}"),
    ("'passwd' => 'hun ter2'", "'passwd' => '[redacted:password]'"),
    ("config[\"db_password\"] = \"hunter2\"", "config[\"db_password\"] = \"[redacted:password]\""),
    ("const PASSWORD: &str = \"hunter2\";", "const PASSWORD: &str = \"[redacted:password]\";"),
    ("password: str = 'hunter2'", "password: str = '[redacted:password]'"),
    ("let dbPassword = `hunter2`;", "let dbPassword = `[redacted:password]`;"),
    ("passphrase: \"correct horse battery staple\"", "passphrase: \"[redacted:password]\""),
    ("if password == \"hunter2\" {", "if password == \"[redacted:password]\" {"),
    ("mysql --password=hunter2 -u x", "mysql --password=[redacted:password] -u x"),
    ("login --password hunter2 --json", "login --password [redacted:password] --json"),
    ("curl -u wim:hunter2 https://x.org", "curl -u wim:[redacted:password] https://x.org"),
    ("curl --user 'wim:hunter2' x", "curl --user 'wim:[redacted:password]' x"),
    ("client_secret=VALUE&x=1", "client_secret=[redacted:secret]&x=1"),
    ("?access_token=VALUE&x=1", "?access_token=[redacted:token]&x=1"),
    ("secret: VALUE\n", "secret: [redacted:secret]\n"),
    ("\"api_key\": \"VALUE\",", "\"api_key\": \"[redacted:secret]\","),
    ("apiKey: 'VALUE'", "apiKey: '[redacted:secret]'"),
    ("X-Api-Key: VALUE\n", "X-Api-Key: [redacted:secret]\n"),
    ("curl -H 'X-Api-Key: VALUE' x", "curl -H 'X-Api-Key: [redacted:secret]' x"),
    ("curl -H \"x-auth-token: VALUE\" x", "curl -H \"x-auth-token: [redacted:token]\" x"),
    ("-H \\\"X-API-KEY: hunter2\\\"", "-H \\\"X-API-KEY: [redacted:secret]\\\""),
    ("Ocp-Apim-Subscription-Key: VALUE\n", "Ocp-Apim-Subscription-Key: [redacted:secret]\n"),
    (".header('X-Goog-Api-Key', 'VALUE')", ".header('X-Goog-Api-Key', '[redacted:secret]')"),
    ("Private-Token: VALUE\n", "Private-Token: [redacted:token]\n"),
    ("     1→password=correcthorse\n     2→", "     1→password=[redacted:password]\n     2→"),
    ("• password=correcthorse\n", "• password=[redacted:password]\n"),
    ("aws_secret_access_key = VALUE\n", "aws_secret_access_key = [redacted:aws-secret]\n"),
    ("SECRET_KEY_BASE=VALUE", "SECRET_KEY_BASE=[redacted:secret]"),
    ("CLOUDFLARE_API_TOKEN=VALUE", "CLOUDFLARE_API_TOKEN=[redacted:token]"),
    ("HEROKU_API_KEY=VALUE", "HEROKU_API_KEY=[redacted:secret]"),
    (
        "//packages.example.com/:_authToken=VALUE",
        "//packages.example.com/:_authToken=[redacted:token]",
    ),
    ("token: \"VALUE\"", "token: \"[redacted:token]\""),
    ("DISCORD_TOKEN=VALUE", "DISCORD_TOKEN=[redacted:token]"),
    ("Authorization: Bearer VALUE", "Authorization: Bearer [redacted:token]"),
    (
        "-H \"Authorization: Basic dXNlcjpwYXNzMQ==\"",
        "-H \"Authorization: Basic [redacted:token]\"",
    ),
    ("authorization: token VALUE", "authorization: token [redacted:token]"),
    ("'Authorization': 'VALUE'", "'Authorization': '[redacted:token]'"),
    ("send Bearer VALUE.", "send Bearer [redacted:token]"),
    (
        "AccountName=x;AccountKey=VALUEVALUE==;E=1",
        "AccountName=x;AccountKey=[redacted:azure-key];E=1",
    ),
    ("[\"--password\", \"hunter2\"]", "[\"--password\", \"[redacted:password]\"]"),
];

#[test]
fn what_is_assigned_to_a_name_for_secrets_is_found() {
    for (given, expected) in ASSIGNED {
        check(&[(&given.replace("VALUE", &noise(24)), expected)]);
    }
}

#[test]
fn variables_types_calls_messages_and_placeholders_stay() {
    let kept: Vec<&str> = include_str!("kept.txt").lines().collect();
    check_kept(&kept);
    check_kept(&["PASSWORD=\n", "login --password\n"]);
}

#[test]
fn passwords_in_urls_are_found_and_the_rest_stays() {
    let token = noise(30);
    let given = format!("https://{token}@host.org/x");
    check(&[
        (
            "postgres://app:hunter2@db.local:5432/x?y=1",
            "postgres://app:[redacted:url-password]@db.local:5432/x?y=1",
        ),
        ("redis://:hunter2@cache/0", "redis://:[redacted:url-password]@cache/0"),
        ("https://x:p%40ss@host/a", "https://x:[redacted:url-password]@host/a"),
        ("amqp://a:p@ss@host", "amqp://a:[redacted:url-password]@host"),
        ("see http://u:pass@h, ok", "see http://u:[redacted:url-password]@h, ok"),
        ("mongodb+srv://u:%24ecret@c.net", "mongodb+srv://u:[redacted:url-password]@c.net"),
        (&given, "https://[redacted:url-password]@host.org/x"),
    ]);
    check_kept(&[
        "https://github.com/a/b",
        "http://localhost:8080/@vite/client",
        "https://host:443/path@2",
        "postgres://user:${PASSWORD}@host/db",
        "postgres://user:<password>@host/db",
        "postgres://user:***@host",
        "postgres://$USER:$PASS@host/db",
        "https://user:{password}@host",
        "git+ssh://git@github.com/a/b.git",
        "https://user:[redacted:url-password]@host",
        "a://b://c",
        "://:@",
        "ftp://anonymous@host/x",
    ]);
}
