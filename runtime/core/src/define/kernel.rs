//! Kernels of users' tasks.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use smallvec::SmallVec;
use weft_elements::{Handle, fill_elements};
use weft_geometry::Projection;
use weft_trace::record::Arithmetic;

use super::context::{BodyArgument, Keeper};
use super::definition::Inner;
use super::foreign::make_booleans;
use super::plan::Cutting;
use super::unbound::Collector;
use super::{Context, Kind};
use crate::device::cpu::text_of;
use crate::dtype::{DType, Scalar};
use crate::error::Cause;
use crate::operation::{
    Body, Computed, CpuTask, Declared, Descriptor, GpuKernels, Kernels, Operand,
};
use crate::runtime::InBody;
use crate::shape::Shape;

/// A task over arrays of some shapes.
pub(super) struct Defined {
    pub(super) definition: Arc<Inner>,
    /// Projection and shape of each parameter.
    pub(super) operands: Vec<(Projection, Shape)>,
    /// Collectors of results of unknown length, by parameter.
    collectors: Vec<Option<Arc<Collector>>>,
    /// Number of tiles of a call.
    pub(super) tiles: usize,
}

impl Hash for Defined {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.definition.name.hash(state);
        for parameter in &self.definition.parameters {
            (&parameter.name, parameter.kind).hash(state);
        }
        self.operands.hash(state);
    }
}

impl fmt::Debug for Defined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.definition.name)
    }
}

/// Returns the descriptor of calls with arrays of these shapes, in `tiles` tiles.
pub(super) fn descriptor(
    definition: &Arc<Inner>,
    cutting: &Cutting,
    shapes: &[Option<Shape>],
    tiles: usize,
    collectors: Vec<Option<Arc<Collector>>>,
) -> Body {
    let parameters = definition.parameters.iter().zip(&cutting.projections);
    let operands: Vec<Declared> = parameters
        .map(|(parameter, projection)| match parameter.kind {
            Kind::In => Declared::read(projection.clone()),
            Kind::Scalar => Declared::READ,
            Kind::Out | Kind::Reduce(_) | Kind::Unbound => Declared::write(projection.clone()),
            Kind::InOut => Declared {
                projection: projection.clone(),
                ..Declared::UPDATE
            },
        })
        .collect();
    let shapes = shapes.iter().map(|shape| shape.unwrap_or(Shape::SCALAR));
    let defined = Defined {
        definition: definition.clone(),
        operands: cutting.projections.iter().cloned().zip(shapes).collect(),
        tiles,
        collectors,
    };
    let descriptor = Descriptor::new(definition.name, operands, defined);
    let is_foreign = definition.cpu.as_ref().is_some_and(|cpu| cpu.is_foreign());
    // A body that waits for other tasks or tiles must run where no lock is held.
    let options = &definition.options;
    let descriptor = descriptor.foreign(is_foreign || options.nested || options.concurrent);
    Handle::shared(Arc::new(descriptor.tiled(cutting.tiling)))
}

impl Kernels for Defined {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.each(self.definition.options.flops?.into())
    }

    fn is_body(&self) -> bool {
        true
    }

    fn starts_tasks(&self) -> bool {
        self.definition.options.nested
    }

    fn operand_name(&self, operand: usize) -> Option<&str> {
        let parameter = self.definition.parameters.get(operand)?;
        Some(&parameter.name)
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        let is_there = self.cuda().is_some() || self.gpu_body().is_some();
        is_there.then_some(self as &dyn GpuKernels)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let Some(body) = &self.definition.cpu else {
            return Err(Cause::NoBody);
        };
        let (shape, cut) = (*task.shape(), *task.cut());
        let parameters = self.definition.parameters.iter().zip(&self.operands);
        let guards = task.guards();
        let (tiles, whole) = task.with_whole();
        for ((parameter, _), tile) in parameters.clone().zip(tiles.iter_mut()) {
            match parameter.kind {
                Kind::Reduce(reduction) => {
                    if let Some(identity) = reduction.identity(tile.dtype()) {
                        fill_elements(identity, tile);
                    }
                }
                // Uninitialised memory need not hold valid `bool`s.
                Kind::Out if tile.dtype() == DType::Bool => {
                    fill_elements(Scalar::Bool(false), tile);
                }
                _ => {}
            }
        }
        // Loops cost less than iterator chains in small calls.
        let number = cut.tiles().0;
        let mut given = SmallVec::new();
        for (at, ((parameter, (projection, own)), tile)) in
            parameters.clone().zip(tiles.iter_mut()).enumerate()
        {
            let bounds = match parameter.kind {
                Kind::Reduce(_) => own.dims().iter().map(|extent| (0, *extent)).collect(),
                _ => projection.bounds(own.dims(), &shape, &cut),
            };
            let keeper = match (guards.get(at), whole.get(at)) {
                (Some(Some(copy)), _) => Keeper::Copy(copy),
                (_, Some(Operand::Array { store, .. })) => Keeper::Store(store),
                _ => Keeper::None,
            };
            let one = BodyArgument::new(tile, bounds, parameter, keeper);
            given.push(match self.collectors.get(at) {
                Some(Some(collector)) => one.collecting(collector.clone(), number),
                _ => one,
            });
        }
        let mut ranges = SmallVec::new();
        for (axis, extent) in shape.dims().iter().enumerate() {
            let (first, end) = cut.bounds(axis, *extent);
            ranges.push(first..end);
        }
        let numbers = (cut.tiles().0, self.tiles);
        let mut context = Context::new(given, ranges, shape, numbers);
        let in_body = (!self.starts_tasks()).then(InBody::begin);
        let run = AssertUnwindSafe(|| body.run(&mut context));
        let ran = catch_unwind(run);
        drop((context, in_body));
        if body.is_foreign() {
            for ((parameter, _), tile) in parameters.zip(tiles.iter_mut()) {
                if parameter.kind != Kind::In && tile.dtype() == DType::Bool {
                    make_booleans(tile);
                }
            }
        }
        match ran {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(Cause::Body(Arc::from(error))),
            Err(panic) => Err(Cause::BodyPanicked(text_of(&*panic))),
        }
    }
}
