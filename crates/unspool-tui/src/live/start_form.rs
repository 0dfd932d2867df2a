//! The form with the options of a run that a prompt starts. The fields are set in menus.
//!
//! A value is a text, whether it was chosen or typed, so one function parses it.

use ratatui::layout::Rect;
use unspool_drive::launch::is_model_name;
use unspool_drive::{PermissionMode, UsdAmount};
use unspool_model::named::Named as _;
use unspool_model::names;
use unspool_text::sanitize;
use unspool_text::style::{Line, Role};

use super::deadline::{DEADLINES, IDLE_TITLE, WAITING_TITLE, parse_deadline};
use crate::canvas::Canvas;
use crate::menu::{Menu, MenuItem};
use crate::plan_rows::deadline_words;
use crate::work::live::{StartFacts, StartOptions};

/// The name of the menu of fields.
pub(super) const FIELDS: &str = "start";
/// The name of the menu of a field's values.
const VALUES: &str = "start value";
/// The width of a value.
const MOST_VALUE: usize = 48;
/// The text of a value that is left to the client, or of no limit.
const NONE: &str = "none";

names! {
    /// A field of the form.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum StartField {
        Folder = "folder",
        Model = "model",
        Mode = "permissions",
        Budget = "budget",
        Idle = "ends when idle for",
        Waiting = "waits for an answer",
    }
}

/// Whether the folder of a run can be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FolderUse {
    /// It can: the session is new.
    Chosen,
    /// It cannot: the session has a folder.
    Fixed,
}

#[derive(Debug)]
pub(super) struct StartForm {
    options: StartOptions,
    folder: FolderUse,
    /// The values to choose from; `None` until a worker has collected them.
    facts: Option<StartFacts>,
    /// The field whose menu is open, and the texts of the items.
    open: Option<(StartField, Vec<String>)>,
}

impl StartForm {
    pub(super) fn new(options: StartOptions, folder: FolderUse) -> Self {
        Self { options, folder, facts: None, open: None }
    }

    pub(super) fn options(&self) -> &StartOptions {
        &self.options
    }

    /// Tells whether the folder and the values to choose from are known.
    pub(super) fn is_known(&self) -> bool {
        self.facts.is_some()
    }

    /// Takes the values to choose from; `here` is the default folder of a new session.
    pub(super) fn take(&mut self, facts: StartFacts, here: &str) {
        let usual = (self.folder == FolderUse::Chosen).then(|| here.to_owned());
        self.options.folder = facts.folder.clone().or(usual);
        self.options.home.clone_from(&facts.home);
        self.facts = Some(facts);
    }

