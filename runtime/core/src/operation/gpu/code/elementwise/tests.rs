//! Copies and fills: of contiguous elements without a kernel, and of elements at any distance.

#![allow(unsafe_code, reason = "reads a kernel's results")]

use cuda_emulator::host::{Memory, Module};
use smallvec::smallvec;

use super::super::super::work::Launch;
use super::super::DeviceTile;
use super::*;
use crate::dtype::{DType, Scalar};
use crate::shape::{Layout, Shape};
use crate::testing::goes_on;

/// Runs a kernel on the CPU, over memory of this process.
fn run(launch: &Launch) {
    let module = Module::compile(&launch.kernel.source()).unwrap();
    let mut args = launch.args.to_vec();
    let name = launch.kernel.name();
    module
        .launch(&name, launch.grid, launch.block, &mut args)
        .unwrap();
}

#[test]
fn indexes_elements_beyond_32_bits() {
    if !goes_on("c++", Module::can_compile()) {
        return;
    }
    // Untouched pages take no memory.
    let step = (1_usize << 31) + 4099;
    let memory = Memory::new(4 * step);
    let layout = |offset: usize, stride: usize, dims: &[usize]| {
        let mut layout = Layout::contiguous(Shape::new(dims).unwrap());
        (layout.offset, layout.strides[0]) = (offset, stride as isize);
        layout
    };
    let tile = |layout| DeviceTile {
        start: memory.address(),
        dtype: DType::Bool,
        layout,
    };
    for (dims, value) in [(&[4_usize][..], true), (&[3, 2], false), (&[4], false)] {
        let far = tile(layout(1, step, dims));
        let near = tile(layout(100, dims.len(), dims));
        let set = Chain::single(
            StepKind::COPY,
            smallvec![Value::Input(0)],
            smallvec![DeviceOperand::Scalar(value.into())],
            far,
        );
        let get = Chain::single(
            StepKind::COPY,
            smallvec![Value::Input(0)],
            smallvec![DeviceOperand::Tile(far)],
            near,
        );
        for chain in [set, get] {
            let launch = launch(&chain).unwrap();
            assert!(launch.kernel.has_wide_indices() || chain.inputs.len() > 1);
            run(&launch);
        }
        let got: Vec<bool> = (0..near.layout.shape.len())
            .map(|at| memory_at(&memory, 100 + at))
            .collect();
        assert_eq!(got, vec![value; got.len()]);
    }
}

fn memory_at(memory: &Memory, at: usize) -> bool {
    // SAFETY: the byte is in the memory, which is still allocated.
    unsafe { ((memory.address() as usize + at) as *const u8).read() == 1 }
}

#[test]
fn copies_and_fills_contiguous_tiles_without_kernels() {
    let tile = |start, dtype, layout| DeviceTile {
        start,
        dtype,
        layout,
    };
    let rows = Layout::contiguous(Shape::new(&[4, 6]).unwrap());
    let inner = rows.slice(1, Some(1), Some(4), 1).unwrap();
    let lower = rows.slice(0, Some(2), None, 1).unwrap();
    let copy = |from: DeviceTile, to: DeviceTile| {
        work(&Chain::single(
            StepKind::COPY,
            smallvec![Value::Input(0)],
            smallvec![DeviceOperand::Tile(from)],
            to,
        ))
    };
    let fill = |value: Scalar, to: DeviceTile| {
        work(&Chain::single(
            StepKind::COPY,
            smallvec![Value::Input(0)],
            smallvec![DeviceOperand::Scalar(value)],
            to,
        ))
    };
    let f64s = |start, layout| tile(start, DType::F64, layout);
    assert_eq!(
        copy(f64s(64, lower), f64s(4096, lower)),
        Some(Work::Copy {
            from: 64 + 96,
            to: 4096 + 96,
            bytes: 96
        })
    );
    let crosswise = rows.transpose();
    assert_eq!(
        copy(f64s(64, crosswise), f64s(4096, crosswise)),
        Some(Work::Copy {
            from: 64,
            to: 4096,
            bytes: 192
        })
    );
    assert_eq!(
        copy(f64s(64, rows), f64s(64, rows)),
        None,
        "a copy to itself is done"
    );
    assert!(matches!(
        copy(f64s(64, inner), f64s(4096, inner)),
        Some(Work::Kernel(_))
    ));
    let f32s = tile(64, DType::F32, lower);
    let bools = tile(64, DType::Bool, rows);
    let fills = [
        (fill(0.0.into(), f64s(64, rows)), 64, 0, 4, 48),
        (fill(1.0f32.into(), f32s), 64 + 48, 0x3f80_0000, 4, 12),
        (fill(true.into(), bools), 64, 1, 1, 24),
        (
            fill((-1i64).into(), tile(64, DType::I64, rows)),
            64,
            u32::MAX,
            4,
            48,
        ),
    ];
    for (work, to, pattern, width, count) in fills {
        assert_eq!(
            work,
            Some(Work::Fill {
                to,
                pattern,
                width,
                count
            })
        );
    }
    assert!(
        matches!(fill(1.0.into(), f64s(64, rows)), Some(Work::Kernel(_))),
        "no pattern of 4 bytes"
    );
}
