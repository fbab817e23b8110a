//! Structs that are read from fixed offsets, and what they say of themselves.

/// A field of a struct of CUPTI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in NVIDIA's header.
    pub name: &'static str,
    /// Bytes before it.
    pub offset: usize,
    /// Bytes of it.
    pub size: usize,
}

/// What is read of a struct of CUPTI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Its name in NVIDIA's header, without the number of its version.
    pub name: &'static str,
    /// Its length in CUDA 12.0.
    pub least: usize,
    /// Fields that every version has.
    pub fields: &'static [Field],
    /// Fields that came later.
    pub later: &'static [Field],
}

/// A number in a record, in the byte order of the machine.
pub(super) trait Number: Sized {
    /// Reads it; `None` if the record ends before it does.
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

/// Makes a struct, its reader and its [`Layout`] of a list of fields.
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
            /// Where its fields stand.
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

            /// Reads a record; `None` if it is shorter than it ever was.
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
