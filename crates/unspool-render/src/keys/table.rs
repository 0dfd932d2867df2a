//! The table: actions, labels and keys.
//!
//! Rows are in the order of a help dialog, which joins neighbours with the same long label into one
//! row. An action has a second row where another context needs other labels.

use super::KeyAction as A;
use super::KeySection;
use super::row::{KeyRow, copies, goes, handles, moves, row, runs, shows};

const FOCUSED: &str = "a request that has the focus: allow it once, for this session, deny it with words; Esc leaves it";
const LINE: &str = "next, previous line or row";
const TURN: &str = "next, previous turn";
const TURN_OR_ROW: &str = "next, previous turn; in a list, row";
const MESSAGE: &str = "next, previous message";
const MATCH: &str = "next, previous match of a search; without a search, call";
const ERROR: &str = "next, previous error";
const CHANGE: &str = "next, previous change of a file";
const ENDS: &str = "beginning, end";
const PAGE: &str = "page down, up";
const HALF_PAGE: &str = "half a page down, up";
const PREVIEW: &str = "scroll the preview down, up";
const PATH: &str = "previous, next path";
const PANE: &str = "next, previous pane";
const CARD: &str = "next, previous session";
const CARD_ENDS: &str = "first, last session";
const CARD_PAGE: &str = "five sessions down, up";
const MARK: &str = "mark the row, and go to the next, previous one";
const ANSWER: &str = "next, previous answer";
const REQUEST: &str = "read the request on, back";
const PROMPT_LINE: &str = "next, previous line";
const UNSEEN: &str = "scroll the conversation down, up";

