//! How much memory a command may take.

use clap::Args;

/// The limit of memory, of commands that read traces.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct LimitArgs {
    /// The most memory that an input or a result may take, such as 800M or 16G; else what the machine has left
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory_limit: Option<u64>,
}

impl LimitArgs {
    /// The limit in bytes.
    pub(crate) fn memory(self) -> Option<u64> {
        self.memory_limit
    }
}

/// A size with a unit of 1024, 1024^2 and so on.
fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no size; give a number and K, M, G or T, such as 16G");
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
    fn sizes_have_units() {
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("16G"), Ok(16 << 30));
        assert_eq!(bytes("800MiB"), Ok(800 << 20));
        for wrong in ["", "G", "16X", "-1", "1.5G", "99999999999T"] {
            assert!(bytes(wrong).unwrap_err().contains("no size"), "{wrong}");
        }
    }
}
