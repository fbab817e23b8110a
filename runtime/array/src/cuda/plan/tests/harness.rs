//! Jobs that the emulator runs, and comparisons of their results with expected values.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

use cuda_emulator::host::{Memory, Module};

use crate::cuda::{
    DeviceOperand, DeviceTile, Job, Kernel, count, index, reduce, scan, search, sort, testing,
};
use crate::dtype::{Complex, DType, Scalar};
use crate::kernel::testing::{Draw, Operand, same};
use crate::shape::{MAX_DIMS, Shape};
use weft_core::cuda::{Launch, Work};
use weft_core::operation::Body;
use weft_geometry::Cut;

/// The allowed absolute error of a float, by its place among the values.
pub(super) type Tolerance = Box<dyn Fn(usize) -> f64>;

/// An operand of a job.
pub(super) enum On<'a> {
    /// An operand in memory.
    Tile(&'a Operand),
    /// A single value.
    Scalar(Scalar),
}

/// A job, and the expected contents of memory after it.
struct Case {
    what: String,
    works: Vec<Work>,
    memories: Vec<(Memory, Operand)>,
    fault: Memory,
    expected_fault: Option<(i64, usize)>,
    _scratch: Memory,
}

/// Jobs whose kernels are compiled together, since starting a compiler takes longer than compiling
/// one of them.
pub(super) struct Cases {
    cases: Vec<(Case, Vec<Expected>)>,
}

/// The expected contents of an operand.
pub(super) struct Expected {
    pub(super) operand: usize,
    pub(super) values: Operand,
    pub(super) tolerance: Option<Tolerance>,
}

/// Expects the bits of an operand that a CPU kernel has written.
pub(super) fn exactly(operand: usize, values: Operand) -> Expected {
    Expected {
        operand,
        values,
        tolerance: None,
    }
}

/// Returns values for a sum: any whole numbers for integers, and moderate magnitudes for floats.
pub(super) fn moderate(draw: &mut Draw, dtype: DType) -> Scalar {
    if is_inexact(dtype) {
        draw.tame(dtype)
    } else {
        draw.value(dtype)
    }
}

/// Whether the dtype has rounded results.
pub(super) fn is_inexact(dtype: DType) -> bool {
    dtype.is_float() || dtype.is_complex()
}

/// Returns the magnitude.
pub(super) fn size(value: &Scalar) -> f64 {
    let value = value.to::<Complex<f64>>();
    value.re.hypot(value.im)
}

/// Returns half the distance from 1 to the next float, in the type in which terms are added up.
pub(super) fn unit(dtype: DType) -> f64 {
    match dtype {
        DType::F16 | DType::F32 | DType::C64 => f64::from(f32::EPSILON) / 2.0,
        _ => f64::EPSILON / 2.0,
    }
}

impl Cases {
    pub(super) fn new() -> Cases {
        Cases { cases: Vec::new() }
    }

