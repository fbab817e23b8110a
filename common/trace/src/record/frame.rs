//! Frames, and the macro that defines a kind of record from a struct.

use super::field::Tail;

/// The number of bytes before the fields of a frame: length (u16), kind (u8), reserved (u8).
pub(crate) const FRAME_HEAD: usize = 4;

/// The largest frame, in bytes. Writers cut longer strings and split longer lists.
pub const FRAME_MAX: usize = u16::MAX as usize;

/// The description of a kind of record in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindInfo {
    /// The code in the frame.
    pub code: u8,
    /// The struct's name.
    pub name: &'static str,
    /// The fields in order: name, type, size in bytes.
    pub fields: &'static [(&'static str, &'static str, usize)],
    /// The type of the tail; empty if there is none.
    pub tail: &'static str,
}

impl KindInfo {
    /// Returns the size of all fields together, in bytes.
    pub fn fixed_size(&self) -> usize {
        self.fields.iter().map(|(_, _, size)| size).sum()
    }
}

/// A record that can be written.
pub trait Encode {
    /// The kind.
    const INFO: KindInfo;
    /// Returns the size of the whole frame in bytes.
    fn frame_size(&self) -> usize;
    /// Encodes the whole frame into `to`, which has [`Self::frame_size`] bytes, at most
    /// [`FRAME_MAX`].
    fn put_frame(&self, to: &mut [u8]);
}

/// Decodes the tail of a frame.
pub(crate) fn tail<'a, T: Tail<'a>>(bytes: &'a [u8]) -> Option<T> {
    T::get(bytes)
}

/// Defines a struct, its encoder and its decoder from a list of fields.
///
/// `record! { /// doc
/// 7 => Name<'a> { /// doc
/// id: NameId, } tail /// doc
/// text: &'a str }`
macro_rules! record {
    (
        $(#[$doc:meta])*
        $code:literal => $name:ident $(<$lt:lifetime>)? {
            $($(#[$fdoc:meta])* $field:ident: $type:ty,)*
        }
        $(tail $(#[$tdoc:meta])* $tail:ident: $ttype:ty)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name $(<$lt>)? {
            $($(#[$fdoc])* pub $field: $type,)*
            $($(#[$tdoc])* pub $tail: $ttype,)?
        }

        impl $(<$lt>)? $crate::record::frame::Encode for $name $(<$lt>)? {
            const INFO: $crate::record::frame::KindInfo = $crate::record::frame::KindInfo {
                code: $code,
                name: stringify!($name),
                fields: &[$((
                    stringify!($field),
                    <$type as $crate::record::field::FieldType>::NAME,
                    <$type as $crate::record::field::FieldType>::SIZE,
                )),*],
                tail: {
                    #[allow(unused_mut, unused_assignments, reason = "assigned only where the kind has a tail")]
                    let mut tail = "";
                    $(tail = <$ttype as $crate::record::field::Tail<'_>>::NAME;)?
                    tail
                },
            };

            #[inline]
            fn frame_size(&self) -> usize {
                let fixed = const {
                    $crate::record::frame::FRAME_HEAD
                        $(+ <$type as $crate::record::field::FieldType>::SIZE)*
                };
                fixed $(+ $crate::record::field::Tail::size(&self.$tail))?
            }

            #[inline]
            fn put_frame(&self, to: &mut [u8]) {
                let size = to.len() as u16;
                let (head, to) = to.split_at_mut($crate::record::frame::FRAME_HEAD);
                head.copy_from_slice(&[size.to_le_bytes()[0], size.to_le_bytes()[1], $code, 0]);
                $(
                    let (field, to) =
                        to.split_at_mut(<$type as $crate::record::field::FieldType>::SIZE);
                    $crate::record::field::FieldType::put(&self.$field, field);
                )*
                $($crate::record::field::Tail::put(&self.$tail, to);)?
                let _ = to;
            }
        }

        impl<'r $(, $lt)?> $name $(<$lt>)? where $('r: $lt,)? {
            /// Decodes the body of a frame (without its head); `None` if the bytes are malformed.
            /// `fixed` is the size of all fields in the file. Later versions may have added fields,
            /// and earlier versions may lack some.
            #[inline]
            pub(crate) fn decode(body: &'r [u8], fixed: usize) -> Option<Self> {
                let (fields, tail) = body.split_at_checked(fixed)?;
                $(
                    let size = <$type as $crate::record::field::FieldType>::SIZE;
                    let ($field, fields) = match fields.split_at_checked(size) {
                        Some((field, rest)) => {
                            (<$type as $crate::record::field::FieldType>::get(field)?, rest)
                        }
                        None if fields.is_empty() => {
                            (<$type as $crate::record::field::FieldType>::missing()?, fields)
                        }
                        None => return None,
                    };
                )*
                let _ = (fields, tail);
                Some($name {
                    $($field,)*
                    $($tail: $crate::record::frame::tail::<$ttype>(tail)?,)?
                })
            }
        }
    };
}
pub(crate) use record;
