//! The keys of all interactive surfaces: terminal program, server pages, exported pages.
//!
//! One table (`table.rs`) defines which keys do what in which context, and their labels. Hints, help dialogs,
//! menus, page scripts and documentation are generated from the table or compared with it, so a key means the
//! same everywhere. The table contains only names: each surface reads keys and performs the actions itself.
//!
//! A key is named as in browsers (`j`, `G`, `?`, `Escape`, `ArrowDown`, `Space`), with the prefix
//! `Ctrl-`, `Alt-` or `Shift-` if that key is held down. A sequence contains spaces: `g t`. A
//! capital letter is written as itself, without `Shift-`.

mod row;
mod table;

use std::fmt;
use unspool_model::names;

use self::row::KeyRow;
use self::table::TABLE;

/// The place where a key is pressed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum KeyContext {
    /// The input line of the picker, in which letters are text. Keys that type text are commands
    /// only while the line is empty.
    Finder,
    /// A transcript, tree, raw entry or change in the terminal.
    Reader,
    /// A page of the server.
    Page,
    /// An exported transcript.
    Export,
    /// The lists of an exported site.
    Site,
    /// The running sessions, in the terminal.
    Live,
    /// A request of a driven session, in the terminal.
    Ask,
    /// The prompt that the user types in the terminal. Letters are text.
    Prompt,
}

impl KeyContext {
    /// All contexts.
    pub const ALL: [Self; 8] = [
        Self::Finder,
        Self::Reader,
        Self::Page,
        Self::Export,
        Self::Site,
        Self::Live,
        Self::Ask,
        Self::Prompt,
    ];

    /// The contexts of the terminal program.
    pub const TERMINAL: [Self; 5] =
        [Self::Finder, Self::Reader, Self::Live, Self::Ask, Self::Prompt];
}

/// Topics of keys, in the order of a help dialog.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum KeySection {
    /// Moving through the text.
    Move,
    /// Searching.
    Search,
    /// Changing what is shown, and how.
    Show,
    /// Going to other pages and panes.
    Go,
    /// Copying.
    Copy,
    /// Acting on a session.
    Session,
    /// The program or the page as a whole.
    Program,
}

impl KeySection {
    /// All sections, in the order of a help dialog.
    pub const ALL: [Self; 7] =
        [Self::Move, Self::Search, Self::Show, Self::Go, Self::Copy, Self::Session, Self::Program];

    /// Returns the heading in a help dialog.
    pub fn title(self) -> &'static str {
        match self {
            Self::Move => "Move",
            Self::Search => "Search",
            Self::Show => "Show",
            Self::Go => "Go to",
            Self::Copy => "Copy",
            Self::Session => "Session",
            Self::Program => "General",
        }
    }
}

