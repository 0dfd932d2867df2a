//! Options of `unspool show` for the amount of detail.

use clap::ValueEnum;

/// How much of tool calls is shown.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ToolsArg {
    /// Everything
    Full,
    /// One line, and the folded output
    Summary,
    /// Nothing
    None,
}

/// How much of agents is shown.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShowAgentsArg {
    /// Their task, and the beginning of their answer
    Fold,
    /// Everything they said
    Inline,
    /// Nothing
    None,
}

/// What is done with calls that have no result.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InterruptedArg {
    /// Mark them as interrupted
    Mark,
    /// Leave them out
    Hide,
    /// Make up a result that says so
    Synthesize,
}

/// What is done with messages that a resume would leave out without a rewind.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LeftOutArg {
    /// Show them in place, marked
    Show,
    /// Leave them out
    Hide,
}
