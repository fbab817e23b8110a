//! The graph of modules of a crate, from the paths in its source: which file uses items of which.
//!
//! A path is followed through imports and re-exports to the file that defines the item. Imports,
//! code for tests, attributes, documentation and calls of methods are not uses.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, ItemMod, ItemUse, Lit, Macro, Meta, UseTree, Visibility};

/// A module's path from the root of its crate: `device`, `cuda`. The root's is empty.
type ModulePath = Vec<String>;

/// The files that each file uses, and the paths in the source that name their items. A file has the
/// path of its module: `device::cuda`.
pub(crate) type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// A name in a module.
enum Name {
    /// An item that the module defines.
    Item,
    /// A module within the module.
    Module,
    /// An import of a path.
    Import(Vec<String>),
}

/// The meaning of a path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Meaning {
    /// An item that this module defines.
    ItemOf(ModulePath),
    /// This module.
    Module(ModulePath),
}

/// A module of the source: a file, or a part of one.
#[derive(Default)]
struct Module {
    /// The path of the module that fills the file.
    file: ModulePath,
    names: BTreeMap<String, Vec<Name>>,
    /// Paths imported with `*`.
    globs: Vec<Vec<String>>,
    /// Paths in its code.
    paths: BTreeSet<Vec<String>>,
}

/// Returns the uses of each file of the crate whose root is the file `root`. Every file has an
/// entry; the root's path is empty.
pub(crate) fn read(root: &Path) -> Uses {
    let mut reader = Reader {
        modules: BTreeMap::new(),
        at: ModulePath::new(),
        file: ModulePath::new(),
        folder: root.parent().expect("a folder").to_owned(),
    };
    reader.read_file(root);
    Modules(reader.modules).uses()
}

/// Modules within one module, each with those inside it, that use each other in a circle.
pub(crate) struct Circle {
    /// The module that contains them.
    pub(crate) within: String,
    /// Their names, sorted.
    pub(crate) modules: Vec<String>,
    /// The uses between them: the two files and a path.
    arrows: Vec<[String; 3]>,
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for [from, to, path] in &self.arrows {
            writeln!(f, "    {from} uses {to}: {path}")?;
        }
        Ok(())
    }
}

/// The uses between the modules within one module: files and paths by the two modules.
type Siblings = BTreeMap<String, BTreeMap<String, Vec<[String; 3]>>>;

/// Returns the circles of a crate. A module and the modules within it may use each other: they are
/// one unit, in several files.
pub(crate) fn circles(uses: &Uses) -> Vec<Circle> {
    let mut levels: BTreeMap<String, Siblings> = BTreeMap::new();
    for (from, used) in uses {
        for (to, paths) in used {
            let names = [from, to].map(|file| file.split("::").collect::<Vec<_>>());
            let shared = names[0].iter().zip(&names[1]).take_while(|(a, b)| a == b);
            let shared = shared.count();
            let is_nested = names.iter().any(|path| path.len() == shared);
            if is_nested || from.is_empty() || to.is_empty() {
                continue;
            }
            let [a, b] = names.each_ref().map(|path| path[shared].to_owned());
            let level = levels.entry(names[0][..shared].join("::")).or_default();
            level.entry(b.clone()).or_default();
            let arrows = level.entry(a).or_default().entry(b).or_default();
            let path = paths.first().cloned().unwrap_or_default();
            arrows.push([from.clone(), to.clone(), path]);
        }
    }
    let mut circles = Vec::new();
    for (within, siblings) in &levels {
        let mut known = BTreeSet::new();
        for start in siblings.keys() {
            let reached = reachable(siblings, start);
            let mut modules = reached.into_iter().filter(|module| {
                *module == start.as_str() || reachable(siblings, module).contains(start.as_str())
            });
            let modules: Vec<&str> = modules.by_ref().collect();
            if modules.contains(&start.as_str()) && known.insert(modules.clone()) {
                circles.push(circle(within, &modules, siblings));
            }
        }
    }
    circles
}

