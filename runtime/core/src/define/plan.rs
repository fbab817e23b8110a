//! Plans of calls: the tiling for arrays of given shapes, and the projection of each array.

use weft_geometry::{Affine, Along, Projection, Rest, Tiling};

use super::definition::Inner;
use super::image::{Extent, Names};
use super::remedy::Shaped;
use super::{Constraint, Kind, Parameter};
use crate::operation::Body;
use crate::shape::Shape;
use crate::words;

/// The plan of calls with arrays of given shapes.
pub(super) struct Planned {
    /// Shapes of the arrays, by parameter.
    pub(super) shapes: Vec<Option<Shape>>,
    /// Descriptor of the operations; without the images, if the task has any.
    pub(super) body: Body,
    /// Number of tiles of the operations.
    pub(super) tiles: usize,
    /// Tiling and projections.
    pub(super) cutting: Cutting,
}

/// An image that a call must find in the values of an argument.
#[derive(Clone, Copy)]
pub(super) struct ImageOf {
    pub(super) through: usize,
    pub(super) of: usize,
    pub(super) names: Names,
    pub(super) extent: Extent,
}

/// Tiling of a task, and the projections of its arrays.
#[derive(Clone)]
pub(super) struct Cutting {
    pub(super) shape: Shape,
    pub(super) tiling: Tiling,
    /// Projection of each array, by parameter.
    pub(super) projections: Vec<Projection>,
    /// Images to find before each call.
    pub(super) images: Vec<ImageOf>,
}

/// Returns the value for an axis. The last value of the list also applies to further axes.
fn at<T: Copy>(list: &[T], axis: usize) -> Option<T> {
    list.get(axis).or(list.last()).copied()
}

impl Inner {
    /// Returns whether a parameter can give the task its shape.
    fn follows_by_index(&self, parameter: usize) -> bool {
        let is_other = |constraint: &Constraint| match constraint {
            Constraint::Broadcast { parameter: of, .. }
            | Constraint::Project { parameter: of, .. } => *of == parameter,
            Constraint::Scale { large: of, .. } | Constraint::Image { of, .. } => *of == parameter,
            Constraint::Align(_) | Constraint::Halo { .. } => false,
        };
        !self.constraints.iter().any(is_other)
    }

    pub(super) fn is_aligned(&self, parameter: usize) -> bool {
        self.constraints.iter().any(
            |constraint| matches!(constraint, Constraint::Align(names) if names.contains(&parameter)),
        )
    }

    /// Returns whether a parameter names parts of another one in this way.
    pub(super) fn is_through(&self, parameter: usize, by: Names) -> bool {
        let is_it = |constraint: &Constraint| matches!(constraint, Constraint::Image { through, names, .. } if *through == parameter && *names == by);
        self.constraints.iter().any(is_it)
    }

    /// Returns whether a parameter names ranges of another one, so that it may consist of pairs.
    fn names_ranges(&self, parameter: usize) -> bool {
        self.is_through(parameter, Names::Ranges)
    }

    /// Returns the parameter whose shape the task has.
    fn shaping(&self) -> Option<usize> {
        let aligned = self
            .constraints
            .iter()
            .find_map(|constraint| match constraint {
                // Pairs have an axis that the task lacks.
                Constraint::Align(names) => {
                    let mut others = names.iter().filter(|at| !self.names_ranges(**at));
                    others.next().or(names.first()).copied()
                }
                _ => None,
            });
        let of_kind = |is: &dyn Fn(&Parameter) -> bool| {
            let mut all = 0..self.parameters.len();
            all.find(|at| is(&self.parameters[*at]) && self.follows_by_index(*at))
        };
        aligned
            .or_else(|| of_kind(&Parameter::is_written))
            .or_else(|| of_kind(&|one| one.kind == Kind::In))
            .or_else(|| self.parameters.iter().position(Parameter::is_array))
    }

    /// Returns the tiling of a call with arrays of these shapes, or an error message.
    pub(super) fn cutting(&self, shapes: &[Option<Shape>]) -> Result<Cutting, String> {
        let of = |parameter: usize| {
            let shape = shapes.get(parameter).copied().flatten();
            shape.ok_or_else(|| "an array is missing".to_owned())
        };
        let shaping = self.shaping().ok_or("it has no array")?;
        let shape = of(shaping)?;
        // Axes that may be cut.
        let mut axes: u8 = ((1_u16 << shape.rank()) - 1) as u8;
        let mut projections = Vec::with_capacity(self.parameters.len());
        let mut images = Vec::new();
        let mut is_reduced = false;
        for (at, parameter) in self.parameters.iter().enumerate() {
            let own = match parameter.kind {
                Kind::Scalar => {
                    projections.push(Projection::Same);
                    continue;
                }
                Kind::Unbound => {
                    projections.push(Projection::of_tiles(true));
                    continue;
                }
                Kind::Reduce(_) => {
                    is_reduced = true;
                    projections.push(Projection::of_tiles(false));
                    continue;
                }
                Kind::In | Kind::Out | Kind::InOut => of(at)?,
            };
            let own_shaped = Shaped {
                parameter: at,
                shape: &own,
            };
            let task = Shaped {
                parameter: shaping,
                shape: &shape,
            };
            let projection = self.projection(own_shaped, task, &mut axes, &mut images)?;
            if parameter.is_written() {
                axes &= separable_axes(&projection, own.rank());
            }
            projections.push(projection);
        }
        let work = self.options.work;
        let all = ((1_u16 << shape.rank()) - 1) as u8;
        let by_shape = is_reduced && !self.options.unordered;
        let tiling = match axes {
            0 => Tiling::Whole,
            _ if self.options.whole => Tiling::Whole,
            axes if self.options.concurrent => Tiling::Together { axes, work },
            _ if axes == all && by_shape => Tiling::Shape {
                work: work as usize,
            },
            _ if axes == all => Tiling::Processors {
                work: work as usize,
            },
            axes => Tiling::Axes {
                axes,
                work,
                by_shape,
            },
        };
        Ok(Cutting {
            shape,
            tiling,
            projections,
            images,
        })
    }

