//! Operations as words, as recorded in profiles: their tilings and their views.

use std::sync::Arc;

use crate::{Access, Image, Layout, MAX_DIMS, Projection, Shape, Tiling};

/// Encodes a tiling, and whether ranks can share out the tiles.
pub fn from_tiling(tiling: Tiling, may_share: bool) -> u64 {
    let (kind, value) = match tiling {
        Tiling::Whole => (0, 0),
        Tiling::Processors { work } => (1, work as u64),
        Tiling::Across { axis } => (2, u64::from(axis)),
        Tiling::Shape { work } => (3, work as u64),
        Tiling::Along { axis } => (4, u64::from(axis)),
        Tiling::Few { work } => (5, work as u64),
        Tiling::Product { inner } => (6, inner as u64),
        Tiling::Axes {
            axes,
            work,
            by_shape,
        } => {
            let work = u64::from(work) << 9;
            (7, u64::from(axes) | u64::from(by_shape) << 8 | work)
        }
        Tiling::Together { axes, work } => (8, u64::from(axes) | u64::from(work) << 8),
    };
    kind | u64::from(may_share) << 7 | value << 8
}

/// Decodes a tiling from its word; `None` if the word is malformed.
pub fn to_tiling(word: u64) -> Option<(Tiling, bool)> {
    let value = word >> 8;
    let tiling = match word & 0x7f {
        0 => Tiling::Whole,
        1 => Tiling::Processors {
            work: value as usize,
        },
        2 => Tiling::Across { axis: axis(value)? },
        3 => Tiling::Shape {
            work: value as usize,
        },
        4 => Tiling::Along { axis: axis(value)? },
        5 => Tiling::Few {
            work: value as usize,
        },
        6 => Tiling::Product {
            inner: value as usize,
        },
        7 => Tiling::Axes {
            axes: value as u8,
            work: (value >> 9) as u32,
            by_shape: value & 0x100 != 0,
        },
        8 => Tiling::Together {
            axes: value as u8,
            work: (value >> 8) as u32,
        },
        _ => return None,
    };
    Some((tiling, word & 0x80 != 0))
}

/// A view of a store as an operation uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The number of the store.
    pub store: u64,
    /// The view's elements.
    pub layout: Layout,
    /// The operation's access to each.
    pub access: Access,
    /// The part of them that a tile works on.
    pub projection: Projection,
}

impl View {
    /// Calls `put` with each word: the store, the access and the kind of projection, the first
    /// element, the extent and the step of each axis, and the single axes of the projection. An
    /// image is written as the number, less than 2^56, that `number` returns. Its own words are
    /// those of [`Image::put`].
    #[inline]
    pub fn put(&self, number: impl FnMut(&Arc<Image>) -> u64, mut put: impl FnMut(u64)) {
        let access = match self.access {
            Access::Read => 0,
            Access::Write => 1,
            Access::ReadWrite => 2_u64,
        };
        let (kind, value) = self.projection.head();
        put(self.store);
        put(access | kind << 8 | (self.layout.rank() as u64) << 16 | value << 32);
        put(self.layout.offset as u64);
        for (extent, step) in self.layout.shape.dims().iter().zip(self.layout.strides()) {
            put(*extent as u64);
            put(*step as u64);
        }
        self.projection.put(number, put);
    }