/// Returns the modules that a module uses, directly and through others.
fn reachable<'a>(siblings: &'a Siblings, start: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&str> = siblings[start].keys().map(String::as_str).collect();
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(siblings[module].keys().map(String::as_str));
        }
    }
    reached
}

fn circle(within: &str, modules: &[&str], siblings: &Siblings) -> Circle {
    let inner = |name: &String| modules.contains(&name.as_str());
    let arrows = siblings.iter().filter(|(from, _)| inner(from));
    let arrows = arrows.flat_map(|(_, used)| used.iter().filter(|(to, _)| inner(to)));
    Circle {
        within: within.to_owned(),
        modules: modules.iter().map(|&module| module.to_owned()).collect(),
        arrows: arrows
            .flat_map(|(_, arrows)| arrows.iter().cloned())
            .collect(),
    }
}

/// The modules of a crate.
struct Modules(BTreeMap<ModulePath, Module>);

/// The module and the path of each step that a resolution is inside of.
type Steps<'a> = Vec<(ModulePath, &'a [String])>;

impl Modules {
    fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (at, module) in &self.0 {
            let from = module.file.join("::");
            let used = uses.entry(from.clone()).or_default();
            for path in &module.paths {
                for meaning in self.resolve(at, path, &mut Vec::new()) {
                    let Meaning::ItemOf(target) = meaning else {
                        continue;
                    };
                    let to = self.0[&target].file.join("::");
                    if to != from {
                        used.entry(to).or_default().insert(path.join("::"));
                    }
                }
            }
        }
        uses
    }

    /// Returns the meanings of a path in the module `at`: several if definitions depend on the
    /// build, none if the path belongs to another crate.
    fn resolve<'a>(
        &'a self,
        at: &[String],
        path: &'a [String],
        steps: &mut Steps<'a>,
    ) -> BTreeSet<Meaning> {
        let Some((first, rest)) = path.split_first() else {
            return BTreeSet::from([Meaning::Module(at.to_vec())]);
        };
        match first.as_str() {
            "crate" => return self.resolve(&[], rest, steps),
            "self" => return self.resolve(at, rest, steps),
            "super" => return self.resolve(&at[..at.len().saturating_sub(1)], rest, steps),
            _ => {}
        }
        // An import may have the name of a crate that it is from.
        if steps.contains(&(at.to_vec(), path)) {
            return BTreeSet::new();
        }
        steps.push((at.to_vec(), path));
        let module = &self.0[at];
        let mut found = BTreeSet::new();
        for name in module.names.get(first).into_iter().flatten() {
            match name {
                Name::Item => {
                    found.insert(Meaning::ItemOf(at.to_vec()));
                }
                Name::Module => {
                    let inner = [at, std::slice::from_ref(first)].concat();
                    found.extend(self.resolve(&inner, rest, steps));
                }
                Name::Import(import) => found.extend(self.resolve_in(at, import, rest, steps)),
            }
        }
        if !module.names.contains_key(first) {
            for glob in &module.globs {
                found.extend(self.resolve_in(at, glob, path, steps));
            }
        }
        steps.pop();
        found
    }

    /// Returns the meanings of `rest` in what `import` means in the module `at`.
    fn resolve_in<'a>(
        &'a self,
        at: &[String],
        import: &'a [String],
        rest: &'a [String],
        steps: &mut Steps<'a>,
    ) -> BTreeSet<Meaning> {
        let mut found = BTreeSet::new();
        for meaning in self.resolve(at, import, steps) {
            match meaning {
                Meaning::Module(inner) => found.extend(self.resolve(&inner, rest, steps)),
                // A variant or an associated item.
                item @ Meaning::ItemOf(_) => {
                    found.insert(item);
                }
            }
        }
        found
    }
}

/// Collects the modules of a crate.
struct Reader {
    modules: BTreeMap<ModulePath, Module>,
    /// The module that is read.
    at: ModulePath,
    /// The module that fills the file that is read.
    file: ModulePath,
    /// The folder of the modules within it.
    folder: PathBuf,
}

