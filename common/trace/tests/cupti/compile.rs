//! Constants of NVIDIA's headers, computed by the C compiler.

use std::fs;
use std::process::Command;

use super::install::{Install, skip};

/// Definitions that the CUDA headers take from a package which only CUDA compilers have. CUPTI's
/// structs use none of them.
const HOST_DEFINES: &str = "
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __cudart_builtin__
#define __device_builtin__
#define __device_builtin_surface_type__
#define __device_builtin_texture_type__
#define __device__
#define __host__
#define CUDARTAPI
#define CUDARTAPI_CDECL
";

/// Compares the value of each expression with that of the C compiler.
pub(crate) fn check(install: &Install, facts: Vec<(String, usize)>) {
    if Command::new("cc").arg("--version").output().is_err() {
        return skip("cc", "no C compiler is here");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, program) = (folder.path().join("facts.c"), folder.path().join("facts"));
    fs::create_dir(folder.path().join("crt")).expect("a folder");
    fs::write(folder.path().join("crt/host_defines.h"), HOST_DEFINES).expect("a written file");
    let prints: String = facts
        .iter()
        .map(|(expression, _)| format!("  printf(\"%zu\\n\", (size_t)({expression}));\n"))
        .collect();
    let text = format!(
        "#include <stddef.h>\n#include <stdio.h>\n#include <cupti.h>\nint main(void) {{\n{prints}  return 0;\n}}\n"
    );
    fs::write(&source, text).expect("a written file");
    let mut compiler = Command::new("cc");
    compiler.arg("-std=c11").arg("-I").arg(folder.path());
    for include in &install.includes {
        compiler.arg("-isystem").arg(include);
    }
    let output = compiler.arg(&source).arg("-o").arg(&program).output();
    let output = output.expect("a started compiler");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let output = Command::new(&program).output().expect("a started program");
    let text = String::from_utf8(output.stdout).expect("text");
    let answers: Vec<usize> = text
        .lines()
        .map(|line| line.parse().expect("a number"))
        .collect();
    assert_eq!(answers.len(), facts.len());
    for ((expression, ours), theirs) in facts.into_iter().zip(answers) {
        assert_eq!(ours, theirs, "{expression}");
    }
}