names! {
    /// The action of a key. Scripts and settings use the names.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum KeyAction {
        /// Goes one line or row down.
        LineDown = "line-down",
        /// Goes one line or row up.
        LineUp = "line-up",
        /// Goes a page down.
        PageDown = "page-down",
        /// Goes a page up.
        PageUp = "page-up",
        /// Goes half a page down.
        HalfPageDown = "half-page-down",
        /// Goes half a page up.
        HalfPageUp = "half-page-up",
        /// Goes to the next turn, in a list to the next row.
        NextTurn = "next-turn",
        /// Goes to the previous turn, in a list to the previous row.
        PreviousTurn = "previous-turn",
        /// Goes to the next message.
        NextMessage = "next-message",
        /// Goes to the previous message.
        PreviousMessage = "previous-message",
        /// Goes to the next match of the search; without a search, to the next call.
        NextMatch = "next-match",
        /// Goes to the previous match; without a search, to the previous call.
        PreviousMatch = "previous-match",
        /// Goes to the next error.
        NextError = "next-error",
        /// Goes to the previous error.
        PreviousError = "previous-error",
        /// Goes to the next change of a file.
        NextChange = "next-change",
        /// Goes to the previous change.
        PreviousChange = "previous-change",
        /// Goes to the beginning.
        First = "first",
        /// Goes to the end.
        Last = "last",
        /// Searches in what is shown, or opens the search box of a list.
        Search = "search",
        /// Switches between searching titles and the full text.
        FullText = "full-text",
        /// Opens the row.
        Open = "open",
        /// Folds or unfolds the focused element; opens an agent.
        Fold = "fold",
        /// Unfolds or folds everything.
        Unfold = "unfold",
        /// Shows calls as lines, with their first lines, or whole.
        CallDetail = "call-detail",
        /// Shows or hides thinking.
        Thinking = "thinking",
        /// Shows changes side by side or in one column.
        Sides = "sides",
        /// Switches between the light and the dark theme.
        Theme = "theme",
        /// Moves the preview: to the right, below, or off.
        Preview = "preview",
        /// Scrolls the preview down.
        PreviewDown = "preview-down",
        /// Scrolls the preview up.
        PreviewUp = "preview-up",
        /// Shows the paths of the session.
        Paths = "paths",
        /// Goes to the previous path.
        PreviousPath = "previous-path",
        /// Goes to the next path.
        NextPath = "next-path",
        /// Goes to the next session that waits for input.
        NextWaiting = "next-waiting",
        /// Goes to the tree of the session.
        GoTree = "go-tree",
        /// Goes to the outline.
        GoOutline = "go-outline",
        /// Goes to the agents.
        GoAgents = "go-agents",
        /// Goes to the changed files.
        GoFiles = "go-files",
        /// Goes to the summary.
        GoSummary = "go-summary",
        /// Goes to the raw line of the entry.
        GoRaw = "go-raw",
        /// Goes to the running sessions.
        GoLive = "go-live",
        /// Goes to the first page or the picker.
        GoHome = "go-home",
        /// Goes to the waterfall of times.
        GoWaterfall = "go-waterfall",
        /// Goes to the project.
        GoProject = "go-project",
        /// Goes to the statistics.
        GoStats = "go-stats",
        /// Goes to the search over all sessions.
        GoSearch = "go-search",
        /// Copies the message as Markdown.
        CopyMessage = "copy-message",
        /// Copies the block of code or the output.
        CopyBlock = "copy-block",
        /// Copies the id of the session.
        CopyId = "copy-id",
        /// Copies the command that resumes the session.
        CopyResume = "copy-resume",
        /// Copies a link to this place.
        CopyLink = "copy-link",
        /// Copies the path of the log.
        CopyLogPath = "copy-log-path",
        /// Opens the menu of things to copy.
        CopyMenu = "copy-menu",
        /// Inserts the message into the prompt that is being edited.
        InsertMessage = "insert-message",
        /// Inserts the turn into the prompt that is being edited.
        InsertTurn = "insert-turn",
        /// Follows the end while the session grows.
        Follow = "follow",
        /// Resumes the session.
        Resume = "resume",
        /// Answers the pending request of a driven session.
        Answer = "answer",
        /// Allows the focused request once.
        AllowOnce = "allow-once",
        /// Allows the focused request for the session.
        AllowSession = "allow-session",
        /// Denies the focused request with a message.
        Deny = "deny",
        /// Writes a prompt for a driven session.
        Prompt = "prompt",
        /// Writes the first prompt of a new session.
        NewSession = "new-session",
        /// Shows the queue of a driven session.
        Queue = "queue",
        /// Switches the permission mode of a driven session.
        Permissions = "permissions",
        /// Switches the model of a driven session.
        Model = "model",
        /// Sets the deadlines of a driven session.
        Deadlines = "deadlines",
        /// Interrupts the turn of a driven session.
        Interrupt = "interrupt",
        /// Gives the answer with the number of the pressed key.
        AnswerNumber = "answer-number",
        /// Sends the prompt.
        Send = "send",
        /// Begins another line of the prompt.
        NewLine = "new-line",
        /// Completes the command or the file at the cursor of the prompt.
        Complete = "complete",
        /// Sets the options of the run that the prompt starts.
        StartOptions = "start-options",
        /// Opens this place in the editor.
        Edit = "edit",
        /// Opens this place in the browser.
        Browse = "browse",
        /// Opens the menu of all actions.
        ActionMenu = "action-menu",
        /// Marks the row and goes to the next one.
        Mark = "mark",
        /// Marks the row and goes to the previous one.
        MarkUp = "mark-up",
        /// Changes the scope of the list: here, the repository, everywhere.
        Scope = "scope",
        /// Changes the order of the rows.
        Sort = "sort",
        /// Opens the menu of filters.
        Filters = "filters",
        /// Goes to the next pane.
        NextPane = "next-pane",
        /// Goes to the previous pane.
        PreviousPane = "previous-pane",
        /// Closes the topmost open element.
        Close = "close",
        /// Goes back; on the first screen, ends the program.
        Back = "back",
        /// Shows the keys.
        Help = "help",
        /// Ends the program.
        Quit = "quit",
        /// Suspends the program.
        Suspend = "suspend",
        /// Captures the mouse, or releases it to the terminal.
        Mouse = "mouse",
        /// Redraws the screen.
        Redraw = "redraw",
    }
}

