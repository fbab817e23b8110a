//! The types of fields and tails, and their encodings in a frame.

use super::code::{
    CodeOrigin, DependencyKind, DeviceWorkKind, MemoryKind, MessageSide, ProcessorKind,
    RuntimeCallKind,
};
use crate::id::{
    GpuUuid, ImageId, InstanceUid, LaunchUid, MemoryId, NameId, OperationUid, ProcessorId,
    ProvenanceId, ScopeId, StackId, StoreUid, TaskUid, Uid,
};
use crate::time::Timestamp;

/// A type with a fixed number of bytes in a frame.
pub trait FieldType: Sized {
    /// The name of the type in the file's list of kinds.
    const NAME: &'static str;
    /// The size in the frame, in bytes.
    const SIZE: usize;
    /// Encodes the value into `to`, which has [`Self::SIZE`] bytes.
    fn put(&self, to: &mut [u8]);
    /// Decodes a value from `from`, which has [`Self::SIZE`] bytes; `None` if they are malformed.
    fn get(from: &[u8]) -> Option<Self>;
    /// Returns the value for records of earlier versions, which lack the field; `None` if there is
    /// no such value.
    #[inline]
    fn missing() -> Option<Self> {
        None
    }
}

/// `u64::MAX` stands for `None`. A name that ends in `?` marks a field that files of earlier
/// versions may lack.
impl FieldType for Option<u64> {
    const NAME: &'static str = "u64?";
    const SIZE: usize = 8;
    #[inline]
    fn put(&self, to: &mut [u8]) {
        self.unwrap_or(u64::MAX).put(to);
    }
    #[inline]
    fn get(from: &[u8]) -> Option<Self> {
        u64::get(from).map(|value| Some(value).filter(|value| *value != u64::MAX))
    }
    #[inline]
    fn missing() -> Option<Self> {
        Some(None)
    }
}

/// Sixteen zeros stand for `None`. Files of earlier versions may lack the field: `None`.
impl FieldType for Option<GpuUuid> {
    const NAME: &'static str = "uuid?";
    const SIZE: usize = 16;
    #[inline]
    fn put(&self, to: &mut [u8]) {
        to.copy_from_slice(&self.map_or([0; 16], |uuid| *uuid.bytes()));
    }
    #[inline]
    fn get(from: &[u8]) -> Option<Self> {
        <[u8; 16]>::try_from(from).ok().map(GpuUuid::from_bytes)
    }
    #[inline]
    fn missing() -> Option<Self> {
        Some(None)
    }
}

/// Files of earlier versions may lack the field: `false`.
impl FieldType for bool {
    const NAME: &'static str = "bool?";
    const SIZE: usize = 1;
    #[inline]
    fn put(&self, to: &mut [u8]) {
        to[0] = u8::from(*self);
    }
    #[inline]
    fn get(from: &[u8]) -> Option<Self> {
        match from {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
    #[inline]
    fn missing() -> Option<Self> {
        Some(false)
    }
}

macro_rules! integers {
    ($($int:ty => $name:literal),*) => {$(
        impl FieldType for $int {
            const NAME: &'static str = $name;
            const SIZE: usize = size_of::<$int>();
            #[inline]
            fn put(&self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_le_bytes());
            }
            #[inline]
            fn get(from: &[u8]) -> Option<Self> {
                Some(<$int>::from_le_bytes(from.try_into().ok()?))
            }
        }
    )*};
}

integers!(u16 => "u16", u32 => "u32", u64 => "u64", i64 => "i64", f64 => "f64");

macro_rules! uids {
    ($($uid:ty => $name:literal),*) => {$(
        impl FieldType for $uid {
            const NAME: &'static str = $name;
            const SIZE: usize = 8;
            #[inline]
            fn put(&self, to: &mut [u8]) {
                self.raw().put(to);
            }
            #[inline]
            fn get(from: &[u8]) -> Option<Self> {
                Uid::from_raw(u64::get(from)?).map(Into::into)
            }
        }
    )*};
}

uids!(
    OperationUid => "operation", TaskUid => "task", LaunchUid => "launch",
    StoreUid => "store", InstanceUid => "instance"
);

macro_rules! optional_uids {
    ($($uid:ty => $name:literal or $missing:expr),*) => {$(
        /// 0 stands for `None`.
        impl FieldType for Option<$uid> {
            const NAME: &'static str = $name;
            const SIZE: usize = 8;
            #[inline]
            fn put(&self, to: &mut [u8]) {
                self.map_or(0, |uid| uid.raw()).put(to);
            }
            #[inline]
            fn get(from: &[u8]) -> Option<Self> {
                match u64::get(from)? {
                    0 => Some(None),
                    raw => Uid::from_raw(raw).map(|uid| Some(uid.into())),
                }
            }
            #[inline]
            fn missing() -> Option<Self> {
                $missing
            }
        }
    )*};
}

optional_uids!(
    OperationUid => "operation" or None, LaunchUid => "launch" or None,
    TaskUid => "task?" or Some(None), StoreUid => "store?" or Some(None)
);

macro_rules! indices {
    ($($index:ident($int:ty) => $name:literal),*) => {$(
        impl FieldType for $index {
            const NAME: &'static str = $name;
            const SIZE: usize = size_of::<$int>();
            #[inline]
            fn put(&self, to: &mut [u8]) {
                self.0.put(to);
            }
            #[inline]
            fn get(from: &[u8]) -> Option<Self> {
                <$int>::get(from).map($index)
            }
        }
    )*};
}

indices!(
    ProcessorId(u16) => "processor", MemoryId(u16) => "memory",
    NameId(u32) => "name", ProvenanceId(u32) => "provenance", ImageId(u64) => "image"
);

macro_rules! later_indices {
    ($($index:ident => $name:literal),*) => {$(
        /// Files of earlier versions may lack the field: 0.
        impl FieldType for $index {
            const NAME: &'static str = $name;
            const SIZE: usize = 4;
            #[inline]
            fn put(&self, to: &mut [u8]) {
                self.0.put(to);
            }
            #[inline]
            fn get(from: &[u8]) -> Option<Self> {
                u32::get(from).map($index)
            }
            #[inline]
            fn missing() -> Option<Self> {
                Some($index(0))
            }
        }
    )*};
}

later_indices!(ScopeId => "scope?", StackId => "stack?");

macro_rules! codes {
    ($($code:ty => $name:literal),*) => {$(
        impl FieldType for $code {
            const NAME: &'static str = $name;
            const SIZE: usize = 1;
            #[inline]
            fn put(&self, to: &mut [u8]) {
                to[0] = self.code();
            }
            #[inline]
            fn get(from: &[u8]) -> Option<Self> {
                from.first().and_then(|code| <$code>::from_code(*code))
            }
        }
    )*};
}

codes!(
    ProcessorKind => "processor_kind", MemoryKind => "memory_kind",
    DependencyKind => "dependency_kind", DeviceWorkKind => "device_work_kind",
    RuntimeCallKind => "runtime_call_kind", MessageSide => "message_side", CodeOrigin => "code_origin"
);

impl FieldType for Timestamp {
    const NAME: &'static str = "timestamp";
    const SIZE: usize = 8;
    #[inline]
    fn put(&self, to: &mut [u8]) {
        self.nanos().put(to);
    }
    #[inline]
    fn get(from: &[u8]) -> Option<Self> {
        i64::get(from).map(Timestamp::from_nanos_since_boot)
    }
}

/// The variable part at the end of a frame.
pub trait Tail<'a>: Sized {
    /// The name of the type in the file's list of kinds.
    const NAME: &'static str;
    /// Returns the size of this value in bytes.
    fn size(&self) -> usize;
    /// Encodes the value into `to`, which has [`Self::size`] bytes.
    fn put(&self, to: &mut [u8]);
    /// Decodes a value from all of `from`; `None` if the bytes are malformed.
    fn get(from: &'a [u8]) -> Option<Self>;
}

/// No tail. The tail of a later version is skipped.
impl Tail<'_> for () {
    const NAME: &'static str = "";
    #[inline]
    fn size(&self) -> usize {
        0
    }
    #[inline]
    fn put(&self, _to: &mut [u8]) {}
    #[inline]
    fn get(_from: &[u8]) -> Option<Self> {
        Some(())
    }
}

