//! Holders of a memory's bytes, as levels over time that add up to the bytes in use.

/// The owner of bytes in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// Instances that an operation of this line needed first.
    Line(u32),
    /// Instances whose operation is not recorded.
    NoOperation,
    /// Instances whose operation is not in the trace.
    MissingOperation,
    /// Instances whose operation has no line.
    NoLine,
    /// The bytes in use according to the memory, less its instances. Negative if its instances are
    /// more than that.
    NoInstance,
}

impl Holder {
    /// Encodes the holder: its line, and a code for bytes without one.
    pub(super) fn code(self) -> (u32, u8) {
        match self {
            Holder::Line(line) => (line, 0),
            Holder::NoOperation => (0, 1),
            Holder::MissingOperation => (0, 2),
            Holder::NoLine => (0, 3),
            Holder::NoInstance => (0, 4),
        }
    }

    /// Decodes a holder; `None` if the file is damaged.
    pub(super) fn from_code(line: u32, code: u8) -> Option<Self> {
        Some(match code {
            0 => Holder::Line(line),
            1 => Holder::NoOperation,
            2 => Holder::MissingOperation,
            3 => Holder::NoLine,
            4 => Holder::NoInstance,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holder_codes_survive_a_round_trip() {
        for code in 0..5 {
            let holder = Holder::from_code(0, code).unwrap();
            assert_eq!(holder.code(), (0, code));
        }
        assert_eq!(Holder::from_code(0, 5), None);
        assert_eq!(Holder::Line(7).code(), (7, 0));
    }
}
