//! Values of flags.

use strum::VariantNames;

use crate::bytes::Bytes;
use crate::size::Size;

/// The type of a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A switch; on if it has no value.
    Bool,
    /// A whole number.
    Count {
        /// The smallest value.
        min: u64,
        /// The largest value.
        max: u64,
    },
    /// The size of a memory or a file.
    Size {
        /// The smallest value, in MiB.
        min: u64,
        /// Whether a percentage is allowed.
        shares: bool,
    },
    /// A text that can be part of a file's name.
    FileName,
    /// A folder.
    Folder,
    /// Log levels.
    Levels,
    /// 32 hexadecimal digits.
    Hex128,
    /// Shell-quoted words; repeated flags accumulate.
    Words,
    /// A launcher.
    Launcher,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list of numbers such as `0-3,8` for each rank of a node, separated by slashes.
    NumbersByRank,
    /// A list of names with commas for each rank of a node, separated by slashes.
    NamesByRank,
}

/// A parsed value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A value of [`Kind::Bool`].
    Bool(bool),
    /// A value of [`Kind::Count`].
    Number(u64),
    /// A value of [`Kind::Size`].
    Size(Size),
    /// A value of [`Kind::FileName`], [`Kind::Folder`], [`Kind::Launcher`] or [`Kind::OneOf`].
    Text(String),
    /// A value of [`Kind::Levels`].
    Levels(crate::LogSpec),
    /// A value of [`Kind::Hex128`].
    Hex128([u8; 16]),
    /// A value of [`Kind::Words`].
    Words(Vec<String>),
    /// A value of [`Kind::NumbersByRank`] or [`Kind::NamesByRank`]: the list of each rank, at least
    /// one.
    ByRank(Vec<String>),
}

impl Kind {
    /// Whether the flag needs a value.
    pub const fn needs_value(self) -> bool {
        !matches!(self, Kind::Bool)
    }

    /// Returns the placeholder of the value in the help.
    pub const fn placeholder(self) -> &'static str {
        match self {
            Kind::Bool => "BOOL",
            Kind::Count { .. } => "N",
            Kind::Size { .. } => "SIZE",
            Kind::FileName => "NAME",
            Kind::Folder => "DIR",
            Kind::Levels => "SPEC",
            Kind::Hex128 => "HEX",
            Kind::Words => "STR",
            Kind::Launcher | Kind::OneOf(_) => "NAME",
            Kind::NumbersByRank | Kind::NamesByRank => "LISTS",
        }
    }

    /// Describes the allowed values, to follow "give".
    pub fn allowed(self) -> String {
        match self {
            Kind::Bool => "one of 0, 1, f, t, n, y, no, yes, false, true".into(),
            Kind::Count { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Size { min, shares } => format!(
                "a size of at least {min} MiB, such as 4096 (MiB), {}",
                if shares {
                    "100M, 1.5GiB or 50%"
                } else {
                    "100M or 1.5GiB"
                }
            ),
            Kind::FileName => "a name without a slash".into(),
            Kind::Folder => "a folder".into(),
            Kind::Levels => format!(
                "a level ({}), or subsystem=level pairs separated by commas",
                crate::Level::VARIANTS.join(", ")
            ),
            Kind::Hex128 => "32 hexadecimal digits".into(),
            Kind::Words => "shell-quoted words".into(),
            Kind::Launcher => "mpirun, srun, jsrun, none, or the path of an mpirun".into(),
            Kind::OneOf(words) => words.join(" or "),
            Kind::NumbersByRank => {
                "numbers for each rank of a node, as in 0-3,8/4-7,9 for two".into()
            }
            Kind::NamesByRank => "names for each rank of a node, as in a,b/c,d for two".into(),
        }
    }

    /// Parses a value. The error is the reason why it is invalid.
    pub fn parse(self, text: &str) -> Result<Value, String> {
        match self {
            Kind::Bool => parse_bool(text).map(Value::Bool),
            Kind::Count { min, max } => parse_number(text, min, max).map(Value::Number),
            Kind::Size { min, shares } => match Size::parse(text)? {
                Size::Bytes(bytes) if bytes < Bytes::mib(min) => Err("it is too small".into()),
                Size::Share(_) if !shares => Err("a percentage is not allowed here".into()),
                Size::Share(0) if min > 0 => Err("it is too small".into()),
                size => Ok(Value::Size(size)),
            },
            Kind::FileName => parse_file_name(text).map(Value::Text),
            Kind::Folder => match text {
                "" => Err("it is empty".into()),
                _ if text.contains('\0') => Err("it has a zero byte".into()),
                _ => Ok(Value::Text(text.into())),
            },
            Kind::Levels => text.parse().map(Value::Levels),
            Kind::Hex128 => parse_hex(text).map(Value::Hex128),
            Kind::Words => shell_words::split(text)
                .map(Value::Words)
                .map_err(|_| "a quote is not closed".into()),
            Kind::Launcher => parse_launcher(text).map(Value::Text),
            Kind::OneOf(words) if words.contains(&text) => Ok(Value::Text(text.into())),
            Kind::OneOf(_) => Err("it is not known".into()),
            Kind::NumbersByRank => by_rank(text, |list| {
                crate::list::parse(list)
                    .map(drop)
                    .ok_or_else(|| format!("\"{list}\" is not a list of numbers"))
            }),
            Kind::NamesByRank => by_rank(text, |list| {
                let named = list.split(',').all(|name| !name.trim().is_empty());
                let why = || format!("\"{list}\" lacks a name");
                named.then_some(()).ok_or_else(why)
            }),
        }
    }
}

