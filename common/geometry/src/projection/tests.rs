use super::*;
use crate::{Block, Cuts, Tiling};

fn view(dims: &[usize]) -> Layout {
    Layout::contiguous(Shape::new(dims).unwrap())
}

/// Returns the shape 100 by 6 and its second tile of two along the first axis.
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
fn selects_part_for_each_projection_kind() {
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
fn clamps_affine_ranges_to_the_operand() {
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
    // An affine function of an axis that is not cut may leave indices out.
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
fn image_part_has_bounds_of_its_tile() {
    let image = |tiles: &[(usize, usize)]| part(&bounds(tiles), &[40, 2]);
    assert_eq!(image(&[(0, 10), (8, 30)]), (16, vec![22, 2]));
    assert_eq!(image(&[(0, 10)]), (0, vec![0, 2]));
    assert_eq!(image(&[(0, 10), (5, 5)]), (0, vec![0, 2]));
    // All tiles together.
    let shape = Shape::new(&[100, 6]).unwrap();
    let cuts = Cuts::new(&shape, Tiling::Processors { work: 1 }, 300, 2);
    let all = Image::of_bounds([(12, 20), (3, 3), (4, 15)]);
    let along = Along::Image(Arc::new(all));
    assert_eq!(along.bounds(40, &shape, &cuts.all()), (12, 20));
}

/// Returns a projection to an image of one run for each tile.
fn bounds(tiles: &[(usize, usize)]) -> Projection {
    let image = Image::of_bounds(tiles.iter().copied());
    Projection::of_axes([Along::Image(Arc::new(image))], Rest::Whole)
}

/// Returns a projection to an image whose second tile touches 3 to 5, 9, and 20 to 30.
fn gaps() -> Projection {
    let image = Image::new([vec![(0, 9)], vec![(20, 30), (3, 6), (9, 10)]]);
    Projection::of_axes([Along::Image(Arc::new(image))], Rest::Whole)
}

#[test]
fn splits_parts_with_gaps_into_pieces() {
    let (shape, cut) = second();
    let view = view(&[40, 2]);
    let pieces = gaps().pieces(&view, &shape, &cut);
    let found: Vec<_> = pieces
        .iter()
        .map(|piece| (piece.offset, piece.shape.dims()[0]))
        .collect();
    assert_eq!(found, [(6, 3), (18, 1), (40, 10)]);
    assert_eq!(
        gaps().part(&view, &shape, &cut),
        view.tile(&[3, 0], &[30, 2])
    );
    assert_eq!(gaps().count(&view, &shape, &cut), 28);
    assert!(gaps().has_gaps(&cut));
    assert_eq!(gaps().to_string(), "[{0:9 3:6,9:10,20:30}, ..*]");
    // There is one piece if there are no gaps.
    assert_eq!(
        bounds(&[(0, 9), (3, 30)]).pieces(&view, &shape, &cut).len(),
        1
    );
}

#[test]
fn regions_exclude_image_gaps() {
    let (shape, cut) = second();
    let store = Shape::new(&[2, 50]).unwrap();
    // Index 4 of the store's second axis is index 0 of the view's.
    let view = Layout::contiguous(store)
        .slice(1, Some(4), None, 1)
        .unwrap();
    let view = view.permute(&[1, 0]).unwrap();
    let region = gaps().region(&view, &store, &shape, &cut).unwrap();
    let touched = |at: usize| (3..6).contains(&at) || at == 9 || (20..30).contains(&at);
    let column = |first: usize, end: usize| {
        Region::of(
            &Layout::contiguous(store).tile(&[0, first], &[2, end]),
            &store,
        )
        .unwrap()
    };
    for at in 4..50 {
        assert_eq!(
            region.overlaps(&column(at, at + 1)),
            touched(at - 4),
            "{at}"
        );
        assert_eq!(
            column(at, at + 1).overlaps(&region),
            touched(at - 4),
            "{at}"
        );
        let shared = 2 * usize::from(touched(at - 4));
        assert_eq!(region.shared(&column(at, at + 1)), shared, "{at}");
    }
    assert_eq!(column(0, 50).shared(&region), 28);
    assert_eq!(region.shared(&column(8, 26)), 2 * (2 + 1 + 2));
    // A region contains itself, and no other region is known to lie in it. Nor does it remove
    // anything from others.
    assert!(region.contains(&region.clone()) && !region.contains(&column(27, 28)));
    assert!(column(7, 34).contains(&region) && !column(8, 34).contains(&region));
    let mut whole = column(0, 34);
    whole.without(&region);
    assert!(whole.overlaps(&column(27, 28)));
    assert_eq!(region.block(&store), (Block::new([(0, 2), (7, 34)]), false));
    // The view takes every other index of the store, so the gaps are filled.
    let wide = Shape::new(&[100, 2]).unwrap();
    let every = Layout::contiguous(wide).slice(0, None, None, 2).unwrap();
    let region = gaps().region(&every, &wide, &shape, &cut).unwrap();
    let row = Region::of(&every.index(0, 7).unwrap(), &wide).unwrap();
    assert!(region.overlaps(&row));
}

#[test]
fn halo_extends_only_along_the_cut_axis() {
    let halo = Projection::halo([(1, 1), (2, 2)]);
    assert_eq!(part(&halo, &[100, 6]), (49 * 6, vec![51, 6]));
}

/// Returns a projection of each kind.
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
        bounds(&[(0, 5), (5, 9)]),
        bounds(&[(0, 5), (0, 0), (5, 9)]),
        bounds(&[]),
        gaps(),
    ]
}

#[test]
fn projections_survive_round_trip_through_text_and_words() {
    for projection in samples() {
        let text = projection.to_string();
        assert_eq!(text.parse(), Ok(projection.clone()), "{text}");
        let (mut words, mut images) = (Vec::new(), Vec::new());
        let number = |image: &Arc<Image>| {
            images.push(image.clone());
            images.len() as u64
        };
        projection.put(number, |word| words.push(word));
        let mut rest = words.iter().copied();
        let mut image_of = |number: u64| images.get(number as usize - 1).cloned();
        let back = Projection::get(projection.head(), &mut rest, &mut image_of);
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
fn equivalent_projections_compare_equal() {
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
fn projection_bounds_match_its_part() {
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
