//! Direct and indirect predecessors of a task among the most recent tasks.

use weft_trace::id::TaskUid;

/// Number of tasks that are remembered: one for each bit of a set of them.
const REMEMBERED: u64 = u64::BITS as u64;

/// The most recent tasks in program order, with the predecessors of each among them.
#[derive(Debug, Default)]
pub(crate) struct Lineage {
    /// The task of number `n` is at index `n % REMEMBERED`.
    tasks: Vec<RecentTask>,
    /// Number of tasks added so far.
    count: u64,
}

#[derive(Clone, Copy, Debug)]
struct RecentTask {
    uid: TaskUid,
    before: Ancestors,
}

/// A set of predecessors: bit `b` is the task `b + 1` places before this one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ancestors(u64);

impl Lineage {
    /// Returns the task `distance` places before the next one.
    fn back(&self, distance: u64) -> &RecentTask {
        &self.tasks[((self.count - distance) % REMEMBERED) as usize]
    }

    /// Returns the distance from the next task back to a task, if it is remembered.
    fn distance(&self, uid: TaskUid) -> Option<u64> {
        let most = self.count.min(REMEMBERED);
        // Most tasks that are not remembered are older: UIDs grow.
        if most == 0 || uid.0 < self.back(most).uid.0 {
            return None;
        }
        (1..=most).find(|distance| self.back(*distance).uid == uid)
    }

    /// Returns the direct and indirect predecessors of a task whose direct predecessors are
    /// `follows`.
    pub(crate) fn ancestors(&self, follows: impl IntoIterator<Item = TaskUid>) -> Ancestors {
        let mut all = 0;
        for distance in follows.into_iter().filter_map(|uid| self.distance(uid)) {
            all |= 1 << (distance - 1);
            let through = self.back(distance).before.0;
            all |= through.checked_shl(distance as u32).unwrap_or(0);
        }
        Ancestors(all)
    }

    /// Whether `ancestors` contains a task.
    pub(crate) fn has(&self, ancestors: Ancestors, uid: TaskUid) -> bool {
        ancestors.0 != 0
            && self
                .distance(uid)
                .is_some_and(|distance| ancestors.0 & 1 << (distance - 1) != 0)
    }

    /// Adds the next task.
    pub(crate) fn add(&mut self, uid: TaskUid, before: Ancestors) {
        let known = RecentTask { uid, before };
        match self.tasks.get_mut((self.count % REMEMBERED) as usize) {
            Some(place) => *place = known,
            None => self.tasks.push(known),
        }
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use weft_trace::id::Uid;

    use super::*;

    fn uid(number: u64) -> TaskUid {
        TaskUid(Uid::from_raw(number + 1).unwrap())
    }

    /// Returns the predecessors of the last of these tasks. A task is given by its direct
    /// predecessors; tasks are numbered by index.
    fn ancestors(tasks: &[&[u64]]) -> Vec<u64> {
        let mut lineage = Lineage::default();
        let mut last = Vec::new();
        for (number, follows) in tasks.iter().enumerate() {
            let before = lineage.ancestors(follows.iter().map(|number| uid(*number)));
            let earlier = 0..number as u64;
            last = earlier
                .filter(|number| lineage.has(before, uid(*number)))
                .collect();
            lineage.add(uid(number as u64), before);
        }
        last
    }

    #[test]
    fn ancestors_include_indirect_predecessors() {
        assert_eq!(ancestors(&[&[]]), [0; 0]);
        assert_eq!(ancestors(&[&[], &[0], &[], &[1]]), [0, 1]);
        assert_eq!(ancestors(&[&[], &[], &[0], &[1], &[2, 3]]), [0, 1, 2, 3]);
        assert_eq!(ancestors(&[&[], &[], &[0], &[0]]), [0]);
    }

    #[test]
    fn remembers_only_recent_ancestors() {
        let chain: Vec<Vec<u64>> = (0..200_u64)
            .map(|uid| uid.checked_sub(1).into_iter().collect())
            .collect();
        let chain: Vec<&[u64]> = chain.iter().map(Vec::as_slice).collect();
        let expected: Vec<u64> = (199 - 64..199).collect();
        assert_eq!(ancestors(&chain), expected);
        // A task that is far behind is no longer remembered and changes nothing.
        let mut far = chain.clone();
        far.push(&[3]);
        assert_eq!(ancestors(&far), [0; 0]);
    }
}
