//! Execution of work.
#![allow(unsafe_code, reason = "runs kernels")]

use super::Machine;
use super::access::Space;
use super::code::Code;
use super::work::{Body, Item, KernelCall, Source};
use crate::cupti::activity::{CopyWork, FillWork, KernelWork, Timed};
use crate::cupti::{self, clock};
use crate::failing;
use crate::host::paging::{self, Location};
use crate::host::traffic::{self, Traffic};
use crate::host::{Fault, LaunchShape};
use crate::report::report;

impl Machine {
    /// Executes one piece of work, and reports it to CUPTI. A failure stays with its GPU forever.
    pub(super) fn execute(&mut self, item: &Item) {
        if self.gpus[item.gpu].sticky.is_some() {
            return;
        }
        let start = clock::now();
        let room = self.room_for_pages(item.gpu);
        let done = match item.body {
            Body::Copy { .. } | Body::Fill { .. } => {
                paging::in_copy(item.gpu, room, || self.carry_out(item, start))
            }
            Body::Nothing | Body::Record(_) | Body::Prefetch { .. } => self.carry_out(item, start),
            _ => paging::in_kernel(item.gpu, room, || self.carry_out(item, start)),
        };
        if let Ok(traffic) = done {
            self.write_traffic(item, traffic);
        }
        if let Err(code) = done {
            let what = match &item.body {
                Body::Kernel(_) => String::new(),
                body => format!("{body:x?} on GPU {}: ", item.gpu),
            };
            report(&format!("{what}work failed with code {}", code.0));
            self.gpus[item.gpu].sticky = Some(code);
            self.drop_work(item.gpu);
            return;
        }
        let time = Timed {
            start,
            end: clock::now().max(start + 1),
            gpu: item.gpu as u32,
            origin: item.origin,
        };
        if !self.told_unfinished.remove(&item.id) {
            self.tell(item, time);
        }
    }

    /// Does the work, and returns what a kernel moved.
    fn carry_out(&mut self, item: &Item, start: u64) -> Result<Traffic, Code> {
        let done = match &item.body {
            Body::Nothing => Ok(()),
            Body::Record(event) => {
                if let Some(event) = self
                    .events
                    .get_mut(event)
                    .filter(|event| event.record == Some(item.id))
                {
                    event.reached = Some(start);
                }
                Ok(())
            }
            Body::Kernel(call) => return self.kernel(item.gpu, call),
            Body::Gemm(gemm) => self.gemm(item.gpu, gemm),
            Body::FftPass(fft) => self.fft_pass(item.gpu, fft),
            Body::Fft(fft) => self.fft(item.gpu, fft),
            Body::Solver(call) => self.solver(item.gpu, call),
            &Body::Fill {
                to,
                pattern,
                width,
                count,
            } => self.fill(to, pattern, width, count),
            Body::Copy { from, to, bytes } => self.copy(from, *to, *bytes),
            &Body::Prefetch { address, bytes, to } => {
                if !self.is_managed(address, bytes) {
                    return Err(Code::ILLEGAL_ADDRESS);
                }
                let room = match to {
                    Location::Host => 0,
                    Location::Gpu(gpu) => self.room_for_pages(gpu),
                };
                paging::prefetch(address, bytes, to, room);
                Ok(())
            }
        };
        done.map(|()| Traffic::default())
    }

    fn kernel(&mut self, gpu: usize, call: &KernelCall) -> Result<Traffic, Code> {
        if let Some(code) = failing::failure("kernel", Code::LAUNCH_FAILED.0) {
            return Err(Code(code));
        }
        let function = self
            .functions
            .get(&call.function)
            .ok_or(Code::ILLEGAL_INSTRUCTION)?;
        let (code, name) = (function.code.clone(), function.name.clone());
        let shape = LaunchShape {
            grid: call.grid,
            block: call.block,
            shared_bytes: call.shared_bytes,
        };
        let mut arguments = call.arguments.clone();
        let mut params: Vec<*mut u8> = arguments
            .iter_mut()
            .map(|bytes| bytes.as_mut_ptr())
            .collect();
        let order = self.random.next();
        self.open_for(gpu);
        let (base, span) = self.gpus[gpu].memory.addresses();
        let (ran, moved) = traffic::counted(base, span, || {
            // SAFETY: each argument has as many bytes as its parameter, as `arguments` read them.
            unsafe { code.launch_raw(&name, shape, &mut params, usize::MAX, order) }
        });
        ran.map(|()| moved).map_err(|fault: Fault| {
            report(&format!("GPU {gpu}, {fault}"));
            let what = fault.what;
            if what.starts_with("illegal address") {
                Code::ILLEGAL_ADDRESS
            } else if what.starts_with("misaligned") {
                Code::MISALIGNED_ADDRESS
            } else {
                Code::LAUNCH_FAILED
            }
        })
    }

    /// Records work that has run for CUPTI.
    fn tell(&self, item: &Item, time: Timed) {
        match &item.body {
            // The moves of pages are records of their own.
            Body::Nothing | Body::Record(_) | Body::Prefetch { .. } => {}
            Body::Kernel(call) => cupti::kernel(self.kernel_work(call), time),
            Body::Gemm(gemm) => cupti::kernel(KernelWork::of_gemm(gemm), time),
            Body::FftPass(fft) => cupti::kernel(KernelWork::of_fft(fft, true), time),
            Body::Fft(fft) => cupti::kernel(KernelWork::of_fft(fft, false), time),
            Body::Solver(call) => cupti::kernel(KernelWork::of_solver(call), time),
            &Body::Fill {
                pattern,
                width,
                count,
                ..
            } => {
                cupti::fill(
                    FillWork {
                        value: pattern,
                        bytes: width * count,
                    },
                    time,
                );
            }
            Body::Copy { from, to, bytes } => {
                let from = match from {
                    Source::Address(from) => self.place(*from, *bytes).unwrap_or(Space::Pageable),
                    Source::Staged(_) => Space::Pageable,
                };
                let to = self.place(*to, *bytes).unwrap_or(Space::Pageable);
                cupti::copy(
                    CopyWork {
                        from,
                        to,
                        bytes: *bytes,
                    },
                    time,
                );
            }
        }
    }

    /// Returns CUPTI's description of a launch.
    pub(crate) fn kernel_work(&self, call: &KernelCall) -> KernelWork {
        let function = self.functions.get(&call.function);
        KernelWork {
            name: function.map_or(0, |function| function.c_name),
            grid: call.grid,
            block: call.block,
            dynamic_bytes: call.shared_bytes,
            static_bytes: function.map_or(0, |function| function.code.shared_bytes() as u32),
        }
    }
}
