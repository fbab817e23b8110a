//! The text of `--show-config`.

use super::{GpuMemory, Plan};
use crate::bytes::Bytes;
use crate::flag::{FLAGS, Flag};
use crate::size::Size;

const RULE: &str = "==============================================";

impl Plan {
    /// Returns a line for each flag of the process, with its value.
    pub fn summary(&self) -> String {
        let lines = FLAGS
            .iter()
            .filter_map(|spec| Some(format!("- {} = {}\n", spec.name, self.shown(spec.flag)?)));
        format!(
            "{RULE}\nWeft configuration summary:\n{}{RULE}\n",
            lines.collect::<String>()
        )
    }

    /// Returns the value of a flag; `None` if the flag is not part of a plan, or has no value.
    fn shown(&self, flag: Flag) -> Option<String> {
        Some(match flag {
            Flag::AutoConfig => self.auto_config.to_string(),
            Flag::Cpus => self.cpus.to_string(),
            Flag::Omps => self.omps.to_string(),
            Flag::OmpThreads => self.omp_threads.to_string(),
            Flag::PinCpus => self.pin_cpus.to_string(),
            Flag::Utility => self.utility.to_string(),
            Flag::Sysmem => self.sysmem.to_string(),
            Flag::SysmemSoft => self.sysmem_soft.to_string(),
            Flag::Numamem => self.numamem.to_string(),
            Flag::MinCpuChunk => self.min_cpu_chunk.to_string(),
            Flag::MinOmpChunk => self.min_omp_chunk.to_string(),
            Flag::Fusion => self.fusion.to_string(),
            // This flag is for reproducible groups. Its default is not shown.
            Flag::FusionWait if self.fusion_wait.is_zero() => return None,
            Flag::FusionWait => format!("{} ms", self.fusion_wait.as_millis()),
            Flag::MaxInlineChunk => self.max_inline_chunk.to_string(),
            Flag::Gpus => self.gpus.to_string(),
            Flag::Fbmem => match self.fbmem {
                Some(Size::Bytes(bytes)) => bytes.to_string(),
                Some(Size::Share(parts)) => format!("{} %", f64::from(parts) / 1e4),
                None if self.gpus == 0 => Bytes(0).to_string(),
                None if self.gpu_memory == GpuMemory::Unified => {
                    "95 % of the free memory, and a share of sysmem".into()
                }
                None => "95 % of the free memory".into(),
            },
            Flag::GpuMemory => self.gpu_memory.name().into(),
            Flag::Zcmem => self.zcmem.to_string(),
            Flag::Spill => self.spill.to_string(),
            Flag::MinGpuChunk => self.min_gpu_chunk.to_string(),
            Flag::CudaGraphs => self.cuda_graphs.to_string(),
            Flag::Verify => self.verify.to_string(),
            Flag::Tf32 => self.tf32.to_string(),
            Flag::CudaAwareMpi => match self.cuda_aware_mpi {
                Some(is_aware) => is_aware.to_string(),
                None => "as MPI says".into(),
            },
            Flag::Cupti => self.cupti.to_string(),
            Flag::Profile => self.profile.to_string(),
            Flag::ProfileName => self.profile_name.clone(),
            Flag::ProfileLimit => self.profile_limit.to_string(),
            Flag::ProfileBandwidth => self.profile_bandwidth.to_string(),
            Flag::ProfileOperands => self.profile_operands.to_string(),
            Flag::ProfileSources => self.profile_sources.to_string(),
            Flag::ProvenanceDepth => self.provenance_depth.to_string(),
            Flag::Provenance => self.provenance.to_string(),
            Flag::Nsys => self.nsys.to_string(),
            Flag::Logdir => self.logdir.display().to_string(),
            Flag::Force => self.force.to_string(),
            Flag::Logging => self.logging.to_string(),
            Flag::ShowConfig => self.show_config.to_string(),
            Flag::ShowProgress => self.show_progress.to_string(),
            Flag::ShowMemoryUsage => self.show_memory_usage.to_string(),
            Flag::RunId => {
                let id = u128::from_be_bytes(self.run_id?);
                format!("{id:032x}")
            }
            Flag::Nodes
            | Flag::RanksPerNode
            | Flag::Launcher
            | Flag::LauncherExtra
            | Flag::CpuBind
            | Flag::MemBind
            | Flag::GpuBind
            | Flag::NicBind
            | Flag::NsysExtra
            | Flag::Compat
            | Flag::NumpyRandom
            | Flag::Gdb
            | Flag::CudaGdb
            | Flag::Valgrind
            | Flag::Memcheck
            | Flag::Wrapper
            | Flag::WrapperInner
            | Flag::LogToFile
            | Flag::Timing
            | Flag::Verbose
            | Flag::DryRun => return None,
        })
    }
}
