//! Which of the last tasks a task waits for, also through others.

use weft_trace::id::TaskUid;

/// Tasks that are remembered: one for each bit of a set of them.
const REMEMBERED: u64 = u64::BITS as u64;

/// The last tasks in program order, with what each waits for among them.
#[derive(Debug, Default)]
pub(crate) struct Lineage {
    /// The task of number `n` stands at `n % REMEMBERED`.
    tasks: Vec<Known>,
    /// How many there were.
    count: u64,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    uid: TaskUid,
    before: Ancestors,
}

/// Whom a task waits for, of the tasks before it: bit `b` stands for the one `b + 1` before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ancestors(u64);

impl Lineage {
    /// The task so many before the next one.
    fn back(&self, distance: u64) -> &Known {
        &self.tasks[((self.count - distance) % REMEMBERED) as usize]
    }

    /// How many before the next one a task stands, where it is remembered.
    fn distance(&self, uid: TaskUid) -> Option<u64> {
        let most = self.count.min(REMEMBERED);
        // Most that are not remembered are older: UIDs grow.
        if most == 0 || uid.0 < self.back(most).uid.0 {
            return None;
        }
        (1..=most).find(|distance| self.back(*distance).uid == uid)
    }

    /// Whom the next task waits for that waits for these, and so for all that they wait for.
    pub(crate) fn of(&self, follows: impl IntoIterator<Item = TaskUid>) -> Ancestors {
        let mut all = 0;
        for distance in follows.into_iter().filter_map(|uid| self.distance(uid)) {
            all |= 1 << (distance - 1);
            let through = self.back(distance).before.0;
            all |= through.checked_shl(distance as u32).unwrap_or(0);
        }
        Ancestors(all)
    }

    /// Whether a task is among them.
    pub(crate) fn has(&self, ancestors: Ancestors, uid: TaskUid) -> bool {
        ancestors.0 != 0
            && self
                .distance(uid)
                .is_some_and(|distance| ancestors.0 & 1 << (distance - 1) != 0)
    }

    /// Adds the next task.
    pub(crate) fn add(&mut self, uid: TaskUid, before: Ancestors) {
        let known = Known { uid, before };
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

    /// Whom the last of these tasks waits for; each has a number, and those that it waits for itself.
    fn ancestors(tasks: &[&[u64]]) -> Vec<u64> {
        let mut lineage = Lineage::default();
        let mut last = Vec::new();
        for (number, follows) in tasks.iter().enumerate() {
            let before = lineage.of(follows.iter().map(|number| uid(*number)));
            let earlier = 0..number as u64;
            last = earlier
                .filter(|number| lineage.has(before, uid(*number)))
                .collect();
            lineage.add(uid(number as u64), before);
        }
        last
    }

    #[test]
    fn through_others_too() {
        assert_eq!(ancestors(&[&[]]), [0; 0]);
        assert_eq!(ancestors(&[&[], &[0], &[], &[1]]), [0, 1]);
        assert_eq!(ancestors(&[&[], &[], &[0], &[1], &[2, 3]]), [0, 1, 2, 3]);
        assert_eq!(ancestors(&[&[], &[], &[0], &[0]]), [0]);
    }

    #[test]
    fn only_the_last_are_remembered() {
        let chain: Vec<Vec<u64>> = (0..200_u64)
            .map(|uid| uid.checked_sub(1).into_iter().collect())
            .collect();
        let chain: Vec<&[u64]> = chain.iter().map(Vec::as_slice).collect();
        let expected: Vec<u64> = (199 - 64..199).collect();
        assert_eq!(ancestors(&chain), expected);
        // One that is far behind is not known any more, and changes nothing.
        let mut far = chain.clone();
        far.push(&[3]);
        assert_eq!(ancestors(&far), [0; 0]);
    }
}
