use proptest::prelude::*;

use super::*;

const SIDE: usize = 6;
const RANKS: u16 = 3;

fn block() -> impl Strategy<Value = Block> {
    let side =
        || (0..SIDE, 1..=SIDE).prop_map(|(first, length)| (first, (first + length).min(SIDE)));
    (side(), side()).prop_map(|(rows, columns)| Block::new([rows, columns]))
}

fn elements(block: &Block) -> impl Iterator<Item = usize> {
    let [rows, columns] = [block.bounds()[0], block.bounds()[1]];
    (rows.0..rows.1)
        .flat_map(move |row| (columns.0..columns.1).map(move |column| row * SIDE + column))
}

/// A step that all ranks take at the same time.
#[derive(Clone, Debug)]
enum Step {
    WriteAll(Block),
    ReadAll(Block),
    ReadEach(Vec<Block>),
    /// The rows that each rank reads, and the bounds of their columns.
    ReadSets(Vec<[bool; SIDE]>, (usize, usize)),
    /// The end of each rank's slice of rows.
    WriteEach(Vec<usize>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        block().prop_map(Step::WriteAll),
        block().prop_map(Step::ReadAll),
        prop::collection::vec(block(), 1..=3).prop_map(Step::ReadEach),
        (prop::collection::vec(any::<[bool; SIDE]>(), 1..=3), block())
            .prop_map(|(rows, block)| Step::ReadSets(rows, block.bounds()[1])),
        prop::collection::vec(1..SIDE, 3).prop_map(|mut ends| {
            ends.sort();
            Step::WriteEach(ends)
        }),
    ]
}

fn parts(blocks: impl IntoIterator<Item = Block>) -> Parts {
    let parts = blocks
        .into_iter()
        .zip(0..)
        .map(|(block, rank)| Part { rank, block });
    Parts::new(parts.collect())
}

proptest! {
    /// Compares with a table that knows where every element is up to date.
    #[test]
    fn tracks_locations_like_an_element_table(steps in prop::collection::vec(step(), 1..30)) {
        let mut pieces = Pieces::default();
        let mut known = [[true; RANKS as usize]; SIDE * SIDE];
        for step in steps {
            match step {
                Step::WriteAll(block) => {
                    pieces.written_by_all(&block);
                    elements(&block).for_each(|at| known[at] = [true; 3]);
                }
                Step::ReadAll(block) => {
                    let mut came = [0; SIDE * SIDE];
                    for (block, from) in pieces.give_all(&block) {
                        for at in elements(&block) {
                            came[at] += 1;
                            prop_assert!(known[at][usize::from(from)]);
                        }
                    }
                    for at in 0..SIDE * SIDE {
                        let is_asked = elements(&block).any(|asked| asked == at);
                        let lacks = is_asked && known[at] != [true; 3];
                        prop_assert_eq!(came[at], u8::from(lacks));
                    }
                    elements(&block).for_each(|at| known[at] = [true; 3]);
                }
                Step::ReadEach(blocks) => {
                    let mut came = [[0; SIDE * SIDE]; RANKS as usize];
                    for moved in pieces.give_each(&parts(blocks.clone()), RANKS) {
                        for at in elements(&moved.block) {
                            came[usize::from(moved.to)][at] += 1;
                            prop_assert!(known[at][usize::from(moved.from)]);
                        }
                    }
                    for (rank, block) in blocks.iter().enumerate() {
                        for at in 0..SIDE * SIDE {
                            let is_asked = elements(block).any(|asked| asked == at);
                            prop_assert_eq!(came[rank][at], u8::from(is_asked && !known[at][rank]));
                        }
                        elements(block).for_each(|at| known[at][rank] = true);
                    }
                }
                Step::ReadSets(rows, columns) => {
                    let mut asked = Vec::new();
                    for (rank, rows) in rows.iter().enumerate() {
                        let runs = (0..SIDE).filter(|row| rows[*row]).map(|row| (row, row + 1));
                        let runs = crate::Image::new([runs]);
                        let blocks = runs.of_tile(0).iter().map(|run| Block::new([*run, columns]));
                        asked.extend(blocks.map(|block| Part { rank: rank as u16, block }));
                    }
                    let mut came = [[0; SIDE * SIDE]; RANKS as usize];
                    for moved in pieces.give_each(&Parts::new(asked.clone()), RANKS) {
                        for at in elements(&moved.block) {
                            came[usize::from(moved.to)][at] += 1;
                            prop_assert!(known[at][usize::from(moved.from)]);
                        }
                    }
                    for rank in 0..RANKS {
                        for at in 0..SIDE * SIDE {
                            let mut own = asked.iter().filter(|part| part.rank == rank);
                            let is_asked = own.any(|part| elements(&part.block).any(|asked| asked == at));
                            let lacks = is_asked && !known[at][usize::from(rank)];
                            prop_assert_eq!(came[usize::from(rank)][at], u8::from(lacks));
                            known[at][usize::from(rank)] |= is_asked;
                        }
                    }
                }
                Step::WriteEach(ends) => {
                    let mut first = 0;
                    let mut blocks = Vec::new();
                    for (rank, end) in ends.into_iter().enumerate() {
                        if first < end {
                            let block = Block::new([(first, end), (1, SIDE)]);
                            for at in elements(&block) {
                                known[at] = [false; 3];
                                known[at][rank] = true;
                            }
                            blocks.push(Part { rank: rank as u16, block });
                            first = end;
                        }
                    }
                    let parts = Parts::new(blocks);
                    prop_assert!(!parts.meet());
                    pieces.written_by_each(&parts, RANKS);
                }
            }
            prop_assert_eq!(pieces.is_empty(), known == [[true; 3]; SIDE * SIDE]);
        }
    }
}

#[test]
fn repeated_halo_exchange_leaves_constant_piece_count() {
    let rows = |first, end| Block::new([(first, end), (0, 10)]);
    let mut pieces = Pieces::default();
    let mut first = None;
    for _ in 0..5 {
        pieces.written_by_each(&parts([rows(0, 50), rows(50, 100), rows(100, 150)]), 3);
        let needs = parts([rows(0, 51), rows(49, 101), rows(99, 150)]);
        assert_eq!(pieces.give_each(&needs, 3).len(), 4);
        // One piece for the inside of each rank, and the rows on both sides of the borders.
        assert_eq!(pieces.0.len(), 5);
        assert_eq!(first.get_or_insert(pieces.clone()), &pieces);
    }
}

#[test]
fn ranks_receive_pieces_from_nearest_preceding_owner() {
    let all = Block::new([(0, 4)]);
    let mut pieces = Pieces::default();
    pieces.written_by_each(
        &Parts::new(vec![Part {
            rank: 2,
            block: all.clone(),
        }]),
        9,
    );
    let to = |rank| {
        Parts::new(vec![Part {
            rank,
            block: all.clone(),
        }])
    };
    let from = |moved: Vec<Sent>| moved.iter().map(|moved| moved.from).collect::<Vec<_>>();
    assert_eq!(from(pieces.give_each(&to(7), 9)), [2]);
    assert_eq!(from(pieces.give_each(&to(8), 9)), [7]);
    assert_eq!(from(pieces.give_each(&to(5), 9)), [2]);
    assert_eq!(from(pieces.give_each(&to(0), 9)), [2]);
}
