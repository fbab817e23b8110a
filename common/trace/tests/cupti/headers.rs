//! All offsets, compared with NVIDIA's headers by the C compiler.

use weft_trace::cupti::{Activity, Lengths, kind, overhead};

use super::compile::check;
use super::install::{Install, cuda_12, cuda_13};

/// Returns C expressions of numbers, with our values.
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
    macro_rules! constants {
        ($prefix:literal: $($name:ident),* $(,)?) => {$(
            let name = concat!($prefix, stringify!($name)).to_owned();
            facts.push((name, overhead::$name as usize));
        )*};
    }
    constants!("CUPTI_ACTIVITY_": OBJECT_THREAD, OBJECT_DEVICE, OBJECT_CONTEXT, OBJECT_STREAM);
    constants!(
        "CUPTI_ACTIVITY_OVERHEAD_":
        DRIVER_COMPILER,
        CUPTI_BUFFER_FLUSH,
        CUPTI_INSTRUMENTATION,
        CUPTI_RESOURCE,
        RUNTIME_TRIGGERED_MODULE_LOADING,
        LAZY_FUNCTION_LOADING,
        COMMAND_BUFFER_FULL,
    );
    // Added after CUDA 12.4.
    if install.version > 100_000 {
        constants!("CUPTI_ACTIVITY_OVERHEAD_": ACTIVITY_BUFFER_REQUEST, UVM_ACTIVITY_INIT);
    }
    facts
}

#[test]
fn struct_layouts_match_cuda_13_0() {
    if let Some(install) = cuda_13() {
        check(&install, facts(&install));
    }
}

#[test]
fn struct_layouts_match_cuda_12_4() {
    if let Some(install) = cuda_12() {
        check(&install, facts(&install));
    }
}
