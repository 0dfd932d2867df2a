//! Templates for scripts: a row of a list as a line in a format that the user writes.
//!
//! | written | means |
//! |---|---|
//! | `{title}` | a field, named as in JSON; `{tokens.output}` one of its parts |
//! | `{title:40}` | the same, cut to 40 columns; an id is cut without an ellipsis, so that it can be typed |
//! | `{cost_usd:.2}` | the same, with two decimals |
//! | `\t` `\n` `\0` `\\` | a tab, a line break, a zero byte, a backslash |
//! | `{{` `}}` | braces |
//!
//! Text of a log is put on one line and made safe to print. Unknown values are empty.

use std::fmt;
use std::ops::Range;

use unspool_model::near::near_or_part;
use unspool_model::query::point;
use unspool_model::usage::Tokens;
use unspool_text::sanitize;

use super::row_fields::{FIELDS, JsonForm, RowField};
use unspool_store::rows::{RowValue, SessionRow};

/// A parsed template.
#[derive(Clone, Debug)]
pub struct Template {
    pieces: Vec<TemplatePiece>,
    ending: &'static str,
}

#[derive(Clone, Debug)]
enum TemplatePiece {
    Literal(String),
    Value { source: ValueSource, shape: ValueShape },
}

/// The source of a value in a row.
#[derive(Clone, Debug)]
enum ValueSource {
    Field(&'static RowField),
    /// One kind of tokens, as an index into [`Tokens::parts`].
    TokensPart(usize),
    /// The number of calls of a tool.
    Tool(String),
}

/// How a value is formatted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueShape {
    AsIs,
    Columns(usize),
    Decimals(usize),
}

/// An error in a template, with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateError {
    /// The byte range of the template that is wrong.
    pub span: Range<usize>,
    /// The kind of error.
    pub kind: TemplateErrorKind,
}

/// The kinds of errors in a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TemplateErrorKind {
    /// A brace is opened but not closed.
    Unclosed,
    /// A brace is closed but not opened.
    Unopened,
    /// A name that is not a field.
    UnknownField {
        /// The name as written.
        name: String,
        /// The most similar field name.
        near: Option<String>,
    },
    /// A format after a colon that is neither a width nor a number of decimals.
    UnknownShape,
    /// Decimals for a field that has none.
    NoDecimals,
    /// A backslash before a character that cannot be escaped.
    UnknownEscape,
}

impl TemplateError {
    /// Returns two lines: the template, and carets under the error.
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
                write!(f, "`{}` is not a field", name.escape_debug())?;
                match near {
                    None => write!(f, "; the fields are {}", Template::fields().join(", ")),
                    Some(name) => write!(f, "; did you mean `{name}`?"),
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
    /// Parses a template.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut reader = TemplateReader { text, at: 0, literal: String::new(), pieces: Vec::new() };
        while let Some(c) = reader.next() {
            reader.take(c)?;
        }
        let ended = reader.literal.ends_with(['\n', '\0']);
        reader.end_literal();
        Ok(Self { pieces: reader.pieces, ending: if ended { "" } else { "\n" } })
    }

    /// Returns the names of all fields.
    pub fn fields() -> Vec<String> {
        let mut names = Vec::new();
        for field in FIELDS {
            names.push(field.name.to_owned());
            if field.form == JsonForm::Tokens {
                let parts = Tokens::default().parts();
                names.extend(parts.map(|(part, _)| format!("{}.{part}", field.name)));
            }
        }
        names
    }

    /// Formats one row. The line ends with a line break, unless the template ends with a line break
    /// or a zero byte.
    pub fn line(&self, row: &SessionRow) -> String {
        let mut line = String::new();
        for piece in &self.pieces {
            match piece {
                TemplatePiece::Literal(text) => line.push_str(text),
                TemplatePiece::Value { source, shape } => {
                    line.push_str(&shown(source.of(row), *shape));
                }
            }
        }
        line.push_str(self.ending);
        line
    }
}

impl ValueSource {
    /// Finds the source with a name.
    fn named(name: &str) -> Option<Self> {
        if let Some(field) = FIELDS.iter().find(|field| field.name == name) {
            return Some(Self::Field(field));
        }
        let (field, part) = name.split_once('.')?;
        match FIELDS.iter().find(|known| known.name == field)?.form {
            JsonForm::Counts => Some(Self::Tool(part.to_owned())).filter(|_| !part.is_empty()),
            JsonForm::Tokens => {
                let parts = Tokens::default().parts();
                let at = parts.iter().position(|(known, _)| *known == part);
                at.map(Self::TokensPart)
            }
            _ => None,
        }
    }

