//! Log levels, by subsystem.

use std::fmt;
use std::str::FromStr;

use strum::{Display, EnumString, VariantNames};

/// A log level.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, VariantNames,
)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum Level {
    /// No messages.
    Off,
    /// Failures.
    Error,
    /// Unexpected conditions.
    Warn,
    /// Main actions.
    Info,
    /// Details.
    Debug,
    /// Every step.
    Trace,
}

/// A level for each subsystem, such as `warn,analysis=debug`. The last entry for a subsystem wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSpec {
    default: Level,
    subsystems: Vec<(String, Level)>,
}

impl LogSpec {
    /// Returns the level of a subsystem: its own, or that of `weft`, which stands for all
    /// subsystems.
    pub fn level(&self, subsystem: &str) -> Level {
        self.subsystems
            .iter()
            .find_map(|(name, level)| (name == subsystem).then_some(*level))
            .unwrap_or(self.default)
    }

    /// Raises the level of a subsystem to at least `least`.
    pub fn raise(&mut self, subsystem: &str, least: Level) {
        if self.level(subsystem) < least {
            self.subsystems.retain(|(known, _)| known != subsystem);
            self.subsystems.push((subsystem.into(), least));
        }
    }

    /// Returns the highest level of any subsystem.
    pub fn highest(&self) -> Level {
        self.subsystems
            .iter()
            .map(|(_, level)| *level)
            .fold(self.default, Level::max)
    }
}

/// Warnings and errors.
impl Default for LogSpec {
    fn default() -> Self {
        LogSpec {
            default: Level::Warn,
            subsystems: Vec::new(),
        }
    }
}

impl FromStr for LogSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut spec = LogSpec::default();
        for entry in text.split(',').map(str::trim) {
            let (name, level) = entry.split_once('=').unwrap_or(("weft", entry));
            let level: Level = (level.parse()).map_err(|_| format!("{level:?} is not a level"))?;
            let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
            match name {
                "weft" => spec.default = level,
                "" => return Err(format!("{entry:?} names no subsystem")),
                _ if !name.chars().all(is_name) => {
                    return Err(format!("{name:?} is not the name of a subsystem"));
                }
                _ => {
                    spec.subsystems.retain(|(known, _)| known != name);
                    spec.subsystems.push((name.into(), level));
                }
            }
        }
        Ok(spec)
    }
}

impl fmt::Display for LogSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "weft={}", self.default)?;
        for (name, level) in &self.subsystems {
            write!(f, ",{name}={level}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_log_level_per_subsystem() {
        let spec: LogSpec = "weft=info,analysis=debug,io=off,analysis=trace"
            .parse()
            .unwrap();
        assert_eq!(spec.level("analysis"), Level::Trace);
        assert_eq!(spec.level("io"), Level::Off);
        assert_eq!(spec.level("mapping"), Level::Info);
        assert_eq!(spec.highest(), Level::Trace);
        assert_eq!(spec.to_string().parse::<LogSpec>(), Ok(spec));
    }

    #[test]
    fn single_level_applies_to_all_subsystems() {
        let spec: LogSpec = "ERROR".parse().unwrap();
        assert_eq!(spec.level("anything"), Level::Error);
        assert_eq!(LogSpec::default().level("anything"), Level::Warn);
    }

    #[test]
    fn rejects_invalid_log_levels() {
        for text in [
            "",
            "loud",
            "analysis=",
            "=debug",
            "a b=debug",
            "analysis=debug,",
        ] {
            assert!(text.parse::<LogSpec>().is_err(), "{text}");
        }
    }
}