impl KeyAction {
    /// Returns the binding of the action in a context; `None` if it has no keys there.
    pub fn binding(self, context: KeyContext) -> Option<KeyBinding> {
        bindings(context).find(|binding| binding.action == self)
    }
}

/// Returns whether a text is a key or a sequence of keys in the notation of the table.
pub fn is_key_sequence(text: &str) -> bool {
    const NAMED: [&str; 15] = [
        "ArrowDown",
        "ArrowLeft",
        "ArrowRight",
        "ArrowUp",
        "Backspace",
        "Delete",
        "End",
        "Enter",
        "Escape",
        "Home",
        "PageDown",
        "PageUp",
        "Space",
        "Tab",
        "F1",
    ];
    let is_press = |press: &str| {
        let mut key = press;
        for held in ["Ctrl-", "Alt-", "Shift-"] {
            key = key.strip_prefix(held).unwrap_or(key);
        }
        let is_function = |number: &str| number.parse().is_ok_and(|number: u8| number <= 24);
        let is_letter = key.chars().count() == 1 && !key.chars().any(char::is_control);
        is_letter || NAMED.contains(&key) || key.strip_prefix('F').is_some_and(is_function)
    };
    !text.is_empty() && text.split(' ').all(is_press)
}

/// A key, or several keys pressed one after the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeySequence(&'static str);

impl KeySequence {
    /// Returns the keys in the notation of the table: `g t`.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Returns the keys, one after the other.
    pub fn presses(self) -> impl Iterator<Item = &'static str> {
        self.0.split(' ')
    }
}

/// Formats the keys for readers: `gt`, `Esc`, `↓`.
impl fmt::Display for KeySequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ShownKeys(self.0).fmt(f)
    }
}

/// Formats keys in the notation of the table for readers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShownKeys<'k>(pub &'k str);

impl fmt::Display for ShownKeys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for press in self.0.split(' ') {
            let (held, key) = match press.rsplit_once('-') {
                Some((held, key)) if !held.is_empty() => (Some(held), key),
                _ => (None, press),
            };
            if let Some(held) = held {
                write!(f, "{held}-")?;
            }
            f.write_str(match key {
                "ArrowDown" => "\u{2193}",
                "ArrowUp" => "\u{2191}",
                "Escape" => "Esc",
                "PageDown" => "PgDn",
                "PageUp" => "PgUp",
                // Keyboards label keys with capitals; this does not mean that Shift is held.
                key if held == Some("Ctrl") => {
                    f.write_str(&key.to_uppercase())?;
                    continue;
                }
                key => key,
            })?;
        }
        Ok(())
    }
}

/// An action with its keys in a context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyBinding {
    /// The action.
    pub action: KeyAction,
    /// The context.
    pub context: KeyContext,
    /// The topic.
    pub section: KeySection,
    /// A short label for a hint: `next turn`.
    pub short: &'static str,
    /// The label in a help dialog. Neighbouring actions that belong together share one: `next,
    /// previous turn`.
    pub long: &'static str,
    /// Search terms for menus, in addition to the labels.
    pub words: &'static str,
    keys: &'static [&'static str],
}

impl KeyBinding {
    /// Returns the keys, the preferred one first.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = KeySequence> + use<> {
        self.keys.iter().copied().map(KeySequence)
    }
}

/// Returns all bindings of a context, in the order of a help dialog.
pub fn bindings(context: KeyContext) -> impl Iterator<Item = KeyBinding> {
    TABLE.iter().filter_map(move |row: &KeyRow| {
        let keys = row.keys_in(context);
        (!keys.is_empty()).then_some(KeyBinding {
            action: row.action,
            context,
            section: row.section,
            short: row.short,
            long: row.long,
            words: row.words,
            keys,
        })
    })
}

/// A row of a help dialog: actions that share a label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyHelpRow {
    /// The topic.
    pub section: KeySection,
    /// The label.
    pub label: &'static str,
    /// The actions, each with its keys.
    pub bindings: Vec<KeyBinding>,
}

/// Returns the rows of the help for a context.
pub fn help_rows(context: KeyContext) -> Vec<KeyHelpRow> {
    let mut rows: Vec<KeyHelpRow> = Vec::new();
    for binding in bindings(context) {
        match rows.last_mut() {
            Some(row) if row.label == binding.long => row.bindings.push(binding),
            _ => rows.push(KeyHelpRow {
                section: binding.section,
                label: binding.long,
                bindings: vec![binding],
            }),
        }
    }
    rows
}

#[cfg(test)]
mod tests;
