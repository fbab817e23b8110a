//! The terms of messages, in the language of the program that reads them.
//!
//! Messages use Rust's terms by default. A front end of another language sets its own once, when it
//! is loaded.

use std::sync::OnceLock;

use crate::dtype::DType;

/// The terms of a language.
#[derive(Clone, Copy)]
pub struct Words {
    /// Returns the name of a dtype.
    pub dtype: fn(DType) -> &'static str,
    /// Name of the function that casts an array.
    pub cast: &'static str,
    /// Returns the expression that casts the array of this name.
    pub cast_to: fn(&str, DType) -> String,
    /// Returns a parameter's name as constraints write it.
    pub parameter: fn(&str) -> String,
    /// Returns the assignment of a body to the argument of this name, as a clause.
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

/// Sets the terms for all messages of the process; later calls have no effect.
pub fn provide(words: Words) {
    // A process has one front end, which may be loaded several times.
    _ = GIVEN.set(words);
}

/// Returns the name of a dtype.
pub fn dtype(dtype: DType) -> &'static str {
    (words().dtype)(dtype)
}

/// Returns the names of dtypes, separated by commas.
pub fn dtypes(of: &[DType]) -> String {
    let names: Vec<&str> = of.iter().map(|one| dtype(*one)).collect();
    names.join(", ")
}

/// Returns the name of the function that casts an array.
pub(crate) fn cast() -> &'static str {
    words().cast
}

/// Returns the expression that casts the array of this name.
pub(crate) fn cast_to(array: &str, dtype: DType) -> String {
    (words().cast_to)(array, dtype)
}

/// Returns the assignment of a body to the argument of this name, as a clause.
pub(crate) fn assign(name: &str) -> String {
    (words().assign)(name)
}

/// Returns a constraint of a parameter, with `rest` after the parameter's name.
pub(crate) fn constraint(kind: &str, parameter: &str, rest: &str) -> String {
    let parameter = (words().parameter)(parameter);
    match rest {
        "" => format!("{kind}({parameter})"),
        rest => format!("{kind}({parameter}, {rest})"),
    }
}