    /// Adds a job over copies of the operands.
    pub(super) fn add(
        &mut self,
        what: String,
        body: Body,
        whole: Shape,
        operands: &[On<'_>],
        expected: Vec<Expected>,
    ) {
        self.add_part(what, body, whole, [0; MAX_DIMS], operands, expected, None);
    }

    /// Adds a job for a tile of a vector of `whole` elements, starting at `first`.
    pub(super) fn add_tile(
        &mut self,
        what: String,
        body: Body,
        [whole, first]: [usize; 2],
        operands: &[On<'_>],
        expected: Vec<Expected>,
    ) {
        let whole = Shape::new(&[whole]).unwrap();
        let mut start = [0; MAX_DIMS];
        start[0] = first;
        self.add_part(what, body, whole, start, operands, expected, None);
    }

    /// Adds a job for a tile that begins at an index of the whole, and may find an index outside of
    /// its axis.
    #[allow(clippy::too_many_arguments, reason = "all that a job consists of")]
    pub(super) fn add_part(
        &mut self,
        what: String,
        body: Body,
        whole: Shape,
        first: [usize; MAX_DIMS],
        operands: &[On<'_>],
        expected: Vec<Expected>,
        expected_fault: Option<(i64, usize)>,
    ) {
        let mut memories = Vec::new();
        let mut on_device = Vec::new();
        for operand in operands {
            on_device.push(match operand {
                On::Scalar(value) => DeviceOperand::Scalar(*value),
                On::Tile(operand) => {
                    let memory = Memory::of(&operand.bytes());
                    let tile = DeviceTile {
                        start: memory.address(),
                        dtype: operand.dtype(),
                        layout: operand.layout,
                    };
                    memories.push((memory, operand.with_bytes(&operand.bytes())));
                    DeviceOperand::Tile(tile)
                }
            });
        }
        let fault = Memory::of(&[0u64; 2]);
        let job = Job {
            body: &body,
            operands: &on_device,
            first,
            whole,
            cut: Cut::whole(&whole),
            verify: false,
            fault: fault.address(),
        };
        let scratch = Memory::new(testing::scratch(&job));
        let mut works = testing::work(&job, scratch.address(), &testing::gpu());
        if self.cases.len() % 5 == 4 {
            works.iter_mut().for_each(widen);
        }
        let case = Case {
            what,
            works,
            memories,
            fault,
            expected_fault,
            _scratch: scratch,
        };
        self.cases.push((case, expected));
    }

    /// Returns all kernels of the jobs.
    pub(super) fn kernels(&self) -> Vec<Kernel> {
        let works = self.cases.iter().flat_map(|(case, _)| &case.works);
        let launches = works.filter_map(|work| match work {
            Work::Kernel(launch) => Some(launch.kernel.clone()),
            _ => None,
        });
        let mut kernels: HashMap<Kernel, ()> = HashMap::new();
        kernels.extend(launches.map(|kernel| (kernel, ())));
        kernels.into_keys().collect()
    }

    /// Runs all jobs and compares their results.
    pub(super) fn check(self) {
        assert!(!self.cases.is_empty());
        if !testing::can_run() {
            return;
        }
        let modules = compile(&self.kernels());
        for (case, expected) in self.cases {
            for work in &case.works {
                match work {
                    Work::Kernel(launch) => run(&modules, launch, &case.what),
                    Work::Fill {
                        to,
                        pattern: 0,
                        width,
                        count,
                    } => zero(*to, usize::from(*width) * count),
                    other => panic!("{}: {other:?}", case.what),
                }
            }
            case.compare(&expected);
        }
    }
}

impl Case {
    fn compare(&self, expected: &[Expected]) {
        let what = &self.what;
        let fault = self.fault.read::<u64>();
        let fault = (fault[1] != 0).then(|| (fault[0] as i64, fault[1] as usize - 1));
        assert_eq!(fault, self.expected_fault, "{what}");
        for expected in expected {
            let (memory, before) = &self.memories[expected.operand];
            let after = before.with_bytes(&memory.read::<u8>());
            let outside = |operand: &Operand| format!("{:?}", operand.others());
            assert_eq!(
                outside(&after),
                outside(before),
                "{what}: elements outside of the output"
            );
            let pairs = after.values().into_iter().zip(expected.values.values());
            for (at, (got, wanted)) in pairs.enumerate() {
                let is_near = match &expected.tolerance {
                    None => same(&got, &wanted) || equal(&got, &wanted),
                    Some(tolerance) => {
                        let distance = got.to::<Complex<f64>>() - wanted.to::<Complex<f64>>();
                        let distance = size(&Scalar::C128(distance));
                        same(&got, &wanted) || distance <= tolerance(at)
                    }
                };
                assert!(is_near, "{what}: element {at} is {got:?}, not {wanted:?}");
            }
        }
    }
}

/// Replaces a kernel by the one for 64-bit indices. Arguments have 64 bits in any case.
fn widen(work: &mut Work) {
    if let Work::Kernel(launch) = work {
        let kernel = &launch.kernel;
        macro_rules! widened {
            ($($family:ident::$key:ident)*) => {
                None$(.or_else(|| {
                    let key: &$family::$key = kernel.library_source()?;
                    Some(Kernel::from_source(key.clone().widened()))
                }))*
            };
        }
        let wide: Option<Kernel> = widened!(count::CountKernelKey index::IndexKernelKey reduce::ReduceKernelKey scan::ScanKernelKey search::SearchKernelKey sort::SortKernelKey);
        if let Some(wide) = wide {
            launch.kernel = wide;
        }
    }
}

/// Whether two values are equal. Zeros of either sign are, since either may be the smaller one.
fn equal(a: &Scalar, b: &Scalar) -> bool {
    if !is_inexact(a.dtype()) {
        return false;
    }
    let (a, b) = (a.to::<Complex<f64>>(), b.to::<Complex<f64>>());
    let part = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    part(a.re, b.re) && part(a.im, b.im)
}

/// Returns sources of many kernels each, with their names. The kernels of a source share the
/// functions before their entries.
fn together(kernels: &[Kernel]) -> Vec<(String, Vec<String>)> {
    let mut entries: HashMap<String, Vec<(String, String)>> = HashMap::new();
    for kernel in kernels {
        let source = kernel.source();
        let at = source.find("extern \"C\"").unwrap();
        let (functions, entry) = source.split_at(at);
        let known = entries.entry(functions.to_owned()).or_default();
        known.push((kernel.name(), entry.to_owned()));
    }
    let mut sources = Vec::new();
    for (functions, mut entries) in entries {
        entries.sort();
        for some in entries.chunks(40) {
            let mut source = functions.clone();
            for (_, entry) in some {
                let _ = writeln!(source, "{entry}");
            }
            sources.push((source, some.iter().map(|(name, _)| name.clone()).collect()));
        }
    }
    sources
}

fn compile(kernels: &[Kernel]) -> HashMap<String, Arc<Module>> {
    let mut modules = HashMap::new();
    for (source, names) in together(kernels) {
        let compiled = Module::compile(&source);
        let module = Arc::new(compiled.unwrap_or_else(|error| panic!("{error}\n{source}")));
        for name in names {
            let other = modules.insert(name.clone(), module.clone());
            assert!(other.is_none(), "two kernels are named {name}");
        }
    }
    modules
}

/// Compiles the kernels of the jobs with NVRTC, for the architectures of the first of each source.
pub(super) fn compile_all(cases: Vec<Cases>) {
    let kernels: HashSet<Kernel> = cases.iter().flat_map(Cases::kernels).collect();
    let kernels: Vec<Kernel> = kernels.into_iter().collect();
    let names: HashSet<String> = kernels.iter().map(Kernel::name).collect();
    assert_eq!(names.len(), kernels.len(), "each kernel has its own name");
    let Some(nvrtc) = testing::nvrtc() else {
        return;
    };
    for (source, names) in together(&kernels) {
        for arch in testing::architectures(&names[0]) {
            if let Err(error) = nvrtc.ptx(&names[0], &source, *arch) {
                panic!("for sm_{arch}: {error}\n{source}");
            }
        }
    }
}

fn run(modules: &HashMap<String, Arc<Module>>, launch: &Launch, what: &str) {
    if let Err(fault) = testing::run_module(&modules[&launch.kernel.name()], launch) {
        panic!("{what}: {fault}\n{launch:?}");
    }
}

#[allow(unsafe_code, reason = "writes the memory of a test")]
fn zero(to: u64, bytes: usize) {
    // SAFETY: the work of a job is on memory that its case owns.
    unsafe { std::ptr::write_bytes(to as *mut u8, 0, bytes) };
}
