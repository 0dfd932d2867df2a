//! Templates for scripts: a row of a list as a line of one's own making.
//!
//! | written | stands for |
//! |---|---|
//! | `{title}` | a field, named as in JSON; `{tokens.output}` one of its parts |
//! | `{title:40}` | the same, cut to 40 columns; an id is cut without a mark, so that it can be typed |
//! | `{cost_usd:.2}` | the same, with two decimals |
//! | `\t` `\n` `\0` `\\` | a tab, a line break, a zero byte, a backslash |
//! | `{{` `}}` | braces |
//!
//! What a log holds is put on one line and made safe to print. What is unknown is empty.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use unspool_model::ids::ProjectId;
use unspool_model::query::point;
use unspool_model::time::Time;
use unspool_text::sanitize;

use crate::ops::filter::nearest;
use crate::rows::Row;

/// A template that was read.
#[derive(Clone, Debug)]
pub struct Template {
    pieces: Vec<Piece>,
    ending: &'static str,
}

#[derive(Clone, Debug)]
enum Piece {
    Literal(String),
    Value { source: Source, shape: Shape },
}

/// Where a value comes from.
#[derive(Clone, Debug)]
enum Source {
    Field(usize),
    /// How often a tool was called.
    Tool(String),
}

/// What is done to a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    AsIs,
    Columns(usize),
    Decimals(usize),
}

/// The value of a field.
enum Value<'r> {
    Nothing,
    /// A name that a beginning of it may stand for.
    Id(&'r str),
    Text(Cow<'r, str>),
    Count(u64),
    Dollars(f64),
}

type Field = (&'static str, for<'r> fn(&'r Row) -> Value<'r>);

/// The fields, in the order of JSON.
const FIELDS: &[Field] = &[
    ("id", |row| Value::Id(row.id.as_str())),
    ("home", |row| Value::path(row.home.as_deref())),
    ("project", |row| {
        Value::maybe(row.project.as_ref().map(ProjectId::as_str))
    }),
    ("cwd", |row| Value::maybe(row.cwd.as_deref())),
    ("cwds", |row| {
        let cwds = row.cwds().map(str::to_owned);
        Value::list(&cwds.collect::<Vec<_>>())
    }),
    ("file", |row| Value::path(Some(&row.file))),
    ("title", |row| Value::maybe(row.title.as_deref())),
    ("first_prompt", |row| {
        Value::maybe(row.first_prompt.as_deref())
    }),
    ("started", |row| Value::time(row.started)),
    ("ended", |row| Value::time(row.ended)),
    ("duration_ms", |row| {
        row.duration_ms().map_or(Value::Nothing, Value::Count)
    }),
    ("turns", |row| Value::count(row.turns)),
    ("messages", |row| Value::count(row.messages)),
    ("calls", |row| Value::count(row.calls)),
    ("failed_calls", |row| Value::count(row.failed_calls)),
    ("active_ms", |row| Value::Count(row.active_ms)),
    ("tools", |row| {
        let tools = row
            .tools
            .iter()
            .map(|(tool, count)| format!("{tool}:{count}"));
        Value::list(&tools.collect::<Vec<_>>())
    }),
    ("models", |row| Value::list(&row.models)),
    ("git_branch", |row| Value::maybe(row.git_branch.as_deref())),
    ("version", |row| Value::maybe(row.version.as_deref())),
    ("tokens", |row| Value::Count(row.tokens.sum())),
    ("tokens.input", |row| Value::Count(row.tokens.input)),
    ("tokens.output", |row| Value::Count(row.tokens.output)),
    ("tokens.cache_write_5m", |row| {
        Value::Count(row.tokens.cache_write_5m)
    }),
    ("tokens.cache_write_1h", |row| {
        Value::Count(row.tokens.cache_write_1h)
    }),
    ("tokens.cache_read", |row| {
        Value::Count(row.tokens.cache_read)
    }),
    ("cost_usd", |row| {
        row.cost_usd.map_or(Value::Nothing, Value::Dollars)
    }),
    ("files_changed", |row| Value::count(row.files_changed)),
    ("agents", |row| Value::count(row.agents)),
    ("branches", |row| Value::count(row.branches)),
    ("compactions", |row| Value::count(row.compactions)),
    ("bytes", |row| Value::Count(row.bytes)),
    ("status", |row| Value::text(row.status.name())),
    ("kind", |row| Value::text(row.kind.name())),
    ("live", |row| {
        Value::text(if row.live { "true" } else { "false" })
    }),
];

impl<'r> Value<'r> {
    fn text(text: &'r str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    fn maybe(text: Option<&'r str>) -> Self {
        text.map_or(Self::Nothing, Self::text)
    }

    fn path(path: Option<&'r std::path::Path>) -> Self {
        path.map_or(Self::Nothing, |path| Self::Text(path.to_string_lossy()))
    }

    fn time(time: Option<Time>) -> Self {
        time.map_or(Self::Nothing, |time| Self::Text(time.to_string().into()))
    }

    fn count(count: usize) -> Self {
        Self::Count(count as u64)
    }

    fn list(items: &[String]) -> Self {
        Self::Text(items.join(",").into())
    }
}

/// Says why a text is not a template, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateError {
    /// The bytes of the template that are wrong.
    pub span: Range<usize>,
    /// What is wrong with them.
    pub kind: TemplateErrorKind,
}

/// What can be wrong with a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TemplateErrorKind {
    /// A brace is opened and not closed.
    Unclosed,
    /// A brace is closed that was not opened.
    Unopened,
    /// There is no such field.
    UnknownField {
        /// The name as written.
        name: String,
        /// Fields that it may have meant, best first.
        near: Vec<&'static str>,
    },
    /// What follows a colon is neither a width nor a number of decimals.
    UnknownShape,
    /// Decimals are asked of something that has none.
    NoDecimals,
    /// What follows a backslash means nothing.
    UnknownEscape,
}

