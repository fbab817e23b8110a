//! The memory limit of a command.

use clap::Args;

/// The memory limit of commands that read traces.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct LimitArgs {
    /// Maximum memory for an input or a result, such as 800M or 16G [default: the machine's
    /// available memory]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory_limit: Option<u64>,
}

impl LimitArgs {
    /// The limit in bytes.
    pub(crate) fn memory(self) -> Option<u64> {
        self.memory_limit
    }
}

/// A size in bytes; units are powers of 1024.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size; give a number with K, M, G or T, such as 16G");
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let shift = match text.get(digits.len()..).unwrap_or_default() {
        "" => 0,
        "K" | "k" | "KiB" => 10,
        "M" | "m" | "MiB" => 20,
        "G" | "g" | "GiB" => 30,
        "T" | "t" | "TiB" => 40,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_sizes_with_units() {
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("16G"), Ok(16 << 30));
        assert_eq!(bytes("800MiB"), Ok(800 << 20));
        for wrong in ["", "G", "16X", "-1", "1.5G", "99999999999T"] {
            assert!(bytes(wrong).unwrap_err().contains("not a size"), "{wrong}");
        }
    }
}
