//! Conversion of a chain over memory to a kernel and its arguments.

use smallvec::SmallVec;

use super::super::super::work::{Args, Launch};
use super::super::c::words;
use super::super::grid::Grid;
use super::super::nest::{Loop, Nest, Strided};
use super::super::{Chain, DeviceOperand, DeviceTile, Kernel};
use super::key::{Advance, ChainKernelKey, Form, Input, Output};

/// Returns the launch of a chain; `None` if it has no elements.
pub(in super::super) fn launch(chain: &Chain) -> Option<Launch> {
    let tiles = chain.inputs.iter().filter_map(|input| match input {
        DeviceOperand::Tile(tile) => Some(tile),
        DeviceOperand::Scalar(_) => None,
    });
    let tiles: SmallVec<[&DeviceTile; 8]> = tiles
        .chain(chain.outputs.iter().map(|(_, tile)| tile))
        .collect();
    for tile in &tiles {
        debug_assert_eq!(tile.layout.shape, chain.shape, "operands differ in shape");
    }
    let operands: SmallVec<[Strided; 8]> =
        tiles.iter().map(|tile| Strided::from_tile(tile)).collect();
    let mut nest = Nest::new(chain.shape, &operands)?;
    if nest.loops.is_empty() {
        // A single element is a contiguous run of length 1.
        let steps = std::iter::repeat_n(1, tiles.len()).collect();
        nest.loops.push(Loop { count: 1, steps });
    }
    Some(Bound::new(chain, &tiles, &nest).launch())
}

/// A chain whose operands' addresses are known.
struct Bound<'a> {
    chain: &'a Chain,
    nest: &'a Nest,
    key: ChainKernelKey,
    /// For each place, an operand that advances in this way.
    examples: SmallVec<[usize; 4]>,
    /// Addresses and values, in the order of inputs and outputs.
    args: Args,
}

impl<'a> Bound<'a> {
    fn new(chain: &'a Chain, tiles: &[&DeviceTile], nest: &'a Nest) -> Bound<'a> {
        let mut bound = Bound {
            chain,
            nest,
            key: ChainKernelKey {
                form: Form::Flat { pack: 1 },
                is_wide: nest.is_wide,
                inputs: SmallVec::new(),
                steps: chain.steps.clone(),
                outputs: SmallVec::new(),
                places: SmallVec::new(),
            },
            examples: SmallVec::new(),
            args: Args::new(),
        };
        let mut tile = 0;
        for input in &chain.inputs {
            let input = match *input {
                DeviceOperand::Scalar(value) => {
                    bound.args.extend(words(value));
                    Input::Argument(value.dtype())
                }
                DeviceOperand::Tile(DeviceTile { dtype, .. }) => {
                    let operand = tile;
                    tile += 1;
                    let input = if nest.loops.iter().all(|each| each.steps[operand] == 0) {
                        Input::Once(dtype)
                    } else {
                        let place = bound.place(operand);
                        Input::Each { dtype, place }
                    };
                    bound.args.push(nest.first[operand]);
                    input
                }
            };
            bound.key.inputs.push(input);
        }
        for &(step, _) in &chain.outputs {
            let place = bound.place(tile);
            bound.key.outputs.push(Output { step, place });
            bound.args.push(nest.first[tile]);
            tile += 1;
        }
        bound.key.form = match nest.loops.len() {
            1 => Form::Flat {
                pack: bound.pack(tiles),
            },
            rank => Form::Nested { rank: rank as u8 },
        };
        bound
    }

    /// Returns the index of the place for operands that advance like this one.
    fn place(&mut self, operand: usize) -> u8 {
        let way = self.nest.way(&mut self.examples, operand);
        if self.examples.len() > self.key.places.len() {
            self.key.places.push(match self.nest.step(0, operand) {
                0 => Advance::Still,
                1 => Advance::Dense,
                _ => Advance::Stepping,
            });
        }
        way
    }

    /// Returns the number of elements that fill 16 bytes of the widest operand, if all operands are
    /// dense and aligned to that number of their own elements; otherwise 1.
    fn pack(&self, tiles: &[&DeviceTile]) -> u8 {
        if self.key.places[..] != [Advance::Dense] {
            return 1;
        }
        // Loads of an operand that does not advance are not packed.
        let packed = || {
            let all = tiles.iter().zip(&self.nest.first).enumerate();
            let moving = all.filter(|&(operand, _)| self.nest.step(0, operand) != 0);
            moving.map(|(_, (tile, &first))| (tile.dtype.size(), first))
        };
        let widest = packed().map(|(size, _)| size).max().unwrap_or(16);
        let pack = 16 / widest;
        let is_aligned = packed().all(|(size, first)| first % (pack * size) as u64 == 0);
        if is_aligned { pack as u8 } else { 1 }
    }

    fn launch(mut self) -> Launch {
        let grid = match self.key.form {
            Form::Flat { pack } => {
                Grid::flat(self.nest.count(0), usize::from(pack) * self.key.packs())
            }
            Form::Nested { rank } => {
                let is_crosswise = self.examples.iter().any(|&operand| {
                    let [inner, outer] = [0, 1].map(|level| self.nest.step(level, operand));
                    outer != 0 && outer.unsigned_abs() < inner.unsigned_abs()
                });
                Grid::nested(self.nest, usize::from(rank), is_crosswise)
            }
        };
        self.args.extend(grid.args);
        for (place, &operand) in self.key.places.iter().zip(&self.examples) {
            for (level, each) in self.nest.loops.iter().enumerate() {
                if level > 0 || *place == Advance::Stepping {
                    self.args.push(each.steps[operand] as u64);
                }
            }
        }
        debug_assert_eq!(self.chain.outputs.len(), self.key.outputs.len());
        Launch {
            kernel: Kernel::chain(self.key),
            grid: grid.grid,
            block: grid.block,
            args: self.args,
        }
    }
}
