//! Images: parts of an array that a task gets through the values of another one.

use weft::dtype::DType;
use weft::task::{Context, Definition, In, Names, Out};

use crate::support::{on, small_tiles};

mod exact;
mod profiled;

const ROWS: usize = 1000;
const ELEMENTS: usize = 300;

/// Returns a task that gets a part of an array through an array of numbers, and whose body does
/// nothing.
fn image(names: Names, follows: &str) -> Definition {
    let through = match names {
        Names::Ranges => 2,
        Names::Offsets | Names::Coordinates => 1,
    };
    Definition::builder("through")
        .output("y", DType::F64, 1)
        .input("at", DType::I32, through)
        .input("x", DType::F64, 1)
        .align(&["y"])
        .project_text("at", follows)
        .image("at", "x", names)
        .cpu(|context: &mut Context<'_, '_>| {
            let [y, _, _] = context.take_all()?;
            y.into_out::<f64, 1>()?.fill(1.0);
            Ok(())
        })
        .finish()
        .unwrap()
}

/// Returns the error of a call whose values are 0, except this one.
fn refusal(names: Names, place: &[usize], value: i32) -> String {
    let (dims, follows) = match names {
        Names::Ranges => (vec![ROWS, 2], "[i0, ..*]"),
        Names::Offsets => (vec![ROWS + 1], "[i0<0>1, ..*]"),
        Names::Coordinates => (vec![ROWS], "[i0, ..*]"),
    };
    let mut at = ndarray::ArrayD::<i32>::zeros(dims);
    at[place] = value;
    let at = weft::from_ndarray(&at);
    let (x, y) = (weft::ones::<f64>(&[ELEMENTS]), weft::zeros::<f64>(&[ROWS]));
    let task = image(names, follows);
    match task.launch(&[(&y).into(), (&at).into(), (&x).into()]) {
        Ok(()) => {
            assert_eq!(y.sum().item(), ROWS as f64);
            String::new()
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn image_errors_name_out_of_bounds_values() {
    use Names::{Coordinates, Offsets, Ranges};
    let cases: [(Names, &[usize], i32); 9] = [
        (Coordinates, &[0], -1),
        (Coordinates, &[777], -4),
        (Coordinates, &[999], 300),
        (Ranges, &[3, 0], -2),
        (Ranges, &[640, 1], 301),
        (Offsets, &[0], -1),
        (Offsets, &[500], -7),
        (Offsets, &[999], 301),
        (Offsets, &[1000], 1000),
    ];
    for cpus in [1, 3] {
        on(&small_tiles(cpus), || {
            for (names, place, value) in cases {
                let expected = format!(
                    "through: at at {place:?} is {value}, outside of the {ELEMENTS} elements of x along its first axis"
                );
                assert_eq!(refusal(names, place, value), expected, "{names:?}");
            }
        });
    }
}

#[test]
fn images_accept_boundary_indices_and_empty_ranges() {
    use Names::{Coordinates, Offsets, Ranges};
    on(&small_tiles(3), || {
        assert_eq!(refusal(Coordinates, &[5], 299), "");
        assert_eq!(refusal(Ranges, &[5, 1], 300), "");
        // The ranges from 400 to 0, and from 0 to -5, are empty.
        assert_eq!(refusal(Ranges, &[5, 0], 400), "");
        assert_eq!(refusal(Ranges, &[5, 1], -5), "");
        assert_eq!(refusal(Offsets, &[1000], 300), "");
    });
}

/// Two parameters may be one array: as bounds and as indices, by the rows of a task and whole.
fn twice() -> Definition {
    Definition::builder("twice")
        .output("y", DType::F64, 1)
        .input("starts", DType::I64, 1)
        .input("at", DType::I64, 1)
        .input("all", DType::I64, 1)
        .input("entries", DType::F64, 1)
        .input("x", DType::F64, 1)
        .input("z", DType::F64, 1)
        .align(&["y"])
        .project_text("starts", "[i0<0>1, ..*]")
        .image("starts", "entries", Names::Offsets)
        .project_text("at", "[i0<0>1, ..*]")
        .image("at", "x", Names::Coordinates)
        .broadcast("all")
        .image("all", "z", Names::Coordinates)
        .cpu(|context: &mut Context<'_, '_>| {
            let [y, starts, _, all, entries, x, z] = context.take_all()?;
            let mut y: Out<'_, f64, 1> = y.into_out()?;
            let (starts, all) = (starts.into_in::<i64, 1>()?, all.into_in::<i64, 1>()?);
            let entries: In<'_, f64, 1> = entries.into_in()?;
            let (x, z) = (x.into_in::<f64, 1>()?, z.into_in::<f64, 1>()?);
            let last = all[all.len() - 1] as usize;
            for row in y.range(0) {
                let at = |row| starts.at([row]).map(|at: &i64| *at as usize);
                let (first, end) = (at(row).ok_or("a start")?, at(row + 1).ok_or("an end")?);
                let mut sum = 0.0;
                for entry in first..end {
                    sum += entries.at([entry]).ok_or("no entry")?;
                }
                sum += x.at([first]).ok_or("no x at the start")?;
                sum += x.at([end]).ok_or("no x at the end")?;
                sum += z.at([last]).ok_or("no z")?;
                let own = row - y.range(0).start;
                y[own] = sum;
            }
            Ok(())
        })
        .finish()
        .unwrap()
}

#[test]
fn follows_one_array_as_several_images() {
    on(&small_tiles(4), || {
        let starts = weft::arange::<i64>(ROWS as i64 + 1);
        let all = weft::ones::<f64>(&[ROWS + 1]);
        let y = weft::zeros::<f64>(&[ROWS]);
        let task = twice();
        for _ in 0..2 {
            let arguments = [&starts, &starts, &starts].map(Into::into);
            let values = [&all, &all, &all].map(Into::into);
            let arguments: Vec<_> = std::iter::once((&y).into())
                .chain(arguments)
                .chain(values)
                .collect();
            task.launch(&arguments).unwrap();
            assert_eq!(y.sum().item(), 4.0 * ROWS as f64);
        }
    });
}
