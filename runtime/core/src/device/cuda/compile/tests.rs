use smallvec::smallvec;
use weft_elements::chain::{Step, Value};

use super::super::code::{self, Chain, DeviceOperand, DeviceTile};
use super::*;
use crate::dtype::DType;
use crate::shape::{Layout, Shape};
use crate::testing::functions::{PRODUCT, SUM};
use crate::testing::machines_nvrtc;

#[test]
fn uses_cubin_for_known_and_ptx_for_newer_architectures() {
    let known = [75, 80, 90, 100];
    assert_eq!(target(90, &known), Some(Target::Cubin(90)));
    assert_eq!(target(121, &known), Some(Target::Ptx(100)));
    assert_eq!(target(89, &known), Some(Target::Ptx(80)));
    assert_eq!(target(70, &known), None);
}

#[test]
fn missing_nvrtc_is_a_typed_error() {
    let nothing = choose((13, 0), vec!["/nowhere/libnvrtc.so.13".into()]);
    let nothing = nothing.expect_err("there is none");
    assert!(matches!(
        nothing,
        DriverError::Missing {
            library: "NVRTC",
            ..
        }
    ));
    assert!(nothing.to_string().contains("WEFT_NVRTC"), "{nothing}");
}

/// Returns a compiler with its own cache.
fn compiler(driver: Version, cache: Option<Cache>) -> Option<Compiler> {
    let nvrtc = machines_nvrtc()?;
    Some(Compiler {
        nvrtc: OnceLock::from(Ok(nvrtc)),
        driver,
        bundle: None,
        cache,
        sources: None,
        made: Mutex::default(),
    })
}

/// Returns the kernel of `(a + b) * c` over dense vectors of `f64`.
fn chain_of_two() -> Kernel {
    let layout = Layout::contiguous(Shape::new(&[1000]).unwrap());
    let tile = |at: u64| DeviceTile {
        start: at << 20,
        dtype: DType::F64,
        layout,
    };
    let chain = Chain {
        shape: layout.shape,
        inputs: (1..4).map(|at| DeviceOperand::Tile(tile(at))).collect(),
        steps: smallvec![
            Step {
                kind: SUM,
                inputs: smallvec![Value::Input(0), Value::Input(1)],
            },
            Step {
                kind: PRODUCT,
                inputs: smallvec![Value::Step(0), Value::Input(2)],
            },
        ],
        outputs: smallvec![(1, tile(4))],
    };
    let launch = code::launch(&chain);
    launch.expect("there are elements").kernel
}

#[test]
fn compile_error_contains_nvrtc_log() {
    let Some(compiler) = compiler((13, 0), None) else {
        return;
    };
    let source = "__global__ void weft_wrong() { missing(); }";
    let wrong = compiler.build(("weft_wrong", source), (9, 0), true);
    let Err(DriverError::Compile { kernel, log }) = wrong else {
        panic!("{wrong:?}");
    };
    assert_eq!(kernel, "weft_wrong");
    assert!(
        log.contains("weft_wrong.cu(1)") && log.contains("missing"),
        "{log}"
    );
}

#[test]
fn refuses_ptx_newer_than_the_driver() {
    let Some(compiler) = compiler((12, 0), None) else {
        return;
    };
    assert_eq!(compiler.target((9, 0)), Ok(Target::Cubin(90)));
    let newer = compiler.target((99, 0));
    assert!(
        matches!(newer, Err(DriverError::TooNew { .. })),
        "{newer:?}"
    );
    let older = compiler.target((1, 0));
    assert!(
        matches!(older, Err(DriverError::TooNew { .. })),
        "{older:?}"
    );
}

