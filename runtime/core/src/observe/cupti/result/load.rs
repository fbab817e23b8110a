//! Loading of the library.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;
use weft_config::machine::library::CudaLibrary;
use weft_trace::cupti::{OLDEST, TOO_NEW};

use super::super::error::CuptiError;
use super::super::sys::{self, CUPTI_SUCCESS};
use super::Api;

/// Returns the CUPTI library of this process, loaded once.
pub(in super::super) fn api() -> Result<&'static Api, CuptiError> {
    static API: OnceLock<Result<Api, CuptiError>> = OnceLock::new();
    let api = API.get_or_init(|| {
        // Some versions of CUPTI crash if they do not find the driver themselves.
        keep(Path::new("libcuda.so.1")).ok_or(CuptiError::NoDriver)?;
        find(&CudaLibrary::Cupti.candidates())
    });
    api.as_ref().map_err(Clone::clone)
}

/// Loads the first usable library; otherwise returns the reason why the first one found is
/// unusable.
fn find(candidates: &[PathBuf]) -> Result<Api, CuptiError> {
    let mut refused = None;
    for path in candidates {
        let Some(library) = keep(path) else {
            continue;
        };
        match take(library, path) {
            Ok(api) => return Ok(api),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.unwrap_or_else(|| {
        let looked = candidates.iter().map(|path| path.display().to_string());
        CuptiError::Missing {
            looked: looked.collect::<Vec<_>>().join(", "),
            remedy: CudaLibrary::Cupti.remedy(),
        }
    }))
}

/// Returns the functions of a library, if its version is supported.
fn take(library: &'static Library, path: &Path) -> Result<Api, CuptiError> {
    let name = || path.display().to_string();
    let lacks = |symbol| CuptiError::Symbol {
        library: name(),
        symbol,
    };
    let mut version = 0;
    // SAFETY: `CUptiResult cuptiGetVersion(uint32_t *)` writes one number.
    let code = unsafe {
        let call = library.get::<sys::cuptiGetVersion>(b"cuptiGetVersion\0");
        call.map_err(|_| lacks("cuptiGetVersion"))?(&mut version)
    };
    if code != CUPTI_SUCCESS || !(OLDEST..TOO_NEW).contains(&version) {
        return Err(CuptiError::Version {
            library: name(),
            version,
        });
    }
    // SAFETY: it has CUPTI's function, a version of CUPTI, and is never unloaded.
    unsafe { Api::load(library) }.map_err(lacks)
}

/// Loads a library and never unloads it.
fn keep(path: &Path) -> Option<&'static Library> {
    // SAFETY: these are NVIDIA's own libraries, whose initialisers require nothing of the process
    // that loads them.
    let library = unsafe { Library::new(path) }.ok()?;
    Some(Box::leak(Box::new(library)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_missing_and_wrong_cupti_libraries() {
        let missing = PathBuf::from("/nowhere/libcupti.so.13");
        let Err(CuptiError::Missing { looked, remedy }) = find(std::slice::from_ref(&missing))
        else {
            panic!("found");
        };
        assert_eq!(looked, "/nowhere/libcupti.so.13");
        assert!(remedy.contains("WEFT_CUPTI"));
        let other = find(&[missing, PathBuf::from("libc.so.6")]);
        assert_eq!(
            other.err(),
            Some(CuptiError::Symbol {
                library: "libc.so.6".into(),
                symbol: "cuptiGetVersion"
            })
        );
    }

    /// Returns a library installed by `tests/cupti/install.sh`; prints the reason and returns
    /// `None` if it is missing.
    fn installed(tool: &str, inner: &str) -> Option<PathBuf> {
        let program = std::env::current_exe().unwrap();
        let target = program.ancestors().nth(3).unwrap();
        let venv = target.join("tmp").join(format!("venv-{tool}"));
        let pythons = std::fs::read_dir(venv.join("lib")).into_iter().flatten();
        let found = pythons
            .flatten()
            .map(|python| python.path().join("site-packages/nvidia").join(inner))
            .find(|library| library.exists());
        if found.is_none() {
            let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
            let is_required = required.split(',').any(|name| name == tool);
            assert!(!is_required, "{} has no {inner}", venv.display());
            eprintln!(
                "skipped: {} has no {inner}; tests/cupti/install.sh brings it",
                venv.display()
            );
        }
        found
    }

    fn each_record_comes_with_its_length(tool: &str, inner: &str, version: u32) {
        let Some(library) = installed(tool, inner) else {
            return;
        };
        keep(Path::new("libcuda.so.1"));
        let api = find(&[library]).unwrap();
        let lengths = weft_trace::cupti::Lengths::of_version(version).unwrap();
        let mut words = Vec::new();
        let mut expected = Vec::new();
        for kind in weft_trace::cupti::kind::ALL {
            let length = lengths.of(kind).unwrap();
            expected.push((kind, length, true));
            words.push(u64::from(kind));
            words.extend(vec![0x0101_0101_0101_0101; length / 8 - 1]);
        }
        let walk = |words: &[u64]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            let mut found = Vec::new();
            // SAFETY: the buffer is laid out as CUPTI does.
            let walked = unsafe {
                api.walk(&bytes, |record, is_end_known| {
                    let kind = u32::from_ne_bytes(*record.first_chunk().unwrap());
                    found.push((kind, record.len(), is_end_known));
                })
            };
            (found, walked.is_cut)
        };
        assert_eq!(walk(&words), (expected.clone(), false));
        assert_eq!(walk(&[]), (vec![], false));
        // The library does not know this kind either, so the end of the previous record is unknown.
        words.extend([0x5eed; 4]);
        let last = expected.last_mut().unwrap();
        *last = (last.0, last.1 + 32, false);
        assert_eq!(walk(&words), (expected, true));

        // Without a GPU there is nothing to subscribe to.
        match api.subscribe(super::super::super::clones::on_callback) {
            Ok(subscriber) => api.unsubscribe(subscriber).unwrap(),
            Err(CuptiError::Call { call, code, .. }) => {
                assert_eq!(call, "cuptiSubscribe");
                assert!([15, 999].contains(&code), "{code}");
            }
            Err(CuptiError::Held) => {}
            Err(other) => panic!("{other}"),
        }
        assert_eq!(
            api.function_name(weft_trace::cupti::ApiKind::Driver, 307)
                .as_deref(),
            Some("cuLaunchKernel")
        );
    }

    #[test]
    fn activity_records_of_cuda_13_0_have_known_lengths() {
        each_record_comes_with_its_length("cupti13", "cu13/lib/libcupti.so.13", 130_001);
    }

    #[test]
    fn activity_records_of_cuda_12_4_have_known_lengths() {
        each_record_comes_with_its_length("cupti12", "cuda_cupti/lib/libcupti.so.12", 22);
    }
}
