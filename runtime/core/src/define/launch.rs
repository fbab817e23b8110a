//! Calls of a task: conversion of arguments to operations.

use std::sync::Arc;

use smallvec::SmallVec;

use super::argument::StoreView;
use super::image::{Extent, NamedIndex, Through};
use super::kernel::descriptor;
use super::plan::{ImageOf, Planned};
use super::unbound::{self, Collector};
use super::{Argument, Definition, Kind, Parameter, Reduction, reduction};
use crate::device::Run;
use crate::dtype::{DType, Scalar};
use crate::error::{CallError, Error};
use crate::operation::Cutting;
use crate::operation::{self, Body, Operand, Request};
use crate::runtime::{Core, check_body, core_of};
use crate::shape::{MAX_DIMS, Shape};
use crate::site::Site;
use crate::words;

impl Definition {
    /// Calls the task and returns at once; the task runs when its inputs are available. Only images
    /// are waited for.
    ///
    /// # Errors
    /// Returns an error if the arguments do not match the parameters, if an image names an index
    /// outside of its array, or if an operation that an image depends on has failed.
    #[track_caller]
    pub fn launch(&self, arguments: &[Argument<'_>]) -> Result<(), Error> {
        self.results(arguments).map(drop)
    }

    /// Calls the task, waits for the lengths of its results of unknown length, and returns these
    /// results in the order of their parameters.
    ///
    /// # Errors
    /// As [`launch`](Self::launch), or if the task has failed.
    #[track_caller]
    pub fn results(&self, given: &[Argument<'_>]) -> Result<Vec<StoreView>, Error> {
        let _call = Site::enter_caller();
        if let Some(launched) = self.launch_plain(given) {
            return launched.map(|()| Vec::new()).map_err(Error::from);
        }
        let parameters = &self.0.parameters;
        let wanted = parameters.iter().filter(|one| one.is_given()).count();
        if given.len() != wanted {
            let given = given.len();
            let why = format!("{given} arguments for {wanted} parameters");
            return Err(self.wrong(why).into());
        }
        // A result of unknown length is represented by a value until its collector exists.
        let mut rest = given.iter().cloned();
        let mut arguments: SmallVec<[Argument<'_>; 4]> = SmallVec::new();
        for parameter in parameters {
            let unbound = Argument::Scalar(Scalar::I64(0));
            arguments.push(match parameter.is_given() {
                true => rest.next().unwrap_or(unbound),
                false => unbound,
            });
        }
        for (parameter, argument) in parameters.iter().zip(&mut arguments) {
            if parameter.is_given() {
                self.check(parameter, argument)?;
            }
        }
        let core = self.runtime_of(&arguments)?;
        // Checked before the first lock, which another thread may have held when the process was
        // forked.
        core.check_process()?;
        if self.0.options.concurrent && core.has_gpus() && core.has_ranks() {
            let why = "a concurrent task does not run on ranks with GPUs; run it with --gpus 0";
            return Err(self.wrong(why.to_owned()).into());
        }
        if self.0.options.nested {
            core.level.nested(Run::First)?;
        }
        let shapes: SmallVec<[Option<Shape>; 4]> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Array(view) => Some(*view.shape()),
                Argument::Scalar(_) => None,
            })
            .collect();
        let planned = self
            .plan(&shapes, || self.planned(&core.cutting, &shapes))
            .map_err(|why| self.wrong(why))?;
        self.part(&mut arguments)?;
        let cutting = &planned.cutting;
        let tiles = core.cuts(&cutting.shape, cutting.tiling).tiles();
        let found = self.collectors(&core, tiles, &mut arguments)?;
        let body = match cutting.images.is_empty() && found.is_empty() {
            true if planned.tiles == tiles => planned.body.clone(),
            // The plan belongs to another runtime.
            true => descriptor(&self.0, cutting, &planned.shapes, tiles, Vec::new()),
            false => self.body_of_call(&planned, tiles, &arguments, &found)?,
        };
        let cut = (cutting.shape, cutting.tiling);
        self.submit(&core, (cutting.shape, tiles), body, arguments)?;
        let results = found.iter();
        results
            .map(|(_, collector, counts)| unbound::result(collector, counts, cut))
            .collect()
    }

    /// Creates the collectors of results of unknown length: the parameter, the collector, and the
    /// counts of the tiles.
    fn collectors(
        &self,
        core: &Arc<Core>,
        tiles: usize,
        arguments: &mut [Argument<'_>],
    ) -> Result<Vec<(usize, Arc<Collector>, StoreView)>, Error> {
        let mut found = Vec::new();
        for (at, parameter) in self.0.parameters.iter().enumerate() {
            if parameter.is_given() {
                continue;
            }
            let dims = Shape::new(&[tiles]).unwrap_or(Shape::SCALAR);
            let counts = StoreView::unwritten(core, DType::I64, dims)?;
            // `Builder::finish` rejects results without a dtype.
            let Some(dtype) = parameter.dtype else {
                continue;
            };
            found.push((at, Arc::new(Collector::new(dtype, tiles)), counts.clone()));
            arguments[at] = counts.into();
        }
        Ok(found)
    }

    /// Returns a body for one call only, which has images or results of unknown length. Waits for
    /// the images.
    fn body_of_call(
        &self,
        planned: &Planned,
        tiles: usize,
        arguments: &[Argument<'_>],
        found: &[(usize, Arc<Collector>, StoreView)],
    ) -> Result<Body, Error> {
        let mut cutting = planned.cutting.clone();
        for image in &planned.cutting.images {
            let Some(Argument::Array(view)) = arguments.get(image.through) else {
                continue;
            };
            if !view.dtype().is_integer() {
                let (name, dtype) = (&self.0.parameters[image.through].name, view.dtype());
                let (dtype, cast) = (words::dtype(dtype), words::cast_to(name, DType::I64));
                let why =
                    format!("{name} is of {dtype}: an image needs integers; cast it, as {cast}");
                return Err(self.wrong(why).into());
            }
            let through = Through {
                names: image.names,
                extent: extent_of(image, arguments),
                follows: planned.cutting.projections[image.through].clone(),
                shape: cutting.shape,
                tiling: cutting.tiling,
            };
            let found = self.0.images.find(view, &through)?;
            let of = planned.shapes.get(image.of).copied().flatten();
            let length = of.and_then(|of| of.dims().first().copied()).unwrap_or(1);
            if let Some(beyond) = found.beyond(length) {
                return Err(self.beyond(image, beyond, length).into());
            }
            cutting.projections[image.of] = found.projection;
        }
        let mut collectors = vec![None; self.0.parameters.len()];
        for (at, collector, _) in found {
            collectors[*at] = Some(collector.clone());
        }
        let shapes = &planned.shapes;
        Ok(descriptor(&self.0, &cutting, shapes, tiles, collectors))
    }

    /// Returns the error for an image that names an index outside of its array.
    fn beyond(&self, image: &ImageOf, beyond: &NamedIndex, length: usize) -> CallError {
        let [through, name] =
            [image.through, image.of].map(|at| self.0.parameters[at].name.as_str());
        let NamedIndex { place, value } = beyond;
        let more = if *value >= i64::MAX - 1 {
            " or more"
        } else {
            ""
        };
        self.wrong(format!(
            "{through} at {place:?} is {value}{more}, outside of the {length} elements of {name} along its first axis"
        ))
    }

    fn wrong(&self, why: String) -> CallError {
        CallError::Shape {
            operation: self.name(),
            why,
        }
    }

    pub(super) fn planned(
        &self,
        on: &Cutting,
        shapes: &[Option<Shape>],
    ) -> Result<Planned, String> {
        let cutting = self.0.cutting(shapes)?;
        let tiles = on.cuts(&cutting.shape, cutting.tiling).tiles();
        let body = descriptor(&self.0, &cutting, shapes, tiles, Vec::new());
        Ok(Planned {
            shapes: shapes.to_vec(),
            body,
            tiles,
            cutting,
        })
    }

    /// Checks an argument against its parameter, and casts a single value to the parameter's dtype.
    fn check(&self, parameter: &Parameter, argument: &mut Argument<'_>) -> Result<(), CallError> {
        match argument {
            Argument::Array(view) => self.check_array(parameter, view),
            Argument::Scalar(value) => {
                *value = self.checked_value(parameter, value)?;
                Ok(())
            }
        }
    }

    /// Returns a single value in the parameter's dtype.
    pub(super) fn checked_value(
        &self,
        parameter: &Parameter,
        value: &Scalar,
    ) -> Result<Scalar, CallError> {
        if parameter.is_array() {
            let name = &parameter.name;
            return Err(self.wrong(format!("{name} is an array, not a single value")));
        }
        let (value, dtype) = (*value, parameter.dtype.unwrap_or(value.dtype()));
        match value.is_beyond(dtype) {
            true => Err(CallError::Value { value, dtype }),
            false => Ok(value.cast(dtype)),
        }
    }

    /// Checks an array against its parameter.
    pub(super) fn check_array(
        &self,
        parameter: &Parameter,
        view: &StoreView,
    ) -> Result<(), CallError> {
        let name = &parameter.name;
        if !parameter.is_array() {
            return Err(self.wrong(format!("{name} is a single value, not an array")));
        }
        if let Some(dtype) = parameter.dtype
            && dtype != view.dtype()
        {
            let [given, dtype] = [view.dtype(), dtype].map(words::dtype);
            return Err(self.wrong(format!("{name} is of {given}, not {dtype}; cast it")));
        }
        if let Some(rank) = parameter.rank
            && rank != view.shape().rank()
        {
            let (shape, axes) = (view.shape(), view.shape().rank());
            return Err(self.wrong(format!(
                "{name} of shape {shape:?} has {axes} axes, not {rank}"
            )));
        }
        match parameter.kind {
            Kind::In | Kind::Scalar | Kind::Unbound => return Ok(()),
            Kind::Reduce(reduction) if reduction.identity(view.dtype()).is_none() => {
                let (reduction, dtype) = (reduction.name(), words::dtype(view.dtype()));
                return Err(self.wrong(format!("{name}: {reduction} is not defined for {dtype}")));
            }
            Kind::Reduce(_) if view.shape().rank() == MAX_DIMS => {
                return Err(
                    self.wrong(format!("{name}: at most {} axes are reduced", MAX_DIMS - 1))
                );
            }
            Kind::Out | Kind::InOut | Kind::Reduce(_) => {}
        }
        match view.has_repeated_elements() {
            true => Err(self.wrong(format!(
                "{name} is a broadcast view, which cannot be written; copy it first"
            ))),
            false => Ok(()),
        }
    }

    /// Returns the runtime of the arguments' arrays. None of them may come from another body.
    fn runtime_of(&self, arguments: &[Argument<'_>]) -> Result<Arc<Core>, CallError> {
        let arrays = arguments.iter().filter_map(|argument| match argument {
            Argument::Array(view) => Some(view),
            Argument::Scalar(_) => None,
        });
        arrays
            .clone()
            .try_for_each(|view| check_body(&view.store))?;
        let core = core_of(arrays.map(|view| &view.core))?;
        core.cloned()
            .ok_or_else(|| self.wrong("it needs an array".to_owned()))
    }

    /// Copies inputs that overlap an output, so that they do not change while the task writes.
    fn part(&self, arguments: &mut [Argument<'_>]) -> Result<(), CallError> {
        let parameters = &self.0.parameters;
        for written in 0..arguments.len() {
            if matches!(
                parameters[written].kind,
                Kind::In | Kind::Scalar | Kind::Unbound
            ) {
                continue;
            }
            for other in 0..arguments.len() {
                let [Argument::Array(out), Argument::Array(view)] =
                    [&arguments[written], &arguments[other]]
                else {
                    continue;
                };
                if other == written || !view.overlaps(out) {
                    continue;
                }
                if parameters[other].kind != Kind::In {
                    let (one, two) = (&parameters[written].name, &parameters[other].name);
                    return Err(self.wrong(format!(
                        "{one} and {two} are both written and have elements in common"
                    )));
                }
                let copy = copied(view)?;
                arguments[other] = copy.into();
            }
        }
        Ok(())
    }

    fn submit(
        &self,
        core: &Arc<Core>,
        (shape, tiles): (Shape, usize),
        body: Body,
        arguments: SmallVec<[Argument<'_>; 4]>,
    ) -> Result<(), CallError> {
        let mut operands: SmallVec<[Operand; 4]> = SmallVec::new();
        let mut reduced: SmallVec<[(StoreView, StoreView, &Parameter, Reduction); 1]> =
            SmallVec::new();
        for (parameter, argument) in self.0.parameters.iter().zip(arguments) {
            let view = match argument {
                Argument::Scalar(value) => {
                    operands.push(Operand::Scalar(value));
                    continue;
                }
                Argument::Array(view) => view,
            };
            let Kind::Reduce(reduction) = parameter.kind else {
                operands.push(view.operand());
                continue;
            };
            let dims: SmallVec<[usize; MAX_DIMS]> = std::iter::once(tiles)
                .chain(view.shape().dims().iter().copied())
                .collect();
            let rows = Shape::new(&dims).ok_or_else(|| {
                let name = &parameter.name;
                self.wrong(format!(
                    "{name}: contributions of {tiles} tiles are too large"
                ))
            })?;
            let rows = StoreView::unwritten(core, view.dtype(), rows)?;
            operands.push(rows.operand());
            reduced.push((rows, view.into_owned(), parameter, reduction));
        }
        let uid = core.submit(Request::new(body, shape, operands))?;
        for (rows, view, Parameter { name, .. }, reduction) in reduced {
            let nothing = core.plan.verify.then(|| {
                let (task, remedy, call) = (self.name(), words::assign(name), Site::caller());
                format!("{task} at {call} (operation {uid}): no tile has changed {name}; {remedy}")
            });
            let body = reduction::combine(reduction, nothing);
            let operands = SmallVec::from_iter([rows.operand(), view.operand()]);
            let request = Request::new(body, *view.shape(), operands);
            core.submit(request.part_of(Some(uid)))?;
        }
        Ok(())
    }
}

/// Returns the indices that a tile accesses through an image. For `bool` they are all between the
/// named ones, because undefined bytes may be invalid `bool`s.
fn extent_of(image: &ImageOf, arguments: &[Argument<'_>]) -> Extent {
    match arguments.get(image.of) {
        Some(Argument::Array(view)) if view.dtype() == DType::Bool => Extent::Bounds,
        _ => image.extent,
    }
}

/// Copies a view to a new store.
fn copied(view: &StoreView) -> Result<StoreView, CallError> {
    let copy = StoreView::unwritten(&view.core, view.dtype(), *view.shape())?;
    let operands = SmallVec::from_iter([view.operand(), copy.operand()]);
    view.core
        .submit(Request::new(operation::copy(), *view.shape(), operands))?;
    Ok(copy)
}
