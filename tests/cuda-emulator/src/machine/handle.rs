//! Handles: the program's references to objects. Their numbers are not addresses; a wrong one is
//! always detected.

use super::code::Code;

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Context = 1,
    Stream,
    Event,
    Module,
    Function,
    Graph,
    Node,
    Exec,
}

/// The number of an object among all objects.
pub(crate) type Id = u64;

const MARK: u64 = 0x5ee_d000 << 32;

/// Returns the handle of an object, as wide as a pointer, never null.
pub(crate) fn handle(kind: Kind, id: Id) -> u64 {
    MARK + (kind as u64) * (1 << 44) + id * 16
}

/// Returns the object of a handle, if it is of this kind.
pub(crate) fn id(kind: Kind, handle: u64) -> Result<Id, Code> {
    let rest = handle.wrapping_sub(self::handle(kind, 0));
    if rest.is_multiple_of(16) && rest < 1 << 44 {
        Ok(rest / 16)
    } else {
        Err(Code::INVALID_HANDLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_reject_other_kinds() {
        for id in [0, 1, 12_345_678] {
            let stream = handle(Kind::Stream, id);
            assert_eq!(super::id(Kind::Stream, stream), Ok(id));
            assert_eq!(super::id(Kind::Event, stream), Err(Code::INVALID_HANDLE));
            assert_eq!(super::id(Kind::Context, stream), Err(Code::INVALID_HANDLE));
            assert_eq!(
                super::id(Kind::Stream, stream + 1),
                Err(Code::INVALID_HANDLE)
            );
        }
        assert_eq!(super::id(Kind::Stream, 0), Err(Code::INVALID_HANDLE));
    }
}
