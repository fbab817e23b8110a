//! Sizes of memories as users write them: MiB, bytes with a unit, or a share of the machine's
//! memory.

use crate::bytes::Bytes;

/// A size as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A number of bytes.
    Bytes(Bytes),
    /// Millionths of the total.
    Share(u32),
}

/// All of the total, as a share.
const MILLION: u32 = 1_000_000;

impl Size {
    /// Returns the size in bytes, of a total of `all` bytes.
    pub fn resolve(self, all: Bytes) -> Bytes {
        match self {
            Size::Bytes(bytes) => bytes,
            Size::Share(parts) => {
                let bytes = u128::from(all.0) * u128::from(parts) / u128::from(MILLION);
                Bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
            }
        }
    }

    /// Parses `64` (MiB), `100M`, `1.5GiB`, `4096KB` (units are powers of 1024 in either spelling)
    /// or `50%`.
    ///
    /// # Errors
    /// Returns the reason why it is invalid.
    pub fn parse(text: &str) -> Result<Size, String> {
        if text.starts_with('-') {
            return Err("it is negative".into());
        }
        let end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(fraction) || number.ends_with('.') {
            return Err("it is not a size".into());
        }
        let unit = match unit.trim_start().to_ascii_lowercase().as_str() {
            "" | "m" | "mb" | "mib" => 1 << 20,
            "b" => 1,
            "k" | "kb" | "kib" => 1 << 10,
            "g" | "gb" | "gib" => 1 << 30,
            "t" | "tb" | "tib" => 1_u64 << 40,
            "%" => {
                let parts = scaled(whole, fraction, u64::from(MILLION) / 100)?;
                return match u32::try_from(parts) {
                    Ok(parts) if parts <= MILLION => Ok(Size::Share(parts)),
                    _ => Err("it is more than 100 %".into()),
                };
            }
            _ => return Err("its unit is unknown".into()),
        };
        scaled(whole, fraction, unit).map(|bytes| Size::Bytes(Bytes(bytes)))
    }
}

/// Returns `whole.fraction` times `unit`, rounded down.
fn scaled(whole: &str, fraction: &str, unit: u64) -> Result<u64, String> {
    let large = || "it is too large".to_owned();
    let whole: u64 = whole.parse().map_err(|_| large())?;
    // Further digits are less than a byte of the largest unit.
    let fraction = fraction.get(..15).unwrap_or(fraction);
    let scale = 10_u128.pow(fraction.len() as u32);
    let parts: u128 = match fraction {
        "" => 0,
        digits => digits.parse().map_err(|_| large())?,
    };
    let part = u64::try_from(parts * u128::from(unit) / scale).map_err(|_| large())?;
    whole
        .checked_mul(unit)
        .and_then(|bytes| bytes.checked_add(part))
        .ok_or_else(large)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_common_size_spellings() {
        let mib = |mib| Ok(Size::Bytes(Bytes::mib(mib)));
        for (text, size) in [
            ("64", mib(64)),
            ("100M", mib(100)),
            ("100 MiB", mib(100)),
            ("1.5GiB", mib(1536)),
            ("2t", mib(2 << 20)),
            ("0.5", Ok(Size::Bytes(Bytes(1 << 19)))),
            ("1536kb", Ok(Size::Bytes(Bytes(1536 << 10)))),
            ("77B", Ok(Size::Bytes(Bytes(77)))),
            ("50%", Ok(Size::Share(500_000))),
            ("12.5%", Ok(Size::Share(125_000))),
            ("-1", Err("it is negative".to_owned())),
            ("101%", Err("it is more than 100 %".to_owned())),
            ("3 apples", Err("its unit is unknown".to_owned())),
            ("99999999999999999999", Err("it is too large".to_owned())),
            ("17592186044416", Err("it is too large".to_owned())),
        ] {
            assert_eq!(Size::parse(text), size, "{text}");
        }
        for text in ["", "M", ".5", "1.", "1.2.3", "x1"] {
            assert_eq!(
                Size::parse(text),
                Err("it is not a size".to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn shares_scale_the_available_memory() {
        assert_eq!(
            Size::Share(500_000).resolve(Bytes::mib(1000)),
            Bytes::mib(500)
        );
        assert_eq!(Size::Bytes(Bytes(5)).resolve(Bytes::mib(1000)), Bytes(5));
        assert_eq!(
            Size::Share(MILLION).resolve(Bytes(u64::MAX)),
            Bytes(u64::MAX)
        );
    }
}
