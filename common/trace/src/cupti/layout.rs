//! Structs that are read at fixed offsets, and descriptions of their fields.

/// A field of a struct of CUPTI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name in NVIDIA's header.
    pub name: &'static str,
    /// The offset in bytes.
    pub offset: usize,
    /// The size in bytes.
    pub size: usize,
}

/// The fields that are read from a struct of CUPTI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The name in NVIDIA's header, without the version.
    pub name: &'static str,
    /// The size in CUDA 12.0, in bytes.
    pub least: usize,
    /// The fields of all versions.
    pub fields: &'static [Field],
    /// The fields that later versions added.
    pub later: &'static [Field],
}

/// A number in a record, in the byte order of the machine.
pub(super) trait Number: Sized {
    /// Reads the number at `offset`; `None` if the record is too short.
    fn at(record: &[u8], offset: usize) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            #[inline]
            fn at(record: &[u8], offset: usize) -> Option<Self> {
                let end = offset.checked_add(size_of::<$number>())?;
                Some(<$number>::from_ne_bytes(record.get(offset..end)?.try_into().ok()?))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64);

/// Defines a struct, its reader and its [`Layout`] from a list of fields.
///
/// `fields! { /// doc
/// Name = "CName", 40 bytes { /// doc
/// field: u32 = 4 "cName", } later { /// doc
/// field: u32 = 40 "cName", } }`
macro_rules! fields {
    (
        $(#[$doc:meta])*
        $name:ident = $c:literal, $least:literal bytes {
            $($(#[$fdoc:meta])* $field:ident: $type:ty = $offset:literal $cfield:literal,)*
        }
        later {
            $($(#[$ldoc:meta])* $late:ident: $ltype:ty = $loffset:literal $clate:literal,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[$fdoc])* pub $field: $type,)*
            $($(#[$ldoc])* pub $late: Option<$ltype>,)*
        }

        impl $name {
            /// The fields that are read, and their offsets.
            pub const LAYOUT: $crate::cupti::Layout = $crate::cupti::Layout {
                name: $c,
                least: $least,
                fields: &[$($crate::cupti::Field {
                    name: $cfield,
                    offset: $offset,
                    size: size_of::<$type>(),
                }),*],
                later: &[$($crate::cupti::Field {
                    name: $clate,
                    offset: $loffset,
                    size: size_of::<$ltype>(),
                }),*],
            };

            /// Reads a record; `None` if it is shorter than in any version.
            #[inline]
            fn read(record: &[u8]) -> Option<Self> {
                if record.len() < $least {
                    return None;
                }
                Some($name {
                    $($field: $crate::cupti::layout::Number::at(record, $offset)?,)*
                    $($late: $crate::cupti::layout::Number::at(record, $loffset),)*
                })
            }
        }
    };
}
pub(super) use fields;
