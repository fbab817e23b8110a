//! Operations as words: how they are cut and what they work on, in the form in which it is recorded.

use crate::{Access, Follow, Grain, Layout, MAX_DIMS, Shape};

/// How an operation is cut, and whether ranks can share out its tiles.
pub fn from_grain(grain: Grain, may_share: bool) -> u64 {
    let (kind, value) = match grain {
        Grain::Whole => (0, 0),
        Grain::Processors { work } => (1, work as u64),
        Grain::Across { axis } => (2, u64::from(axis)),
        Grain::Shape { work } => (3, work as u64),
        Grain::Along { axis } => (4, u64::from(axis)),
    };
    kind | u64::from(may_share) << 7 | value << 8
}

/// The other way; `None` of a word that is none of these.
pub fn to_grain(word: u64) -> Option<(Grain, bool)> {
    let value = word >> 8;
    let grain = match word & 0x7f {
        0 => Grain::Whole,
        1 => Grain::Processors {
            work: value as usize,
        },
        2 => Grain::Across { axis: axis(value)? },
        3 => Grain::Shape {
            work: value as usize,
        },
        4 => Grain::Along { axis: axis(value)? },
        _ => return None,
    };
    Some((grain, word & 0x80 != 0))
}

/// A view of a store as an operation uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The store.
    pub store: u64,
    /// Which elements of it.
    pub layout: Layout,
    /// What is done with them.
    pub access: Access,
    /// Which part of them a tile works on.
    pub follow: Follow,
}

impl View {
    /// Calls `put` with each word: the store, what is done how, the first element, and of each axis the extent and the step.
    #[inline]
    pub fn put(&self, mut put: impl FnMut(u64)) {
        let access = match self.access {
            Access::Read => 0,
            Access::Write => 1,
            Access::ReadWrite => 2_u64,
        };
        let (kind, value) = match self.follow {
            Follow::Same => (0, 0),
            Follow::Whole => (1, 0),
            Follow::Except { axis } => (2, u64::from(axis)),
            Follow::Only { axis } => (3, u64::from(axis)),
            Follow::Beside { axis } => (4, u64::from(axis)),
            Follow::Elements => (5, 0),
            Follow::Rows => (6, 0),
            Follow::Blocks { length } => (7_u64, u64::from(length)),
        };
        put(self.store);
        put(access | kind << 8 | (self.layout.rank() as u64) << 16 | value << 32);
        put(self.layout.offset as u64);
        for (extent, step) in self.layout.shape.dims().iter().zip(self.layout.strides()) {
            put(*extent as u64);
            put(*step as u64);
        }
    }

    /// Reads the words of one view; `None` where they end early, or are those of no view.
    pub fn get(words: &mut impl Iterator<Item = u64>) -> Option<View> {
        let store = words.next()?;
        let head = words.next()?;
        let value = head >> 32;
        let access = match head & 0xff {
            0 => Access::Read,
            1 => Access::Write,
            2 => Access::ReadWrite,
            _ => return None,
        };
        let follow = match head >> 8 & 0xff {
            0 => Follow::Same,
            1 => Follow::Whole,
            2 => Follow::Except { axis: axis(value)? },
            3 => Follow::Only { axis: axis(value)? },
            4 => Follow::Beside { axis: axis(value)? },
            5 => Follow::Elements,
            6 => Follow::Rows,
            7 => Follow::Blocks {
                length: value as u32,
            },
            _ => return None,
        };
        let rank = (head >> 16 & 0xffff) as usize;
        if rank > MAX_DIMS {
            return None;
        }
        let offset = words.next()? as usize;
        let (mut dims, mut strides) = ([0; MAX_DIMS], [0; MAX_DIMS]);
        for axis in 0..rank {
            dims[axis] = words.next()? as usize;
            strides[axis] = words.next()? as isize;
        }
        Some(View {
            store,
            layout: Layout {
                shape: Shape::new(&dims[..rank])?,
                strides,
                offset,
            },
            access,
            follow,
        })
    }
}

fn axis(value: u64) -> Option<u8> {
    u8::try_from(value)
        .ok()
        .filter(|axis| usize::from(*axis) < MAX_DIMS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were() {
        let grains = [
            Grain::Whole,
            Grain::Processors { work: 1 << 40 },
            Grain::Across { axis: 2 },
            Grain::Shape { work: 7 },
            Grain::Along { axis: 1 },
        ];
        for grain in grains {
            for may_share in [false, true] {
                assert_eq!(
                    to_grain(from_grain(grain, may_share)),
                    Some((grain, may_share))
                );
            }
        }
        let whole = Layout::contiguous(Shape::new(&[5, 6, 7]).unwrap());
        let layouts = [
            whole,
            whole.slice(1, Some(-1), None, -2).unwrap(),
            Layout::contiguous(Shape::SCALAR),
        ];
        let follows = [
            Follow::Same,
            Follow::Whole,
            Follow::Except { axis: 1 },
            Follow::Only { axis: 0 },
            Follow::Beside { axis: 3 },
            Follow::Elements,
            Follow::Rows,
            Follow::Blocks { length: 4096 },
        ];
        let mut words = Vec::new();
        let mut views = Vec::new();
        for (at, follow) in follows.into_iter().enumerate() {
            for access in [Access::Read, Access::Write, Access::ReadWrite] {
                let view = View {
                    store: 1 << 62 | at as u64,
                    layout: layouts[at % 3],
                    access,
                    follow,
                };
                view.put(|word| words.push(word));
                views.push(view);
                let (name, value) = follow.name();
                assert_eq!(Follow::from_name(name, value), Some(follow));
                assert_eq!(Access::from_name(access.name()), Some(access));
            }
        }
        let mut rest = words.iter().copied();
        for view in views {
            assert_eq!(View::get(&mut rest), Some(view));
        }
        assert_eq!(rest.next(), None);
        // Neither half a view nor nonsense is one.
        assert_eq!(View::get(&mut words[..4].iter().copied()), None);
        assert_eq!(View::get(&mut std::iter::repeat(u64::MAX)), None);
    }
}
