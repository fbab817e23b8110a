//! Layouts of kinds of records, computed once: the length of a record, and the places of its
//! fields.

use super::preamble::{Field, Kind};

/// The maximum number of parts of variable length before a field.
const MAX_PARTS: usize = 15;

/// The starts of a record's segments of fixed length. The first is at 0; each other follows a part
/// of variable length.
pub(super) type Starts = [u32; MAX_PARTS + 1];

/// The place of a field in every record of its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldOffset {
    /// The segment of fixed length that contains it or, for a text, that it ends.
    stretch: u8,
    /// The form of the field.
    form: Form,
    /// The offset in bytes from the start of that segment.
    offset: u32,
}

/// The form of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// The kind has no such field, or the form is not supported.
    #[default]
    Missing,
    Byte,
    Word,
    Long,
    Text,
}

impl FieldOffset {
    pub(super) const fn form(self) -> Form {
        self.form
    }

    /// Returns the offset in a record with these segments, in bytes.
    pub(super) fn within(self, starts: &Starts) -> usize {
        let start = starts.get(self.stretch as usize).copied();
        (start.unwrap_or(0) + self.offset) as usize
    }
}

/// A part of a record. Parts are in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A number of bytes.
    Fixed(u32),
    /// A text with its final NUL.
    Text,
    /// A number of bytes for each dimension of the machine.
    PerDimension(u32),
    /// A number of bytes, repeated by the value of an earlier field.
    Counted(FieldOffset, u32),
    /// A number of bytes if an earlier field has this value, otherwise none.
    Only(FieldOffset, u64, u32),
    /// A number of bytes that is given by a field which cannot be found.
    Untold,
}

/// The layout of one kind's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) name: String,
    parts: Vec<Part>,
    /// The length, if it is equal for all records.
    pub(super) length: Option<usize>,
    places: Vec<(String, FieldOffset)>,
}

/// The length of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Known(usize),
    /// The record needs more bytes than are available.
    Longer,
    /// The length cannot be determined, for this reason.
    Untold(&'static str),
}

impl Layout {
    /// Returns the layout of a preamble's kind, with the rules that the preamble does not state:
    /// - A `point` has one element for each dimension (of `MaxDimDesc`), an `array` two.
    /// - A `uuid` is as long as the `uuid_size` before it.
    /// - The `redop` of a `PhysicalInstanceUsage` is present only if its `mode` is 4 (a reduction).
    ///
    /// (Legion, `legion_profiling_serializer.cc`.)
    pub(super) fn new(kind: &Kind) -> Self {
        let mut layout = Layout {
            name: kind.name.clone(),
            parts: Vec::new(),
            length: None,
            places: Vec::with_capacity(kind.fields.len()),
        };
        let (mut stretch, mut offset) = (0, 0_u32);
        let mut count = None;
        for field in &kind.fields {
            let place = layout.place(field, stretch, offset);
            let size = field.size.unwrap_or(0);
            let part = match (&*field.kind, field.size) {
                (_, None) => Part::Text,
                ("point", Some(size)) => Part::PerDimension(size),
                ("array", Some(size)) => Part::PerDimension(size.saturating_mul(2)),
                ("uuid", Some(size)) => match count {
                    Some(place) if place == FieldOffset::default() => Part::Untold,
                    Some(place) => Part::Counted(place, size),
                    None => Part::Fixed(size),
                },
                (_, Some(size))
                    if kind.name == "PhysicalInstanceUsage" && field.name == "redop" =>
                {
                    match layout.field("mode") {
                        mode if mode.form == Form::Missing => Part::Fixed(size),
                        mode => Part::Only(mode, 4, size),
                    }
                }
                (_, Some(size)) => Part::Fixed(size),
            };
            if field.kind == "uuid_size" {
                count = Some(place);
            }
            layout.places.push((field.name.clone(), place));
            match (part, layout.parts.last_mut()) {
                (Part::Fixed(_), Some(Part::Fixed(length))) => {
                    *length = length.saturating_add(size);
                }
                _ => layout.parts.push(part),
            }
            match part {
                Part::Fixed(_) => offset = offset.saturating_add(size),
                _ => (stretch, offset) = (stretch + 1, 0),
            }
        }
        layout.length = match layout.parts.as_slice() {
            [] => Some(0),
            [Part::Fixed(length)] => Some(*length as usize),
            _ => None,
        };
        layout
    }

    fn place(&self, field: &Field, stretch: usize, offset: u32) -> FieldOffset {
        let form = match (&*field.kind, field.size) {
            ("point" | "array" | "uuid", _) => Form::Missing,
            (_, None) => Form::Text,
            (_, Some(1)) => Form::Byte,
            (_, Some(4)) => Form::Word,
            (_, Some(8)) => Form::Long,
            _ => Form::Missing,
        };
        match u8::try_from(stretch) {
            Ok(stretch) if usize::from(stretch) <= MAX_PARTS => FieldOffset {
                stretch,
                form,
                offset,
            },
            _ => FieldOffset::default(),
        }
    }

    /// Returns the place of a field, or a missing one if the kind has no field with that name.
    pub(super) fn field(&self, name: &str) -> FieldOffset {
        let found = self.places.iter().find(|(known, _)| known == name);
        found.map_or(FieldOffset::default(), |(_, place)| *place)
    }

