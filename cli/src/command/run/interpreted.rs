//! Python programs: their interpreter, and with `--compat` the packages that they import.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use weft_config::flag::Flag;
use weft_config::flags::Flags;
use weft_config::legate;

use crate::command::python;
use crate::error::CliError;
use crate::say::say;

/// The name of `--compat` that also stands for Legate.
pub(super) const LEGATE: &str = "cupynumeric";

/// The variable with the folders that Python searches first.
const PATH: &str = "PYTHONPATH";

/// The variable that tells the package that `weft run` has chosen it, and taken Legate's flags.
const COMPAT: &str = "WEFT_COMPAT";

/// The variable that selects the source of random numbers.
const RANDOM: &str = "WEFT_RANDOM";

/// A program as a command.
#[derive(Clone, Debug, Default)]
pub(super) struct Interpreted {
    /// The program and its arguments.
    pub(super) words: Vec<OsString>,
    /// Additional environment variables.
    pub(super) environment: Vec<(&'static str, OsString)>,
    /// The script, if the interpreter was chosen here.
    script: Option<PathBuf>,
}

impl Interpreted {
    /// Adds the interpreter before scripts. Without a program, starts Python interactively.
    pub(super) fn new(flags: &Flags, command: &[OsString]) -> Result<Interpreted, CliError> {
        let mut made = Interpreted {
            words: command.to_vec(),
            ..Interpreted::default()
        };
        let program = command.first();
        let is_ours = program.is_none_or(|program| python::is_script(program));
        if is_ours {
            made.words.insert(0, python::interpreter());
            made.script = Some(program.map(PathBuf::from).unwrap_or_default());
        }
        if flags.switch(Flag::NumpyRandom) == Some(true) {
            made.environment.push((RANDOM, "numpy".into()));
        }
        let Some(name) = flags.text(Flag::Compat) else {
            return Ok(made);
        };
        let interpreter = made.words.first().cloned().unwrap_or_default();
        if !is_ours && !python::is_interpreter(&interpreter) {
            return Err(CliError::usage(
                format!(
                    "--compat {name} is for Python, and {} is neither a script nor an interpreter",
                    Path::new(&interpreter).display()
                ),
                "name a file that ends in .py, or python with its arguments",
            ));
        }
        let folder = python::package(&interpreter)?.join("compat").join(name);
        let mut path = folder.into_os_string();
        if let Some(others) = env::var_os(PATH).filter(|others| !others.is_empty()) {
            path.push(":");
            path.push(others);
        }
        made.environment
            .extend([(PATH, path), (COMPAT, name.into())]);
        Ok(made)
    }

    /// Checks that the script exists and that its interpreter has the package.
    pub(super) fn check(&self) -> Result<(), CliError> {
        let (Some(script), Some(interpreter)) = (&self.script, self.words.first()) else {
            return Ok(());
        };
        if script != Path::new("") && !script.is_file() {
            return Err(CliError::failed(
                format!("the program {} was not found", script.display()),
                "check the path",
            ));
        }
        python::package(interpreter).map(drop)
    }
}

/// Returns the words of a command line with Legate's flags translated, if `--compat` requests that.
/// `words` follow `weft run`.
pub(crate) fn translate(words: &[OsString]) -> Option<Vec<OsString>> {
    let texts: Vec<String> = words
        .iter()
        .map_while(|word| word.to_str().map(Into::into))
        .collect();
    let made = legate::translate(&texts);
    let is_asked = made.words.iter().enumerate().any(|(at, word)| {
        let next = made.words.get(at + 1).map(String::as_str);
        word == "--compat" && next == Some(LEGATE) || word.strip_prefix("--compat=") == Some(LEGATE)
    });
    if !is_asked {
        return None;
    }
    tell_ignored(&made.ignored, "");
    let flags = made.words.into_iter().map(OsString::from);
    Some(flags.chain(words.iter().skip(made.read).cloned()).collect())
}

/// Returns the flags in Legate's own variable.
pub(super) fn inherited(flags: &Flags) -> Result<Flags, CliError> {
    let text = env::var_os(legate::ENVIRONMENT).unwrap_or_default();
    if flags.text(Flag::Compat) != Some(LEGATE) || text == OsStr::new("") {
        return Ok(Flags::default());
    }
    let text = text.to_str().ok_or_else(|| {
        CliError::usage(
            format!("{} is not UTF-8", legate::ENVIRONMENT),
            "write it in UTF-8",
        )
    })?;
    let made = legate::translate_text(text);
    Flags::from_words(&made.words, weft_config::flags::Reader::Launcher).map_err(CliError::Legate)
}

/// Prints the flags in Legate's variable that have no effect.
pub(super) fn tell_inherited(flags: &Flags) {
    if flags.text(Flag::Compat) == Some(LEGATE)
        && let Ok(text) = env::var(legate::ENVIRONMENT)
    {
        let place = format!("in {}, ", legate::ENVIRONMENT);
        tell_ignored(&legate::translate_text(&text).ignored, &place);
    }
}

fn tell_ignored(flags: &[String], place: &str) {
    match flags {
        [] => {}
        [flag] => say(&format!("weft: {place}{flag} has no effect here")),
        flags => say(&format!(
            "weft: {place}{} have no effect here",
            flags.join(", ")
        )),
    }
}