/// All key bindings.
pub(super) static TABLE: &[KeyRow] = &[
    moves(A::LineDown, "next line", LINE, "down scroll cursor")
        .finder(&["ArrowDown", "Ctrl-n"])
        .reader(&["ArrowDown", "j"])
        .site(&["ArrowDown"]),
    moves(A::LineUp, "previous line", LINE, "up scroll cursor")
        .finder(&["ArrowUp", "Ctrl-p"])
        .reader(&["ArrowUp", "k"])
        .site(&["ArrowUp"]),
    moves(A::LineDown, "next session", CARD, "down card").live(&["ArrowDown", "j", "]"]),
    moves(A::LineUp, "previous session", CARD, "up card").live(&["ArrowUp", "k", "["]),
    moves(A::LineDown, "next answer", ANSWER, "down choice").ask(&["ArrowDown", "j"]),
    moves(A::LineUp, "previous answer", ANSWER, "up choice").ask(&["ArrowUp", "k"]),
    moves(A::LineDown, "next line", PROMPT_LINE, "down cursor").prompt(&["ArrowDown"]),
    moves(A::LineUp, "previous line", PROMPT_LINE, "up cursor").prompt(&["ArrowUp"]),
    moves(A::NextTurn, "next turn", TURN, "prompt forward").reader(&["]"]).export(&["j", "]"]),
    moves(A::PreviousTurn, "previous turn", TURN, "prompt back").reader(&["["]).export(&["k", "["]),
    moves(A::NextTurn, "next turn", TURN_OR_ROW, "prompt forward").page(&["j", "]"]),
    moves(A::PreviousTurn, "previous turn", TURN_OR_ROW, "prompt back").page(&["k", "["]),
    moves(A::NextMessage, "next message", MESSAGE, "answer forward").reading(&["}"]),
    moves(A::PreviousMessage, "previous message", MESSAGE, "answer back").reading(&["{"]),
    moves(A::NextMatch, "next match", MATCH, "call tool hit forward").reading(&["n"]),
    moves(A::PreviousMatch, "previous match", MATCH, "call tool hit back")
        .reader(&["N"])
        .page(&["p", "N"])
        .export(&["p", "N"]),
    moves(A::NextError, "next error", ERROR, "failed failure forward").reading(&["e"]),
    moves(A::PreviousError, "previous error", ERROR, "failed failure back").reading(&["E"]),
    moves(A::NextChange, "next change", CHANGE, "edit diff write forward").reading(&["c"]),
    moves(A::PreviousChange, "previous change", CHANGE, "edit diff write back").reading(&["C"]),
    moves(A::First, "beginning", ENDS, "top first home").reading(&["g g"]),
    moves(A::Last, "end", ENDS, "bottom last newest follow").reading(&["G"]),
    moves(A::First, "first session", CARD_ENDS, "top home").live(&["g g"]),
    moves(A::Last, "last session", CARD_ENDS, "bottom").live(&["G"]),
    moves(A::PageDown, "page down", PAGE, "scroll").reader(&["Space", "PageDown"]),
    moves(A::PageUp, "page up", PAGE, "scroll").reader(&["b", "PageUp"]),
    moves(A::HalfPageDown, "half a page down", HALF_PAGE, "scroll")
        .finder(&["Ctrl-d", "PageDown"])
        .reader(&["Ctrl-d"]),
    moves(A::HalfPageUp, "half a page up", HALF_PAGE, "scroll")
        .finder(&["Ctrl-u", "PageUp"])
        .reader(&["Ctrl-u"]),
    moves(A::PageDown, "five down", CARD_PAGE, "scroll").live(&["Space", "PageDown", "Ctrl-d"]),
    moves(A::PageUp, "five up", CARD_PAGE, "scroll").live(&["b", "PageUp", "Ctrl-u"]),
    moves(A::PageDown, "read on", REQUEST, "scroll").ask(&["Space", "PageDown", "Ctrl-d"]),
    moves(A::PageUp, "read back", REQUEST, "scroll").ask(&["b", "PageUp", "Ctrl-u"]),
    moves(A::PageDown, "scroll down", UNSEEN, "conversation").prompt(&["PageDown"]),
    moves(A::PageUp, "scroll up", UNSEEN, "conversation").prompt(&["PageUp"]),
    row(KeySection::Search, A::Search, "search", "search in what is shown", "find text")
        .reading(&["/"]),
    row(KeySection::Search, A::Search, "search", "search everything", "find text").site(&["/"]),
    row(KeySection::Search, A::FullText, "full text", "search the full text, or titles", "find")
        .finder(&["Ctrl-f", "/"]),
    shows(A::Open, "open", "open the row", "enter read").finder(&["Enter"]).site(&["Enter"]),
    shows(A::Open, "open", "open the session", "enter read").live(&["Enter"]),
    shows(A::Fold, "fold", "fold or unfold what has the focus", "expand collapse agent")
        .reading(&["Enter"]),
    shows(A::Unfold, "unfold", "open or close everything", "expand collapse all").reading(&["o"]),
    shows(
        A::CallDetail,
        "calls",
        "calls as lines, with their beginnings, or whole",
        "tools detail",
    )
    .reader(&["x"])
    .page(&["x"]),
    shows(A::Thinking, "thinking", "show or hide thinking", "reasoning")
        .reader(&["T"])
        .page(&["T"]),
    shows(A::Sides, "side by side", "changes side by side, or in one column", "diff split columns")
        .reading(&["s"]),
    shows(A::Theme, "theme", "light or dark", "colours").reading(&["t"]).site(&["t"]).live(&["t"]),
    shows(A::Preview, "preview", "preview to the right, below or off", "pane").finder(&["Ctrl-v"]),
    shows(A::PreviewDown, "scroll preview down", PREVIEW, "").finder(&["Shift-ArrowDown"]),
    shows(A::PreviewUp, "scroll preview up", PREVIEW, "").finder(&["Shift-ArrowUp"]),
    row(KeySection::Go, A::Paths, "paths", "menu of the paths", "branch fork rewind")
        .reader(&["P"])
        .page(&["P"]),
    row(KeySection::Go, A::Paths, "paths", "links to the other paths", "branch fork rewind")
        .export(&["P"]),
    row(KeySection::Go, A::PreviousPath, "previous path", PATH, "branch fork")
        .reader(&["<"])
        .page(&["<"]),
    row(KeySection::Go, A::NextPath, "next path", PATH, "branch fork").reader(&[">"]).page(&[">"]),
    row(
        KeySection::Go,
        A::NextWaiting,
        "next waiting",
        "next session that waits for input",
        "attention asks inbox",
    )
    .reader(&["!"])
    .page(&["!"])
    .live(&["!"]),
    goes(A::GoTree, "tree", "branches graph").reader(&["g t"]).page(&["g t"]),
    goes(A::GoOutline, "outline", "contents turns").reader(&["g o"]).page(&["g o"]),
    goes(A::GoAgents, "agents", "subagents tasks").reader(&["g a"]).page(&["g a"]),
    goes(A::GoFiles, "files", "changes edits").reader(&["g f"]).page(&["g f"]),
    goes(A::GoSummary, "summary", "facts info cost").reader(&["g i"]).page(&["g i"]),
    goes(A::GoRaw, "raw entry", "json line log").reader(&["g r"]).page(&["g r"]),
    goes(A::GoWaterfall, "where the time went", "waterfall timeline spans")
        .reader(&["g w"])
        .page(&["g w"]),
    goes(A::GoLive, "running sessions", "live wall")
        .finder(&["Ctrl-g"])
        .reader(&["g l"])
        .page(&["g l"]),
    goes(A::GoHome, "home", "inbox picker first page")
        .reader(&["g h"])
        .page(&["g h"])
        .live(&["g h"]),
    goes(A::GoProject, "project", "folder").page(&["g p"]),
    goes(A::GoStats, "statistics", "tokens cost totals").page(&["g s"]),
    goes(A::GoSearch, "search over everything", "find").page(&["g /"]),
    copies(A::CopyMessage, "message as Markdown", "yank").reader(&["y y"]).page(&["y y"]),
    copies(A::CopyBlock, "code or output", "yank block").reader(&["y b"]).page(&["y b"]),
    copies(A::CopyId, "id of the session", "yank uuid")
        .reader(&["y i"])
        .page(&["y i"])
        .live(&["y i"]),
    copies(A::CopyResume, "command that resumes the session", "yank claude")
        .reader(&["y c"])
        .page(&["y c"])
        .live(&["y c"]),
    copies(A::CopyLink, "link to this place", "yank address url")
        .reader(&["y l"])
        .page(&["y l"])
        .live(&["y l"]),
    copies(A::CopyLogPath, "path of the log", "yank file")
        .reader(&["y p"])
        .page(&["y p"])
        .live(&["y p"]),
    copies(A::CopyMenu, "menu of what can be copied", "yank").finder(&["Ctrl-y"]),
    handles(A::Mark, "mark", MARK, "select several").finder(&["Tab"]),
    handles(A::MarkUp, "mark, and up", MARK, "select several").finder(&["Shift-Tab"]),
    handles(
        A::InsertMessage,
        "message into the prompt",
        "message into the prompt that is edited",
        "insert quote paste put choose",
    )
    .reader(&["p p"]),
    handles(
        A::InsertTurn,
        "turn into the prompt",
        "turn into the prompt that is edited",
        "insert quote paste put choose",
    )
    .reader(&["p t"]),
    handles(A::Follow, "follow", "follow the end while the session grows", "tail live")
        .reader(&["F"])
        .live(&["F"])
        .page(&["F"]),
    handles(A::Resume, "resume", "resume the session", "continue claude")
        .finder(&["Ctrl-r"])
        .reader(&["r"])
        .live(&["r"]),
    handles(A::Resume, "resume", "copy the command that resumes the session", "continue claude")
        .page(&["r"]),
    handles(
        A::Answer,
        "answer",
        "answer what a driven session waits for",
        "approve allow deny question plan",
    )
    .reader(&["a"])
    .live(&["a"]),
    handles(
        A::AnswerNumber,
        "answer",
        "give the answer with this number",
        "approve allow deny question plan choose",
    )
    .ask(&["1", "2", "3", "4", "5", "6", "7", "8", "9"]),
    handles(A::Open, "answer", "give the answer that is chosen", "enter approve allow deny")
        .ask(&["Enter"]),
    handles(A::AllowOnce, "allow once", FOCUSED, "approve yes").page(&["1"]),
    handles(A::AllowSession, "allow for the session", FOCUSED, "approve yes").page(&["2"]),
    handles(A::Deny, "deny", FOCUSED, "refuse no words").page(&["3"]),
    handles(
        A::Prompt,
        "prompt",
        "write a prompt, which a session that does not run goes on with",
        "say send queue type",
    )
    .reader(&["i"])
    .live(&["i"]),
    handles(
        A::NewSession,
        "new session",
        "write the first prompt of a new session",
        "start begin run folder",
    )
    .finder(&["Alt-n"])
    .reader(&["Alt-n"])
    .live(&["n", "Alt-n"]),
    handles(
        A::Queue,
        "queue",
        "prompts of a driven session that wait: order them, cancel them",
        "cancel order prompts reorder",
    )
    .live(&["u"]),
    handles(
        A::Permissions,
        "permissions",
        "switch what a driven session may do without asking",
        "mode plan accept edits",
    )
    .live(&["p"]),
    handles(A::Model, "model", "switch the model of a driven session", "opus sonnet haiku")
        .live(&["M"]),
    handles(
        A::Deadlines,
        "deadlines",
        "set the deadlines of a driven session, or switch them off",
        "idle waiting timeout",
    )
    .live(&["d"]),
    handles(A::Interrupt, "interrupt", "interrupt the turn of a driven session", "stop cancel")
        .live(&["I"]),
    handles(A::Send, "send", "send the prompt", "enter queue").prompt(&["Enter"]),
    handles(A::NewLine, "new line", "begin another line", "break").prompt(&["Alt-Enter"]),
    handles(
        A::Complete,
        "complete",
        "complete the /command or the @file at the cursor",
        "slash at file name",
    )
    .prompt(&["Tab"]),
    handles(
        A::StartOptions,
        "options",
        "folder, model, permissions, budget and deadlines of the run that the prompt starts",
        "mode settings",
    )
    .prompt(&["Ctrl-o"]),
    handles(A::Edit, "editor", "open this place in the editor", "vi").reader(&["v"]),
    handles(A::Edit, "editor", "edit the prompt in your own editor (`pick --editor`)", "vi")
        .finder(&["Ctrl-e"]),
    handles(A::Browse, "browser", "open this place in the browser", "web page")
        .reader(&["w"])
        .live(&["w"]),
    handles(A::ActionMenu, "actions", "menu of all actions", "export fork commands palette")
        .finder(&["Ctrl-x"])
        .reader(&["X"])
        .page(&["X"])
        .live(&["X"]),
    handles(
        A::Scope,
        "scope",
        "sessions from here, the repository or everywhere",
        "project folder",
    )
    .finder(&["Ctrl-t"]),
    handles(A::Sort, "sort", "order of the rows", "newest size").finder(&["Ctrl-s"]),
    handles(A::Filters, "filters", "menu of the filters", "hide headless").finder(&["Ctrl-o"]),
    runs(A::NextPane, "next pane", PANE, "focus").reader(&["Tab"]),
    runs(A::PreviousPane, "previous pane", PANE, "focus").reader(&["Shift-Tab"]),
    runs(A::Close, "close", "close what is open", "leave cancel").reading(&["Escape"]),
    runs(A::Close, "clear", "empty the line; if it is empty, leave", "leave cancel")
        .finder(&["Escape"]),
    runs(A::Close, "back", "back to the search, and empty it", "leave cancel").site(&["Escape"]),
    runs(A::Close, "back", "leave the request as it is", "leave cancel").ask(&["Escape", "q"]),
    runs(A::Close, "back", "leave the prompt, which is kept as a draft", "cancel")
        .prompt(&["Escape"]),
    runs(A::Back, "back", "back; on the first screen, quit", "leave")
        .reader(&["q"])
        .live(&["q", "Escape"]),
    runs(A::Help, "keys", "these keys", "help shortcuts")
        .finder(&["F1", "?"])
        .reading(&["?"])
        .site(&["?"])
        .live(&["?", "F1"])
        .ask(&["?", "F1"])
        .prompt(&["F1"]),
    runs(A::Quit, "quit", "quit", "end exit").terminal(&["Ctrl-c"]),
    runs(A::Suspend, "suspend", "suspend the program", "background").terminal(&["Ctrl-z"]),
    runs(A::Mouse, "mouse", "take the mouse, or leave it to the terminal", "select text click")
        .reader(&["m"])
        .live(&["m"]),
    runs(A::Redraw, "redraw", "draw the screen again", "refresh").terminal(&["Ctrl-l"]),
];
