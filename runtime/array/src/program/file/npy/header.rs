//! The header of a `.npy` file: `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.

use super::{ALIGNMENT, MAGIC};
use crate::dtype::DType;
use weft_core::error::FileCause;

/// The contents of a header.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    pub(super) dtype: DType,
    pub(super) dims: Vec<usize>,
    pub(super) is_fortran: bool,
    /// Whether the byte order is not this machine's.
    pub(super) is_swapped: bool,
    /// The number of bytes that are swapped together.
    pub(super) swap_size: usize,
}

/// Returns NumPy's letter and size of a type: `f8`.
fn code(dtype: DType) -> String {
    let kind = match dtype {
        dtype if dtype.is_bool() => 'b',
        dtype if dtype.is_signed_integer() => 'i',
        dtype if dtype.is_integer() => 'u',
        dtype if dtype.is_float() => 'f',
        _ => 'c',
    };
    format!("{kind}{}", dtype.size())
}

/// Returns the bytes before the elements, in version 1.0 if the header is short enough.
pub(super) fn written(dtype: DType, dims: &[usize]) -> Vec<u8> {
    let order = match dtype.size() {
        1 => '|',
        _ if cfg!(target_endian = "big") => '>',
        _ => '<',
    };
    let shape: String = dims.iter().map(|dim| format!("{dim}, ")).collect();
    let shape = match dims.len() {
        0 | 1 => shape.trim_end().to_owned(),
        _ => shape.trim_end_matches(", ").to_owned(),
    };
    let code = code(dtype);
    let mut text =
        format!("{{'descr': '{order}{code}', 'fortran_order': False, 'shape': ({shape}), }}");
    // The header of eight dimensions is far below the 65,535 bytes that version 1.0 can count.
    let before = MAGIC.len() + 4;
    let end = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.extend(std::iter::repeat_n(' ', end - before - text.len() - 1));
    text.push('\n');
    let length = text.len() as u16;
    [
        MAGIC.as_slice(),
        &[1, 0],
        &length.to_le_bytes(),
        text.as_bytes(),
    ]
    .concat()
}

impl Header {
    /// Parses the dictionary.
    pub(super) fn parse(text: &str) -> Result<Header, FileCause> {
        let wrong = |why: &str| FileCause::Header(format!("{why}: {}", text.trim()));
        let inner = text
            .trim()
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'));
        let mut rest = inner.ok_or_else(|| wrong("it is not a dictionary"))?.trim();
        let (mut descr, mut order, mut shape) = (None, None, None);
        while !rest.is_empty() {
            let (key, behind) = quoted(rest).ok_or_else(|| wrong("no name of an entry"))?;
            let behind = behind.trim_start().strip_prefix(':');
            let value = behind
                .ok_or_else(|| wrong("no value of an entry"))?
                .trim_start();
            let end = end_of_value(value).ok_or_else(|| wrong("a value does not end"))?;
            let (value, behind) = value.split_at(end);
            match key {
                "descr" => descr = Some(value.trim()),
                "fortran_order" => order = Some(value.trim()),
                "shape" => shape = Some(value.trim()),
                other => return Err(wrong(&format!("unknown entry {other:?}"))),
            }
            let behind = behind.trim_start();
            rest = behind.strip_prefix(',').unwrap_or(behind).trim_start();
        }
        let (Some(descr), Some(order), Some(shape)) = (descr, order, shape) else {
            return Err(wrong("an entry is missing"));
        };
        let is_fortran = match order {
            "True" => true,
            "False" => false,
            _ => return Err(wrong("`fortran_order` is neither True nor False")),
        };
        let dims = tuple(shape).ok_or_else(|| wrong("`shape` is not a tuple of numbers"))?;
        // A type with named fields is a list, and one of Python objects has the letter O.
        let unknown = || FileCause::DType(descr.to_owned());
        let name = quoted(descr).map(|(name, _)| name).ok_or_else(unknown)?;
        let is_order = |first: char| matches!(first, '<' | '>' | '=' | '|');
        let own = name.trim_start_matches(is_order);
        let dtype = DType::ALL.into_iter().find(|dtype| code(*dtype) == own);
        let dtype = dtype.ok_or_else(unknown)?;
        let others = if cfg!(target_endian = "big") {
            '<'
        } else {
            '>'
        };
        let is_complex = own.starts_with('c');
        let swap_size = dtype.size() / if is_complex { 2 } else { 1 };
        Ok(Header {
            dtype,
            dims,
            is_fortran,
            is_swapped: name.starts_with(others) && swap_size > 1,
            swap_size,
        })
    }
}

/// Returns the text in quotes at the start of a text, and the rest.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote)
}

/// Returns the end of a value: a comma outside of brackets and quotes, or the end of the text.
fn end_of_value(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0usize, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) => quote = (c != open).then_some(open),
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, ',') if depth == 0 => return Some(at),
            _ => {}
        }
    }
    (depth == 0 && quote.is_none()).then_some(text.len())
}

/// Parses the numbers of a tuple. Python 2 wrote an `L` after large ones.
fn tuple(text: &str) -> Option<Vec<usize>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let parts = inner
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts
        .map(|part| part.trim_end_matches('L').parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_survive_a_round_trip() {
        for dtype in DType::ALL {
            for dims in [vec![], vec![3], vec![2, 0, 7]] {
                let bytes = written(dtype, &dims);
                assert_eq!(bytes.len() % ALIGNMENT, 0);
                let text = std::str::from_utf8(&bytes[10..]).unwrap();
                let header = Header::parse(text).unwrap();
                assert_eq!((header.dtype, header.dims), (dtype, dims));
                assert!(!header.is_fortran && !header.is_swapped);
            }
        }
        let text = String::from_utf8_lossy(&written(DType::F64, &[3])[10..]).into_owned();
        assert!(text.starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"));
        assert!(text.ends_with(" \n"));
    }

    #[test]
    fn parses_foreign_headers_or_explains_them() {
        let turned = "{\"shape\": (3L, 4L), 'fortran_order': True, 'descr': '>i4'}";
        let header = Header::parse(turned).unwrap();
        assert_eq!((header.dtype, header.dims), (DType::I32, vec![3, 4]));
        assert!(header.is_fortran && header.is_swapped);
        let said = |text: &str| Header::parse(text).unwrap_err().to_string();
        let record =
            "{'descr': [('a', '<i4'), ('b', '<f8')], 'fortran_order': False, 'shape': (3,)}";
        assert!(said(record).contains("[('a', '<i4'), ('b', '<f8')] are not supported"));
        let object = "{'descr': '|O', 'fortran_order': False, 'shape': ()}";
        assert!(said(object).contains("'|O'"));
        assert!(said("{'descr': '<f8', 'shape': (3,)}").contains("an entry is missing"));
        assert!(said("no").contains("it is not a dictionary"));
        let odd = "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}";
        assert!(said(odd).contains("neither True nor False"));
        let odd = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, -1)}";
        assert!(said(odd).contains("not a tuple"));
    }
}
