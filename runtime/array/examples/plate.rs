//! Heat on a plate of `plate ROWS COLUMNS ITERATIONS` points, and results by row and for the whole
//! plate. The problem can be enlarged along one axis.

#![allow(clippy::print_stdout, reason = "prints its results")]

use ndarray::s;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = Vec::new();
    for argument in std::env::args().skip(1) {
        numbers.push(argument.parse::<usize>()?);
    }
    let [rows, columns, iterations] = numbers[..] else {
        return Err("usage: plate ROWS COLUMNS ITERATIONS".into());
    };
    let runtime = weft::start()?;
    let grid = weft::zeros::<f64>(&[rows + 2, columns + 2]);
    grid.slice(s![0, ..]).fill(40.0);
    grid.slice(s![-1, ..]).fill(-273.15);
    let center = grid.slice(s![1..-1, 1..-1]);
    let north = grid.slice(s![..-2, 1..-1]);
    let south = grid.slice(s![2.., 1..-1]);
    let mut change = 0.0;
    for _ in 0..iterations {
        let next = 0.25 * (&north + &south) + 0.5 * &center;
        let apart = (&next - &center).abs().max();
        center.assign(&next);
        change = apart.try_item()?;
    }
    let by_row = center.sum_axis(1);
    let scaled = &center / &by_row.reshape(&[rows, 1]);
    let backwards = scaled.slice(s![..;-1, ..]);
    let total = (&scaled + &backwards).sum().try_item()?;
    drop(runtime);
    println!("change {change:e}, total {total:e}");
    Ok(())
}
