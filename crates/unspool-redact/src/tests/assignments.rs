//! Passwords and tokens that are assigned to a name, and all that only looks like it.

use super::*;

/// Texts, and what becomes of them; `VALUE` is something random.
const ASSIGNED: &[(&str, &str)] = &[
    ("PASSWORD=hunter2", "PASSWORD=[redacted:password]"),
    ("PASSWORD=correcthorse", "PASSWORD=[redacted:password]"),
    (
        "export DB_PASS=hunter2 && run",
        "export DB_PASS=[redacted:password] && run",
    ),
    (
        "PGPASSWORD=hunter2 psql",
        "PGPASSWORD=[redacted:password] psql",
    ),
    ("  password: hunter2\n", "  password: [redacted:password]\n"),
    (
        "  password: correcthorse\n",
        "  password: [redacted:password]\n",
    ),
    ("password = 'hunter2'", "password = '[redacted:password]'"),
    ("password=hunter2\n", "password=[redacted:password]\n"),
    (
        "Server=db;User=sa;Password=Ab!9xyz;",
        "Server=db;User=sa;Password=[redacted:password];",
    ),
    (
        "{\"password\":\"hunter2\"}",
        "{\"password\":\"[redacted:password]\"}",
    ),
    (
        "{\\\"password\\\": \\\"hunter2\\\"}",
        "{\\\"password\\\": \\\"[redacted:password]\\\"}",
    ),
    (
        "'passwd' => 'hun ter2'",
        "'passwd' => '[redacted:password]'",
    ),
    (
        "config[\"db_password\"] = \"hunter2\"",
        "config[\"db_password\"] = \"[redacted:password]\"",
    ),
    (
        "const PASSWORD: &str = \"hunter2\";",
        "const PASSWORD: &str = \"[redacted:password]\";",
    ),
    (
        "password: str = 'hunter2'",
        "password: str = '[redacted:password]'",
    ),
    (
        "let dbPassword = `hunter2`;",
        "let dbPassword = `[redacted:password]`;",
    ),
    (
        "passphrase: \"correct horse battery staple\"",
        "passphrase: \"[redacted:password]\"",
    ),
    (
        "if password == \"hunter2\" {",
        "if password == \"[redacted:password]\" {",
    ),
    (
        "mysql --password=hunter2 -u x",
        "mysql --password=[redacted:password] -u x",
    ),
    (
        "login --password hunter2 --json",
        "login --password [redacted:password] --json",
    ),
    (
        "curl -u wim:hunter2 https://x.org",
        "curl -u wim:[redacted:password] https://x.org",
    ),
    (
        "curl --user 'wim:hunter2' x",
        "curl --user 'wim:[redacted:password]' x",
    ),
    (
        "client_secret=VALUE&x=1",
        "client_secret=[redacted:secret]&x=1",
    ),
    (
        "?access_token=VALUE&x=1",
        "?access_token=[redacted:token]&x=1",
    ),
    ("secret: VALUE\n", "secret: [redacted:secret]\n"),
    (
        "\"api_key\": \"VALUE\",",
        "\"api_key\": \"[redacted:secret]\",",
    ),
    ("apiKey: 'VALUE'", "apiKey: '[redacted:secret]'"),
    ("X-Api-Key: VALUE\n", "X-Api-Key: [redacted:secret]\n"),
    (
        "curl -H 'X-Api-Key: VALUE' x",
        "curl -H 'X-Api-Key: [redacted:secret]' x",
    ),
    (
        "curl -H \"x-auth-token: VALUE\" x",
        "curl -H \"x-auth-token: [redacted:token]\" x",
    ),
    (
        "-H \\\"X-API-KEY: hunter2\\\"",
        "-H \\\"X-API-KEY: [redacted:secret]\\\"",
    ),
    (
        "Ocp-Apim-Subscription-Key: VALUE\n",
        "Ocp-Apim-Subscription-Key: [redacted:secret]\n",
    ),
    (
        ".header('X-Goog-Api-Key', 'VALUE')",
        ".header('X-Goog-Api-Key', '[redacted:secret]')",
    ),
    (
        "Private-Token: VALUE\n",
        "Private-Token: [redacted:token]\n",
    ),
    (
        "     1→password=correcthorse\n     2→",
        "     1→password=[redacted:password]\n     2→",
    ),
    (
        "• password=correcthorse\n",
        "• password=[redacted:password]\n",
    ),
    (
        "aws_secret_access_key = VALUE\n",
        "aws_secret_access_key = [redacted:aws-secret]\n",
    ),
    ("SECRET_KEY_BASE=VALUE", "SECRET_KEY_BASE=[redacted:secret]"),
    (
        "CLOUDFLARE_API_TOKEN=VALUE",
        "CLOUDFLARE_API_TOKEN=[redacted:token]",
    ),
    ("HEROKU_API_KEY=VALUE", "HEROKU_API_KEY=[redacted:secret]"),
    (
        "//packages.example.com/:_authToken=VALUE",
        "//packages.example.com/:_authToken=[redacted:token]",
    ),
    ("token: \"VALUE\"", "token: \"[redacted:token]\""),
    ("DISCORD_TOKEN=VALUE", "DISCORD_TOKEN=[redacted:token]"),
    (
        "Authorization: Bearer VALUE",
        "Authorization: Bearer [redacted:token]",
    ),
    (
        "-H \"Authorization: Basic dXNlcjpwYXNzMQ==\"",
        "-H \"Authorization: Basic [redacted:token]\"",
    ),
    (
        "authorization: token VALUE",
        "authorization: token [redacted:token]",
    ),
    (
        "'Authorization': 'VALUE'",
        "'Authorization': '[redacted:token]'",
    ),
    ("send Bearer VALUE.", "send Bearer [redacted:token]"),
    (
        "AccountName=x;AccountKey=VALUEVALUE==;E=1",
        "AccountName=x;AccountKey=[redacted:azure-key];E=1",
    ),
    (
        "[\"--password\", \"hunter2\"]",
        "[\"--password\", \"[redacted:password]\"]",
    ),
];

