//! Fourier transforms of lines, with cuFFT's arguments.
#![allow(unsafe_code, reason = "reads and writes by address")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Machine;
use super::access::Space;
use super::code::Code;

/// The places of lines, in elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    pub(crate) step: u64,
    pub(crate) distance: u64,
}

/// The lines of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Whether parts of numbers are `double`; else `float`.
    pub(crate) is_double: bool,
    /// Whether the lines are real.
    pub(crate) from_real: bool,
    /// Whether the results are real.
    pub(crate) to_real: bool,
    /// Elements of a signal.
    pub(crate) length: u64,
    /// Number of lines.
    pub(crate) count: u64,
    pub(crate) input: Lines,
    pub(crate) output: Lines,
}

/// One execution of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Fft {
    pub(crate) shape: Shape,
    /// -1 to spectra, 1 back.
    pub(crate) direction: i32,
    pub(crate) input: u64,
    pub(crate) output: u64,
    /// The work area: its first byte, and the bytes that are used.
    pub(crate) area: (u64, u64),
    /// Cleared when the plan is destroyed.
    pub(crate) plan_lives: Arc<AtomicBool>,
}

type Complex = [f64; 2];

impl Shape {
    /// Elements of a line that are read, and of its result.
    fn counts(&self) -> [u64; 2] {
        let half = self.length / 2 + 1;
        let of = |is_real: bool, other: bool| match other && !is_real {
            true => half,
            false => self.length,
        };
        [
            of(self.from_real, self.to_real),
            of(self.to_real, self.from_real),
        ]
    }

    /// Bytes of an element that is read, and of one that is written.
    fn widths(&self) -> [u64; 2] {
        let part = if self.is_double { 8 } else { 4 };
        [self.from_real, self.to_real].map(|is_real| if is_real { part } else { 2 * part })
    }

    fn spans(&self) -> [u64; 2] {
        let [reads, writes] = self.counts();
        let [input, output] = self.widths();
        let span = |lines: Lines, count: u64, width: u64| {
            (lines.distance * (self.count - 1) + lines.step * (count - 1) + 1) * width
        };
        [
            span(self.input, reads, input),
            span(self.output, writes, output),
        ]
    }
}

impl Machine {
    /// The first kernel of a transform that takes several: overwrites everything that cuFFT may
    /// overwrite.
    pub(super) fn fft_pass(&mut self, gpu: usize, fft: &Fft) -> Result<(), Code> {
        self.check(gpu, fft)?;
        let (start, bytes) = fft.area;
        // SAFETY: the area is allocated for this GPU and open.
        unsafe { std::ptr::write_bytes(start as *mut u8, 0xff, bytes as usize) };
        Ok(())
    }

    /// Computes the transform, in double precision.
    pub(super) fn fft(&mut self, gpu: usize, fft: &Fft) -> Result<(), Code> {
        self.fft_pass(gpu, fft)?;
        // SAFETY: all lines and results are allocated for this GPU, open and aligned.
        unsafe {
            match fft.shape.is_double {
                true => lines::<f64>(fft),
                false => lines::<f32>(fft),
            }
        }
        Ok(())
    }

    /// Checks all memory that a transform accesses, and opens it.
    fn check(&mut self, gpu: usize, fft: &Fft) -> Result<(), Code> {
        if !fft.plan_lives.load(Ordering::SeqCst) {
            crate::report::report("a plan of cuFFT was destroyed before its transform had run");
            return Err(Code::ILLEGAL_ADDRESS);
        }
        let [input, output] = fft.shape.spans();
        for (start, bytes) in [(fft.input, input), (fft.output, output), fft.area] {
            match self.place(start, bytes)? {
                Space::Device(owner) if owner == gpu || self.gpus[gpu].peers.contains(&owner) => {}
                Space::Pinned | Space::Managed => {}
                _ if bytes == 0 => {}
                _ => return Err(Code::ILLEGAL_ADDRESS),
            }
        }
        self.open_for(gpu);
        Ok(())
    }
}

/// A part of a number.
trait Part: Copy {
    fn wide(self) -> f64;
    fn narrow(value: f64) -> Self;
}

impl Part for f32 {
    fn wide(self) -> f64 {
        self.into()
    }
    fn narrow(value: f64) -> f32 {
        value as f32
    }
}

impl Part for f64 {
    fn wide(self) -> f64 {
        self
    }
    fn narrow(value: f64) -> f64 {
        value
    }
}

