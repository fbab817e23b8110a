//! Who holds the bytes of a memory, as levels over time that add up to what is in use.

/// What bytes in use belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// Instances that an operation of this line needed first.
    Line(u32),
    /// Instances of which the trace does not say what needed them.
    NoOperation,
    /// Instances whose operation is not in the trace.
    MissingOperation,
    /// Instances whose operation has no line.
    NoLine,
    /// What the memory says that is in use, less its instances. Below 0 where its instances are more than that.
    NoInstance,
}

impl Holder {
    /// As the file has it: the line, and a code for what is not known to belong to one.
    pub(super) fn code(self) -> (u32, u8) {
        match self {
            Holder::Line(line) => (line, 0),
            Holder::NoOperation => (0, 1),
            Holder::MissingOperation => (0, 2),
            Holder::NoLine => (0, 3),
            Holder::NoInstance => (0, 4),
        }
    }

    /// What a file says; `None` where it is damaged.
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
    fn a_holder_is_what_its_code_says() {
        for code in 0..5 {
            let holder = Holder::from_code(0, code).unwrap();
            assert_eq!(holder.code(), (0, code));
        }
        assert_eq!(Holder::from_code(0, 5), None);
        assert_eq!(Holder::Line(7).code(), (7, 0));
    }
}
