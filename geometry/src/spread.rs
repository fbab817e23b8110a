//! On which ranks the elements of a store are up to date.

use smallvec::SmallVec;

/// Indices from the first to before the second along each axis of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    bounds: SmallVec<[(usize, usize); 3]>,
}

impl Block {
    /// The block with these bounds.
    pub fn new(bounds: impl IntoIterator<Item = (usize, usize)>) -> Block {
        Block {
            bounds: bounds.into_iter().collect(),
        }
    }

    /// The bounds along each axis.
    #[inline]
    pub fn bounds(&self) -> &[(usize, usize)] {
        &self.bounds
    }

    /// What both hold; `None` where that is nothing.
    pub fn meet(&self, other: &Block) -> Option<Block> {
        let bounds = self.bounds.iter().zip(&other.bounds);
        let meet = Block::new(bounds.map(|(a, b)| (a.0.max(b.0), a.1.min(b.1))));
        meet.bounds
            .iter()
            .all(|(first, end)| first < end)
            .then_some(meet)
    }

    /// Adds what is in this and not in `other` to `rest`, in blocks.
    fn without(&self, other: &Block, rest: &mut Vec<Block>) {
        let Some(hole) = self.meet(other) else {
            return rest.push(self.clone());
        };
        let mut left = self.clone();
        for (axis, (first, end)) in hole.bounds.iter().enumerate() {
            let (own_first, own_end) = left.bounds[axis];
            for (from, to) in [(own_first, *first), (*end, own_end)] {
                if from < to {
                    let mut part = left.clone();
                    part.bounds[axis] = (from, to);
                    rest.push(part);
                }
            }
            left.bounds[axis] = (*first, *end);
        }
    }

    /// The block that both are together, where they are one.
    fn join(&self, other: &Block) -> Option<Block> {
        let mut joined = self.clone();
        let mut differing = 0;
        for (own, other) in joined.bounds.iter_mut().zip(&other.bounds) {
            if own == other {
                continue;
            }
            differing += 1;
            match (own.1 == other.0, other.1 == own.0) {
                (true, _) => own.1 = other.1,
                (_, true) => own.0 = other.0,
                _ => return None,
            }
        }
        (differing <= 1).then_some(joined)
    }
}

/// A set of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Holders(SmallVec<[u64; 2]>);

impl Holders {
    fn none(size: u16) -> Holders {
        Holders(SmallVec::from_elem(0, usize::from(size).div_ceil(64)))
    }

    fn all(size: u16) -> Holders {
        let mut all = Holders::none(size);
        (0..size).for_each(|rank| all.add(rank));
        all
    }

    fn add(&mut self, rank: u16) {
        self.0[usize::from(rank) / 64] |= 1 << (rank % 64);
    }

    fn has(&self, rank: u16) -> bool {
        self.0[usize::from(rank) / 64] >> (rank % 64) & 1 == 1
    }

    fn first(&self) -> Option<u16> {
        let word = self.0.iter().position(|word| *word != 0)?;
        Some(word as u16 * 64 + self.0[word].trailing_zeros() as u16)
    }
}

/// Elements that are up to date on the same ranks.
#[derive(Clone, Debug)]
struct Piece {
    block: Block,
    on: Holders,
}

/// Where the elements of a store are up to date. What nobody wrote is so nowhere, and is read by nobody.
#[derive(Debug, Default)]
pub struct Spread {
    pieces: Vec<Piece>,
}

impl Spread {
    /// What a rank lacks of a block, and the rank to have it from.
    pub fn lacking(&self, block: &Block, rank: u16) -> Vec<(Block, u16)> {
        let pieces = self.pieces.iter().filter(|piece| !piece.on.has(rank));
        let lacking =
            pieces.filter_map(|piece| Some((piece.block.meet(block)?, piece.on.first()?)));
        lacking.collect()
    }

    /// Whether every rank has all that there is.
    #[inline]
    pub fn is_everywhere(&self, size: u16) -> bool {
        self.pieces
            .iter()
            .all(|piece| piece.on == Holders::all(size))
    }

    /// Notes that a rank has what it lacked of a block.
    pub fn arrives(&mut self, block: &Block, rank: u16) {
        let mut pieces = Vec::with_capacity(self.pieces.len() + 2);
        let mut rest = Vec::new();
        for piece in self.pieces.drain(..) {
            match piece.block.meet(block) {
                Some(meet) if !piece.on.has(rank) => {
                    piece.block.without(&meet, &mut rest);
                    pieces.extend(rest.drain(..).map(|block| Piece {
                        block,
                        on: piece.on.clone(),
                    }));
                    let mut on = piece.on;
                    on.add(rank);
                    pieces.push(Piece { block: meet, on });
                }
                _ => pieces.push(piece),
            }
        }
        self.pieces = pieces;
        self.tidy();
    }

