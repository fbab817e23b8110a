//! Bodies in C: the functions of `examples/c_task`, compiled by the system's compiler.

#![allow(unsafe_code, reason = "loads a library and calls its functions")]

use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;

use weft::task::{Definition, ForeignFunction, Kind, RawOperand, RawTask, Reduction};
use weft::{Error, Runtime, dtype::DType, dtype::Scalar};

use crate::support::{drawn, on, plan, small_tiles};

/// Compiles a C source in a folder; `None` if there is no compiler.
fn compiled(source: &Path, folder: &Path) -> Option<PathBuf> {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/include");
    let library = folder.join("libtasks.so");
    let made = Command::new("cc")
        .args([
            "-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-I",
        ])
        .args([include.as_path(), "-o".as_ref(), library.as_path(), source])
        .status();
    match made {
        Ok(status) => {
            assert!(status.success(), "cc cannot compile {}", source.display());
            Some(library)
        }
        Err(_) => {
            let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
            assert!(
                !required.split(',').any(|name| name == "cc"),
                "there is no cc, but WEFT_TEST_REQUIRE names it"
            );
            eprintln!("skipped: there is no cc");
            None
        }
    }
}

/// Returns a function of a library, which stays loaded.
fn function(library: &Path, name: &str) -> ForeignFunction {
    let path = CString::new(library.to_str().unwrap()).unwrap();
    let name = CString::new(name).unwrap();
    // SAFETY: the texts end with 0, and the library's constructors do nothing.
    let found = unsafe {
        let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        assert!(!handle.is_null(), "{} cannot be loaded", library.display());
        libc::dlsym(handle, name.as_ptr())
    };
    assert!(!found.is_null(), "{name:?}");
    // SAFETY: the symbol is a body, by its declaration in C.
    unsafe { std::mem::transmute::<*mut c_void, ForeignFunction>(found) }
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c_task/heat.c")
}

fn heat(function: ForeignFunction, dtype: DType) -> Definition {
    let builder = Definition::builder("heat")
        .parameter("x", Kind::In, Some(dtype), Some(1))
        .parameter("y", Kind::Out, Some(dtype), Some(1))
        .scalar("rate", DType::F64)
        .align(&["x", "y"])
        .halo("x", &[1], &[1]);
    // SAFETY: the function keeps to the contract.
    unsafe { builder.foreign(function, ptr::null_mut()) }
        .finish()
        .unwrap()
}

#[test]
fn c_functions_serve_as_bodies() {
    let folder = tempfile::tempdir().unwrap();
    let Some(library) = compiled(&example(), folder.path()) else {
        return;
    };
    let heat = heat(function(&library, "heat"), DType::F64);
    let total = Definition::builder("total")
        .input("x", DType::F64, 1)
        .reduce("sum", Reduction::Add, DType::F64, 0)
        .align(&["x"]);
    // SAFETY: as above.
    let total = unsafe { total.foreign(function(&library, "total"), ptr::null_mut()) };
    let total = total.finish().unwrap();
    let rate = Scalar::F64(0.25);
    for cpus in 1..=4 {
        on(&small_tiles(cpus), || {
            let values = drawn(1, 3000);
            // A reversed view with steps, and a plain one.
            let backwards: Vec<f64> = values.iter().rev().copied().collect();
            let x = weft::from_slice(&backwards).slice(ndarray::s![..;-1]);
            let wide = weft::zeros::<f64>(&[6000]);
            let y = wide.slice(ndarray::s![1..;2]);
            heat.launch(&[(&x).into(), (&y).into(), rate.into()])
                .unwrap();
            let at = |at: usize| values[at.min(2999)];
            let expected: Vec<f64> = (0..3000)
                .map(|i| at(i) + 0.25 * (at(i.saturating_sub(1)) - 2.0 * at(i) + at(i + 1)))
                .collect();
            assert_eq!(y.to_vec().unwrap(), expected);
            let sum = weft::full(&[], 1.0);
            total.launch(&[(&y).into(), (&sum).into()]).unwrap();
            let expected: f64 = expected.iter().sum();
            assert!((sum.item() - 1.0 - expected).abs() < 1e-9);
        });
    }
}

#[test]
fn c_function_error_message_reaches_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    let Some(library) = compiled(&example(), folder.path()) else {
        return;
    };
    let heat = heat(function(&library, "heat"), DType::F32);
    let runtime = Runtime::new(plan(&small_tiles(2))).unwrap();
    runtime.enter(|| {
        let (x, y) = (weft::zeros::<f32>(&[100]), weft::zeros::<f32>(&[100]));
        heat.launch(&[(&x).into(), (&y).into(), Scalar::F64(0.5).into()])
            .unwrap();
        let Err(Error::Failed(failure)) = y.to_vec() else {
            panic!("the function returned 1");
        };
        let text = failure.to_string();
        assert!(
            text.contains("its body failed: heat flows in doubles, not in dtype 10"),
            "{text}"
        );
    });
    drop(runtime.finish());
}

/// The sizes and offsets of fields are those of the header, according to a C compiler.
#[test]
fn struct_layouts_match_the_c_header() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("layout.c");
    let mut text = String::from("#include <weft_task.h>\n");
    let mut check = |what: String, value: usize| {
        text.push_str(&format!("_Static_assert({what} == {value}, \"{what}\");\n"));
    };
    check("sizeof(weft_task)".to_owned(), size_of::<RawTask>());
    check("sizeof(weft_operand)".to_owned(), size_of::<RawOperand>());
    macro_rules! fields {
        ($of:ident = $name:literal: $($field:ident),*) => {
            $(check(
                format!("offsetof({}, {})", $name, stringify!($field)),
                std::mem::offset_of!($of, $field),
            );)*
        };
    }
    fields!(RawTask = "weft_task": abi, count, operands, tile, tiles, axes, shape, first, end, stream, user, message, message_size);
    fields!(RawOperand = "weft_operand": data, dtype, access, axes, extents, strides, first, name);
    let codes = [
        "BOOL", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64",
    ];
    let codes =
        codes
            .into_iter()
            .chain(["FLOAT16", "FLOAT32", "FLOAT64", "COMPLEX64", "COMPLEX128"]);
    for (name, dtype) in codes.zip(DType::ALL) {
        check(format!("WEFT_{name}"), dtype as usize);
    }
    check("WEFT_TASK_ABI".to_owned(), weft::task::ABI as usize);
    std::fs::write(&source, text).unwrap();
    compiled(&source, folder.path());
}

unsafe extern "C" fn writes_sevens(task: *const RawTask) -> i32 {
    // SAFETY: the runtime passes one operand of bytes with one axis.
    unsafe {
        let operand = &*(*task).operands;
        let count = *operand.extents;
        for at in 0..count {
            operand
                .data
                .cast::<u8>()
                .offset((at * *operand.strides) as isize)
                .write(7);
        }
        *(*task).user.cast::<u8>() = 1;
    }
    0
}

#[test]
fn normalizes_written_boolean_bytes() {
    static CALLED: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);
    let builder = Definition::builder("sevens")
        .output("x", DType::Bool, 1)
        .whole();
    // SAFETY: the function keeps to the contract, and the byte lives as long as the process.
    let task = unsafe { builder.foreign(writes_sevens, CALLED.as_ptr().cast()) };
    let task = task.finish().unwrap();
    on("--cpus 1", || {
        let x = weft::zeros::<bool>(&[100]);
        task.launch(&[(&x).into()]).unwrap();
        assert_eq!(x.to_vec().unwrap(), [true; 100]);
    });
    assert_eq!(CALLED.load(std::sync::atomic::Ordering::Relaxed), 1);
}
