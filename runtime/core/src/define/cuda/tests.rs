//! Checks of bodies, and of their kernels by NVIDIA's compiler.

use std::sync::Arc;

use super::helper::Helper;
use super::key::{CudaBodyKey, Parameter};
use super::{CudaBody, CudaSource, has_word, identifier};
use crate::cuda::Kernel;
use crate::define::{Kind, Reduction};
use crate::dtype::DType;
use crate::testing::compile_all;

fn body(task: &'static str, block: &[u32], source: &str) -> Arc<CudaBody> {
    let given = CudaSource {
        source: Some((None, source.to_owned())),
        block: block.to_vec(),
    };
    CudaBody::new(task, given).unwrap().unwrap().into()
}

/// A body, the kinds, dtypes and numbers of axes of its parameters, and the number of axes of the
/// task.
type Case = (Arc<CudaBody>, Vec<(Kind, DType, u8)>, u8);

/// Returns tasks with all kinds of parameters.
fn bodies() -> Vec<Case> {
    let add = Kind::Reduce(Reduction::Add);
    let most = Kind::Reduce(Reduction::Max);
    let product = Kind::Reduce(Reduction::Mul);
    let parameters = |first: &str| {
        format!(
            "__device__ void {first}, weft::In<float, 2> x, weft::InOut<weft::i64, 2> y, weft::Out<bool, 2> z, weft::In<weft::u8, 0> one,
             weft::Reduce<double, 0> total, weft::Reduce<weft::i64, 1> counts, weft::Reduce<short, 1, weft::Mul> small,
             weft::Reduce<float, 1, weft::Max> most, double a)"
        )
    };
    let contributes =
        "total.add(x(i)); counts.add(0, 1); small.combine(0, (short)2); most.combine(i[0], x(i));";
    let each = format!(
        "{} {{ y(i) += (weft::i64)(a * x(i)) + one(); z(i) = x.has(i[0] + 1, i[1]); {contributes} }}",
        parameters("each(weft::Index<2> i")
    );
    let block = format!(
        "{} {{ __shared__ float part[256]; part[threadIdx.x] = 0; __syncthreads();
           for (auto at = task.begin(); at < task.count(); at += task.stride()) {{
               weft::Index<2> i = task.index(at); y(i) = 1; z(i) = task.has(task.index()); {contributes} }} }}",
        parameters("blocks_block(weft::Task<2> task")
    );
    let kinds = vec![
        (Kind::In, DType::F32, 2),
        (Kind::InOut, DType::I64, 2),
        (Kind::Out, DType::Bool, 2),
        (Kind::In, DType::U8, 0),
        (add, DType::F64, 0),
        (add, DType::I64, 1),
        (product, DType::I16, 1),
        (most, DType::F32, 1),
        (Kind::Scalar, DType::F64, 0),
    ];
    let point = "__device__ void point(weft::Index<0> i, weft::In<int, 1> x, weft::Out<int, 0> y) { y(i) = x(0); }";
    vec![
        (body("each", &[], &each), kinds.clone(), 2),
        (body("blocks", &[], &block), kinds.clone(), 2),
        (body("blocks", &[8, 32], &block), kinds, 2),
        (
            body("point", &[], point),
            vec![(Kind::In, DType::I32, 1), (Kind::Out, DType::I32, 0)],
            0,
        ),
    ]
}

fn keys() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for (body, kinds, rank) in bodies() {
        for (is_wide, verifies) in [(false, false), (true, false), (false, true), (true, true)] {
            let parameters =
                kinds
                    .iter()
                    .map(|&(kind, dtype, rank)| Parameter { kind, dtype, rank });
            kernels.push(Kernel::from_source(CudaBodyKey {
                body: body.clone(),
                parameters: parameters.collect(),
                order: (0..rank).rev().collect(),
                is_wide,
                verifies,
            }));
        }
    }
    kernels
}

#[test]
fn nvrtc_compiles_tasks() {
    compile_all(keys());
}

#[test]
fn nvrtc_compiles_helper_kernels() {
    let dtypes = DType::ALL.into_iter().filter(|dtype| dtype.is_native());
    let mut helpers: Vec<Helper> = (0..4).map(Helper::Unwritten).collect();
    for dtype in dtypes {
        helpers.push(Helper::Fill(dtype));
        let defined = Reduction::ALL
            .into_iter()
            .filter(|one| one.identity(dtype).is_some());
        helpers.extend(defined.map(|reduction| Helper::Combine(reduction, dtype)));
    }
    compile_all(helpers.into_iter().map(Kernel::from_source));
}

#[test]
fn names_match_whole_words_only() {
    assert!(has_word("void saxpy(int i)", "saxpy"));
    assert!(!has_word("void saxpy_block(int i)", "saxpy"));
    assert!(!has_word("void my_saxpy(int i)", "saxpy"));
    assert_eq!(identifier("a-b.c"), "a_b_c");
    assert_eq!(identifier("2d"), "_2d");
}

#[test]
fn rejects_invalid_thread_blocks() {
    let given = |block: &[u32]| CudaSource {
        source: Some((None, "__device__ void f() {}".to_owned())),
        block: block.to_vec(),
    };
    assert!(CudaBody::new("f", given(&[16, 16])).is_ok());
    for wrong in [&[0][..], &[2048], &[1, 1, 1, 1], &[u32::MAX, 2]] {
        assert!(CudaBody::new("f", given(wrong)).is_err(), "{wrong:?}");
    }
    assert!(CudaBody::new("g", given(&[])).is_err());
}
