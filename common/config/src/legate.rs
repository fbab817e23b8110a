//! Legate's flags, for programs that were written for it. Most have the same names in Weft.

use crate::flag::Flag;

/// The environment variable with Legate's flags: words separated by white space, without quotes.
pub const ENVIRONMENT: &str = "LEGATE_CONFIG";

/// Legate's flags without a counterpart in Weft, and whether they need a value.
const WITHOUT: [(&str, bool); 25] = [
    ("benchmark-to-file", false),
    ("bind-detail", false),
    ("color", false),
    ("consensus", false),
    ("cprofile", false),
    ("cuda-driver-path", true),
    ("disable-mpi", false),
    ("eager-alloc-percentage", true),
    ("experimental-copy-path", false),
    ("field-reuse-frac", true),
    ("field-reuse-fraction", true),
    ("field-reuse-freq", true),
    ("field-reuse-frequency", true),
    ("freeze-on-error", false),
    ("gasnet-trace", false),
    ("inline-task-launch", false),
    ("io-use-vfd-gds", false),
    ("max-exception-size", true),
    ("nvprof", false),
    ("regmem", true),
    ("single-controller-execution", false),
    ("spy", false),
    ("use-empty-task", false),
    ("warmup-nccl", false),
    ("window-size", true),
];

/// The translation of Legate's flags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translated {
    /// The flags for Weft.
    pub words: Vec<String>,
    /// The number of given words that were read: those before the first word that is neither a flag
    /// nor a flag's value.
    pub read: usize,
    /// Flags without an effect in Weft, with their dashes.
    pub ignored: Vec<String>,
}

impl Translated {
    /// Returns the flags as a text for `WEFT_CONFIG`.
    pub fn text(&self) -> String {
        shell_words::join(&self.words)
    }
}

/// Translates the flags at the start of `words`.
pub fn translate(words: &[String]) -> Translated {
    let mut made = Translated::default();
    while let Some(word) = words.get(made.read) {
        let Some(body) = word.strip_prefix("--").filter(|body| !body.is_empty()) else {
            break;
        };
        let (name, inline) = match body.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (body, None),
        };
        let without = WITHOUT.iter().find(|(known, _)| *known == name);
        let flag = Flag::named(name);
        let needs_value = match (flag, without) {
            (Some(flag), _) => flag.spec().kind.needs_value(),
            (None, Some((_, needs_value))) => *needs_value,
            (None, None) => false,
        };
        let next = words.get(made.read + 1);
        let behind = next.filter(|_| needs_value && inline.is_none());
        let value = inline.or(behind.map(String::as_str));
        made.read += 1 + usize::from(behind.is_some());
        match (flag, without) {
            (None, Some(_)) => made.ignored.push(format!("--{name}")),
            (Some(Flag::Logging), _)
                if value.is_some_and(|value| Flag::Logging.spec().kind.parse(value).is_err()) =>
            {
                // Legate's subsystems differ from Weft's.
                made.ignored.push(format!("--{name}"));
            }
            (Some(Flag::Utility), _) if is_more_than_one(value) => {
                made.words.push("--utility=1".into());
            }
            (Some(Flag::Wrapper | Flag::WrapperInner), _) => {
                let value = value.unwrap_or_default();
                let value = value.replace("%%LEGATE_GLOBAL_RANK%%", "%%WEFT_RANK%%");
                made.words.push(format!("--{name}={value}"));
            }
            _ => {
                made.words.push(word.clone());
                made.words.extend(behind.cloned());
            }
        }
    }
    made
}

fn is_more_than_one(value: Option<&str>) -> bool {
    let number = value.and_then(|value| value.parse::<u64>().ok());
    number.is_some_and(|number| number > 1)
}

/// Translates the text of `LEGATE_CONFIG`. Words after the flags are kept unchanged.
pub fn translate_text(text: &str) -> Translated {
    let words: Vec<String> = text.split_whitespace().map(Into::into).collect();
    let mut made = translate(&words);
    made.words.extend(words.into_iter().skip(made.read));
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(Into::into).collect()
    }

    #[test]
    fn keeps_common_flags_and_lists_ignored_ones() {
        let text = "--cpus 2 --consensus --window-size 4 --utility 2 --regmem=0 --profile \
                    --logging legate=debug,foo=all --sysmem 256";
        let made = translate_text(text);
        let wanted = "--cpus 2 --utility=1 --profile --sysmem 256";
        assert_eq!(made.words, words(wanted));
        let ignored = "--consensus --window-size --regmem --logging";
        assert_eq!(made.ignored, words(ignored));
    }

    #[test]
    fn translation_stops_at_the_program() {
        let line = words("--gpus 0 --freeze-on-error --wrapper-inner x prog.py --spy -n 4");
        let made = translate(&line);
        assert_eq!(made.words, words("--gpus 0 --wrapper-inner=x"));
        assert_eq!(line[made.read], "prog.py");
        let made = translate(&words("--spy -- prog.py --spy"));
        assert_eq!((made.words.len(), made.read), (0, 1));
    }

    #[test]
    fn ignored_legate_flags_are_not_weft_flags() {
        for (name, _) in WITHOUT {
            assert_eq!(Flag::named(name), None, "{name}");
        }
    }

    #[test]
    fn translated_text_splits_into_the_same_words() {
        let made = translate_text("--logdir a'b --profile-name #x");
        assert_eq!(shell_words::split(&made.text()).unwrap(), made.words);
    }

    #[test]
    fn leaves_invalid_flags_to_the_parser() {
        assert_eq!(translate_text("--cpu 2 x").words, words("--cpu 2 x"));
        assert_eq!(translate_text("--cpus").words, words("--cpus"));
    }
}
