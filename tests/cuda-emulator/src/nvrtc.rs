//! `libnvrtc`, version 13.0: "compiles" CUDA C with the host's compiler.
#![allow(unsafe_code, reason = "calls C functions")]

pub(crate) mod image;

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{env, thread};

use crate::driver::put;
use crate::failing;
use crate::host::{CompileError, Module, Options};
use crate::teardown;
use image::{Arch, Image};

/// `nvrtcResult`.
type Outcome = Result<(), u32>;

const INVALID_INPUT: u32 = 3;
const INVALID_PROGRAM: u32 = 4;
const INVALID_OPTION: u32 = 5;
const COMPILATION: u32 = 6;
const INTERNAL: u32 = 11;

/// The architectures that NVRTC 13.0 knows.
const ARCHS: [i32; 11] = [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120];

#[derive(Default)]
struct Program {
    source: String,
    log: String,
    /// The cubin or PTX, once compiled.
    image: Option<Image>,
}

static PROGRAMS: Mutex<(u64, BTreeMap<u64, Program>)> = Mutex::new((0x4e56_0000, BTreeMap::new()));

/// The time added to each compilation: `$WEFT_EMULATED_COMPILE_MS`.
fn added_time() -> Duration {
    static TIME: OnceLock<Duration> = OnceLock::new();
    *TIME.get_or_init(|| {
        let given = env::var("WEFT_EMULATED_COMPILE_MS").ok();
        let given = given.and_then(|text| text.parse().ok());
        Duration::from_millis(given.unwrap_or(0))
    })
}

fn with<R>(program: u64, use_it: impl FnOnce(&mut Program) -> Result<R, u32>) -> Result<R, u32> {
    let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    use_it(programs.1.get_mut(&program).ok_or(INVALID_PROGRAM)?)
}

fn text(from: *const c_char) -> Result<String, u32> {
    if from.is_null() {
        return Err(INVALID_INPUT);
    }
    // SAFETY: the program promises a string.
    let text = unsafe { CStr::from_ptr(from) };
    text.to_str().map(str::to_owned).map_err(|_| INVALID_INPUT)
}

fn write<T>(to: *mut T, value: T) -> Outcome {
    put(to, value).map_err(|_| INVALID_INPUT)
}

fn write_bytes(to: *mut u8, bytes: &[u8]) -> Outcome {
    bytes
        .iter()
        .enumerate()
        .try_for_each(|(at, &byte)| write(to.wrapping_add(at), byte))
}

/// Parses the options: whether products fuse, the target, and lines before the source.
fn options(given: &[String]) -> Result<(bool, Arch, String), String> {
    let (mut fuses, mut arch, mut defines) = (
        true,
        Arch {
            is_real: false,
            number: 75,
        },
        String::new(),
    );
    let mut given = given.iter();
    while let Some(option) = given.next() {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option.as_str(), None),
        };
        let mut value = || value.clone().or_else(|| given.next().cloned());
        match name {
            "--gpu-architecture" | "-arch" => {
                let text = value().unwrap_or_default();
                arch = Arch::parse(&text)
                    .filter(|arch| ARCHS.contains(&(arch.number as i32)))
                    .ok_or_else(|| {
                        format!(
                            "nvrtc: error: invalid value for --gpu-architecture (-arch): {text}"
                        )
                    })?;
            }
            "--fmad" | "-fmad" => fuses = value().is_none_or(|value| value == "true"),
            "--define-macro" | "-D" => {
                let text = value().unwrap_or_default();
                defines.push_str(&format!("#define {}\n", text.replacen('=', " ", 1)));
            }
            _ if option.starts_with("-D") => {
                defines.push_str(&format!("#define {}\n", option[2..].replacen('=', " ", 1)));
            }
            "--use_fast_math" | "-use_fast_math" => fuses = true,
            "--std" | "-std" | "--ftz" | "-ftz" | "--prec-div" | "-prec-div" | "--prec-sqrt"
            | "-prec-sqrt" | "--include-path" | "-I" | "--maxrregcount" | "-maxrregcount"
            | "--dopt" | "-dopt" => {
                value();
            }
            "-default-device"
            | "--device-as-default-execution-space"
            | "--generate-line-info"
            | "-lineinfo"
            | "--device-debug"
            | "-G"
            | "--restrict"
            | "-restrict"
            | "--disable-warnings"
            | "-w"
            | "--minimal"
            | "-minimal"
            | "--extra-device-vectorization"
            | "-extra-device-vectorization"
            | "--device-int128"
            | "--no-source-include"
            | "-no-source-include" => {}
            _ if option.starts_with("-I") || option.starts_with("--diag") => {}
            _ => return Err(format!("nvrtc: error: unrecognized option {option} found")),
        }
    }
    Ok((fuses, arch, defines))
}

fn compile(program: &mut Program, given: &[String]) -> Outcome {
    program.image = None;
    let (fuses, arch, defines) = options(given).map_err(|log| {
        program.log = log;
        INVALID_OPTION
    })?;
    let source = format!("{defines}#line 1 \"kernel.cu\"\n{}", program.source);
    match Module::compile_with(&source, Options { fuses }) {
        Ok(_) => {
            program.log.clear();
            program.image = Some(Image {
                arch,
                fuses,
                source,
            });
            Ok(())
        }
        Err(CompileError::Source { log }) => {
            program.log = log;
            Err(COMPILATION)
        }
        Err(error) => {
            program.log = error.to_string();
            Err(INTERNAL)
        }
    }
}

