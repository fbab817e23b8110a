//! Parsed flags.

mod suggest;

use crate::ENVIRONMENT;
use crate::error::{ConfigError, ErrorKind};
use crate::flag::{FLAGS, Flag, Scope, Spec};
use crate::size::Size;
use crate::value::Value;

/// The reader of the words, which determines the allowed flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The process that computes, which reads `WEFT_CONFIG`.
    Process,
    /// `weft run`.
    Launcher,
}

/// The given flags, in order, with their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    given: Vec<GivenFlag>,
    help: bool,
}

/// A flag with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GivenFlag {
    flag: Flag,
    value: Value,
    /// The text of the value; empty for a flag without one.
    text: String,
}

impl Flags {
    /// Parses words: `--flag`, `--flag value`, `--flag=value`.
    pub fn from_words(words: &[String], reader: Reader) -> Result<Flags, ConfigError> {
        let mut flags = Flags::default();
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            if matches!(word.as_str(), "--help" | "-h") {
                flags.help = true;
                continue;
            }
            let (spec, inline) = recognise(word, reader)?;
            let text = match inline {
                Some(text) => Some(text),
                None if !spec.kind.needs_value() => None,
                // A flag is never a value: in `--logdir --profile` the folder is missing.
                // `--logdir=--x` is unambiguous.
                None => Some(
                    words
                        .next_if(|next| !next.starts_with("--"))
                        .ok_or_else(|| missing(spec))?
                        .as_str(),
                ),
            };
            let value = match text {
                None => Value::Bool(true),
                Some(text) => (spec.kind.parse(text)).map_err(|why| bad(spec, text, why))?,
            };
            flags.given.push(GivenFlag {
                flag: spec.flag,
                value,
                text: text.unwrap_or_default().into(),
            });
        }
        Ok(flags)
    }

    /// Parses the text of `WEFT_CONFIG`.
    pub fn from_text(text: &str) -> Result<Flags, ConfigError> {
        Flags::from_words(&words(text)?, Reader::Process)
    }

    /// Whether `--help` was given.
    pub fn wants_help(&self) -> bool {
        self.help
    }

    /// Returns the flags in the given order.
    pub fn iter(&self) -> impl Iterator<Item = (Flag, &Value)> {
        self.given.iter().map(|given| (given.flag, &given.value))
    }

    /// Appends the flags of `later`, which take precedence.
    #[must_use]
    pub fn and_then(mut self, later: &Flags) -> Flags {
        self.given.extend_from_slice(&later.given);
        self.help |= later.help;
        self
    }

    /// Returns the flags of the process, each once, as words that can be parsed again.
    pub fn process_words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (at, given) in self.given.iter().enumerate() {
            let replaced = (self.given.iter().skip(at + 1)).any(|later| later.flag == given.flag);
            let spec = given.flag.spec();
            if replaced || !spec.scope.concerns_process() {
                continue;
            }
            let flag = format!("--{}", spec.name);
            match &given.value {
                Value::Bool(true) => words.push(flag),
                Value::Bool(false) => words.push(format!("{flag}=false")),
                _ if given.text.starts_with('-') => words.push(format!("{flag}={}", given.text)),
                _ => words.extend([flag, given.text.clone()]),
            }
        }
        words.extend(self.help.then(|| "--help".into()));
        words
    }

    /// Returns the value of a flag; the last one if it was given several times.
    pub fn get(&self, flag: Flag) -> Option<&Value> {
        let mut values = self.given.iter().rev();
        values.find_map(|given| (given.flag == flag).then_some(&given.value))
    }

    /// Returns the value of a flag of type [`Kind::Bool`](crate::value::Kind).
    pub fn switch(&self, flag: Flag) -> Option<bool> {
        match self.get(flag)? {
            Value::Bool(on) => Some(*on),
            _ => None,
        }
    }

    /// Returns the value of a flag whose values are numbers.
    pub fn number(&self, flag: Flag) -> Option<u64> {
        match self.get(flag)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the value of a flag whose values are sizes.
    pub fn size(&self, flag: Flag) -> Option<Size> {
        match self.get(flag)? {
            Value::Size(size) => Some(*size),
            _ => None,
        }
    }

    /// Returns the value of a flag whose values are texts.
    pub fn text(&self, flag: Flag) -> Option<&str> {
        match self.get(flag)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the list for each rank of a node, of a flag with such lists.
    pub fn by_rank(&self, flag: Flag) -> Option<&[String]> {
        match self.get(flag)? {
            Value::ByRank(lists) => Some(lists),
            _ => None,
        }
    }

    /// Returns all words of a flag that may be given several times.
    pub fn words(&self, flag: Flag) -> Vec<String> {
        let values = self.iter().filter(|(given, _)| *given == flag);
        let lists = values.filter_map(|(_, value)| match value {
            Value::Words(words) => Some(words.as_slice()),
            _ => None,
        });
        lists.flatten().cloned().collect()
    }
}

/// Splits the text of `WEFT_CONFIG` into words.
pub fn words(text: &str) -> Result<Vec<String>, ConfigError> {
    shell_words::split(text).map_err(|_| ConfigError {
        kind: ErrorKind::Quoting,
        flag: ENVIRONMENT.into(),
        value: Some(text.into()),
        why: "a quote is not closed".into(),
        remedy: "quote it as for a shell".into(),
    })
}

fn recognise(word: &str, reader: Reader) -> Result<(&'static Spec, Option<&str>), ConfigError> {
    let Some(body) = word.strip_prefix("--").filter(|body| !body.is_empty()) else {
        return Err(ConfigError {
            kind: ErrorKind::StrayWord,
            flag: word.into(),
            value: None,
            why: "is not a flag".into(),
            remedy: "write flags as --flag or --flag=value".into(),
        });
    };
    let (name, value) = match body.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (body, None),
    };
    let Some(flag) = Flag::named(name) else {
        return Err(unknown(name, reader));
    };
    let spec = flag.spec();
    if reader == Reader::Process && spec.scope == Scope::Launch {
        return Err(ConfigError {
            kind: ErrorKind::LaunchFlag,
            flag: format!("--{name}"),
            value: value.map(Into::into),
            why: format!("is not for {ENVIRONMENT}"),
            remedy: "give it to `weft run`".into(),
        });
    }
    Ok((spec, value))
}

fn unknown(name: &str, reader: Reader) -> ConfigError {
    let names = FLAGS
        .iter()
        .filter(|spec| {
            !spec.hidden && (reader == Reader::Launcher || spec.scope.concerns_process())
        })
        .map(|spec| spec.name);
    ConfigError {
        kind: ErrorKind::UnknownFlag,
        flag: format!("--{name}"),
        value: None,
        why: "no flag has this name".into(),
        remedy: match suggest::nearest(name, names) {
            Some(near) => format!("did you mean --{near}? --help lists all"),
            None => "--help lists all".into(),
        },
    }
}

fn missing(spec: &Spec) -> ConfigError {
    ConfigError {
        kind: ErrorKind::MissingValue,
        flag: format!("--{}", spec.name),
        value: None,
        why: "it needs a value".into(),
        remedy: format!("give {}", spec.kind.allowed()),
    }
}

fn bad(spec: &Spec, text: &str, why: String) -> ConfigError {
    ConfigError {
        kind: ErrorKind::BadValue,
        flag: format!("--{}", spec.name),
        value: Some(text.into()),
        why,
        remedy: format!("give {}", spec.kind.allowed()),
    }
}

#[cfg(test)]
mod tests;
