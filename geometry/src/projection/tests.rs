use super::*;
use crate::{Cuts, Tiling};

fn view(dims: &[usize]) -> Layout {
    Layout::contiguous(Shape::new(dims).unwrap())
}

/// The shape 100 by 6, cut into two along the first axis, and the second tile.
fn second() -> (Shape, Cut) {
    let shape = Shape::new(&[100, 6]).unwrap();
    let cuts = Cuts::new(&shape, Tiling::Processors { work: 1 }, 300, 2);
    assert_eq!((cuts.tiles(), cuts.get(0).axis()), (2, 0));
    (shape, cuts.get(1))
}

fn part(projection: &Projection, dims: &[usize]) -> (usize, Vec<usize>) {
    let (shape, cut) = second();
    let part = projection.part(&view(dims), &shape, &cut);
    (part.offset, part.shape.dims().to_vec())
}

#[test]
fn each_kind_has_its_part() {
    let whole = [100, 6];
    assert_eq!(part(&Projection::Same, &whole), (300, vec![50, 6]));
    assert_eq!(part(&Projection::Whole, &whole), (0, vec![100, 6]));
    assert_eq!(part(&Projection::except(0), &whole), (0, vec![100, 6]));
    assert_eq!(part(&Projection::except(1), &whole), (300, vec![50, 6]));
    assert_eq!(part(&Projection::only(0), &[100]), (50, vec![50]));
    assert_eq!(part(&Projection::only(1), &[100]), (0, vec![100]));
    let beside = |axis| part(&Projection::beside(axis), &[100, 100, 6]);
    assert_eq!(beside(0), (300, vec![100, 50, 6]));
    assert_eq!(beside(1), (30_000, vec![50, 100, 6]));
    assert_eq!(part(&Projection::of_tiles(true), &[2]), (1, vec![1]));
    assert_eq!(part(&Projection::of_tiles(false), &[2, 7]), (7, vec![7]));
}

#[test]
fn affine_functions_give_ranges_within_the_operand() {
    let of = |affine: Affine, extent| {
        let projection = Projection::of_axes([Along::Affine(affine)], Rest::Whole);
        let (first, dims) = part(&projection, &[extent]);
        (first, first + dims[0])
    };
    let same = Affine::same(0);
    // Rows 50 to 100 of the operation.
    assert_eq!(of(same, 100), (50, 100));
    let halo = Affine {
        low: 2,
        high: 1,
        ..same
    };
    assert_eq!(of(halo, 100), (48, 100));
    assert_eq!(of(halo, 120), (48, 101));
    assert_eq!(of(Affine::blocks(0, 10), 995), (500, 995));
    assert_eq!(of(Affine { over: 4, ..same }, 25), (12, 25));
    assert_eq!(
        of(
            Affine {
                times: 3,
                over: 2,
                ..same
            },
            150
        ),
        (75, 150)
    );
    assert_eq!(of(Affine { offset: 7, ..same }, 200), (57, 107));
    assert_eq!(
        of(
            Affine {
                offset: -60,
                ..same
            },
            200
        ),
        (0, 40)
    );
    // Of an axis that is not cut, an affine function may leave some out.
    let across = Affine {
        of: 1,
        offset: 2,
        ..same
    };
    assert_eq!(of(across, 20), (2, 8));
    assert_eq!(
        of(
            Affine {
                of: 1,
                low: 1,
                ..same
            },
            6
        ),
        (0, 6)
    );
}