    fn fields(&self) -> &'static [StartField] {
        match self.folder {
            FolderUse::Chosen => StartField::ALL,
            FolderUse::Fixed => &StartField::ALL[1..],
        }
    }

    /// Builds the menu of the fields, with one of them selected.
    pub(super) fn menu(&mut self, chosen: usize) -> Menu {
        self.open = None;
        let items = self.fields().iter().enumerate().map(|(number, field)| {
            let value = sanitize::one_line(&self.words(*field), MOST_VALUE);
            MenuItem::numbered(number, field.name()).with_note(value)
        });
        Menu::new(FIELDS, "The run starts with", items.collect()).with_numbers().with_chosen(chosen)
    }

    /// Takes a choice from one of the menus, and returns the next menu.
    pub(super) fn chosen(&mut self, menu: &'static str, item: usize) -> Result<Menu, &'static str> {
        if menu == FIELDS {
            let field = self.fields().get(item).ok_or("this form has no such field")?;
            return Ok(self.values(*field));
        }
        let texts = self.open.as_ref().map(|(_, texts)| texts);
        let text = texts.and_then(|texts| texts.get(item)).cloned();
        self.typed(&text.ok_or("this field has no such value")?)
    }

    /// Takes the text of a value, and returns the menu of the fields.
    pub(super) fn typed(&mut self, text: &str) -> Result<Menu, &'static str> {
        let field = self.open.as_ref().map(|(field, _)| *field);
        let field = field.ok_or("no field is open")?;
        self.set(field, text)?;
        let at = self.fields().iter().position(|it| *it == field);
        Ok(self.menu(at.unwrap_or(0)))
    }

    fn set(&mut self, field: StartField, text: &str) -> Result<(), &'static str> {
        let options = &mut self.options;
        let text = text.trim();
        let is_none = text == NONE;
        match field {
            StartField::Folder => options.folder = Some(text.to_owned()),
            StartField::Model if is_none => options.model = None,
            StartField::Model if is_model_name(text) => options.model = Some(text.to_owned()),
            StartField::Model => return Err("this is not the name of a model"),
            StartField::Mode => {
                let mode = PermissionMode::from_name(text);
                let mode = mode.filter(|mode| PermissionMode::OFFERED.contains(mode));
                options.mode = mode.ok_or("this is not a mode that is offered here")?;
            }
            StartField::Budget if is_none => options.budget = None,
            StartField::Budget => {
                let amount = UsdAmount::parse(text).filter(|it| *it > UsdAmount::default());
                let amount = amount.ok_or("a budget is typed as US dollars: 5 or 0.50")?;
                options.budget = Some(amount);
            }
            StartField::Idle => options.limits.idle = parse_deadline(text)?,
            StartField::Waiting => {
                options.limits.waiting = parse_deadline(text)?;
            }
        }
        Ok(())
    }

    /// Returns the value of a field in words.
    fn words(&self, field: StartField) -> String {
        let options = &self.options;
        let own = || "the client's own".to_owned();
        match field {
            StartField::Folder => options.folder.clone().unwrap_or_default(),
            StartField::Model => options.model.clone().unwrap_or_else(own),
            StartField::Mode => options.mode.words().to_owned(),
            StartField::Budget => {
                options.budget.map_or_else(|| NONE.to_owned(), |it| it.to_string())
            }
            StartField::Idle => deadline_words(options.limits.idle),
            StartField::Waiting => deadline_words(options.limits.waiting),
        }
    }

    /// Builds the menu of a field's values: each has the text that sets it, a label and a note.
    fn values(&mut self, field: StartField) -> Menu {
        let value = |text: &str, label: &str, note: &str| {
            let label = sanitize::one_line(label, MOST_VALUE);
            let item = MenuItem::numbered(0, label).with_note(sanitize::one_line(note, MOST_VALUE));
            (text.to_owned(), item)
        };
        let facts = self.facts.as_ref();
        let (title, values): (_, Vec<(String, MenuItem)>) = match field {
            StartField::Folder => {
                let folders = facts.map(|it| it.folders.as_slice()).unwrap_or_default();
                let folders = folders.iter().map(|folder| value(folder, folder, ""));
                ("Folder", folders.collect())
            }
            StartField::Model => {
                let models = facts.map(|it| it.models.as_slice()).unwrap_or_default();
                let models = models.iter();
                let models = models.map(|it| value(&it.value, &it.name, &it.description));
                let own = value(NONE, "the client's own", "");
                ("Model", [own].into_iter().chain(models).collect())
            }
            StartField::Mode => {
                let modes = PermissionMode::OFFERED.iter();
                let modes = modes.map(|mode| value(mode.name(), mode.words(), mode.name()));
                ("Permissions", modes.collect())
            }
            StartField::Budget => ("Budget in US dollars", vec![value(NONE, NONE, "")]),
            StartField::Idle | StartField::Waiting => {
                let values = DEADLINES.iter().map(|seconds| {
                    let text = seconds.map_or("off".to_owned(), |it| it.to_string());
                    value(&text, &deadline_words(*seconds), "")
                });
                let title = if field == StartField::Idle { IDLE_TITLE } else { WAITING_TITLE };
                (title, values.collect())
            }
        };
        let (texts, items): (Vec<String>, Vec<MenuItem>) = values.into_iter().unzip();
        let items = (0..).zip(items).map(|(number, item)| item.with_number(number));
        let menu = Menu::new(VALUES, title, items.collect());
        self.open = Some((field, texts));
        if field == StartField::Mode { menu.with_numbers() } else { menu.with_typed() }
    }

    /// Summarizes the form on one line, the most important values first.
    pub(super) fn summary(&self) -> String {
        let mut words = vec![self.words(StartField::Folder), self.words(StartField::Mode)];
        words.extend(self.options.model.clone());
        words.extend(self.options.budget.map(|it| it.to_string()));
        words.retain(|it| !it.is_empty());
        sanitize::inline(&words.join(" · ")).into_owned()
    }

    /// Paints the fields below each other.
    pub(super) fn view(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let fields = self.fields().iter().map(|it| self.line(*it));
        let lines: Vec<Line> = [Line::new()].into_iter().chain(fields).collect();
        canvas.lines(area, &lines);
    }

    fn line(&self, field: StartField) -> Line {
        let mut line = Line::of(format!("   {:<21}", field.name()), Role::Muted);
        line.add(self.words(field), Role::Plain);
        line
    }
}
