//! The names that the language knows: filters, and the values of some of them.

use crate::named::Named as _;
use crate::names;

names! {
    /// The property that a filter tests.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Field {
        /// The project, by name or path.
        Project = "project",
        /// The git branch.
        Branch = "branch",
        /// The tool of a call.
        Tool = "tool",
        /// The role of the text: a [`TextRole`].
        Role = "role",
        /// The model.
        Model = "model",
        /// A file that a call names.
        File = "file",
        /// The time, from the start of a [`period`](super::period) on.
        Since = "since",
        /// The time, up to the end of a [`period`](super::period).
        Until = "until",
        /// A property of the place: an [`Is`].
        Is = "is",
        /// A part of the place: a [`Has`].
        Has = "has",
    }
}

impl Field {
    /// Returns the names of the known values; empty if the filter takes any text.
    pub fn values(self) -> &'static [&'static str] {
        match self {
            Self::Role => TextRole::NAMES,
            Self::Is => Is::NAMES,
            Self::Has => Has::NAMES,
            _ => &[],
        }
    }

    /// Returns a value for examples.
    pub(super) fn example(self) -> &'static str {
        match self {
            Self::Project => "my-app",
            Self::Branch => "main",
            Self::Tool => "Bash",
            Self::Role => TextRole::User.name(),
            Self::Model => "opus",
            Self::File => "src/main.rs",
            Self::Since => "3d",
            Self::Until => "2026-11-01",
            Self::Is => Is::Active.name(),
            Self::Has => Has::Error.name(),
        }
    }
}

names! {
    /// The role of a text: who or what it is from.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum TextRole {
        /// A prompt or a command.
        User = "user" | "prompt" | "prompts" | "human",
        /// An answer.
        Assistant = "assistant" | "answer" | "answers",
        /// Thinking.
        Thinking = "thinking",
        /// The input of a call: commands, paths, new text.
        Tool = "tool" | "call" | "calls" | "input",
        /// The result of a call.
        Result = "result" | "results" | "output",
        /// A title.
        Title = "title" | "titles",
        /// The summary after a compaction.
        Summary = "summary" | "summaries",
        /// A remark of the client.
        System = "system",
    }
}

names! {
    /// A property of a place.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Is {
        /// On the active path.
        Active = "active",
        /// On an abandoned branch.
        Abandoned = "abandoned",
        /// In a session that a person drove.
        Main = "main",
        /// In an agent's conversation.
        Agent = "agent" | "agents" | "subagent" | "sidechain",
        /// In a session that a program drove.
        Headless = "headless",
        /// In a session without conversation.
        Empty = "empty",
        /// In a session that a running process owns.
        Live = "live" | "running",
        /// In a session whose file is gone.
        Gone = "gone",
    }
}

names! {
    /// A part of a place.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Has {
        /// A failed call or an API error.
        Error = "error" | "errors",
        /// An image.
        Image = "image" | "images",
        /// Thinking.
        Thinking = "thinking",
        /// An agent.
        Agent = "agent" | "agents" | "subagent" | "subagents",
        /// An abandoned branch.
        Branch = "branch" | "branches" | "fork" | "forks",
        /// A compaction.
        Compaction = "compaction" | "compactions",
    }
}