impl Reader {
    fn read_file(&mut self, path: &Path) {
        let text = fs::read_to_string(path).unwrap_or_else(|error| {
            panic!("{}: {error}", path.display());
        });
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| {
            panic!("{}: {error}", path.display());
        });
        self.file = self.at.clone();
        self.module();
        self.visit_file(&parsed);
    }

    /// Returns the module that is read.
    fn module(&mut self) -> &mut Module {
        let module = self.modules.entry(self.at.clone()).or_default();
        module.file.clone_from(&self.file);
        module
    }

    fn name(&mut self, name: String, meaning: Name) {
        let names = &mut self.module().names;
        names.entry(name).or_default().push(meaning);
    }

    /// Collects the imports of a tree below `prefix`.
    fn import(&mut self, prefix: &[String], tree: &UseTree) {
        let (last, name) = match tree {
            UseTree::Path(path) => {
                let prefix = [prefix, &[path.ident.to_string()]].concat();
                return self.import(&prefix, &path.tree);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(prefix, tree);
                }
                return;
            }
            UseTree::Glob(_) => {
                self.module().globs.push(prefix.to_vec());
                return;
            }
            UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            UseTree::Rename(rename) => (rename.ident.to_string(), rename.rename.to_string()),
        };
        let (path, name) = if last == "self" {
            (prefix.to_vec(), prefix.last().cloned().unwrap_or(name))
        } else {
            ([prefix, &[last]].concat(), name)
        };
        self.name(name, Name::Import(path));
    }

    /// Collects the paths in the tokens of a macro: names joined by `::`.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.path(std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                other => {
                    colons = 0;
                    self.path(std::mem::take(&mut path));
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.path(path);
    }

    fn path(&mut self, path: Vec<String>) {
        if !path.is_empty() {
            self.module().paths.insert(path);
        }
    }
}

/// Returns whether an item is compiled for tests only.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

/// Returns the attributes of an item, and the name that it defines.
fn attributes_of(item: &Item) -> (&[Attribute], Option<String>) {
    match item {
        Item::Const(item) => (&item.attrs, Some(item.ident.to_string())),
        Item::Enum(item) => (&item.attrs, Some(item.ident.to_string())),
        Item::Fn(item) => (&item.attrs, Some(item.sig.ident.to_string())),
        Item::Impl(item) => (&item.attrs, None),
        Item::Macro(item) => (&item.attrs, item.ident.as_ref().map(ToString::to_string)),
        Item::Mod(item) => (&item.attrs, None),
        Item::Static(item) => (&item.attrs, Some(item.ident.to_string())),
        Item::Struct(item) => (&item.attrs, Some(item.ident.to_string())),
        Item::Trait(item) => (&item.attrs, Some(item.ident.to_string())),
        Item::Type(item) => (&item.attrs, Some(item.ident.to_string())),
        Item::Union(item) => (&item.attrs, Some(item.ident.to_string())),
        Item::Use(item) => (&item.attrs, None),
        _ => (&[], None),
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = attributes_of(item);
        if is_for_tests(attributes) {
            return;
        }
        if let Some(name) = name {
            self.name(name, Name::Item);
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let name = item.ident.to_string();
        self.name(name.clone(), Name::Module);
        let (file, folder) = (self.file.clone(), self.folder.clone());
        self.at.push(name.clone());
        let given = path_attribute(&item.attrs).map(|path| folder.join(path));
        let inner = folder.join(&name);
        match &item.content {
            Some((_, items)) => {
                self.folder = given.unwrap_or(inner);
                self.module();
                for item in items {
                    self.visit_item(item);
                }
            }
            None => {
                let file = given.unwrap_or_else(|| inner.with_extension("rs"));
                self.folder = file.with_extension("");
                self.read_file(&file);
            }
        }
        self.at.pop();
        (self.file, self.folder) = (file, folder);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.import(&[], &item.tree);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        let path = item.path.segments.iter();
        self.path(path.map(|segment| segment.ident.to_string()).collect());
        self.tokens(item.tokens.clone());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter();
        self.path(names.map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

/// Returns the file that the attribute `path` of a module names.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes
        .iter()
        .find_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Str(text) => Some(text.value()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
}
