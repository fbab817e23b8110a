//! The places of NVIDIA's libraries: a pure function of the environment and the file system.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::names::CudaLibrary;
use crate::machine::tool;

/// The parts of the environment that locate libraries.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    /// The path of the library itself.
    pub(super) library: Option<PathBuf>,
    /// The roots of CUDA toolkits.
    pub(super) toolkits: Vec<PathBuf>,
    /// The roots of Python environments, from pip or conda.
    pub(super) pythons: Vec<PathBuf>,
}

impl Environment {
    pub(super) fn of_process() -> Self {
        let set = |name: &str| {
            env::var_os(name)
                .filter(|value: &OsString| !value.is_empty())
                .map(PathBuf::from)
        };
        let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(set);
        let pythons = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(set);
        // The environment is that of the link itself, not of the link's target.
        let on_path = tool::find_program("python3".as_ref())
            .and_then(|python| Some(python.parent()?.parent()?.to_path_buf()));
        Environment {
            library: None,
            toolkits: toolkits.chain(["/usr/local/cuda".into()]).collect(),
            pythons: pythons.chain(on_path).collect(),
        }
    }
}

/// Implements [`CudaLibrary::candidates`].
pub(super) fn candidates(library: CudaLibrary, environment: &Environment) -> Vec<PathBuf> {
    let given = env::var_os(library.variable()).filter(|value| !value.is_empty());
    if let Some(given) = environment.library.clone().or(given.map(PathBuf::from)) {
        return vec![given];
    }
    let files = library.files();
    let toolkits = environment.toolkits.iter().flat_map(|root| {
        let inner = ["lib64", "targets/x86_64-linux/lib"]
            .into_iter()
            .chain((library == CudaLibrary::Cupti).then_some("extras/CUPTI/lib64"));
        inner.map(|folder| root.join(folder)).collect::<Vec<_>>()
    });
    let pythons = environment
        .pythons
        .iter()
        .flat_map(|root| of_python(library, root));
    let mut found: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    for folder in toolkits.chain(pythons) {
        for file in files {
            let path = folder.join(file);
            if path.exists() && !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// Returns the folders with libraries below the root of an environment: conda's own, and those of
/// pip's packages. CUDA 13's packages share one folder; CUDA 12's have one each.
fn of_python(library: CudaLibrary, root: &Path) -> Vec<PathBuf> {
    let package = match library {
        CudaLibrary::Nvrtc => "cuda_nvrtc",
        CudaLibrary::Cublas => "cublas",
        CudaLibrary::Cufft => "cufft",
        CudaLibrary::Cusolver => "cusolver",
        CudaLibrary::Cupti => "cuda_cupti",
    };
    let lib = root.join("lib");
    let mut folders = vec![lib.clone(), root.join("targets/x86_64-linux/lib")];
    let versions = [lib.clone(), root.join("local/lib")];
    for entry in versions
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flat_map(|entries| entries.flatten())
    {
        if !entry.file_name().to_string_lossy().starts_with("python3") {
            continue;
        }
        for packages in ["site-packages", "dist-packages"] {
            let nvidia = entry.path().join(packages).join("nvidia");
            folders.push(nvidia.join("cu13/lib"));
            folders.push(nvidia.join(package).join("lib"));
        }
    }
    folders
}

/// Returns the file with this name in the lines of /proc/self/maps.
pub(super) fn mapped(maps: &str, name: &str) -> Option<PathBuf> {
    // The mapped file may be a link's target with more digits: libnvrtc.so.13 is a link to
    // libnvrtc.so.13.0.88.
    let stem = name.split(".so").next()?;
    maps.lines()
        .filter_map(|line| line.find('/').and_then(|at| line.get(at..)))
        .map(Path::new)
        .find(|path| {
            path.file_name()
                .and_then(|file| file.to_str())
                .is_some_and(|file| {
                    file.strip_prefix(stem)
                        .is_some_and(|rest| rest.starts_with(".so"))
                })
        })
        .map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_search_prefers_loader_path_then_toolkits_then_pip() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let file = |path: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            path
        };
        let toolkit = file("cuda/lib64/libnvrtc.so.12");
        let shared = file("venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13");
        let own = file("venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
        let conda = file("conda/lib/libnvrtc.so");
        file("cuda/extras/CUPTI/lib64/libcupti.so.13");
        let environment = Environment {
            library: None,
            toolkits: vec![root.join("cuda")],
            pythons: vec![root.join("venv"), root.join("conda")],
        };
        let names = CudaLibrary::Nvrtc.files().map(PathBuf::from);
        assert_eq!(
            candidates(CudaLibrary::Nvrtc, &environment),
            [&names[..], &[toolkit, shared, own, conda]].concat()
        );
        assert_eq!(candidates(CudaLibrary::Cupti, &environment).len(), 4);
        assert_eq!(candidates(CudaLibrary::Cublas, &environment).len(), 3);
        let told = Environment {
            library: Some("/x/y.so".into()),
            ..environment
        };
        assert_eq!(
            candidates(CudaLibrary::Nvrtc, &told),
            [PathBuf::from("/x/y.so")]
        );
    }

    #[test]
    fn finds_loaded_libraries_by_name() {
        let maps = "7f00-7f01 r--p 00000000 08:01 99   /a b/libnvrtc-builtins.so.13.0\n\
                    7f02-7f03 rw-p 00000000 00:00 0 \n\
                    7f04-7f05 r-xp 00000000 08:01 98   /a b/libnvrtc.so.13.0.88\n";
        assert_eq!(
            mapped(maps, "libnvrtc.so.13"),
            Some("/a b/libnvrtc.so.13.0.88".into())
        );
        assert_eq!(mapped(maps, "libcupti.so.13"), None);
    }
}