impl TemplateError {
    /// Returns two lines: the template, and carets under the place.
    pub fn point(&self, template: &str) -> String {
        point(template, &self.span)
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TemplateErrorKind::Unclosed => {
                f.write_str("this brace is not closed; write `{{` for a brace")
            }
            TemplateErrorKind::Unopened => {
                f.write_str("this brace closes nothing; write `}}` for a brace")
            }
            TemplateErrorKind::UnknownField { name, near } => {
                write!(f, "there is no field `{}`", name.escape_debug())?;
                match near.as_slice() {
                    [] => {
                        let names: Vec<&str> = Template::fields().collect();
                        write!(f, "; there are {}", names.join(", "))
                    }
                    [name, ..] => write!(f, "; did you mean `{name}`?"),
                }
            }
            TemplateErrorKind::UnknownShape => {
                f.write_str("write a width such as `:40`, or decimals such as `:.2`")
            }
            TemplateErrorKind::NoDecimals => f.write_str("only `cost_usd` has decimals"),
            TemplateErrorKind::UnknownEscape => {
                f.write_str("only `\\t`, `\\n`, `\\0` and `\\\\` mean something")
            }
        }
    }
}

impl std::error::Error for TemplateError {}

impl Template {
    /// Reads a template.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut reader = Reader {
            text,
            at: 0,
            literal: String::new(),
            pieces: Vec::new(),
        };
        while let Some(c) = reader.next() {
            reader.take(c)?;
        }
        let ended = reader.literal.ends_with(['\n', '\0']);
        reader.end_literal();
        Ok(Self {
            pieces: reader.pieces,
            ending: if ended { "" } else { "\n" },
        })
    }

    /// Returns the names of all fields.
    pub fn fields() -> impl Iterator<Item = &'static str> {
        FIELDS.iter().map(|(name, _)| *name)
    }

    /// Fills the template in for one row; ends with a line break unless the template has its own
    /// ending.
    pub fn line(&self, row: &Row) -> String {
        let mut line = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(text) => line.push_str(text),
                Piece::Value { source, shape } => line.push_str(&shown(source.of(row), *shape)),
            }
        }
        line.push_str(self.ending);
        line
    }
}

impl Source {
    fn of<'r>(&self, row: &'r Row) -> Value<'r> {
        match self {
            Self::Field(index) => FIELDS[*index].1(row),
            Self::Tool(name) => Value::count(row.tools.get(name).copied().unwrap_or(0)),
        }
    }
}