/// # Safety
/// The lines can be read and written.
unsafe fn lines<T: Part>(fft: &Fft) {
    let shape = &fft.shape;
    let roots = roots(shape.length, fft.direction);
    let [reads, writes] = shape.counts();
    let at = |start: u64, of: Lines, is_real: bool, line: u64, index: u64| {
        let element = line * of.distance + index * of.step;
        let parts = if is_real { 1 } else { 2 };
        (start as *mut T).wrapping_add((element * parts) as usize)
    };
    for line in 0..shape.count {
        let mut signal: Vec<Complex> = Vec::new();
        for index in 0..reads {
            let from = at(fft.input, shape.input, shape.from_real, line, index);
            // SAFETY: the caller's promise.
            signal.push(unsafe {
                match shape.from_real {
                    true => [from.read().wide(), 0.0],
                    false => [from.read().wide(), from.add(1).read().wide()],
                }
            });
            if shape.to_real {
                let nan = T::narrow(f64::NAN);
                // SAFETY: as above. cuFFT may destroy what a transform to real numbers reads.
                unsafe {
                    from.write(nan);
                    from.add(1).write(nan);
                }
            }
        }
        if shape.to_real {
            mirror(&mut signal, shape.length);
        }
        let spectrum = transform(&signal, &roots);
        for (index, value) in (0..writes).zip(spectrum) {
            let to = at(fft.output, shape.output, shape.to_real, line, index);
            // SAFETY: the caller's promise.
            unsafe {
                to.write(T::narrow(value[0]));
                if !shape.to_real {
                    to.add(1).write(T::narrow(value[1]));
                }
            }
        }
    }
}

/// Completes a spectrum from its first half. The imaginary parts that a real signal does not have
/// stay, and spoil the result: cuFFT does not define the result for them.
fn mirror(half: &mut Vec<Complex>, length: u64) {
    for index in half.len()..length as usize {
        let [re, im] = half[length as usize - index];
        half.push([re, -im]);
    }
    let extra = |[_, im]: Complex| if im == 0.0 { 0.0 } else { f64::NAN };
    let first = half[0];
    half[0][0] += extra(first);
    if length.is_multiple_of(2) {
        let middle = half[length as usize / 2];
        half[0][0] += extra(middle);
    }
}

/// The powers of a root of 1 of this order.
fn roots(length: u64, direction: i32) -> Vec<Complex> {
    let angle = std::f64::consts::TAU * f64::from(direction) / length as f64;
    (0..length)
        .map(|power| {
            let (sin, cos) = (angle * power as f64).sin_cos();
            [cos, sin]
        })
        .collect()
}

/// The transform of a line, by its smallest factor. The powers of its root are equally spaced in
/// `roots`.
fn transform(line: &[Complex], roots: &[Complex]) -> Vec<Complex> {
    let length = line.len();
    if length <= 1 {
        return line.to_vec();
    }
    let factor = (2..).find(|factor| length.is_multiple_of(*factor));
    let factor = factor.unwrap_or(length);
    let parts: Vec<Vec<Complex>> = (0..factor)
        .map(|first| {
            let part: Vec<Complex> = line.iter().skip(first).step_by(factor).copied().collect();
            transform(&part, roots)
        })
        .collect();
    let every = roots.len() / length;
    (0..length)
        .map(|index| {
            let mut sum = [0.0; 2];
            for (number, part) in parts.iter().enumerate() {
                let [a, b] = part[index % part.len()];
                let [c, d] = roots[index * number % length * every];
                sum = [sum[0] + (a * c - b * d), sum[1] + (a * d + b * c)];
            }
            sum
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_lines_of_any_length() {
        for length in [1u64, 2, 3, 8, 12, 35, 49, 101] {
            let line: Vec<Complex> = (0..length)
                .map(|x| [(x * x % 7) as f64 - 2.0, (x % 5) as f64])
                .collect();
            let roots = roots(length, -1);
            let found = transform(&line, &roots);
            for (k, found) in found.iter().enumerate() {
                let mut sum = [0.0; 2];
                for (j, [a, b]) in line.iter().enumerate() {
                    let [c, d] = roots[j * k % length as usize];
                    sum = [sum[0] + (a * c - b * d), sum[1] + (a * d + b * c)];
                }
                let near = |at: usize| (found[at] - sum[at]).abs() < 1e-10;
                assert!(near(0) && near(1), "{length} {k}: {found:?} {sum:?}");
            }
        }
    }
}