    /// Reads the words of one view. Returns `None` if they end early or are malformed, or if
    /// `image_of` finds no image of a number.
    pub fn get(
        words: &mut impl Iterator<Item = u64>,
        mut image_of: impl FnMut(u64) -> Option<Arc<Image>>,
    ) -> Option<View> {
        let store = words.next()?;
        let head = words.next()?;
        let value = head >> 32;
        let access = match head & 0xff {
            0 => Access::Read,
            1 => Access::Write,
            2 => Access::ReadWrite,
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
        let projection = Projection::get((head >> 8 & 0xff, value), words, &mut image_of)?;
        Some(View {
            store,
            layout: Layout {
                shape: Shape::new(&dims[..rank])?,
                strides,
                offset,
            },
            access,
            projection,
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
    use crate::{Along, Rest};

    #[test]
    fn tilings_survive_round_trip_through_words() {
        let grains = [
            Tiling::Whole,
            Tiling::Processors { work: 1 << 40 },
            Tiling::Across { axis: 2 },
            Tiling::Shape { work: 7 },
            Tiling::Product { inner: 7 },
            Tiling::Along { axis: 1 },
            Tiling::Few { work: 4 },
            Tiling::Together { axes: 5, work: 9 },
            Tiling::Axes {
                axes: 0b101,
                work: u32::MAX,
                by_shape: true,
            },
        ];
        for tiling in grains {
            for may_share in [false, true] {
                assert_eq!(
                    to_tiling(from_tiling(tiling, may_share)),
                    Some((tiling, may_share))
                );
            }
        }
        let whole = Layout::contiguous(Shape::new(&[5, 6, 7]).unwrap());
        let layouts = [
            whole,
            whole.slice(1, Some(-1), None, -2).unwrap(),
            Layout::contiguous(Shape::SCALAR),
        ];
        let projections = [
            Projection::Same,
            Projection::Whole,
            Projection::except(1),
            Projection::only(0),
            Projection::beside(3),
            Projection::of_tiles(true),
            Projection::halo([(1, 2)]),
            Projection::blocks(4096),
        ];
        let mut words = Vec::new();
        let mut views = Vec::new();
        for (at, projection) in projections.into_iter().enumerate() {
            for access in [Access::Read, Access::Write, Access::ReadWrite] {
                let view = View {
                    store: 1 << 62 | at as u64,
                    layout: layouts[at % 3],
                    access,
                    projection: projection.clone(),
                };
                view.put(|_| unreachable!(), |word| words.push(word));
                views.push(view);
                assert_eq!(Access::from_name(access.name()), Some(access));
            }
        }
        let mut rest = words.iter().copied();
        for view in views {
            assert_eq!(View::get(&mut rest, |_| None), Some(view));
        }
        assert_eq!(rest.next(), None);
        // Neither half of a view nor a word without meaning is a view.
        assert_eq!(View::get(&mut words[..4].iter().copied(), |_| None), None);
        assert_eq!(View::get(&mut std::iter::repeat(u64::MAX), |_| None), None);
    }
    /// Returns a view of a vector through images along two axes, and its words.
    fn through_images(images: [&Arc<Image>; 2]) -> (View, Vec<u64>) {
        let along = images.map(|image| Along::Image(image.clone()));
        let view = View {
            store: 3,
            layout: Layout::contiguous(Shape::new(&[40, 50]).unwrap()),
            access: Access::Read,
            projection: Projection::of_axes(along, Rest::Whole),
        };
        let mut words = Vec::new();
        let number = |image: &Arc<Image>| u64::from(Arc::ptr_eq(image, images[1])) + (1 << 55);
        view.put(number, |word| words.push(word));
        (view, words)
    }

    #[test]
    fn views_encode_images_by_number() {
        let exact = Arc::new(Image::new([vec![(0, 2), (4, 9)], vec![], vec![(7, 8)]]));
        let bounds = Arc::new(Image::of_bounds([(0, 0), (3, 6)]));
        let (view, words) = through_images([&exact, &bounds]);
        let found = |number: u64| match number - (1 << 55) {
            0 => Some(exact.clone()),
            1 => Some(bounds.clone()),
            _ => None,
        };
        assert_eq!(words.len(), 9);
        let mut rest = words.iter().copied();
        assert_eq!(View::get(&mut rest, found).as_ref(), Some(&view));
        assert_eq!(rest.next(), None);
        // A view with an unknown image is not read.
        let first_only = |number| found(number).filter(|image| Arc::ptr_eq(image, &exact));
        assert_eq!(View::get(&mut words.iter().copied(), first_only), None);

        // Profiles of earlier versions have the words of images in place of their numbers.
        let mut whole = words[..7].to_vec();
        for image in [&exact, &bounds] {
            let mut own = Vec::new();
            image.put(|word| own.push(word));
            assert_eq!(
                Image::from_words(own.iter().copied()).as_ref(),
                Some(&**image)
            );
            assert_eq!(Image::from_words(own[1..].iter().copied()), None);
            assert_eq!(
                Image::from_words(own[..own.len() - 1].iter().copied()),
                None
            );
            let longer = own.iter().copied().chain([0]);
            assert_eq!(Image::from_words(longer), None);
            whole.extend(own);
        }
        let mut rest = whole.into_iter();
        assert_eq!(View::get(&mut rest, |_| None), Some(view));
        assert_eq!(rest.next(), None);
    }
}