fn shown(value: Value<'_>, shape: Shape) -> String {
    let text = match (value, shape) {
        (Value::Nothing, _) => return String::new(),
        (Value::Id(id), Shape::Columns(columns)) => {
            return plain(id).chars().take(columns).collect();
        }
        (Value::Id(id), _) => plain(id),
        (Value::Text(text), _) => plain(&text),
        (Value::Count(count), _) => count.to_string(),
        (Value::Dollars(dollars), Shape::Decimals(places)) => format!("{dollars:.places$}"),
        (Value::Dollars(dollars), _) => dollars.to_string(),
    };
    match shape {
        Shape::Columns(columns) => sanitize::truncate_width(&text, columns).into_owned(),
        Shape::AsIs | Shape::Decimals(_) => text,
    }
}

/// Makes a text safe to print, with a space for each line break and tab.
fn plain(text: &str) -> String {
    sanitize::clean(text).replace(['\n', '\t'], " ")
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    literal: String,
    pieces: Vec<Piece>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, c: char) -> Result<(), TemplateError> {
        let start = self.at - c.len_utf8();
        match c {
            '{' | '}' if self.peek() == Some(c) => {
                self.next();
                self.literal.push(c);
            }
            '{' => self.field(start)?,
            '}' => return Err(error(start..self.at, TemplateErrorKind::Unopened)),
            '\\' => self.escape(start)?,
            c => self.literal.push(c),
        }
        Ok(())
    }

    fn escape(&mut self, start: usize) -> Result<(), TemplateError> {
        let meant = match self.next() {
            Some('t') => '\t',
            Some('n') => '\n',
            Some('0') => '\0',
            Some('\\') => '\\',
            _ => return Err(error(start..self.at, TemplateErrorKind::UnknownEscape)),
        };
        self.literal.push(meant);
        Ok(())
    }

    fn field(&mut self, start: usize) -> Result<(), TemplateError> {
        let rest: &'t str = &self.text[self.at..];
        let Some(length) = rest
            .find(['{', '}'])
            .filter(|&at| rest[at..].starts_with('}'))
        else {
            return Err(error(start..start + 1, TemplateErrorKind::Unclosed));
        };
        let (name, spec) = match rest[..length].split_once(':') {
            Some((name, spec)) => (name, Some(spec)),
            None => (&rest[..length], None),
        };
        let end = self.at + length;
        let source = source(name).ok_or_else(|| {
            let mut near = nearest(name, Template::fields());
            near.truncate(1);
            let name = name.to_owned();
            let span = self.at..end.max(self.at + 1);
            error(span, TemplateErrorKind::UnknownField { name, near })
        })?;
        let behind = self.at + name.len();
        let shape = spec.map_or(Ok(Shape::AsIs), |spec| shape(spec, &source));
        let shape = shape.map_err(|kind| error(behind..end, kind))?;
        self.end_literal();
        self.pieces.push(Piece::Value { source, shape });
        self.at = end + 1;
        Ok(())
    }

    fn end_literal(&mut self) {
        if !self.literal.is_empty() {
            let literal = std::mem::take(&mut self.literal);
            self.pieces.push(Piece::Literal(literal));
        }
    }
}

fn error(span: Range<usize>, kind: TemplateErrorKind) -> TemplateError {
    TemplateError { span, kind }
}

fn source(name: &str) -> Option<Source> {
    let known = FIELDS.iter().position(|(field, _)| *field == name);
    let tool = || {
        let tool = name.strip_prefix("tools.")?;
        (!tool.is_empty()).then(|| Source::Tool(tool.to_owned()))
    };
    known.map(Source::Field).or_else(tool)
}

fn shape(spec: &str, source: &Source) -> Result<Shape, TemplateErrorKind> {
    let number = |digits: &str| {
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|&number| number <= 1000);
        number
            .filter(|_| plain)
            .ok_or(TemplateErrorKind::UnknownShape)
    };
    let Some(digits) = spec.strip_prefix('.') else {
        return number(spec).map(Shape::Columns);
    };
    let places = number(digits)?.min(12);
    let has_decimals = matches!(source, Source::Field(index) if FIELDS[*index].0 == "cost_usd");
    if has_decimals {
        Ok(Shape::Decimals(places))
    } else {
        Err(TemplateErrorKind::NoDecimals)
    }
}

#[cfg(test)]
mod tests;
