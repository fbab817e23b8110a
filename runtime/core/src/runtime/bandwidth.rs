//! The speed of main memory and of arithmetic, in the profile of a run.

use weft_config::{Level, Machine};

use super::Core;
use crate::device::cpu;
use crate::memory::{self, Figures};
use crate::observe::Subsystem;

/// The measurement uses at most one `PART`-th of the machine's available memory: it must not get a
/// successful run killed.
const PART: u64 = 2;

/// Whether `bytes` more fit within `--sysmem`, of which arrays may still hold some, and leave the
/// machine enough.
fn has_room(bytes: u64, pool: Figures, machine: u64) -> bool {
    let taken = pool.live.saturating_add(pool.kept);
    bytes <= pool.capacity.saturating_sub(taken) as u64 && bytes <= machine / PART
}

impl Core {
    /// Measures the speed of main memory and arithmetic and records it, if the run was profiled and
    /// had workers on CPUs. To be called after the threads have ended, by all ranks at the same
    /// time, since the ranks of a machine share its memory.
    pub(super) fn record_speeds(&self) {
        let plan = &self.plan;
        let threads = plan.cpus + plan.omps * plan.omp_threads;
        let is_wanted = self.observers.recorder.is_on() && plan.profile_bandwidth;
        if !is_wanted || threads == 0 || plan.gpus > 0 {
            return;
        }
        let mut allowed = cpu::allowed();
        if !plan.cores.is_empty() {
            allowed.retain(|cpu| plan.cores.contains(cpu));
        }
        let launch = plan.launch.as_ref();
        let ranks = launch.map_or(1, |launch| usize::from(launch.local_size).max(1));
        let caches = memory::last_caches(&allowed);
        let bytes = memory::enough(threads, &caches, ranks, !plan.cores.is_empty());
        let cores: Vec<usize> = cpu::cores(plan, &self.observers.log).collect();
        // All ranks of the machine allocate the same amount now.
        let machine = Machine::probe().memory_available.0 / ranks as u64;
        let pin = |number: usize| cpu::pin(cores.get(number).copied(), &self.observers.log);
        let measured = match has_room(bytes, self.memories.main.pool.figures(), machine) {
            true => memory::measure(threads, bytes, memory::SHORT, pin),
            false => None,
        };
        let Some(bandwidth) = measured else {
            return self.observers.log.say(
                Subsystem::Runtime,
                Level::Info,
                "the speed of memory is not known: too little memory or too much other work to measure it",
            );
        };
        self.observers.recorder.write(&bandwidth);
        // The upper limit of a product of matrices. Memory speed and arithmetic speed are only
        // useful together.
        if let Some(speed) = cpu::measure_floats(threads, pin) {
            self.observers.recorder.write(&speed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_bandwidth_only_if_memory_suffices() {
        let pool = |live, kept| Figures {
            capacity: 1000,
            live,
            peak: 1000,
            largest: 0,
            kept,
        };
        assert!(has_room(1000, pool(0, 0), 2000));
        assert!(!has_room(1001, pool(0, 0), 1 << 30));
        // Arrays that outlive the run, and pages that the pool retains.
        assert!(has_room(500, pool(300, 200), 1000));
        assert!(!has_room(501, pool(300, 200), 1 << 30));
        assert!(!has_room(1, pool(900, 200), 1 << 30));
        assert!(!has_room(500, pool(0, 0), 999));
    }
}
