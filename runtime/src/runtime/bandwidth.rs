//! The speed of main memory, in the profile of a run that used it.

use weft_config::Level;

use super::Core;
use crate::device::cpu;
use crate::memory;
use crate::observe::Subsystem;

/// Arrays leave at least this part of their memory for the measurement.
const PART: u64 = 8;

impl Core {
    /// Measures how fast main memory is and records it, where the run was profiled and had workers on CPUs. To be called when their
    /// threads have ended; by all ranks at the same time, since those of a machine share its memory.
    pub(super) fn record_bandwidth(&self) {
        let plan = &self.plan;
        let threads = plan.cpus + plan.omps * plan.omp_threads;
        let is_wanted = self.recorder.is_on() && plan.profile_bandwidth;
        if !is_wanted || threads == 0 || plan.gpus > 0 {
            return;
        }
        let mut allowed = cpu::allowed();
        if !plan.cores.is_empty() {
            allowed.retain(|cpu| plan.cores.contains(cpu));
        }
        let launch = plan.launch.as_ref();
        let ranks = launch.map_or(1, |launch| usize::from(launch.local_size));
        let bytes = memory::enough(threads, &allowed, ranks);
        let cores: Vec<usize> = cpu::cores(plan, &self.log).collect();
        let measured = match bytes <= plan.sysmem.0 / PART {
            true => memory::measure(threads, bytes, |number| {
                cpu::pin(cores.get(number).copied(), &self.log);
            }),
            false => None,
        };
        match measured {
            Some(bandwidth) => self.recorder.write(&bandwidth),
            None => self.log.say(
                Subsystem::Runtime,
                Level::Info,
                "the speed of memory is not known: too little memory or too much other work to measure it",
            ),
        }
    }
}
