//! Scaling of a program to a larger problem.
//!
//! Axes of operations that belong together with axes of stores that their tiles follow are grouped,
//! and the groups along which tiles are shared grow. They all grow by the same number of elements,
//! inserted in their middle: a view that reaches across the middle grows with its store, and one at
//! an end stays unchanged. Stores with an element or a row for each tile follow from the cuts of
//! the larger operations.

use super::error::SimulateError;
use super::program::{Program, SimulatedOperation};
use rustc_hash::FxHashMap;
use weft_geometry::words::View;
use weft_geometry::{Access, Layout, MAX_DIMS, Projection, Shape, Tiling};
use weft_model::Trace;

/// An axis of a step, or of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Axis {
    Of(usize, usize),
    In(u64, usize),
}

/// The groups of axes that belong together.
#[derive(Default)]
struct Ties {
    parents: FxHashMap<Axis, Axis>,
}

impl Ties {
    fn root(&self, axis: Axis) -> Axis {
        let mut at = axis;
        while let Some(parent) = self.parents.get(&at) {
            at = *parent;
        }
        at
    }

    fn tie(&mut self, a: Axis, b: Axis) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parents.insert(a, b);
        }
    }
}

/// Number of elements by which each axis of a store grows.
type Growth = FxHashMap<(u64, usize), usize>;

impl Program {
    /// Returns the program for a problem that grows with the ranks: `times` as large along the axes
    /// that they share.
    ///
    /// # Errors
    /// Returns an error if the views of an operation do not grow consistently, such as a view along
    /// several axes of its store.
    pub fn stretched(&self, trace: &Trace, times: u16) -> Result<Program, SimulateError> {
        if times <= 1 {
            return Ok(self.clone());
        }
        let ties = self.ties();
        let (roots, elements) = self.shared_axes(&ties);
        let added = elements * (usize::from(times) - 1);
        let mut growth = Growth::default();
        for (store, stored) in &self.stores {
            for axis in 0..stored.shape.rank() {
                if roots.contains(&ties.root(Axis::In(*store, axis))) {
                    growth.insert((*store, axis), added);
                }
            }
        }
        let mut program = self.clone();
        for at in 0..program.steps.len() {
            let changed = program.stretch(at, &ties, &roots, added, &mut growth);
            changed.map_err(|reason| {
                let step = &self.steps[at];
                let place = trace.program.provenances.get(step.provenance);
                SimulateError::NotStretched {
                    line: format!("{}:{}", trace.strings.get(place.file), place.line),
                    name: step.name.clone(),
                    reason,
                }
            })?;
        }
        for ((store, axis), added) in &growth {
            if let Some(stored) = program.stores.get_mut(store) {
                let extent = stored.shape.dims()[*axis] + added;
                let shape = stored.shape.with_dim(*axis, extent);
                stored.shape = shape.unwrap_or(stored.shape);
            }
        }
        for (unit, before) in program.units.iter_mut().zip(&self.units) {
            let Some(last) = before.steps.last() else {
                continue;
            };
            let work = |step: &SimulatedOperation| step.tiling.work(&step.shape).max(1) as f64;
            let ratio = work(&program.steps[*last]) / work(&self.steps[*last]);
            unit.kernels *= ratio;
            unit.local *= ratio;
        }
        Ok(program)
    }

    fn ties(&self) -> Ties {
        let mut ties = Ties::default();
        for (at, step) in self.steps.iter().enumerate() {
            let mut inner = Vec::new();
            for view in &step.views {
                let store = self.stores.get(&view.store).map(|stored| stored.shape);
                let Some(store) = store else { continue };
                for axis in 0..view.layout.rank() {
                    let Some(of) = store_axis(view, axis, &store) else {
                        continue;
                    };
                    let of = Axis::In(view.store, of);
                    match view.projection.axis_of_operation(axis) {
                        Some(own)
                            if step.shape.dims().get(own) == view.layout.shape.dims().get(axis) =>
                        {
                            ties.tie(Axis::Of(at, own), of);
                        }
                        _ if is_product(step) => inner.push((view.layout.shape.dims()[axis], of)),
                        _ => {}
                    }
                }
            }
            // In a product, the axes along which terms are summed have the same length.
            for pair in inner.windows(2) {
                if pair[0].0 == pair[1].0 && pair[0].0 > 1 {
                    ties.tie(pair[0].1, pair[1].1);
                }
            }
        }
        ties
    }

    /// Returns the axes that two ranks would share, and the least number of elements along one of
    /// them.
    fn shared_axes(&self, ties: &Ties) -> (Vec<Axis>, usize) {
        let mut roots = Vec::new();
        let mut least = usize::MAX;
        for (at, step) in self.steps.iter().enumerate() {
            let cuts = self.processors.cuts(&step.shape, step.tiling, 2);
            let axis = cuts.all().axis();
            if step.may_share && cuts.tiles() > 1 {
                least = least.min(step.shape.dims()[axis]);
                let root = ties.root(Axis::Of(at, axis));
                if !roots.contains(&root) {
                    roots.push(root);
                }
            }
        }
        match roots.is_empty() {
            true => (roots, 0),
            false => (roots, least),
        }
    }

