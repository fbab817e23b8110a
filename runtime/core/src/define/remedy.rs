//! Remedies in error messages for arrays that do not follow the tiles of their task.

use super::definition::Inner;
use super::{Constraint, Kind, Names, Parameter};
use crate::shape::Shape;
use crate::words;

/// An array of a call, by its parameter.
#[derive(Clone, Copy)]
pub(super) struct Shaped<'a> {
    pub(super) parameter: usize,
    pub(super) shape: &'a Shape,
}

impl Inner {
    fn parameter(&self, of: Shaped<'_>) -> &Parameter {
        &self.parameters[of.parameter]
    }

    /// Returns the axes along which a constraint gives every tile all indices.
    fn whole_axes(&self, parameter: usize) -> Option<&[usize]> {
        self.constraints
            .iter()
            .find_map(|constraint| match constraint {
                Constraint::Broadcast {
                    parameter: of,
                    axes,
                } if *of == parameter => Some(axes.as_slice()),
                _ => None,
            })
    }

    /// Returns the constraint by which `array` follows a task with the shape of `task`, according
    /// to the lengths of their axes.
    fn following(&self, array: Shaped<'_>, task: Shaped<'_>) -> String {
        let name = &self.parameter(array).name;
        let whole = self.whole_axes(array.parameter).unwrap_or_default();
        let mut is_free = vec![true; task.shape.rank()];
        let mut listed = String::new();
        let mut follows = false;
        for (axis, length) in array.shape.dims().iter().enumerate() {
            let mut of_task = 0..task.shape.rank();
            let found = of_task.find(|at| is_free[*at] && task.shape.dims()[*at] == *length);
            match found.filter(|_| !whole.contains(&axis)) {
                Some(at) => {
                    (is_free[at], follows) = (false, true);
                    listed.push_str(&format!("i{at}, "));
                }
                None => listed.push_str("*, "),
            }
        }
        match follows {
            true => words::constraint("project", name, &format!("\"[{listed}..*]\"")),
            false => words::constraint("broadcast", name, ""),
        }
    }

    /// Returns the message for an array whose number of axes differs from the task's.
    pub(super) fn other_rank(&self, own: Shaped<'_>, task: Shaped<'_>) -> String {
        let [name, shaping] = [own, task].map(|one| self.parameter(one).name.as_str());
        let (given, wanted) = (own.shape, task.shape);
        if self.is_through(own.parameter, Names::Ranges) {
            return format!(
                "{name} of shape {given:?} names ranges, which are pairs along its last axis (single indices are \"coordinates\"): it needs the shape of {shaping}, {wanted:?}, and an axis of 2"
            );
        }
        let is_aligned = [own, task].iter().all(|one| self.is_aligned(one.parameter));
        // Of aligned arrays, the one that is only read follows the other; else the one with fewer
        // axes does.
        let is_written = [own, task].map(|one| self.parameter(one).is_written());
        let is_larger = own.shape.rank() > task.shape.rank();
        let (follower, leader) = match is_written {
            [true, false] if is_aligned => (task, own),
            [one, other] if is_aligned && one == other && is_larger => (task, own),
            _ => (own, task),
        };
        let mut text = format!(
            "{name} of shape {given:?} does not follow {shaping} of shape {wanted:?} index by index"
        );
        let follows = self.following(follower, leader);
        let follower_name = &self.parameter(follower).name;
        if self.parameter(follower).is_written() && !follows.starts_with("project") {
            text.push_str(&format!(
                ": if all tiles contribute to {follower_name}, make it a Reduce"
            ));
            return text;
        }
        text.push_str(&format!(": write {follows}"));
        if self.whole_axes(follower.parameter).is_some() {
            text.push_str(" in place of broadcast");
        }
        if is_aligned {
            text.push_str(&format!(", and leave {follower_name} out of align"));
        }
        text
    }

    /// Returns the message for an array that is shorter along an axis than the task's axis `of`,
    /// which it follows.
    pub(super) fn too_short(
        &self,
        own: Shaped<'_>,
        task: Shaped<'_>,
        axis: usize,
        of: usize,
    ) -> String {
        let [name, shaping] = [own, task].map(|one| self.parameter(one).name.as_str());
        let (given, wanted) = (own.shape, task.shape);
        let [found, expected] = [given.dims()[axis], wanted.dims()[of]];
        format!(
            "{name} of shape {given:?} does not fit {shaping} of shape {wanted:?}: axis {axis} follows axis {of}, and has {found} elements instead of {expected}"
        )
    }

    /// Returns the message for an array with another length along an axis than `expected`, or
    /// `with_halo` with its halo.
    pub(super) fn other_length(
        &self,
        own: Shaped<'_>,
        task: Shaped<'_>,
        axis: usize,
        (expected, with_halo): (usize, usize),
    ) -> String {
        let [name, shaping] = [own, task].map(|one| self.parameter(one).name.as_str());
        let (given, wanted, length) = (own.shape, task.shape, own.shape.dims()[axis]);
        let mut text = format!(
            "{name} of shape {given:?} does not fit {shaping} of shape {wanted:?} along axis {axis}: {length} elements instead of {expected}"
        );
        let is_plain = expected == wanted.dims()[axis] && with_halo == expected;
        if with_halo != expected {
            text.push_str(&format!(", or {with_halo} with its halo"));
        } else if is_plain
            && self.parameter(own).kind == Kind::In
            && !self.is_aligned(own.parameter)
        {
            let follows = self.following(own, task);
            text.push_str(&match follows.starts_with("project") {
                true => format!("; if its axes follow others, write {follows}"),
                false => format!("; if a tile needs all of it, write {follows}"),
            });
        }
        text
    }
}