/// A UTF-8 string.
impl<'a> Tail<'a> for &'a str {
    const NAME: &'static str = "string";
    fn size(&self) -> usize {
        self.len()
    }
    fn put(&self, to: &mut [u8]) {
        to.copy_from_slice(self.as_bytes());
    }
    fn get(from: &'a [u8]) -> Option<Self> {
        std::str::from_utf8(from).ok()
    }
}

/// A list of items of fixed size: a slice when written, and bytes when read back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum List<'a, T> {
    /// Items to write.
    Items(&'a [T]),
    /// Bytes that were read: a whole number of items, each of which decodes.
    Bytes(&'a [u8]),
}

/// A type of items of a [`List`].
pub trait Item: FieldType + Copy + 'static {}

impl<T: Item> List<'_, T> {
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        match self {
            List::Items(items) => items.len(),
            List::Bytes(bytes) => bytes.len() / T::SIZE,
        }
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the items in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        let (items, bytes) = match *self {
            List::Items(items) => (items, &[][..]),
            List::Bytes(bytes) => (&[][..], bytes),
        };
        items
            .iter()
            .copied()
            .chain(bytes.chunks_exact(T::SIZE).filter_map(T::get))
    }
}

impl<'a, T: Item> Tail<'a> for List<'a, T> {
    const NAME: &'static str = T::NAME;
    #[inline]
    fn size(&self) -> usize {
        self.len() * T::SIZE
    }
    fn put(&self, to: &mut [u8]) {
        match self {
            List::Items(items) => {
                for (item, to) in items.iter().zip(to.chunks_exact_mut(T::SIZE)) {
                    item.put(to);
                }
            }
            List::Bytes(bytes) => to.copy_from_slice(bytes),
        }
    }
    fn get(from: &'a [u8]) -> Option<Self> {
        let whole = from.len().is_multiple_of(T::SIZE);
        (whole
            && from
                .chunks_exact(T::SIZE)
                .all(|item| T::get(item).is_some()))
        .then_some(List::Bytes(from))
    }
}

/// The extent of an axis.
impl Item for u64 {}

/// A pair is encoded as its two parts in order.
impl<A: FieldType, B: FieldType> FieldType for (A, B) {
    const NAME: &'static str = "pair";
    const SIZE: usize = A::SIZE + B::SIZE;
    #[inline]
    fn put(&self, to: &mut [u8]) {
        let (a, b) = to.split_at_mut(A::SIZE);
        self.0.put(a);
        self.1.put(b);
    }
    #[inline]
    fn get(from: &[u8]) -> Option<Self> {
        let (a, b) = from.split_at_checked(A::SIZE)?;
        Some((A::get(a)?, B::get(b)?))
    }
}

impl<A: FieldType + Copy + 'static, B: FieldType + Copy + 'static> Item for (A, B) {}
