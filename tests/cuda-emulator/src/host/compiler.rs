//! Compilation of CUDA C to a library of the host, by the system's C++ compiler.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{cache, source, traffic};

const SHIM: &str = include_str!("../../shim/cuda_shim.h");
const RUN: &str = include_str!("../../shim/cuda_shim_run.h");
const TRAFFIC: &str = include_str!("../../shim/cuda_shim_traffic.h");

/// Calls before each access, which count it.
const COUNT: &str = "-fsanitize=thread";

/// Undefined behaviour that ends a launch. Arithmetic of unsigned numbers is defined; so is, in
/// practice, a shift of a negative number to the left.
const CHECKS: &str = "-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift-exponent,float-cast-overflow,\
                      alignment,bounds,bool,return,unreachable";

/// The options of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Whether `a * b + c` may be rounded once, NVRTC's default (`--fmad=true`).
    pub fuses: bool,
}

/// The reason why a source cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// A C++ compiler is missing.
    #[error("no C++ compiler: neither $CXX nor g++, c++ or clang++ starts")]
    NoCompiler,
    /// The source is wrong.
    #[error("{log}")]
    Source {
        /// The compiler's output; lines are the source's.
        log: String,
    },
    /// The folder for compiled kernels, or a file in it, cannot be used.
    #[error("{path}: {reason}", path = path.display())]
    Cache {
        /// The file.
        path: PathBuf,
        /// The error.
        reason: String,
    },
}

/// Returns the C++ compiler; `g++` first, which also detects misaligned copies of whole vectors.
/// `None` if there is none.
fn compiler() -> Option<&'static str> {
    static COMPILER: OnceLock<Option<String>> = OnceLock::new();
    let found = COMPILER.get_or_init(|| {
        let own = std::env::var("CXX").ok();
        let usual = ["g++", "c++", "clang++"].map(str::to_owned);
        own.into_iter().chain(usual).find(|name| {
            let version = Command::new(name).arg("--version").output();
            version.is_ok_and(|output| output.status.success())
        })
    });
    found.as_deref()
}

/// Returns whether CUDA C can be compiled on this machine.
pub(super) fn is_present() -> bool {
    compiler().is_some()
}

/// Returns the library of a source, compiled unless the same source was compiled before.
pub(super) fn library(text: &str, options: Options) -> Result<PathBuf, CompileError> {
    let compiler = compiler().ok_or(CompileError::NoCompiler)?;
    let own_switching = std::env::var_os("WEFT_EMULATED_UCONTEXT").is_none();
    let fuse = if options.fuses && cfg!(target_arch = "x86_64") && has_fma() {
        "-ffp-contract=fast -mfma"
    } else {
        "-ffp-contract=off"
    };
    let define = if own_switching {
        ""
    } else {
        "-DWEFT_EMULATED_UCONTEXT"
    };
    let unit = translation_unit(text);
    let folder = cache::folder();
    let count = traffic::is_counted().then_some(COUNT);
    let key = cache::key(&[&unit, compiler, fuse, define, CHECKS, count.unwrap_or("")]);
    let made = folder.join(format!("{key}.so"));
    if made.is_file() {
        return Ok(made);
    }
    let failed = |path: &Path, error: std::io::Error| CompileError::Cache {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    static MAKING: AtomicU64 = AtomicU64::new(0);
    let number = MAKING.fetch_add(1, Ordering::Relaxed);
    let stem = format!("{}/{key}.{}.{number}", folder.display(), std::process::id());
    let [input, object, output] =
        ["cc", "o", "making"].map(|end| PathBuf::from(format!("{stem}.{end}")));
    fs::write(&input, &unit).map_err(|error| failed(&input, error))?;
    let flags = [
        "-x",
        "c++",
        "-std=c++17",
        "-O1",
        "-g0",
        "-fPIC",
        "-w",
        "-fno-exceptions",
        "-fno-rtti",
    ];
    let strict = [
        "-fno-strict-aliasing",
        "-fvisibility=hidden",
        "-fno-sanitize-recover=all",
        CHECKS,
    ];
    let compiled = Command::new(compiler)
        .args(flags)
        .args(strict)
        .args(fuse.split(' '))
        .args(Some(define).filter(|define| !define.is_empty()))
        .args(count)
        .arg("-c")
        .arg(&input)
        .arg("-o")
        .arg(&object)
        .output()
        .map_err(|error| failed(&input, error));
    let linked = compiled.and_then(|done| {
        check(&done)?;
        let done = Command::new(compiler)
            .args(["-shared", "-Wl,-z,now", "-Wl,-z,noexecstack", "-o"])
            .arg(&output)
            .arg(&object)
            .arg("-lm")
            .output()
            .map_err(|error| failed(&object, error))?;
        check(&done)?;
        fs::rename(&output, &made).map_err(|error| failed(&made, error))
    });
    for file in [input, object] {
        // Remaining files do no harm.
        let _ = fs::remove_file(file);
    }
    linked.map(|()| made)
}

fn check(done: &Output) -> Result<(), CompileError> {
    if done.status.success() {
        return Ok(());
    }
    let log = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(CompileError::Source { log })
}

fn has_fma() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Returns the translation unit: the shim, the source among CUDA's names, the table of its kernels,
/// and the code that runs them.
fn translation_unit(text: &str) -> String {
    let kernels = source::entries(text);
    let mut table = String::new();
    for kernel in &kernels {
        let name = &kernel.name;
        let bound = format!("Bound<cuda_device::{name}>");
        table.push_str(&format!(
            "{{\"{name}\", {bound}::count, {bound}::sizes, {bound}::call}},\n"
        ));
    }
    let text = source::with_dynamic_shared(text);
    let counter = if traffic::is_counted() { TRAFFIC } else { "" };
    let (types, rest) = RUN.split_once("// --- KERNELS ---\n").unwrap_or((RUN, ""));
    format!(
        "{SHIM}\nnamespace cuda_device {{ namespace {{\n#line 1 \"kernel.cu\"\n{text}\n}} }}\n#line 1 \"runner\"\n{types}\
         static const Kernel kernels[] = {{\n{table}{{nullptr, 0, nullptr, nullptr}}}};\n{rest}\n{counter}"
    )
}
