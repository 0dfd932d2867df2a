//! Kinds of secrets.

use std::borrow::Cow;
use std::fmt;

/// The kind of a secret: the word after the colon in `[redacted:kind]`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SecretKind(Cow<'static, str>);

/// How serious it is if others read a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SecretWeight {
    /// A credential: a key, a token, a password.
    Secret,
    /// Personal data: an address, a home folder, a user name.
    Personal,
}

impl SecretKind {
    /// A private key block.
    pub const PRIVATE_KEY: Self = Self::known("private-key");
    /// The password of a URL.
    pub const URL_PASSWORD: Self = Self::known("url-password");
    /// A password that is assigned to a name.
    pub const PASSWORD: Self = Self::known("password");
    /// A token that is assigned to a name or is in a header.
    pub const TOKEN: Self = Self::known("token");
    /// Any other secret that is assigned to a name.
    pub const SECRET: Self = Self::known("secret");
    /// An e-mail address.
    pub const EMAIL: Self = Self::known("email");
    /// A home folder.
    pub const HOME: Self = Self::known("home");
    /// A user name.
    pub const USER: Self = Self::known("user");

    pub(super) const fn known(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Creates the kind of a user's pattern.
    pub(super) fn own(name: &str) -> Self {
        Self(Cow::Owned(name.to_owned()))
    }

    /// Returns the name of the kind.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Returns the weight of the kind. The matches of a user's pattern are credentials.
    pub fn weight(&self) -> SecretWeight {
        match self.name() {
            "email" | "home" | "user" => SecretWeight::Personal,
            _ => SecretWeight::Secret,
        }
    }

    /// Returns the noun for a count: `1 private key`, `3 e-mail addresses`.
    pub fn noun(&self, count: u64) -> String {
        let noun = match self.name() {
            "email" => "e-mail address".to_owned(),
            "home" => "home folder".to_owned(),
            "user" => "user name".to_owned(),
            "url-password" => "password in a URL".to_owned(),
            "jwt" => "JSON web token".to_owned(),
            name => spell(name),
        };
        match (count, noun.as_str()) {
            (1, _) => noun,
            (_, "password in a URL") => "passwords in URLs".to_owned(),
            (_, "e-mail address") => "e-mail addresses".to_owned(),
            _ => format!("{noun}s"),
        }
    }
}

/// Spells the names of providers as the providers do, and hyphens as spaces.
fn spell(name: &str) -> String {
    const PROPER: [(&str, &str); 12] = [
        ("aws", "AWS"),
        ("github", "GitHub"),
        ("gitlab", "GitLab"),
        ("openai", "OpenAI"),
        ("npm", "npm"),
        ("pypi", "PyPI"),
        ("sendgrid", "SendGrid"),
        ("digitalocean", "DigitalOcean"),
        ("huggingface", "Hugging Face"),
        ("api", "API"),
        ("age", "age"),
        ("planetscale", "PlanetScale"),
    ];
    const COMMON: [&str; 8] =
        ["key", "token", "secret", "password", "private", "webhook", "access", "signature"];
    let words = name.split('-').map(|word| {
        if let Some((_, proper)) = PROPER.iter().find(|(plain, _)| *plain == word) {
            return (*proper).to_owned();
        }
        if COMMON.contains(&word) {
            return word.to_owned();
        }
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect()
    });
    words.collect::<Vec<String>>().join(" ")
}

impl fmt::Display for SecretKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
