//! A function applied to all elements of tiles.

#![allow(unsafe_code, reason = "calls loops with addresses inside of tiles")]

use smallvec::SmallVec;

use crate::chain::{Body, WideRun};
use crate::nest::{Nest, Run};
use crate::{Tile, copy_elements, over};

/// The most operands of a function: its inputs and the result.
const MOST: usize = crate::chain::MAX_INPUTS + 1;

/// Computes `out = body(inputs)`. The body must be for the dtypes of the inputs, with results of
/// the output's dtype.
///
/// # Panics
/// Panics unless the shapes are equal, and the number of inputs is that of the body.
pub fn apply(body: &Body, inputs: &mut [Tile<'_>], out: &mut Tile<'_>) {
    match (body, inputs) {
        (Body::Same, [input]) => copy_elements(input, out),
        // SAFETY: the body is for the dtypes of the tiles, whose promises hold.
        (Body::Unary(block), [a]) => unsafe { over([a, out], *block) },
        // SAFETY: as above.
        (Body::Binary(block), [a, b]) => unsafe { over([a, b, out], *block) },
        // SAFETY: as above.
        (Body::Ternary(block), [a, b, c]) => unsafe { over([a, b, c, out], *block) },
        (Body::Wide(wide), inputs) if inputs.len() < MOST => {
            let count = inputs.len();
            let tile = |at: usize| if at < count { &inputs[at] } else { &*out };
            // Operands after the last one are the output again.
            let tiles: [&Tile<'_>; MOST] = std::array::from_fn(tile);
            Nest::new(tiles).for_each_run(&mut |run| {
                let Run {
                    at,
                    steps,
                    count: rounds,
                } = run;
                let used = count + 1;
                let at: SmallVec<[*mut u8; MOST]> = at[..used].into();
                let run = WideRun {
                    at: &at,
                    steps: &steps[..used],
                    count: rounds,
                };
                // SAFETY: as above; a run stays inside the tiles.
                unsafe { wide.run(run) };
            });
        }
        (_, inputs) => panic_inputs(inputs.len()),
    }
}

#[allow(clippy::panic, reason = "the documented panic")]
fn panic_inputs(count: usize) -> ! {
    panic!("a function has another number of inputs than {count}");
}
