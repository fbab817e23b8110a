//! Every offset against NVIDIA's headers, asked of the C compiler.

use std::fs;
use std::process::Command;

use weft_trace::cupti::{Activity, Lengths, kind};

use super::install::{Install, cuda_12, cuda_13, skip};

/// What the CUDA headers want of a package that only compilers of CUDA have; none of it is in CUPTI's structs.
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

/// C expressions of numbers, and what we have for them.
fn facts(install: &Install) -> Vec<(String, usize)> {
    let lengths = Lengths::of_version(install.version).expect("a measured version");
    let mut facts = vec![(
        "CUPTI_API_VERSION".to_owned(),
        usize::try_from(install.version).expect("a small number"),
    )];
    for kind in kind::ALL {
        let layout = Activity::layout(kind).expect("a known kind");
        let mut known = install.structs.iter();
        let number = known.find(|(name, _)| *name == layout.name);
        let name = format!("{}{}", layout.name, number.map_or("", |(_, number)| number));
        let length = lengths.of(kind).expect("a known kind");
        facts.push((format!("sizeof({name})"), length));
        let later = layout.later.iter();
        let there = later.filter(|field| field.offset + field.size <= length);
        for field in layout.fields.iter().chain(there) {
            facts.push((format!("offsetof({name}, {})", field.name), field.offset));
            facts.push((format!("sizeof((({name} *)0)->{})", field.name), field.size));
        }
    }
    for (name, kind) in [
        ("MEMCPY", kind::MEMCPY),
        ("MEMSET", kind::MEMSET),
        ("KERNEL", kind::KERNEL),
        ("DRIVER", kind::DRIVER),
        ("RUNTIME", kind::RUNTIME),
        ("CONCURRENT_KERNEL", kind::CONCURRENT_KERNEL),
        ("OVERHEAD", kind::OVERHEAD),
        ("MEMCPY2", kind::MEMCPY2),
        ("SYNCHRONIZATION", kind::SYNCHRONIZATION),
        ("EXTERNAL_CORRELATION", kind::EXTERNAL_CORRELATION),
        ("MEMORY2", kind::MEMORY2),
        ("GRAPH_TRACE", kind::GRAPH_TRACE),
    ] {
        facts.push((format!("CUPTI_ACTIVITY_KIND_{name}"), kind as usize));
    }
    facts
}

fn check(install: &Install) {
    if Command::new("cc").arg("--version").output().is_err() {
        return skip("cc", "no C compiler is here");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, program) = (folder.path().join("facts.c"), folder.path().join("facts"));
    fs::create_dir(folder.path().join("crt")).expect("a folder");
    fs::write(folder.path().join("crt/host_defines.h"), HOST_DEFINES).expect("a written file");
    let facts = facts(install);
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

#[test]
fn the_structs_are_those_of_cuda_13_0() {
    if let Some(install) = cuda_13() {
        check(&install);
    }
}

#[test]
fn the_structs_are_those_of_cuda_12_4() {
    if let Some(install) = cuda_12() {
        check(&install);
    }
}