    /// Scales up a step, or returns the reason why that is impossible.
    fn stretch(
        &mut self,
        at: usize,
        ties: &Ties,
        roots: &[Axis],
        added: usize,
        growth: &mut Growth,
    ) -> Result<(), &'static str> {
        let step = &self.steps[at];
        if step.has_image() && added > 0 {
            return Err("its tiles follow an array through the values of another one");
        }
        let (mut shape, mut tiling) = (step.shape, step.tiling);
        for axis in 0..shape.rank() {
            if roots.contains(&ties.root(Axis::Of(at, axis))) {
                // Its length follows from the views that are tied to it.
                let view = step.views.iter().find_map(|view| {
                    let own = (0..view.layout.rank())
                        .find(|own| view.projection.axis_of_operation(*own) == Some(axis))?;
                    let same = view.layout.shape.dims()[own] == step.shape.dims()[axis];
                    same.then_some((view, own))
                });
                let Some((view, own)) = view else { continue };
                let stored = self.stores.get(&view.store).ok_or("its store is unknown")?;
                let view = grown(view, &stored.shape, growth)?;
                let extent = view.layout.shape.dims()[own];
                shape = shape.with_dim(axis, extent).ok_or("it becomes too large")?;
            }
        }
        // A sum along a growing axis takes more work.
        if let Tiling::Processors { work }
        | Tiling::Few { work }
        | Tiling::Shape { work }
        | Tiling::Product { inner: work } = &mut tiling
            && *work > 1
        {
            let before = *work;
            let is_inner = |(view, axis): (&View, usize)| {
                let stored = self.stores.get(&view.store)?;
                let of = store_axis(view, axis, &stored.shape)?;
                let is_own = matches!(view.projection.axis_of_operation(axis), Some(own) if step.shape.dims().get(own) == view.layout.shape.dims().get(axis));
                let is_as_long = view.layout.shape.dims()[axis] == before;
                (is_as_long && !is_own && growth.contains_key(&(view.store, of))).then_some(())
            };
            let axes = step
                .views
                .iter()
                .flat_map(|view| (0..view.layout.rank()).map(move |axis| (view, axis)));
            if axes.filter_map(is_inner).next().is_some() {
                *work += added;
            }
        }
        let tiles = self.processors.cuts(&shape, tiling, 1).tiles();
        for view in &step.views {
            if view.projection.is_of_tiles() && view.access != Access::Read {
                let before = view.layout.shape.dims().first().copied().unwrap_or(1);
                let stored = self.stores.get(&view.store).ok_or("its store is unknown")?;
                if stored.shape.dims().first() != Some(&before) {
                    return Err("it writes part of a store that has one element per tile");
                }
                growth.insert((view.store, 0), tiles.saturating_sub(before));
            }
        }
        let mut views = Vec::with_capacity(step.views.len());
        for view in &step.views {
            let stored = self.stores.get(&view.store).ok_or("its store is unknown")?;
            let view = grown(view, &stored.shape, growth)?;
            for axis in 0..view.layout.rank() {
                let own = view
                    .projection
                    .axis_of_operation(axis)
                    .filter(|_| view.projection == Projection::Same);
                let (extent, step) = (view.layout.shape.dims()[axis], view.layout.strides[axis]);
                if own.is_some_and(|own| shape.dims().get(own) != Some(&extent)) && step != 0 {
                    return Err("its operands do not grow in the same proportion");
                }
            }
            views.push(view);
        }
        let broadcast = |view: &mut View| {
            if view.projection == Projection::Same && view.layout.rank() == shape.rank() {
                for axis in 0..shape.rank() {
                    if view.layout.strides[axis] == 0 {
                        let dim = shape.dims()[axis];
                        let larger = view.layout.shape.with_dim(axis, dim);
                        view.layout.shape = larger.unwrap_or(view.layout.shape);
                    }
                }
            }
        };
        views.iter_mut().for_each(broadcast);
        let step = &mut self.steps[at];
        (step.shape, step.tiling, step.views) = (shape, tiling, views);
        Ok(())
    }
}

/// Whether it sums products along axes that its own shape does not have.
fn is_product(step: &SimulatedOperation) -> bool {
    ["matvec", "matmul"].contains(&step.name.as_str())
}

/// Returns the axis of the store along which an axis of a view runs; `None` if it repeats one
/// element, or runs along several axes.
fn store_axis(view: &View, axis: usize, store: &Shape) -> Option<usize> {
    let length = view.layout.strides[axis].unsigned_abs();
    if length == 0 || view.layout.shape.dims()[axis] == 1 {
        return None;
    }
    let strides = store.row_major_strides();
    (0..store.rank()).find(|axis| {
        let block = strides[*axis].unsigned_abs();
        store.dims()[*axis] > 1 && block <= length
    })
}