    /// Returns the projection of one array. Axes that must stay whole for it are removed from
    /// `axes`.
    fn projection(
        &self,
        array: Shaped<'_>,
        task: Shaped<'_>,
        axes: &mut u8,
        images: &mut Vec<ImageOf>,
    ) -> Result<Projection, String> {
        let Shaped {
            parameter,
            shape: own,
        } = array;
        let shape = task.shape;
        // For each axis of the array, the axis of the task that it follows, and the factors.
        let mut listed: Vec<Affine> = (0..own.rank())
            .map(|axis| Affine::same(axis as u8))
            .collect();
        let mut whole = vec![false; own.rank()];
        let mut is_free = false;
        for constraint in &self.constraints {
            match constraint {
                Constraint::Project {
                    parameter: of,
                    projection,
                } if *of == parameter => {
                    self.check_lengths(projection, array, task)?;
                    return Ok(projection.clone());
                }
                Constraint::Image {
                    through,
                    of,
                    names,
                    extent,
                } if *of == parameter => {
                    images.push(ImageOf {
                        through: *through,
                        of: *of,
                        names: *names,
                        extent: *extent,
                    });
                    // Found before the call.
                    return Ok(Projection::Whole);
                }
                Constraint::Broadcast {
                    parameter: of,
                    axes: named,
                } if *of == parameter => {
                    for (axis, whole) in whole.iter_mut().enumerate() {
                        *whole |= named.is_empty() || named.contains(&axis);
                    }
                    if let Some(axis) = named.iter().find(|axis| **axis >= own.rank()) {
                        let name = &self.parameters[parameter].name;
                        let all = words::constraint("broadcast", name, "");
                        return Err(format!(
                            "broadcast: {name} of shape {own:?} has no axis {axis}; {all} is all of it"
                        ));
                    }
                    is_free = named.is_empty() && !self.is_aligned(parameter);
                }
                Constraint::Halo {
                    parameter: of,
                    low,
                    high,
                } if *of == parameter => {
                    for (axis, affine) in listed.iter_mut().enumerate() {
                        affine.low = at(low, axis).unwrap_or(0);
                        affine.high = at(high, axis).unwrap_or(0);
                    }
                }
                Constraint::Scale { factors, large, .. } if *large == parameter => {
                    for (axis, affine) in listed.iter_mut().enumerate() {
                        affine.times = at(factors, axis).unwrap_or(1);
                    }
                }
                _ => {}
            }
        }
        if is_free {
            return Ok(Projection::Whole);
        }
        // Pairs are along an axis that the task lacks.
        if self.names_ranges(parameter)
            && own.rank() == shape.rank() + 1
            && own.dims()[shape.rank()] == 2
        {
            whole[shape.rank()] = true;
        } else if own.rank() != shape.rank()
            || self.names_ranges(parameter) && !(own.rank() > 1 && own.dims().ends_with(&[2]))
        {
            return Err(self.other_rank(array, task));
        }
        for (axis, affine) in listed.iter_mut().enumerate() {
            let Some(&length) = shape.dims().get(axis) else {
                continue;
            };
            let extent = own.dims()[axis];
            let halo = (affine.low + affine.high) as usize;
            let scaled = length.saturating_mul(affine.times as usize);
            if whole[axis] && !self.is_aligned(parameter) {
                continue;
            }
            if extent == scaled {
                continue;
            }
            if halo > 0 && extent == scaled + halo {
                // The array includes the halo, so index 0 of the task is at index `low`.
                affine.offset = i64::from(affine.low);
                continue;
            }
            return Err(self.other_length(
                array,
                task,
                axis,
                (scaled, scaled.saturating_add(halo)),
            ));
        }
        if self.is_aligned(parameter) {
            for (axis, _) in whole.iter().enumerate().filter(|(_, whole)| **whole) {
                *axes &= !(1 << axis);
            }
        }
        let listed = listed
            .into_iter()
            .zip(whole)
            .map(|(affine, whole)| match whole {
                true => Along::Whole,
                false => Along::Affine(affine),
            });
        Ok(Projection::of_axes(listed, Rest::Same { removed: 0 }))
    }

    /// Checks that each axis that follows one of the task's index by index has at least its length.
    fn check_lengths(
        &self,
        projection: &Projection,
        array: Shaped<'_>,
        task: Shaped<'_>,
    ) -> Result<(), String> {
        for (axis, extent) in array.shape.dims().iter().enumerate() {
            let Along::Affine(affine) = projection.along(axis) else {
                continue;
            };
            let of = usize::from(affine.of);
            let Some(length) = task.shape.dims().get(of) else {
                continue;
            };
            if affine == Affine::same(affine.of) && extent < length {
                return Err(self.too_short(array, task, axis, of));
            }
        }
        Ok(())
    }
}

/// Returns the axes along which a task can be cut so that tiles have no common elements of an
/// operand, as a bit set.
fn separable_axes(projection: &Projection, rank: usize) -> u8 {
    let mut axes = 0;
    for axis in 0..rank {
        if let Along::Affine(affine) = projection.along(axis)
            && affine.over == 1
            && (affine.low, affine.high) == (0, 0)
        {
            axes |= 1_u8.checked_shl(affine.of.into()).unwrap_or(0);
        }
    }
    axes
}
