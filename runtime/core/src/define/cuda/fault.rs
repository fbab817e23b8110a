//! Messages for faults that checked kernels report (`weft_task.cuh`), in the words of `--verify` on
//! CPUs.

use crate::error::Cause;
use crate::shape::Shape;

/// Number of bits of the detail: the number of an element, or an axis and an index along it.
const DETAIL: u32 = 52;

/// Returns the cause for the second word of a fault; the first one is not used. `describe` returns
/// the name and the shape of an operand.
pub(super) fn cause(word: u64, describe: impl Fn(usize) -> Option<(String, Shape)>) -> Cause {
    let code = !word;
    let detail = code & ((1 << DETAIL) - 1);
    let (operand, kind) = ((code >> 56) as usize, (code >> DETAIL) & 15);
    let (name, shape) =
        describe(operand).unwrap_or_else(|| (format!("operand {operand}"), Shape::SCALAR));
    let index = || {
        let index = shape.unravel(detail as usize);
        format!("{:?}", &index[..shape.rank()])
    };
    // The index has 48 bits including its sign.
    let beyond = || {
        let (axis, along) = (detail >> 48, (detail << 16) as i64 >> 16);
        format!("{name} at index {along} of axis {axis}, outside of its shape {shape:?}")
    };
    Cause::Undeclared(match kind {
        1 => format!(
            "it reads {name} at {}, which its tile does not have; declare a halo, or broadcast {name}",
            index()
        ),
        2 => format!(
            "it writes to {name} at {}, which is not in its tile",
            index()
        ),
        3 => format!("it reads {}", beyond()),
        4 => format!("it writes to {}", beyond()),
        5 => format!(
            "it reads {name} at {} before it writes it; declare {name} as InOut",
            index()
        ),
        _ => format!(
            "it does not write {name} at {}; an Out must be written everywhere, an InOut need not be",
            index()
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(operand: u64, kind: u64, detail: u64) -> String {
        let word = !(operand << 56 | kind << DETAIL | detail);
        cause(word, |_| {
            Some(("x".to_owned(), Shape::new(&[4, 6]).unwrap()))
        })
        .to_string()
    }

    #[test]
    fn formats_element_indices_of_faults() {
        assert!(text(0, 1, 11).contains("reads x at [1, 5], which"));
        let minus_one = (1 << 48) - 1;
        assert!(text(3, 3, 1 << 48 | minus_one).contains("x at index -1 of axis 1"));
    }
}
