//! Bodies of random tasks in CUDA C.

use std::fmt::Write;

use weft::dtype::DType;
use weft::task::{Names, Reduction};
use weft_geometry::Affine;

use crate::drawn::follows::{Follows, Image, Written};
use crate::drawn::task::{BELOW, BINS, Output, RandomTask, Reduced, names};
use crate::drawn::verify::{Plant, What};

/// Functions that clip indices.
const HELPERS: &str = "\
__device__ __forceinline__ weft::Int within(weft::Int index, weft::Int extent) {
    return index < 0 ? 0 : index > extent ? extent : index;
}
";

fn type_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::U8 => "weft::u8",
        DType::I16 => "short",
        DType::I32 => "int",
        DType::I64 => "weft::i64",
        DType::F32 => "float",
        DType::F64 => "double",
        other => panic!("{other} has no code"),
    }
}

/// The first index and one past the last, as expressions.
type Bounds = (String, String);

fn one(at: &str) -> Bounds {
    (at.to_owned(), format!("{at} + 1"))
}

fn all(name: &str, axis: usize) -> Bounds {
    ("0".to_owned(), format!("{name}.extent({axis})"))
}

fn affine(affine: &Affine, at: &str, name: &str) -> Bounds {
    let Affine {
        times,
        over,
        offset,
        ..
    } = affine;
    let within = |index: String| format!("within({index} + ({offset}), {name}.extent(0))");
    let above = format!("(({at} + 1) * {times} + {}) / {over}", over - 1);
    (within(format!("{at} * {times} / {over}")), within(above))
}

/// Returns the indices of an input that an index of the task reads, along each axis.
fn bounds(follows: &Follows, name: &str, rank: usize, own: usize) -> Vec<Bounds> {
    let axes = 0..rank;
    let at = |axis: usize| format!("i[{axis}]");
    match follows {
        Follows::Same => axes.map(|axis| one(&at(axis))).collect(),
        Follows::Whole => (0..own).map(|axis| all(name, axis)).collect(),
        Follows::Halo(low, high) => {
            let bounds = |axis: usize| {
                let (low, high) = (low[axis], high[axis]);
                let extent = format!("{name}.extent({axis})");
                (
                    format!("within(i[{axis}] - {low}, {extent})"),
                    format!("within(i[{axis}] + {high} + 1, {extent})"),
                )
            };
            axes.map(bounds).collect()
        }
        Follows::Inner(low, high) => {
            let end = |axis: usize| format!("i[{axis}] + {}", low[axis] + high[axis] + 1);
            axes.map(|axis| (at(axis), end(axis))).collect()
        }
        Follows::Scale(factors) => {
            let bounds = |axis: usize| {
                let factor = factors[axis];
                (
                    format!("i[{axis}] * {factor}"),
                    format!("(i[{axis}] + 1) * {factor}"),
                )
            };
            axes.map(bounds).collect()
        }
        Follows::Reversed => axes.rev().map(|axis| one(&at(axis))).collect(),
        Follows::Only(axis) => vec![one(&at(axis % rank))],
        Follows::Beside { axis, .. } | Follows::Uncut(axis) => {
            let bounds = |of: usize| match of == axis % rank {
                true => all(name, of),
                false => one(&at(of)),
            };
            axes.map(bounds).collect()
        }
        Follows::Affine {
            axis, affine: of, ..
        } => vec![affine(of, &at(axis % rank), name), all(name, 1)],
        Follows::Image(_) => {
            let first = ("(weft::Int)first".to_owned(), "(weft::Int)end".to_owned());
            let columns = (1..own).map(|axis| all(name, axis));
            std::iter::once(first).chain(columns).collect()
        }
    }
}

/// Declares `first` and `end` of an image.
fn through(out: &mut String, image: &Image, name: &str, rank: usize) {
    let index: Vec<String> = match image.is_of_rows(rank) {
        true => vec!["i[0]".to_owned()],
        false => (0..rank).map(|axis| format!("i[{axis}]")).collect(),
    };
    let index = index.join(", ");
    let (first, end) = match image.names {
        Names::Coordinates => (format!("{name}({index})"), "first + 1".to_owned()),
        Names::Ranges => (format!("{name}({index}, 0)"), format!("{name}({index}, 1)")),
        Names::Offsets => (format!("{name}({index})"), format!("{name}(i[0] + 1)")),
    };
    let _ = writeln!(out, "    const weft::i64 first = {first}, end = {end};");
}

