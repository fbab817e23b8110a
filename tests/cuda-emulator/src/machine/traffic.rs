//! The file of what each piece of device work moved: see [`crate::host::traffic`].
//!
//! A line is a JSON object: `work` is `kernel`, `library`, `fill` or `copy`, `name` the kernel or
//! the library, and the rest bytes of device memory. What a library moves is not known.

use super::Machine;
use super::access::Space;
use super::work::{Body, Item, Source};
use crate::host::traffic::{Traffic, VARIABLE, is_counted};
use crate::log::Log;

/// The file that the variable names.
static LINES: Log = Log::new(VARIABLE);

impl Machine {
    /// Appends a line for work that has run. `traffic` is what it moved, if it is a kernel.
    pub(super) fn write_traffic(&self, item: &Item, traffic: Traffic) {
        if !is_counted() {
            return;
        }
        let on_device = |space: Result<Space, _>| matches!(space, Ok(Space::Device(_)));
        let (work, name, traffic) = match &item.body {
            Body::Nothing | Body::Record(_) | Body::Prefetch { .. } => return,
            Body::Kernel(call) => {
                let function = self.functions.get(&call.function);
                let name = function.map_or("", |function| function.name.as_str());
                ("kernel", name, traffic)
            }
            Body::Gemm(_) => ("library", "cublas", Traffic::default()),
            Body::FftPass(_) | Body::Fft(_) => ("library", "cufft", Traffic::default()),
            Body::Solver(_) => ("library", "cusolver", Traffic::default()),
            Body::Fill { width, count, .. } => {
                let bytes = width * count;
                (
                    "fill",
                    "",
                    Traffic {
                        stored: bytes,
                        written: bytes,
                        ..Traffic::default()
                    },
                )
            }
            Body::Copy { from, to, bytes } => {
                let reads = match from {
                    Source::Address(from) => on_device(self.place(*from, *bytes)),
                    Source::Staged(_) => false,
                };
                let [read, written] = [reads, on_device(self.place(*to, *bytes))]
                    .map(|is_counted| if is_counted { *bytes } else { 0 });
                (
                    "copy",
                    "",
                    Traffic {
                        loaded: read,
                        stored: written,
                        read,
                        written,
                    },
                )
            }
        };
        let Traffic {
            loaded,
            stored,
            read,
            written,
        } = traffic;
        let gpu = item.gpu;
        LINES.append(|| {
            format!(
                "{{\"work\": \"{work}\", \"name\": \"{name}\", \"gpu\": {gpu}, \"loaded\": {loaded}, \"stored\": {stored}, \
                 \"read\": {read}, \"written\": {written}}}"
            )
        });
    }
}