fn parse_bool(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "t" | "y" | "yes" | "true" => Ok(true),
        "0" | "f" | "n" | "no" | "false" => Ok(false),
        _ => Err("it is neither true nor false".into()),
    }
}

fn parse_number(text: &str, min: u64, max: u64) -> Result<u64, String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("it is not a whole number".into());
    }
    if text.starts_with('-') {
        return Err("it is negative".into());
    }
    match digits.parse::<u64>() {
        Ok(number) if number < min => Err("it is too small".into()),
        Ok(number) if number <= max => Ok(number),
        _ => Err("it is too large".into()),
    }
}

fn parse_file_name(text: &str) -> Result<String, String> {
    // The profile is named `<name>_<rank>.prof`; 200 bytes leave room for that within a file
    // system's 255.
    match text {
        "" => Err("it is empty".into()),
        _ if text.contains('/') => Err("it has a slash".into()),
        _ if text.contains('\0') => Err("it has a zero byte".into()),
        _ if text.len() > 200 => Err("it is longer than 200 bytes".into()),
        _ => Ok(text.into()),
    }
}

/// Parses the name of a launcher. `mpirun` may have a path before it and a suffix, as in Debian's
/// `mpirun.mpich`.
fn parse_launcher(text: &str) -> Result<String, String> {
    let name = text.rsplit('/').next().unwrap_or(text);
    let known = matches!(text, "srun" | "jsrun" | "none");
    if known || name.starts_with("mpirun") || name.starts_with("mpiexec") {
        return Ok(text.into());
    }
    Err("it is not a launcher".into())
}

fn by_rank(text: &str, check: impl Fn(&str) -> Result<(), String>) -> Result<Value, String> {
    let lists: Vec<String> = text.split('/').map(Into::into).collect();
    for (rank, list) in lists.iter().enumerate() {
        if list.trim().is_empty() {
            return Err(format!("the list of the node's rank {rank} is empty"));
        }
        check(list)?;
    }
    Ok(Value::ByRank(lists))
}

fn parse_hex(text: &str) -> Result<[u8; 16], String> {
    if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err("it is not 32 hexadecimal digits".into());
    }
    u128::from_str_radix(text, 16)
        .map(u128::to_be_bytes)
        .map_err(|cause| cause.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_boolean_words() {
        for text in ["1", "t", "y", "yes", "true", "True", "YES"] {
            assert_eq!(Kind::Bool.parse(text), Ok(Value::Bool(true)), "{text}");
        }
        for text in ["0", "f", "n", "no", "false", "FALSE"] {
            assert_eq!(Kind::Bool.parse(text), Ok(Value::Bool(false)), "{text}");
        }
        for text in ["", "2", "on", "tru", " 1"] {
            assert!(Kind::Bool.parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parses_bounded_counts() {
        let kind = Kind::Count { min: 1, max: 9 };
        let why = |text| kind.parse(text).unwrap_err();
        assert_eq!(kind.parse("9"), Ok(Value::Number(9)));
        assert_eq!(kind.parse("007"), Ok(Value::Number(7)));
        assert_eq!(why("0"), "it is too small");
        assert_eq!(why("10"), "it is too large");
        assert_eq!(why("99999999999999999999999999"), "it is too large");
        assert_eq!(why("-1"), "it is negative");
        for text in ["", "-", "+1", "1.5", "0x10", "many", "1 ", "１"] {
            assert_eq!(why(text), "it is not a whole number", "{text}");
        }
    }

    #[test]
    fn parses_names_and_digits() {
        assert!(Kind::FileName.parse("a b").is_ok());
        for text in ["", "a/b", "a\0", "x".repeat(201).as_str()] {
            assert!(Kind::FileName.parse(text).is_err(), "{text}");
        }
        let digits = "000102030405060708090a0b0c0d0eFF";
        let Ok(Value::Hex128(bytes)) = Kind::Hex128.parse(digits) else {
            panic!("refused")
        };
        assert_eq!((bytes[1], bytes[15]), (1, 255));
        for text in [
            "",
            "00",
            "zz0102030405060708090a0b0c0d0eff",
            "+0102030405060708090a0b0c0d0e0ff",
        ] {
            assert!(Kind::Hex128.parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parses_launchers_by_name_or_path() {
        for text in [
            "mpirun",
            "mpirun.mpich",
            "/opt/a/bin/mpiexec",
            "srun",
            "jsrun",
            "none",
        ] {
            assert_eq!(Kind::Launcher.parse(text), Ok(Value::Text(text.into())));
        }
        for text in ["", "mpi", "/usr/bin/srun", "mpirun/x", "dask"] {
            assert!(Kind::Launcher.parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parses_per_rank_lists() {
        let lists = |lists: &[&str]| {
            let lists = lists.iter().map(|list| (*list).to_owned());
            Ok(Value::ByRank(lists.collect()))
        };
        assert_eq!(Kind::NumbersByRank.parse("0-3,8/4"), lists(&["0-3,8", "4"]));
        assert_eq!(
            Kind::NamesByRank.parse("mlx5_0,b/c"),
            lists(&["mlx5_0,b", "c"])
        );
        let why = |kind: Kind, text| kind.parse(text).unwrap_err();
        assert_eq!(
            why(Kind::NumbersByRank, "0/"),
            "the list of the node's rank 1 is empty"
        );
        for list in ["a", "3-1", "0-", "1,,2"] {
            let expected = format!("\"{list}\" is not a list of numbers");
            assert_eq!(why(Kind::NumbersByRank, list), expected);
        }
        assert_eq!(why(Kind::NamesByRank, "a,"), "\"a,\" lacks a name");
    }
}