    fn of<'r>(&self, row: &'r SessionRow) -> RowValue<'r> {
        match self {
            Self::Field(field) => (field.value)(row),
            Self::TokensPart(at) => RowValue::Count(row.tokens.parts()[*at].1),
            Self::Tool(name) => RowValue::count(row.tools.get(name).copied().unwrap_or(0)),
        }
    }

    fn has_decimals(&self) -> bool {
        matches!(self, Self::Field(field) if field.form == JsonForm::MaybeNumber)
    }
}

fn shown(value: RowValue<'_>, shape: ValueShape) -> String {
    let text = match (value, shape) {
        (RowValue::Nothing, _) => return String::new(),
        (RowValue::Id(id), ValueShape::Columns(columns)) => {
            return plain(id).chars().take(columns).collect();
        }
        (RowValue::Id(id), _) => plain(id),
        (RowValue::Text(text) | RowValue::Path(text), _) => plain(&text),
        (RowValue::Status(status), _) => status.name().to_owned(),
        (RowValue::Time(time), _) => time.to_string(),
        (RowValue::Count(count) | RowValue::Millis(count) | RowValue::Bytes(count), _) => {
            count.to_string()
        }
        (RowValue::Tokens(tokens), _) => tokens.sum().to_string(),
        (RowValue::Dollars(dollars), ValueShape::Decimals(places)) => format!("{dollars:.places$}"),
        (RowValue::Dollars(dollars), _) => dollars.to_string(),
        (RowValue::Texts(texts), _) => plain(&texts.join(",")),
        (RowValue::Tools(tools), _) => {
            let tools = tools.iter().map(|(tool, count)| format!("{tool}:{count}"));
            plain(&tools.collect::<Vec<_>>().join(","))
        }
        (RowValue::Flag(flag), _) => flag.to_string(),
    };
    match shape {
        ValueShape::Columns(columns) => sanitize::truncate_width(&text, columns).into_owned(),
        ValueShape::AsIs | ValueShape::Decimals(_) => text,
    }
}

/// Makes a text safe to print, with a space for each line break and tab.
fn plain(text: &str) -> String {
    sanitize::clean(text).replace(['\n', '\t'], " ")
}

struct TemplateReader<'t> {
    text: &'t str,
    at: usize,
    literal: String,
    pieces: Vec<TemplatePiece>,
}

impl<'t> TemplateReader<'t> {
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
        let Some(length) = rest.find(['{', '}']).filter(|&at| rest[at..].starts_with('}')) else {
            return Err(error(start..start + 1, TemplateErrorKind::Unclosed));
        };
        let (name, spec) = match rest[..length].split_once(':') {
            Some((name, spec)) => (name, Some(spec)),
            None => (&rest[..length], None),
        };
        let end = self.at + length;
        let source = ValueSource::named(name).ok_or_else(|| {
            let fields = Template::fields();
            let near = near_or_part(name, fields.iter().map(String::as_str));
            let near = near.first().map(|&near| near.to_owned());
            let name = name.to_owned();
            let span = self.at..end.max(self.at + 1);
            error(span, TemplateErrorKind::UnknownField { name, near })
        })?;
        let following = self.at + name.len();
        let shape = spec.map_or(Ok(ValueShape::AsIs), |spec| shape(spec, &source));
        let shape = shape.map_err(|kind| error(following..end, kind))?;
        self.end_literal();
        self.pieces.push(TemplatePiece::Value { source, shape });
        self.at = end + 1;
        Ok(())
    }

    fn end_literal(&mut self) {
        if !self.literal.is_empty() {
            let literal = std::mem::take(&mut self.literal);
            self.pieces.push(TemplatePiece::Literal(literal));
        }
    }
}

fn error(span: Range<usize>, kind: TemplateErrorKind) -> TemplateError {
    TemplateError { span, kind }
}

fn shape(spec: &str, source: &ValueSource) -> Result<ValueShape, TemplateErrorKind> {
    let number = |digits: &str| {
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|&number| number <= 1000);
        number.filter(|_| plain).ok_or(TemplateErrorKind::UnknownShape)
    };
    let Some(digits) = spec.strip_prefix('.') else {
        return number(spec).map(ValueShape::Columns);
    };
    let places = number(digits)?.min(12);
    if source.has_decimals() {
        Ok(ValueShape::Decimals(places))
    } else {
        Err(TemplateErrorKind::NoDecimals)
    }
}

#[cfg(test)]
mod tests;