/// Returns a view of a store that has grown.
fn grown(view: &View, store: &Shape, growth: &Growth) -> Result<View, &'static str> {
    if !(0..store.rank()).any(|axis| growth.contains_key(&(view.store, axis))) {
        return Ok(view.clone());
    }
    let mut larger = *store;
    for axis in 0..store.rank() {
        let added = growth.get(&(view.store, axis)).copied().unwrap_or(0);
        let shape = larger.with_dim(axis, store.dims()[axis] + added);
        larger = shape.ok_or("it becomes too large")?;
    }
    if view.layout == Layout::contiguous(*store) {
        // This includes growing axes of one element.
        let layout = Layout::contiguous(larger);
        return Ok(View {
            layout,
            ..view.clone()
        });
    }
    let (before, after) = (store.row_major_strides(), larger.row_major_strides());
    let moved = |axis: usize, at: usize| {
        let added = growth.get(&(view.store, axis)).copied().unwrap_or(0);
        let first = at < store.dims()[axis].div_ceil(2);
        at + if first { 0 } else { added }
    };
    let index = store.unravel(view.layout.offset);
    let mut origin = [0; MAX_DIMS];
    for axis in 0..store.rank() {
        origin[axis] = moved(axis, index[axis]);
    }
    let mut layout = Layout {
        offset: larger.ravel(&origin[..store.rank()]),
        ..view.layout
    };
    let mut seen = [false; MAX_DIMS];
    for own in 0..view.layout.rank() {
        let Some(axis) = store_axis(view, own, store) else {
            continue;
        };
        let (length, block) = (view.layout.strides[own], before[axis]);
        let extent = view.layout.shape.dims()[own];
        let step = length / block;
        let last = index[axis] as isize + step * (extent as isize - 1);
        let inside = last >= 0 && (last as usize) < store.dims()[axis];
        if length % block != 0 || !inside || std::mem::replace(&mut seen[axis], true) {
            return Err("a view of it uses several axes of its store as one");
        }
        let reach = moved(axis, last as usize).abs_diff(origin[axis]);
        if !reach.is_multiple_of(step.unsigned_abs()) {
            return Err("its strides do not divide the added length");
        }
        let longer = layout.shape.with_dim(own, reach / step.unsigned_abs() + 1);
        layout.shape = longer.ok_or("it becomes too large")?;
        layout.strides[own] = step * after[axis];
    }
    Ok(View {
        layout,
        ..view.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn larger(layout: Layout, dims: &[usize], added: usize) -> Result<Layout, &'static str> {
        let view = View {
            store: 1,
            layout,
            access: Access::Read,
            projection: Projection::Same,
        };
        let growth = Growth::from_iter([((1, 0), added)]);
        grown(&view, &Shape::new(dims).unwrap(), &growth).map(|view| view.layout)
    }

    /// Slices of a larger array are the larger slices.
    #[test]
    fn slices_grow_with_their_store() {
        let of = |rows| Layout::contiguous(Shape::new(&[rows, 7]).unwrap());
        let (small, large) = (of(12), of(32));
        let slices: [(Option<isize>, Option<isize>); 5] = [
            (None, None),
            (Some(1), Some(-1)),
            (None, Some(-2)),
            (Some(2), None),
            (Some(-1), None),
        ];
        for (start, end) in slices {
            let slice = |of: Layout| {
                of.slice(0, start, end, 1)
                    .unwrap()
                    .slice(1, Some(1), None, 2)
                    .unwrap()
            };
            let (small, large) = (slice(small), slice(large));
            let small = small.transpose();
            assert_eq!(
                larger(small, &[12, 7], 20),
                Ok(large.transpose()),
                "{start:?} {end:?}"
            );
        }
        let row = small.index(0, 0).unwrap();
        assert_eq!(larger(row, &[12, 7], 20), Ok(large.index(0, 0).unwrap()));
        let row = small.index(0, -1).unwrap();
        assert_eq!(larger(row, &[12, 7], 20), Ok(large.index(0, -1).unwrap()));
        let backwards = |of: Layout| of.slice(0, None, None, -1).unwrap();
        assert_eq!(larger(backwards(small), &[12, 7], 20), Ok(backwards(large)));
    }

    #[test]
    fn refuses_to_stretch_views_across_several_axes() {
        let flat = Layout::contiguous(Shape::new(&[84]).unwrap());
        assert!(larger(flat, &[12, 7], 12).is_err());
        let diagonal = Layout {
            strides: [8, 0, 0, 0, 0, 0, 0, 0],
            ..Layout::contiguous(Shape::new(&[7]).unwrap())
        };
        assert!(larger(diagonal, &[12, 7], 12).is_err());
        // Steps of 3 do not divide 20.
        let third = Layout::contiguous(Shape::new(&[12, 7]).unwrap()).slice(0, None, None, 3);
        assert!(larger(third.unwrap(), &[12, 7], 20).is_err());
    }
}