fn created(program: *mut u64, source: *const c_char) -> Outcome {
    let source = text(source)?;
    let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    programs.0 += 16;
    let number = programs.0;
    programs.1.insert(
        number,
        Program {
            source,
            ..Program::default()
        },
    );
    write(program, number)
}

/// Returns the bytes of the result: text ended by a zero byte, or the form of a real architecture.
/// `None` if the target was another.
fn compiled_image(program: &Program, is_real: bool) -> Result<Vec<u8>, u32> {
    let image = program.image.as_ref().ok_or(INVALID_PROGRAM)?;
    Ok(if is_real && !image.arch.is_real {
        Vec::new()
    } else {
        image.bytes(is_real)
    })
}

macro_rules! exports {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, reason = "the name in C")]
            extern "C" fn $name($($arg: $type),*) -> u32 {
                teardown::NVRTC.enter_or_abort(stringify!($name));
                if let Some(code) = failing::failure(stringify!($name), COMPILATION) {
                    return code;
                }
                let run = move || -> Outcome { $body };
                run().err().unwrap_or(0)
            }
        )*
    };
}

exports! {
    fn nvrtcVersion(major: *mut i32, minor: *mut i32) {
        write(major, 13)?;
        write(minor, 0)
    }

    fn nvrtcGetNumSupportedArchs(count: *mut i32) { write(count, ARCHS.len() as i32) }

    fn nvrtcGetSupportedArchs(archs: *mut i32) {
        ARCHS.iter().enumerate().try_for_each(|(at, &arch)| write(archs.wrapping_add(at), arch))
    }

    fn nvrtcCreateProgram(
        program: *mut u64, source: *const c_char, _name: *const c_char,
        headers: i32, _sources: *const *const c_char, _names: *const *const c_char,
    ) {
        if headers != 0 {
            return Err(INVALID_INPUT);
        }
        created(program, source)
    }

    fn nvrtcDestroyProgram(program: *mut u64) {
        if program.is_null() {
            return Err(INVALID_PROGRAM);
        }
        // SAFETY: the program promises a handle there.
        let number = unsafe { program.read() };
        let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
        programs.1.remove(&number).map(drop).ok_or(INVALID_PROGRAM)?;
        write(program, 0)
    }

    fn nvrtcCompileProgram(program: u64, count: i32, given: *const *const c_char) {
        let mut options = Vec::new();
        for at in 0..count.max(0) as usize {
            // SAFETY: the program promises `count` strings.
            options.push(text(unsafe { given.add(at).read() })?);
        }
        // Taken out meanwhile, so that programs compile in parallel.
        let mut taken = with(program, |program| Ok(std::mem::take(program)))?;
        thread::sleep(added_time());
        let outcome = compile(&mut taken, &options);
        with(program, |program| {
            *program = taken;
            outcome
        })
    }

    fn nvrtcGetPTXSize(program: u64, bytes: *mut usize) {
        with(program, |program| write(bytes, compiled_image(program, false)?.len()))
    }

    fn nvrtcGetPTX(program: u64, to: *mut u8) { with(program, |program| write_bytes(to, &compiled_image(program, false)?)) }

    fn nvrtcGetCUBINSize(program: u64, bytes: *mut usize) {
        with(program, |program| write(bytes, compiled_image(program, true)?.len()))
    }

    fn nvrtcGetCUBIN(program: u64, to: *mut u8) { with(program, |program| write_bytes(to, &compiled_image(program, true)?)) }

    fn nvrtcGetProgramLogSize(program: u64, bytes: *mut usize) {
        with(program, |program| write(bytes, program.log.len() + 1))
    }

    fn nvrtcGetProgramLog(program: u64, to: *mut u8) {
        with(program, |program| {
            write_bytes(to, program.log.as_bytes())?;
            write(to.wrapping_add(program.log.len()), 0)
        })
    }
}

#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the name in C")]
extern "C" fn nvrtcGetErrorString(code: u32) -> *const u8 {
    let text = match code {
        0 => "NVRTC_SUCCESS\0",
        1 => "NVRTC_ERROR_OUT_OF_MEMORY\0",
        2 => "NVRTC_ERROR_PROGRAM_CREATION_FAILURE\0",
        INVALID_INPUT => "NVRTC_ERROR_INVALID_INPUT\0",
        INVALID_PROGRAM => "NVRTC_ERROR_INVALID_PROGRAM\0",
        INVALID_OPTION => "NVRTC_ERROR_INVALID_OPTION\0",
        COMPILATION => "NVRTC_ERROR_COMPILATION\0",
        7 => "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE\0",
        INTERNAL => "NVRTC_ERROR_INTERNAL_ERROR\0",
        _ => "NVRTC_ERROR unknown\0",
    };
    text.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_compiler_options() {
        let given = [
            "--gpu-architecture=sm_90",
            "--fmad=false",
            "-DN=3",
            "--std=c++17",
            "-default-device",
        ];
        let given = given.map(str::to_owned);
        let (fuses, arch, defines) = options(&given).expect("options");
        assert!(!fuses && arch.is_real && arch.number == 90);
        assert_eq!(defines, "#define N 3\n");
        let wrong = options(&["--arch=sm_90".to_owned()]).expect_err("not an option");
        assert!(wrong.contains("--arch"), "{wrong}");
        options(&["-arch=sm_70".to_owned()]).expect_err("too old an architecture");
    }
}
