//! The imports between the modules of a crate, read from their sources.
//!
//! Paths that begin with `crate`, `super` or `self` count, in `use` declarations and in code. A path
//! to a name that a module only re-exports leads to the module that has the item. Tests do not count.

use std::collections::{BTreeMap, BTreeSet};

use crate::sources::SourceFile;

/// A path from the root of a crate.
pub(crate) type ModulePath = Vec<String>;

/// The imports between the children of a module, each with a file that contains it.
pub(crate) type Edges = BTreeMap<(String, String), String>;

/// The modules of a crate.
pub(crate) struct CrateModules(BTreeMap<ModulePath, ModuleImports>);

/// The imports of a module's file from its crate.
#[derive(Default)]
struct ModuleImports {
    file: String,
    /// Every path in the file.
    paths: Vec<ModulePath>,
    /// The names that `use` declarations import, each with its path.
    names: BTreeMap<String, ModulePath>,
}

impl CrateModules {
    /// Reads the imports of a crate's sources.
    pub(crate) fn of(sources: &[SourceFile]) -> Self {
        let code = sources.iter().map(|file| without_comments(&file.text));
        let code: Vec<String> = code.collect();
        let files: Vec<(ModulePath, Vec<&str>)> = sources
            .iter()
            .zip(&code)
            .map(|(file, code)| (module_of(&file.name), tokens(code)))
            .collect();
        let tests: BTreeSet<ModulePath> = files.iter().flat_map(test_modules).collect();
        let mut modules: BTreeMap<ModulePath, ModuleImports> = BTreeMap::new();
        for (file, (module, _)) in sources.iter().zip(&files) {
            if !(0..=module.len()).any(|end| tests.contains(&module[..end])) {
                let imports = ModuleImports { file: file.name.clone(), ..ModuleImports::default() };
                modules.insert(module.clone(), imports);
            }
        }
        let mut modules = Self(modules);
        for (module, tokens) in &files {
            modules.read(module, tokens);
        }
        modules
    }

    /// Adds the paths of a file.
    fn read(&mut self, module: &ModulePath, tokens: &[&str]) {
        let mut imports = ModuleImports::default();
        let mut at = 0;
        while at < tokens.len() {
            let is_use = tokens[at] == "use";
            let is_path = matches!(tokens[at], "crate" | "super" | "self")
                && tokens.get(at + 1) == Some(&"::");
            at += usize::from(!is_path);
            if !is_use && !is_path {
                continue;
            }
            let mut found = Vec::new();
            at = path_tree(tokens, at, &[], &mut found);
            for (path, name) in found {
                if let Some(path) = self.absolute(&path, module) {
                    imports.paths.push(path.clone());
                    if is_use {
                        imports.names.insert(name.to_owned(), path);
                    }
                }
            }
        }
        if let Some(known) = self.0.get_mut(module) {
            (known.paths, known.names) = (imports.paths, imports.names);
        }
    }

    /// Returns a path of a module from the root of the crate; `None` if it leads into another crate.
    fn absolute(&self, path: &[&str], module: &ModulePath) -> Option<ModulePath> {
        let mut base = module.clone();
        let mut rest = path;
        while let [head, tail @ ..] = rest {
            match *head {
                "crate" => base.clear(),
                "super" => drop(base.pop()),
                "self" => {}
                _ => break,
            }
            rest = tail;
        }
        let is_local = rest.len() < path.len();
        base.extend(rest.iter().map(|&word| word.to_owned()));
        let child = &base[..base.len().min(module.len() + 1)];
        (is_local || self.0.contains_key(child)).then_some(base)
    }

    /// Returns the module that contains the target of a path.
    fn resolve(&self, path: &[String]) -> ModulePath {
        let mut path = path.to_vec();
        // A name may be re-exported several times.
        for _ in 0..8 {
            let known = |end: &usize| self.0.contains_key(&path[..*end]);
            let end = (0..=path.len()).take_while(known).last().unwrap_or(0);
            let module = self.0.get(&path[..end]);
            let name = path.get(end).and_then(|name| module?.names.get(name));
            let Some(name) = name else {
                path.truncate(end);
                break;
            };
            path = [name, &path[end + 1..]].concat();
        }
        path
    }