#[test]
fn what_is_assigned_to_a_name_for_secrets_is_found() {
    for (given, expected) in ASSIGNED {
        check(&[(&given.replace("VALUE", &noise(24)), expected)]);
    }
}

/// Program text, messages and placeholders.
const KEPT: &[&str] = &[
    "password: string",
    "-H 'X-Api-Key: <your-key>'",
    "-H \"X-Api-Key: $KEY\"",
    "X-Api-Key: the key of your account",
    "headers.get('X-Api-Key', null)",
    "headers.get('X-Api-Key', fallback1)",
    "password: String,",
    "token: &str",
    "token: &'a str) {",
    "secret: Option<String>",
    "password?: string;",
    "password: SecretStr = Field(...)",
    "password: Optional[str] = None",
    "password = None",
    "password = null;",
    "const token = await getToken()",
    "token = self.token",
    "password=password,",
    "password=args.password)",
    "connect(user=user, password=pw)",
    "let secret = config.secret;",
    "api_key = os.environ[\"API_KEY\"]",
    "apiKey: process.env.API_KEY,",
    "password=$PASSWORD",
    "PASSWORD=${DB_PASSWORD}",
    "PASSWORD=\"$DB_PASSWORD\"",
    "password: ${{ secrets.PASSWORD }}",
    "password: {{ password }}",
    "TOKEN=<your-token>",
    "api_key = \"your-api-key\"",
    "API_KEY=your_api_key_here",
    "password: ********",
    "password: xxxxxxxx",
    "PASSWORD=xxx",
    "PASSWORD=",
    "PASSWORD=\n",
    "password: \"\"",
    "password: \"Password must be at least 8 characters\"",
    "\"password\": \"Passwort\"",
    "password: 'Enter your password'",
    "max_tokens: 4096",
    "\"input_tokens\": 123456",
    "token_count = 12345678",
    "tokens: 12345678",
    "next_page_token=abc123def456",
    "tokenizer = AutoTokenizer",
    "pass: 12",
    "pass 12 fail 3",
    "tests passed: 1234",
    "bypass=true1234",
    "compass: north12",
    "key: \"user-1234567\"",
    "primary_key: \"order_id_1234\"",
    "keyboard: qwerty1",
    "cache_key = f\"{user}\"",
    "public_key = \"ssh-ed25519\"",
    "password_file: /run/secrets/db",
    "secretName: my-secret-1",
    "passwordHash = hash(x)",
    "secret: /run/secrets/db",
    "password = getpass.getpass()",
    "password = input(\"Password: \")",
    "password: z.string().min(8)",
    "type=\"password\" name=\"password\"",
    "password = \"changeme\"",
    "the token: it is expired",
    "The secret = nothing special here",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: `Bearer ${token}`",
    "the bearer of bad news",
    "Bearer authentication",
    "authorization: required",
    "password::hash(x)",
    "token!",
    "token->next",
    "$password = $_POST['password'];",
    "secret = Secret::new()",
    "token = tokens[i]",
    "docker run -u 1000:1000 x",
    "docker run -u $(id -u):$(id -g) x",
    "git push -u origin main",
    "--password-stdin",
    "--token TOKEN",
    "login --password\n",
    "[redacted:password]",
    "PASSWORD = \"      \"",
    "USER_PASSWORD: &str = \"2.5.4.35\"",
    "ClearTextPassword = 8107,",
    "BAD_TOKEN = 0x8004400a,",
    "const SECRET: &Secret = unsafe { x }",
    "password=[redacted:password]",
    "password: '[redacted:token]'",
    "password: Password123Type) {",
    "PasswordInput: FC<Props>",
    "enum Token { A }",
    "match token { Token::A => 1 }",
    "secret=True",
    "passwd: no such file",
    "/etc/passwd:root:x:0:0",
    "password: undefined,",
    "oldPassword, newPassword",
    "case 'password':",
    "token: 'identifier'",
    "import secrets",
];

#[test]
fn variables_types_calls_messages_and_placeholders_stay() {
    check_kept(KEPT);
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
        (
            "redis://:hunter2@cache/0",
            "redis://:[redacted:url-password]@cache/0",
        ),
        (
            "https://x:p%40ss@host/a",
            "https://x:[redacted:url-password]@host/a",
        ),
        (
            "amqp://a:p@ss@host",
            "amqp://a:[redacted:url-password]@host",
        ),
        (
            "see http://u:pass@h, ok",
            "see http://u:[redacted:url-password]@h, ok",
        ),
        (
            "mongodb+srv://u:%24ecret@c.net",
            "mongodb+srv://u:[redacted:url-password]@c.net",
        ),
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