    /// Returns the length of the record that `bytes` begins with, and writes the starts of its
    /// segments to `starts`.
    pub(super) fn measure(
        &self,
        bytes: &[u8],
        dimensions: Option<u32>,
        starts: &mut Starts,
    ) -> Length {
        let mut at = 0_usize;
        let mut stretch = 0;
        for part in &self.parts {
            let number = |place: FieldOffset| number(bytes, place, starts);
            let variable = match *part {
                Part::Fixed(length) => {
                    at = at.saturating_add(length as usize);
                    continue;
                }
                Part::Text => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    match rest.iter().position(|byte| *byte == 0) {
                        Some(length) => length + 1,
                        None => return Length::Longer,
                    }
                }
                Part::PerDimension(size) => match dimensions {
                    Some(dimensions) => (size as usize).saturating_mul(dimensions as usize),
                    None => return Length::Untold("a point comes before the number of dimensions"),
                },
                Part::Counted(place, size) => match number(place) {
                    Some(count) => (size as usize).saturating_mul(count as usize),
                    None => return Length::Longer,
                },
                Part::Untold => return Length::Untold("one of its fields has no length"),
                Part::Only(place, value, size) => match number(place) {
                    Some(found) if found == value => size as usize,
                    Some(_) => 0,
                    None => return Length::Longer,
                },
            };
            at = at.saturating_add(variable);
            stretch += 1;
            if let Some(start) = starts.get_mut(stretch) {
                *start = u32::try_from(at).unwrap_or(u32::MAX);
            }
        }
        if at <= bytes.len() {
            Length::Known(at)
        } else {
            Length::Longer
        }
    }
}

/// Returns the number at a place; `None` if the bytes end before it.
#[inline]
pub(super) fn number(bytes: &[u8], place: FieldOffset, starts: &Starts) -> Option<u64> {
    let at = place.within(starts);
    let bytes = bytes.get(at..)?;
    match place.form {
        Form::Long => bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)),
        Form::Word => (bytes.first_chunk()).map(|bytes| u32::from_le_bytes(*bytes).into()),
        Form::Byte => bytes.first().map(|byte| u64::from(*byte)),
        Form::Text | Form::Missing => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(name: &str, fields: &[(&str, &str, i32)]) -> Layout {
        let field = |(name, kind, size): &(&str, &str, i32)| Field {
            name: (*name).to_owned(),
            kind: (*kind).to_owned(),
            size: u32::try_from(*size).ok(),
        };
        Layout::new(&Kind {
            id: 1,
            name: name.to_owned(),
            fields: fields.iter().map(field).collect(),
        })
    }

    #[test]
    fn finds_fields_after_variable_length_ones() {
        let layout = layout(
            "A",
            &[
                ("a", "unsigned", 4),
                ("name", "string", -1),
                ("b", "bool", 1),
                ("uuid_size", "uuid_size", 4),
                ("u", "uuid", 1),
                ("p", "point", 8),
                ("r", "array", 8),
                ("c", "some type of later", 8),
            ],
        );
        assert_eq!(layout.length, None);
        let mut bytes = vec![7, 0, 0, 0];
        bytes.extend(b"name\0");
        bytes.extend([1, 3, 0, 0, 0, 9, 9, 9]);
        bytes.extend([0; 16 + 32]);
        bytes.extend(5_u64.to_le_bytes());
        let mut starts = Starts::default();
        let length = layout.measure(&bytes, Some(2), &mut starts);
        assert_eq!(length, Length::Known(bytes.len()));
        let value = |name| number(&bytes, layout.field(name), &starts).unwrap();
        assert_eq!((value("a"), value("b"), value("c")), (7, 1, 5));
        let name = layout.field("name");
        assert_eq!((name.form(), name.within(&starts)), (Form::Text, 4));
        for cut in 0..bytes.len() {
            let length = layout.measure(&bytes[..cut], Some(2), &mut Starts::default());
            assert_eq!(length, Length::Longer, "{cut}");
        }
        let untold = layout.measure(&bytes, None, &mut starts);
        assert!(matches!(untold, Length::Untold(_)));
    }

    #[test]
    fn reduction_field_exists_only_in_mode_4() {
        let usage = [
            ("mode", "unsigned", 4),
            ("redop", "unsigned", 4),
            ("x", "T", 1),
        ];
        let layout = layout("PhysicalInstanceUsage", &usage);
        for (mode, length) in [(4, 9), (2, 5), (6, 5)] {
            let mut bytes = [0; 9];
            bytes[0] = mode;
            let mut starts = Starts::default();
            assert_eq!(
                layout.measure(&bytes, None, &mut starts),
                Length::Known(length)
            );
            assert_eq!(layout.field("x").within(&starts), length - 1);
        }
    }

    #[test]
    fn records_of_plain_fields_have_constant_length() {
        let layout = layout("A", &[("a", "T", 4), ("b", "T", 3), ("c", "T", 8)]);
        assert_eq!(layout.length, Some(15));
        assert_eq!(layout.field("b").form(), Form::Missing);
        assert_eq!(layout.field("c").within(&Starts::default()), 7);
        assert_eq!(layout.field("d"), FieldOffset::default());
    }
}