#[test]
fn an_image_has_the_bounds_of_its_tile() {
    let image = |tiles: &[(usize, usize)]| {
        let projection = Projection::of_axes([Along::Image(tiles.into())], Rest::Whole);
        part(&projection, &[40, 2])
    };
    assert_eq!(image(&[(0, 10), (8, 30)]), (16, vec![22, 2]));
    assert_eq!(image(&[(0, 10)]), (0, vec![0, 2]));
    assert_eq!(image(&[(0, 10), (5, 5)]), (0, vec![0, 2]));
    // All tiles together.
    let shape = Shape::new(&[100, 6]).unwrap();
    let cuts = Cuts::new(&shape, Tiling::Processors { work: 1 }, 300, 2);
    let along = Along::Image([(12, 20), (3, 3), (4, 15)][..].into());
    assert_eq!(along.bounds(40, &shape, &cuts.all()), (12, 20));
}

#[test]
fn a_halo_of_a_grid_has_neighbours_along_the_cut_axis() {
    let halo = Projection::halo([(1, 1), (2, 2)]);
    assert_eq!(part(&halo, &[100, 6]), (49 * 6, vec![51, 6]));
}

/// One of each kind.
fn samples() -> Vec<Projection> {
    let odd = Affine {
        of: 2,
        times: 3,
        over: 2,
        offset: -5,
        low: 1,
        high: 20,
    };
    vec![
        Projection::Same,
        Projection::Whole,
        Projection::except(1),
        Projection::only(3),
        Projection::beside(2),
        Projection::of_tiles(true),
        Projection::of_tiles(false),
        Projection::blocks(4096),
        Projection::halo([(1, 1), (0, 2)]),
        Projection::of_axes(
            [Along::Affine(odd), Along::Whole],
            Rest::Same { removed: 1 },
        ),
        Projection::of_axes([Along::Image([(0, 5), (5, 9)][..].into())], Rest::Whole),
        Projection::of_axes([Along::Image([][..].into())], Rest::Whole),
    ]
}

#[test]
fn text_and_words_come_back_as_they_were() {
    for projection in samples() {
        let text = projection.to_string();
        assert_eq!(text.parse(), Ok(projection.clone()), "{text}");
        let mut words = Vec::new();
        projection.put(|word| words.push(word));
        let mut rest = words.iter().copied();
        let back = Projection::get(projection.head(), &mut rest);
        assert_eq!((back, rest.next()), (Some(projection), None), "{text}");
    }
    for wrong in [
        "",
        "[",
        "[i9, ..]",
        "[i0/0, ..]",
        "[x, ..]",
        "[*]",
        "..",
        "[t, ..-]",
    ] {
        assert!(wrong.parse::<Projection>().is_err(), "{wrong}");
    }
    assert_eq!(Projection::halo([(1, 2)]).to_string(), "[i0<1>2, ..]");
    assert_eq!(Projection::beside(1).to_string(), "[i0, *, ..-1]");
}

#[test]
fn what_is_the_same_is_equal_however_it_is_made() {
    let axes = [Along::same(0), Along::same(1)];
    assert_eq!(
        Projection::of_axes(axes, Rest::Same { removed: 0 }),
        Projection::Same
    );
    assert_eq!(
        Projection::of_axes([Along::Whole], Rest::Whole),
        Projection::Whole
    );
    assert_eq!(Projection::halo([(0, 0)]), Projection::Same);
    assert_eq!(
        Projection::from_name("except", 2),
        Some(Projection::except(2))
    );
    assert_eq!(Projection::from_name("except", 9), None);
}

#[test]
fn bounds_are_those_of_the_part() {
    let (shape, cut) = second();
    for projection in samples() {
        let view = view(&[100, 90, 7]);
        let bounds = projection.bounds(view.shape.dims(), &shape, &cut);
        let part = projection.part(&view, &shape, &cut);
        let extents: Vec<usize> = bounds.iter().map(|(first, end)| end - first).collect();
        let first: usize = bounds
            .iter()
            .zip(view.strides())
            .map(|(one, step)| one.0 * *step as usize)
            .sum();
        assert_eq!(
            part.shape.len(),
            extents.iter().product::<usize>(),
            "{projection}"
        );
        if !part.shape.is_empty() {
            assert_eq!(part.offset, first, "{projection}");
        }
    }
}
