//! Libraries that Weft loads at run time. A library is there when the dynamic linker can load it.
#![allow(
    unsafe_code,
    reason = "loading a library runs its code, and its functions are called by signatures from its headers"
)]

use std::env;
use std::path::PathBuf;

use libloading::Library;

use super::inventory::Component;
use super::tool::component;

/// CUPTI: what the GPU did.
pub(super) fn cupti() -> Component {
    let names = ["libcupti.so.13", "libcupti.so.12", "libcupti.so"];
    let folders = cuda_folders(&["extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib"]);
    let state = load(&names, &folders).map(|(library, name)| {
        let mut version = 0u32;
        // SAFETY: `CUptiResult cuptiGetVersion(uint32_t *)` writes one number.
        let result = unsafe {
            library
                .get::<unsafe extern "C" fn(*mut u32) -> i32>(b"cuptiGetVersion\0")
                .map(|call| call(&mut version))
        };
        match result {
            Ok(0) => format!("{name}, API version {version}"),
            _ => name,
        }
    });
    component(
        "CUPTI",
        "device activity in a .prof without nsys",
        state,
        "install the CUDA toolkit, or pip's nvidia-cuda-cupti with its folder in LD_LIBRARY_PATH",
    )
}

/// NVRTC: compiles kernels for the GPU.
pub(super) fn nvrtc() -> Component {
    let names = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];
    let folders = cuda_folders(&["lib64", "targets/x86_64-linux/lib"]);
    let state = load(&names, &folders).map(|(library, name)| {
        let (mut major, mut minor) = (0i32, 0i32);
        // SAFETY: `nvrtcResult nvrtcVersion(int *, int *)` writes two numbers.
        let result = unsafe {
            library
                .get::<unsafe extern "C" fn(*mut i32, *mut i32) -> i32>(b"nvrtcVersion\0")
                .map(|call| call(&mut major, &mut minor))
        };
        match result {
            Ok(0) => format!("{name}, version {major}.{minor}"),
            _ => name,
        }
    });
    component(
        "NVRTC",
        "kernels compiled for GPUs",
        state,
        "install the CUDA toolkit, or pip's nvidia-cuda-nvrtc with its folder in LD_LIBRARY_PATH",
    )
}

/// Loads the first that can be loaded: by name as the dynamic linker finds it, then in the folders.
/// The error says what was looked for.
pub(super) fn load(names: &[&str], folders: &[PathBuf]) -> Result<(Library, String), String> {
    let bare = names.iter().map(PathBuf::from);
    let placed = folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)))
        .filter(|path| path.exists());
    for path in bare.chain(placed) {
        // SAFETY: these are the vendor's own libraries, whose initialisers ask nothing of the process that loads them.
        if let Ok(library) = unsafe { Library::new(&path) } {
            return Ok((library, path.display().to_string()));
        }
    }
    Err(format!("none of {} can be loaded", names.join(", ")))
}

fn cuda_folders(inner: &[&str]) -> Vec<PathBuf> {
    let homes = ["CUDA_HOME", "CUDA_PATH"]
        .into_iter()
        .filter_map(env::var_os)
        .map(PathBuf::from)
        .chain([PathBuf::from("/usr/local/cuda")]);
    homes
        .flat_map(|home| inner.iter().map(move |folder| home.join(folder)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_found_by_name_and_a_missing_one_is_named() {
        assert!(load(&["libc.so.6"], &[]).is_ok());
        let missing = load(&["libno-such.so"], &[PathBuf::from("/nowhere")]);
        assert_eq!(
            missing.map(|(_, name)| name),
            Err("none of libno-such.so can be loaded".into())
        );
    }
}
