//! The rules of each language that the general lexer reads.

/// The lexical rules of a language.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct LanguageRules {
    /// Its names in fences, and the extensions of its files.
    pub(super) names: &'static [&'static str],
    /// What begins a line comment.
    pub(super) line: &'static [&'static str],
    /// What encloses a block comment.
    pub(super) block: Option<(&'static str, &'static str)>,
    /// The quotes of strings on one line.
    pub(super) quotes: &'static str,
    /// The quotes of strings on several lines.
    pub(super) long_quotes: &'static [&'static str],
    /// Its keywords, separated by spaces.
    pub(super) keywords: &'static str,
    /// Its constants, separated by spaces.
    pub(super) constants: &'static str,
    /// Its other features.
    pub(super) extras: &'static [Extra],
}

/// A feature of some languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extra {
    /// Nested block comments.
    NestedRemarks,
    /// `'a` does not begin a string.
    Lifetimes,
    /// `r#"…"#`.
    RawQuotes,
    /// `name!`.
    Macros,
    /// `#[…]`.
    Attributes,
    /// `#include`.
    Directives,
    /// `@name`.
    Annotations,
    /// `Name` is a type.
    CapitalTypes,
    /// A string before a colon names a field.
    QuotedKeys,
    /// Keywords and constants ignore case.
    AnyCase,
}

impl LanguageRules {
    pub(super) fn has(&self, extra: Extra) -> bool {
        self.extras.contains(&extra)
    }

    pub(super) fn is_keyword(&self, word: &str) -> bool {
        self.is_among(word, self.keywords)
    }

    pub(super) fn is_constant(&self, word: &str) -> bool {
        self.is_among(word, self.constants)
    }

    fn is_among(&self, word: &str, words: &str) -> bool {
        let mut words = words.split(' ');
        if self.has(Extra::AnyCase) {
            words.any(|known| known.eq_ignore_ascii_case(word))
        } else {
            words.any(|known| known == word)
        }
    }
}

/// Finds the rules of a language by one of its names, in lower case.
pub(super) fn named(name: &str) -> Option<&'static LanguageRules> {
    ALL.iter().copied().find(|rules| rules.names.contains(&name))
}

/// Every language that the general lexer reads.
pub(super) const ALL: [&LanguageRules; 14] = [
    &RUST, &PYTHON, &SCRIPT, &JSON, &GO, &JAVA, &C, &SQL, &RUBY, &PHP, &SWIFT, &CSHARP, &LUA, &ZIG,
];

/// The rules that most languages share; each language changes those that differ.
const COMMON: LanguageRules = LanguageRules {
    names: &[],
    line: &["//"],
    block: Some(("/*", "*/")),
    quotes: "\"'",
    long_quotes: &[],
    keywords: "",
    constants: "false null true",
    extras: &[Extra::CapitalTypes, Extra::Annotations],
};

static RUST: LanguageRules = LanguageRules {
    names: &["rust", "rs"],
    quotes: "",
    long_quotes: &["\""],
    keywords: "Self as async await box break const continue crate dyn else enum extern fn for if \
        impl in let loop match mod move mut pub ref return self static struct super trait \
        type union unsafe use where while yield",
    constants: "false true",
    extras: &[
        Extra::NestedRemarks,
        Extra::Lifetimes,
        Extra::RawQuotes,
        Extra::Macros,
        Extra::Attributes,
        Extra::CapitalTypes,
    ],
    ..COMMON
};

static PYTHON: LanguageRules = LanguageRules {
    names: &["python", "py", "python3", "pyi"],
    line: &["#"],
    block: None,
    long_quotes: &["\"\"\"", "'''"],
    keywords: "and as assert async await break case class continue def del elif else except finally \
        for from global if import in is lambda match nonlocal not or pass raise return self \
        try while with yield",
    constants: "False None True",
    ..COMMON
};

static SCRIPT: LanguageRules = LanguageRules {
    names: &[
        "javascript",
        "js",
        "jsx",
        "mjs",
        "cjs",
        "typescript",
        "ts",
        "tsx",
        "mts",
        "cts",
        "node",
    ],
    long_quotes: &["`"],
    keywords: "abstract any as async await boolean break case catch class const continue debugger \
        declare default delete do else enum export extends finally for from function get if \
        implements import in infer instanceof interface is keyof let namespace never new \
        number of override private protected public readonly return satisfies set static \
        string super switch this throw try type typeof unknown var void while with yield",
    constants: "Infinity NaN false null true undefined",
    ..COMMON
};

static JSON: LanguageRules = LanguageRules {
    names: &["json", "jsonc", "json5", "jsonl", "ipynb", "webmanifest"],
    quotes: "\"",
    extras: &[Extra::QuotedKeys],
    ..COMMON
};