/// Opens a loop for each axis, and returns the variables.
fn loops(out: &mut String, bounds: &[Bounds]) -> String {
    let axes = bounds.iter().enumerate();
    let variables = axes.map(|(axis, (first, end))| {
        let _ = write!(
            out,
            "    for (weft::Int a{axis} = {first}; a{axis} < {end}; ++a{axis})"
        );
        format!("a{axis}")
    });
    variables.collect::<Vec<_>>().join(", ")
}

fn add(out: &mut String, task: &RandomTask) {
    for (at, input) in task.inputs.iter().enumerate() {
        let (named, name) = names(at);
        out.push_str("    {\n");
        if let Follows::Image(image) = &input.follows {
            through(out, image, &named, task.shape.len());
        }
        let own = input.follows.dims(&task.shape).len();
        let bounds = bounds(&input.follows, &name, task.shape.len(), own);
        let variables = loops(out, &bounds);
        let _ = writeln!(out, " sum += (double){name}({variables});\n    }}");
    }
}

fn write(out: &mut String, task: &RandomTask, (name, output): (&str, &Output), skips: bool) {
    let rank = task.shape.len();
    let follows = output.written.as_input();
    let bounds = bounds(&follows, name, rank, follows.dims(&task.shape).len());
    let element = type_name(output.dtype);
    out.push_str("    number = 0;\n");
    let variables = loops(out, &bounds);
    let value = match output.written {
        Written::Only(axis) => format!("i[{}] % {BELOW}", axis % rank),
        _ if output.adds => format!("((long long){name}({variables}) + value + number) % {BELOW}"),
        _ => format!("(value + number) % {BELOW}"),
    };
    let condition = match skips {
        true => "if (!is_planted || number > 0) ",
        false => "",
    };
    let _ = writeln!(
        out,
        " {{\n        {condition}{name}({variables}) = ({element})({value} + (number ? 0 : more));\n        ++number;\n    }}"
    );
}

fn reduce(out: &mut String, at: usize, reduced: &Reduced, rank: usize) {
    let element = type_name(reduced.dtype);
    let value = match reduced.reduction {
        Reduction::Mul => "1 - 2 * (value % 2)",
        _ => "value",
    };
    let bin = match reduced.rank {
        0 => String::new(),
        _ => format!("i[{}] % {BINS}, ", rank - 1),
    };
    let _ = writeln!(out, "    total{at}.combine({bin}({element})({value}));");
}

/// Writes the planted access at the index, or a report of what it would do.
fn plant(out: &mut String, plant: &Plant, is_armed: bool) {
    let (name, rank) = (&plant.name, plant.dims.len());
    let at = plant.index.iter().enumerate();
    let at: Vec<String> = at.map(|(axis, at)| format!("i[{axis}] == {at}")).collect();
    let _ = writeln!(out, "    if ({}) {{", at.join(" && "));
    let _ = writeln!(
        out,
        "        weft::Index<{rank}> q;\n        bool is_full = true;"
    );
    for axis in 0..rank {
        let _ = writeln!(
            out,
            "        q[{axis}] = {name}.first({axis});\n        is_full &= {name}.first({axis}) < {name}.end({axis});"
        );
    }
    match plant.what {
        What::Unwritten | What::ReadOutput => {
            for (axis, own) in plant.own.iter().enumerate() {
                let _ = writeln!(out, "        q[{axis}] = {own};");
            }
            out.push_str("        is_planted = true;\n");
        }
        What::ReadBeyond | What::WriteBeyond => {
            let axis = plant.axis % rank;
            let index = match plant.is_up {
                true => format!("{name}.extent({axis}) + {}", plant.far),
                false => format!("-1 - {}", plant.far),
            };
            let _ = writeln!(
                out,
                "        q[{axis}] = {index};\n        is_planted = true;"
            );
        }
        _ => {
            for (axis, is_up, far) in plant.ways() {
                let (condition, index) = match is_up {
                    true => (
                        format!("{name}.end({axis}) + {far} < {name}.extent({axis})"),
                        format!("{name}.end({axis}) + {far}"),
                    ),
                    false => (
                        format!("{name}.first({axis}) > {far}"),
                        format!("{name}.first({axis}) - 1 - {far}"),
                    ),
                };
                let _ = writeln!(
                    out,
                    "        if (is_full && !is_planted && {condition}) q[{axis}] = {index}, is_planted = true;"
                );
            }
        }
    }
    let does = match plant.what {
        _ if !is_armed => {
            let index = (0..rank).map(|axis| format!("probe.add({}, q[{axis}]); ", axis + 1));
            format!("probe.add(0, 1); {}", index.collect::<String>())
        }
        What::ReadOutside | What::ReadOutput | What::ReadBeyond => {
            format!("more = (int)(double){name}(q) % 2;")
        }
        What::WriteOutside | What::WriteBeyond => format!("{name}(q) = 1;"),
        What::Unwritten | What::WriteInput => String::new(),
    };
    let _ = writeln!(out, "        if (is_planted) {{ {does} }}\n    }}");
}

