//! What messages call things, in the language of the program that reads them.
//!
//! Messages speak Rust. A front end of another language gives its own words once, when it is loaded.

use std::sync::OnceLock;

use crate::dtype::DType;

/// The words of a language.
#[derive(Clone, Copy)]
pub struct Words {
    /// The name of a dtype.
    pub dtype: fn(DType) -> &'static str,
    /// The function that casts an array.
    pub cast: &'static str,
    /// The expression that casts the array of this name.
    pub cast_to: fn(&str, DType) -> String,
    /// How a constraint names a parameter.
    pub parameter: fn(&str) -> String,
    /// How a body writes to the argument of this name, as a clause.
    pub assign: fn(&str) -> String,
}

const RUST: Words = Words {
    dtype: DType::name,
    cast: "cast",
    cast_to: |array, dtype| format!("{array}.cast::<{dtype}>()"),
    parameter: str::to_owned,
    assign: |name| format!("assign to the elements of {name}"),
};

static GIVEN: OnceLock<Words> = OnceLock::new();

fn words() -> &'static Words {
    GIVEN.get().unwrap_or(&RUST)
}

/// Has all messages of the process use these words; the first that are given stay.
pub fn provide(words: Words) {
    // A process has one front end, which may be loaded several times.
    _ = GIVEN.set(words);
}

/// The name of a dtype.
pub fn dtype(dtype: DType) -> &'static str {
    (words().dtype)(dtype)
}

/// The names of dtypes, one after the other.
pub fn dtypes(of: &[DType]) -> String {
    let names: Vec<&str> = of.iter().map(|one| dtype(*one)).collect();
    names.join(", ")
}

/// The function that casts an array.
pub(crate) fn cast() -> &'static str {
    words().cast
}

/// The expression that casts the array of this name.
pub(crate) fn cast_to(array: &str, dtype: DType) -> String {
    (words().cast_to)(array, dtype)
}

/// How a body writes to the argument of this name, as a clause.
pub(crate) fn assign(name: &str) -> String {
    (words().assign)(name)
}

/// A constraint of a parameter, with what follows its name.
pub(crate) fn constraint(kind: &str, parameter: &str, rest: &str) -> String {
    let parameter = (words().parameter)(parameter);
    match rest {
        "" => format!("{kind}({parameter})"),
        rest => format!("{kind}({parameter}, {rest})"),
    }
}
