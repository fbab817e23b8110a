use super::*;

fn whole(dims: &[usize]) -> Layout {
    Layout::contiguous(Shape::new(dims).unwrap())
}

/// Returns the element numbers of a view in row-major order.
fn elements(layout: &Layout) -> Vec<usize> {
    let at = |flat| layout.offset_of(&layout.shape.unravel(flat)[..layout.rank()]);
    (0..layout.shape.len()).map(at).collect()
}

#[test]
fn slices_follow_python() {
    let line = whole(&[10]);
    let cut = |start, end, step| elements(&line.slice(0, start, end, step).unwrap());
    assert_eq!(cut(Some(2), Some(5), 1), [2, 3, 4]);
    assert_eq!(cut(None, None, -1), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(cut(Some(-3), None, 1), [7, 8, 9]);
    assert_eq!(cut(Some(8), Some(2), -3), [8, 5]);
    assert_eq!(cut(Some(100), Some(-100), -4), [9, 5, 1]);
    assert_eq!(cut(Some(5), Some(2), 1), [0; 0]);
    assert_eq!(cut(None, None, 100), [0]);
    assert!(line.slice(0, None, None, 0).is_none());
    assert!(line.slice(1, None, None, 1).is_none());
}

#[test]
fn slicing_matches_a_list() {
    for dim in 0..5isize {
        let line = whole(&[dim as usize]);
        for start in -7..7 {
            for end in -7..7 {
                for step in [-3, -2, -1, 1, 2, 3] {
                    let got = elements(&line.slice(0, Some(start), Some(end), step).unwrap());
                    assert_eq!(
                        got,
                        python_slice(dim, start, end, step),
                        "{dim} {start}:{end}:{step}"
                    );
                }
            }
        }
    }
}

/// Slices a dimension by CPython's rule, step by step.
fn python_slice(dim: isize, start: isize, end: isize, step: isize) -> Vec<usize> {
    let fix = |at: isize| {
        let at = if at < 0 { at + dim } else { at };
        if at < 0 {
            if step < 0 { -1 } else { 0 }
        } else if at >= dim {
            if step < 0 { dim - 1 } else { dim }
        } else {
            at
        }
    };
    let (mut at, end) = (fix(start), fix(end));
    let mut taken = Vec::new();
    while if step > 0 { at < end } else { at > end } {
        taken.push(at as usize);
        at += step;
    }
    taken
}

#[test]
fn transposes_and_broadcasts_visit_the_same_elements() {
    let grid = whole(&[2, 3]);
    assert_eq!(elements(&grid.transpose()), [0, 3, 1, 4, 2, 5]);
    assert_eq!(grid.permute(&[0, 0]), None);
    let row = grid.index(0, -1).unwrap();
    assert_eq!(
        elements(&row.broadcast_to(grid.shape).unwrap()),
        [3, 4, 5, 3, 4, 5]
    );
    assert_eq!(row.broadcast_to(Shape::new(&[4]).unwrap()), None);
    assert_eq!(elements(&row.insert_axis(1).unwrap()), [3, 4, 5]);
    assert_eq!(row.insert_axis(1).unwrap().shape.dims(), [3, 1]);
    assert_eq!(grid.index(0, 2), None);
    assert_eq!(grid.index(0, -3), None);
}

#[test]
fn tiles_are_rectangles() {
    let grid = whole(&[4, 5]).slice(1, None, None, -2).unwrap();
    assert_eq!(elements(&grid.tile(&[1, 1], &[3, 3])), [7, 5, 12, 10]);
    assert!(grid.tile(&[2, 0], &[2, 3]).shape.is_empty());
}

#[test]
fn reshape_returns_a_view_if_strides_allow() {
    let to = |dims: &[usize]| Shape::new(dims).unwrap();
    let grid = whole(&[4, 6]);
    assert_eq!(
        elements(&grid.reshape(to(&[2, 2, 6, 1])).unwrap()),
        (0..24).collect::<Vec<_>>()
    );
    assert_eq!(grid.transpose().reshape(to(&[24])), None);
    let columns = grid.slice(1, None, None, 2).unwrap();
    assert_eq!(
        elements(&columns.reshape(to(&[12])).unwrap()),
        elements(&columns)
    );
    let left = grid.slice(1, None, Some(3), 1).unwrap();
    assert_eq!(left.reshape(to(&[12])), None);
    assert_eq!(
        elements(&left.reshape(to(&[2, 2, 3])).unwrap()),
        elements(&left)
    );
    assert_eq!(grid.reshape(to(&[5, 5])), None);
    assert_eq!(whole(&[1, 1]).reshape(to(&[])).unwrap().shape.rank(), 0);
    assert!(whole(&[0, 3]).reshape(to(&[7, 0])).is_some());
}

#[test]
fn reshape_preserves_element_order() {
    let shapes: Vec<Shape> = [
        &[12][..],
        &[3, 4],
        &[2, 6],
        &[2, 3, 2],
        &[12, 1],
        &[1, 4, 3],
        &[2, 2, 3],
    ]
    .iter()
    .map(|dims| Shape::new(dims).unwrap())
    .collect();
    for &from in &shapes {
        for &to in &shapes {
            let view = Layout::contiguous(from).slice(0, None, None, -1).unwrap();
            if let Some(reshaped) = view.reshape(to) {
                assert_eq!(elements(&reshaped), elements(&view), "{from} to {to}");
            }
        }
    }
}

#[test]
fn extent_and_contiguity_describe_the_elements() {
    let grid = whole(&[4, 5]);
    assert!(grid.is_contiguous());
    assert!(!grid.transpose().is_contiguous());
    assert!(grid.slice(0, Some(1), Some(3), 1).unwrap().is_contiguous());
    let back = grid
        .slice(0, None, None, -1)
        .unwrap()
        .slice(1, Some(1), Some(3), 1)
        .unwrap();
    assert_eq!(back.extent(), Some((1, 17)));
    assert_eq!(grid.slice(0, Some(4), None, 1).unwrap().extent(), None);
}