static GO: LanguageRules = LanguageRules {
    names: &["go", "golang"],
    long_quotes: &["`"],
    keywords: "any bool break byte case chan const continue default defer else error fallthrough \
        float32 float64 for func go goto if import int int32 int64 interface map package \
        range return rune select string struct switch type uint uint32 uint64 uint8 var",
    constants: "false iota nil true",
    ..COMMON
};

static JAVA: LanguageRules = LanguageRules {
    names: &["java", "kotlin", "kt", "kts", "scala", "groovy", "gradle"],
    long_quotes: &["\"\"\""],
    keywords: "abstract assert boolean break byte case catch char class companion const continue \
        data def default do double else enum extends final finally float for fun if \
        implements import in instanceof int interface is long native new object override \
        package permits private protected public record return sealed short static super \
        suspend switch synchronized this throw throws trait transient try val var void \
        volatile when while with yield",
    ..COMMON
};

static C: LanguageRules = LanguageRules {
    names: &["c", "h", "cpp", "c++", "cc", "cxx", "hpp", "hh", "objc", "m", "ino", "proto"],
    keywords: "alignas alignof auto bool break case catch char class co_await co_return concept \
        const constexpr continue decltype default delete do double else enum explicit extern \
        final float for friend goto if inline int long message mutable namespace new \
        noexcept operator override private protected public register requires restrict \
        return short signed size_t sizeof static struct switch template this throw try \
        typedef typename union unsigned using virtual void volatile while",
    constants: "NULL false nullptr true",
    extras: &[Extra::Directives, Extra::CapitalTypes],
    ..COMMON
};

static SQL: LanguageRules = LanguageRules {
    names: &["sql", "postgres", "postgresql", "sqlite", "mysql", "psql"],
    line: &["--"],
    keywords: "add all alter and as asc begin between by case check commit constraint create cross \
        database default delete desc distinct drop else end except exists explain foreign \
        from full group having if in index inner insert intersect into is join key left like \
        limit not offset on or order outer over partition pragma primary references \
        returning right rollback select set table then transaction trigger union unique \
        update using values view when where with",
    constants: "false null true",
    extras: &[Extra::AnyCase],
    ..COMMON
};

static RUBY: LanguageRules = LanguageRules {
    names: &["ruby", "rb", "rake", "elixir", "ex", "exs"],
    line: &["#"],
    block: None,
    keywords: "alias and begin break case class def defmodule defp do else elsif end ensure extend \
        fn for if in include module next not or private raise redo require rescue retry \
        return self super then undef unless until when while with yield",
    constants: "false nil true",
    ..COMMON
};

static PHP: LanguageRules = LanguageRules {
    names: &["php"],
    line: &["//", "#"],
    keywords: "abstract array as break case catch class const continue declare default do echo else \
        elseif enum extends final finally fn for foreach function global if implements \
        include instanceof interface match namespace new private protected public readonly \
        require require_once return static switch throw trait try use var while yield",
    extras: &[Extra::CapitalTypes],
    ..COMMON
};

static SWIFT: LanguageRules = LanguageRules {
    names: &["swift", "dart"],
    long_quotes: &["\"\"\""],
    keywords: "actor as associatedtype async await break case catch class const continue default \
        defer deinit do else enum extension fallthrough final for func guard if import in \
        init inout internal is let mutating operator override private protocol public repeat \
        return self some static struct subscript super switch throw throws try typealias var \
        void weak where while",
    constants: "false nil null true",
    ..COMMON
};

static CSHARP: LanguageRules = LanguageRules {
    names: &["csharp", "cs", "c#", "fs"],
    keywords: "abstract as async await base bool break byte case catch char class const continue \
        decimal default delegate do double else enum event extern finally float for foreach \
        get if in int interface internal is lock long namespace new object out override \
        params private protected public readonly record ref return sealed set static string \
        struct switch this throw try typeof using var virtual void where while yield",
    extras: &[Extra::CapitalTypes, Extra::Directives],
    ..COMMON
};

static LUA: LanguageRules = LanguageRules {
    names: &["lua", "haskell", "hs"],
    line: &["--"],
    block: None,
    keywords: "and break case class data deriving do else elseif end for function goto if import in \
        instance let local module newtype not of or qualified repeat return then type until \
        where while",
    constants: "false nil true",
    extras: &[Extra::CapitalTypes],
    ..COMMON
};

static ZIG: LanguageRules = LanguageRules {
    names: &["zig", "odin", "v"],
    block: None,
    keywords: "and break catch comptime const continue defer else enum errdefer error export extern \
        fn for if import inline or orelse package pub return struct switch test try union \
        unreachable var while",
    constants: "false null true undefined",
    ..COMMON
};