#[test]
fn reads_compiled_code_from_the_disk_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = || Some(Cache::new(folder.path().to_owned()));
    let Some(first) = compiler((13, 0), cache()) else {
        return;
    };
    let kernel = chain_of_two();
    let Code { image, origin } = first.compile(&kernel, (9, 0)).expect("it compiles");
    assert_eq!(origin, CodeOrigin::Compiled);
    assert_eq!(
        (image.name.as_str(), image.target.as_str()),
        ("weft_add_mul_f64", "sm_90")
    );
    assert_eq!(image.bytes[..4], *b"\x7fELF", "a cubin");
    let again = first.compile(&kernel, (9, 0)).expect("it is known");
    assert_eq!(again.origin, CodeOrigin::Memory);
    assert!(Arc::ptr_eq(&image, &again.image));
    let ptx = first
        .compile(&kernel, (99, 0))
        .expect("PTX for GPUs to come")
        .image;
    assert!(ptx.target.starts_with("compute_"), "{}", ptx.target);
    assert_eq!(ptx.source, image.source, "of one source");
    assert_eq!(ptx.bytes.last(), Some(&0), "text that a zero ends");
    assert_eq!(
        std::fs::read_dir(folder.path())
            .expect("the folder")
            .count(),
        2
    );
    // Another process finds the file. Here its code differs, which shows where it came from.
    let (major, minor) = first.nvrtc().expect("it has compiled").version;
    let [arch, version] = [Target::Cubin(90).option(), format!("nvrtc {major}.{minor}")];
    let source = kernel.source();
    let key = cache::key(
        OPTIONS
            .into_iter()
            .chain([arch.as_str(), &version, &source]),
    );
    Cache::new(folder.path().to_owned()).write(&key, b"from the disk");
    let Some(second) = compiler((13, 0), cache()) else {
        return;
    };
    let found = second.compile(&kernel, (9, 0)).expect("it is there");
    assert_eq!(found.origin, CodeOrigin::Disk);
    assert_eq!(found.image.bytes, b"from the disk");
}

/// Writes the sources of these kernels to a folder and packs them; returns the bundle's path.
fn packed(folder: &std::path::Path, kernels: &[Kernel]) -> std::path::PathBuf {
    let sources = Sources::new(folder.join("sources"));
    for kernel in kernels {
        sources.write(&kernel.name(), &kernel.source());
    }
    let to = folder.join("kernels.weft");
    let packed = pack::pack(&folder.join("sources"), &to).expect("packed");
    assert_eq!(packed.kernels, kernels.len());
    assert!(packed.targets.contains(&"sm_90".to_owned()), "{packed:?}");
    to
}

#[test]
fn a_kernel_in_the_bundle_needs_no_compiler() {
    if machines_nvrtc().is_none() || pack::compiler().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let kernel = chain_of_two();
    let bundle = packed(folder.path(), std::slice::from_ref(&kernel));
    let missing = DriverError::NoDevice;
    let compiler = Compiler {
        nvrtc: OnceLock::from(Err(missing.clone())),
        driver: (13, 0),
        bundle: Some(Bundle::open(&bundle, (13, 0)).expect("a bundle")),
        cache: None,
        sources: None,
        made: Mutex::default(),
    };
    for (capability, target) in [((9, 0), "sm_90"), ((8, 9), "sm_80")] {
        let Code { image, origin } = compiler.compile(&kernel, capability).expect("it is there");
        assert_eq!(
            (origin, image.target.as_str()),
            (CodeOrigin::Bundle, target)
        );
        assert_eq!(image.bytes[..4], *b"\x7fELF", "a cubin");
    }
    let Code { image, origin } = compiler.compile(&kernel, (7, 5)).expect("it is there");
    assert_eq!(
        (origin, image.target.as_str()),
        (CodeOrigin::Bundle, "compute_75")
    );
    let other = compiler.build(
        ("weft_other", "__global__ void weft_other() {}"),
        (9, 0),
        true,
    );
    assert_eq!(other.expect_err("it needs the compiler"), missing);
}

#[test]
fn leaving_out_declarations_changes_no_code() {
    let Some(nvrtc) = machines_nvrtc() else {
        return;
    };
    let kernel = chain_of_two();
    let (name, source, target) = (kernel.name(), kernel.source(), Target::Cubin(90));
    let arch = target.option();
    let compile = |is_ours| {
        let options = OPTIONS.into_iter().chain([arch.as_str()]);
        nvrtc.compile((&name, &source), options, target, is_ours)
    };
    assert_eq!(
        compile(true).expect("it compiles"),
        compile(false).expect("it compiles")
    );
}