    /// Notes that one rank has written a block, or each of `size` ranks has.
    pub fn written(&mut self, block: &Block, by: Option<u16>, size: u16) {
        let mut pieces = Vec::with_capacity(self.pieces.len() + 1);
        let mut rest = Vec::new();
        for piece in self.pieces.drain(..) {
            piece.block.without(block, &mut rest);
            pieces.extend(rest.drain(..).map(|block| Piece {
                block,
                on: piece.on.clone(),
            }));
        }
        let on = match by {
            Some(rank) => {
                let mut on = Holders::none(size);
                on.add(rank);
                on
            }
            None => Holders::all(size),
        };
        pieces.push(Piece {
            block: block.clone(),
            on,
        });
        self.pieces = pieces;
        self.tidy();
    }

    /// Joins pieces that are one.
    fn tidy(&mut self) {
        let mut at = 0;
        while at < self.pieces.len() {
            let own = &self.pieces[at];
            let joined = self.pieces.iter().enumerate().find_map(|(other, piece)| {
                let may = other != at && piece.on == own.on;
                let block = may.then(|| own.block.join(&piece.block))??;
                Some((other, block))
            });
            match joined {
                Some((other, block)) => {
                    self.pieces[at].block = block;
                    self.pieces.swap_remove(other);
                    at = 0;
                }
                None => at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIDE: usize = 6;
    const RANKS: u16 = 3;

    fn block() -> impl Strategy<Value = Block> {
        let side =
            || (0..SIDE, 1..=SIDE).prop_map(|(first, length)| (first, (first + length).min(SIDE)));
        (side(), side()).prop_map(|(rows, columns)| Block::new([rows, columns]))
    }

    fn elements(block: &Block) -> impl Iterator<Item = (usize, usize)> {
        let [rows, columns] = [block.bounds()[0], block.bounds()[1]];
        (rows.0..rows.1)
            .flat_map(move |row| (columns.0..columns.1).map(move |column| (row, column)))
    }

    proptest! {
        /// Beside a table that knows of every element where it is.
        #[test]
        fn what_is_where_is_known(
            steps in prop::collection::vec((block(), 0..RANKS, 0..3_u8), 1..30)
        ) {
            let mut spread = Spread::default();
            let mut known = [[false; RANKS as usize]; SIDE * SIDE];
            let mut written = [false; SIDE * SIDE];
            for (block, rank, what) in steps {
                match what {
                    0 => {
                        spread.written(&block, Some(rank), RANKS);
                        for (row, column) in elements(&block) {
                            known[row * SIDE + column] = [false; RANKS as usize];
                            known[row * SIDE + column][usize::from(rank)] = true;
                            written[row * SIDE + column] = true;
                        }
                    }
                    1 => {
                        spread.written(&block, None, RANKS);
                        for (row, column) in elements(&block) {
                            known[row * SIDE + column] = [true; RANKS as usize];
                            written[row * SIDE + column] = true;
                        }
                    }
                    _ => {
                        let mut found = [0; SIDE * SIDE];
                        for (lacked, from) in spread.lacking(&block, rank) {
                            for (row, column) in elements(&lacked) {
                                found[row * SIDE + column] += 1;
                                prop_assert!(known[row * SIDE + column][usize::from(from)]);
                            }
                        }
                        for (row, column) in elements(&block) {
                            let at = row * SIDE + column;
                            let lacks = written[at] && !known[at][usize::from(rank)];
                            prop_assert_eq!(found[at], u8::from(lacks));
                            if written[at] {
                                known[at][usize::from(rank)] = true;
                            }
                        }
                        spread.arrives(&block, rank);
                        prop_assert!(spread.lacking(&block, rank).is_empty());
                    }
                }
                let everywhere = (0..SIDE * SIDE).all(|at| !written[at] || known[at] == [true; 3]);
                prop_assert_eq!(spread.is_everywhere(RANKS), everywhere);
            }
        }
    }

    #[test]
    fn rows_of_neighbours_come_and_go_without_a_trace() {
        let rows = |first, end| Block::new([(first, end), (0, 10)]);
        let mut spread = Spread::default();
        for _ in 0..5 {
            spread.written(&rows(0, 50), Some(0), 2);
            spread.written(&rows(50, 100), Some(1), 2);
            assert_eq!(spread.lacking(&rows(0, 51), 0), [(rows(50, 51), 1)]);
            spread.arrives(&rows(0, 51), 0);
            spread.arrives(&rows(49, 100), 1);
            // Those of each alone, and the rows on both sides of the border.
            assert_eq!(spread.pieces.len(), 3);
        }
    }
}