    /// Returns each module that has children.
    pub(crate) fn parents(&self) -> BTreeSet<&[String]> {
        let parent = |module: &'_ ModulePath| module.len().checked_sub(1);
        let parents = self.0.keys().filter_map(|it| Some(&it[..parent(it)?]));
        parents.collect()
    }

    /// Returns the children of a module.
    pub(crate) fn children(&self, parent: &[String]) -> BTreeSet<&str> {
        let inside = self.0.keys().filter_map(|it| it.strip_prefix(parent));
        inside.filter_map(|it| Some(&**it.first()?)).collect()
    }

    /// Returns the imports between the children of a module. A child's imports from the module
    /// itself do not count.
    pub(crate) fn edges(&self, parent: &[String]) -> Edges {
        let child = |path: &[String]| path.strip_prefix(parent)?.first().cloned();
        let mut edges = Edges::new();
        for (module, imports) in &self.0 {
            let targets = imports.paths.iter().map(|path| self.resolve(path));
            for (from, to) in targets.filter_map(|to| Some((child(module)?, child(&to)?))) {
                if from != to {
                    edges.insert((from, to), imports.file.clone());
                }
            }
        }
        edges
    }
}

/// Returns the imports that are part of a cycle, or between two cycles.
pub(crate) fn cycles(mut edges: Edges) -> Edges {
    loop {
        let before = edges.len();
        let (from, to): (BTreeSet<String>, BTreeSet<String>) = edges.keys().cloned().unzip();
        edges.retain(|edge, _| to.contains(&edge.0) && from.contains(&edge.1));
        if edges.len() == before {
            return edges;
        }
    }
}

/// Returns the module of a source file.
fn module_of(file: &str) -> ModulePath {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    let mut path: ModulePath = path.split('/').map(str::to_owned).collect();
    if matches!(path.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        path.pop();
    }
    path
}

/// Returns the modules of a file that only exist for tests.
fn test_modules((module, tokens): &(ModulePath, Vec<&str>)) -> Vec<ModulePath> {
    let declared = tokens.windows(9).filter_map(|window| match window {
        ["#", "[", "cfg", "(", "test", ")", "]", "mod", name] => Some((*name).to_owned()),
        _ => None,
    });
    declared.map(|name| [&module[..], &[name]].concat()).collect()
}

fn without_comments(source: &str) -> String {
    let code = source.lines().map(|line| line.split("//").next());
    code.flatten().collect::<Vec<_>>().join("\n")
}

/// Splits code into words, `::`, and single characters.
fn tokens(code: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            ':' if rest.starts_with("::") => 2,
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        tokens.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    tokens
}

/// Reads the path at a token, or the paths of a tree, each with its local name. Returns the end of
/// the tree.
fn path_tree<'t>(
    tokens: &[&'t str],
    mut at: usize,
    base: &[&'t str],
    found: &mut Vec<(Vec<&'t str>, &'t str)>,
) -> usize {
    let mut path = base.to_vec();
    loop {
        match tokens.get(at) {
            Some(&"{") => {
                while !matches!(tokens.get(at), None | Some(&"}")) {
                    at = path_tree(tokens, at + 1, &path, found);
                }
                return at + 1;
            }
            Some(&"self") if !path.is_empty() => {}
            Some(word) if word.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {
                path.push(word);
            }
            _ => return at,
        }
        at += 1;
        if tokens.get(at) == Some(&"::") {
            at += 1;
            continue;
        }
        let mut name = path[path.len() - 1];
        if tokens.get(at) == Some(&"as") {
            name = tokens.get(at + 1).copied().unwrap_or(name);
            at += 2;
        }
        found.push((path, name));
        return at;
    }
}
