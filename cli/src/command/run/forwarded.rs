//! Variables of this environment that ranks on other machines need too.

use std::env;

/// Prefixes of variables used by Weft, CUDA and its tools, MPI's transports, Rust and Python.
const BEGINNINGS: [&str; 13] = [
    "WEFT_", "CUDA_", "CONDA_", "CUFILE_", "LD_", "NCCL_", "NSYS_", "NVIDIA_", "NVTX_", "OMP_",
    "PYTHON", "RUST_", "UCX_",
];

/// The names among those of this environment, and `own` ones, sorted.
pub(super) fn names(own: &[&str]) -> Vec<String> {
    let known = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    select(known, own)
}

fn select(known: impl Iterator<Item = String>, own: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = known
        .filter(|name| is_forwarded(name))
        .chain(own.iter().map(|&name| name.to_owned()))
        .collect();
    names.sort();
    names.dedup();
    names
}

fn is_forwarded(name: &str) -> bool {
    // Open MPI takes no other names, and a shell cannot set them.
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_name
        && (name.ends_with("PATH")
            || BEGINNINGS
                .iter()
                .any(|beginning| name.starts_with(beginning)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwards_variables_used_by_programs() {
        let known = [
            "HOME",
            "LD_LIBRARY_PATH",
            "PATH",
            "WEFT_CACHE",
            "BASH_FUNC_x%%PATH",
            "PATHS",
            "UCX_TLS",
        ];
        let known = known.map(String::from).into_iter();
        assert_eq!(
            select(known, &["WEFT_CONFIG", "WEFT_CACHE"]),
            [
                "LD_LIBRARY_PATH",
                "PATH",
                "UCX_TLS",
                "WEFT_CACHE",
                "WEFT_CONFIG"
            ]
        );
    }
}