/// Returns the body of a task: for an index, or for blocks of threads.
pub(in crate::drawn) fn source(task: &RandomTask, planted: Option<(&Plant, bool)>) -> String {
    let rank = task.shape.len();
    let mut parameters = Vec::new();
    for (name, output) in task.outputs() {
        let kind = if output.adds { "InOut" } else { "Out" };
        let axes = output.written.as_input().dims(&task.shape).len();
        let element = type_name(output.dtype);
        parameters.push(format!("weft::{kind}<{element}, {axes}> {name}"));
    }
    for (at, input) in task.inputs.iter().enumerate() {
        let (named, name) = names(at);
        if let Follows::Image(image) = &input.follows {
            let (element, axes) = (type_name(image.dtype), image.through(&task.shape).len());
            parameters.push(format!("weft::In<{element}, {axes}> {named}"));
        }
        let (element, axes) = (
            type_name(input.dtype),
            input.follows.dims(&task.shape).len(),
        );
        parameters.push(format!("weft::In<{element}, {axes}> {name}"));
    }
    for (at, reduced) in task.reduced.iter().enumerate() {
        let (element, axes) = (type_name(reduced.dtype), reduced.rank);
        let how = reduced.reduction.name();
        let how = how[..1].to_uppercase() + &how[1..];
        parameters.push(format!(
            "weft::Reduce<{element}, {axes}, weft::{how}> total{at}"
        ));
    }
    if planted.is_some() {
        parameters.push("weft::Reduce<weft::i64, 1> probe".to_owned());
    }
    let parameters = parameters.join(", ");
    let mut body =
        "    double sum = 0;\n    int number = 0, more = 0;\n    bool is_planted = false;\n"
            .to_owned();
    add(&mut body, task);
    let _ = writeln!(
        body,
        "    const long long value = (long long)sum % {BELOW};"
    );
    if let Some((planted, is_armed)) = planted {
        plant(&mut body, planted, is_armed);
    }
    for (name, output) in task.outputs() {
        let skips = planted.is_some_and(|(plant, is_armed)| {
            is_armed && plant.what == What::Unwritten && plant.name == name
        });
        write(&mut body, task, (name, output), skips);
    }
    for (at, reduced) in task.reduced.iter().enumerate() {
        reduce(&mut body, at, reduced, rank);
    }
    let function = match &task.block {
        None => {
            format!("__device__ void drawn(weft::Index<{rank}> i, {parameters}) {{\n{body}}}\n")
        }
        Some(block) if block.len() > 1 && block.len() <= rank => format!(
            "__device__ void drawn_block(weft::Task<{rank}> task, {parameters}) {{\n    \
             const weft::Index<{rank}> i = task.index();\n    if (!task.has(i)) return;\n{body}}}\n"
        ),
        Some(_) => format!(
            "__device__ void drawn_block(weft::Task<{rank}> task, {parameters}) {{\n    \
             for (auto at = task.begin(); at < task.count(); at += task.stride()) {{\n    \
             const weft::Index<{rank}> i = task.index(at);\n{body}    }}\n}}\n"
        ),
    };
    format!("{HELPERS}{function}")
}
