"""Cellular automata: Conway's game of life on a torus, with ages of cells and statistics of each generation.

Neighbours are counted by np.roll. Gliders and blocks are counted by comparison with shifted patterns.
"""


def make_board(np, size):
    """Returns a board (size, size) of 0 and 1: random soup, gliders and still blocks."""
    rng = np.random.default_rng(5)
    board = (rng.random((size, size)) < 0.3).astype(np.int8)
    glider = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=np.int8)
    board[: size // 4, :] = 0
    for column in range(4, size - 8, 16):
        board[4:7, column : column + 3] = glider
    return board


def neighbours(np, board):
    """Returns the number of living neighbours of each cell."""
    count = np.zeros_like(board)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dy or dx:
                count += np.roll(np.roll(board, dy, axis=0), dx, axis=1)
    return count


def count_blocks(np, board):
    """Returns the number of still blocks: two by two living cells with a ring of dead ones."""
    alive = board == 1
    core = alive & np.roll(alive, -1, 0) & np.roll(alive, -1, 1) & np.roll(alive, (-1, -1), (0, 1))
    around = np.zeros_like(board)
    for dy in range(-1, 3):
        for dx in range(-1, 3):
            around += np.roll(board, (-dy, -dx), (0, 1))
    return int(np.sum(core & (around == 4)))


def run(np, scale):
    """Returns the board at the end, the ages of cells, and populations, births and deaths."""
    size = max(32, int(640 * scale**0.5))
    generations = max(8, int(60 * scale**0.25))
    board = make_board(np, size)
    age = np.zeros((size, size), dtype=np.int32)
    population, births, deaths = [], [], []
    for _ in range(generations):
        count = neighbours(np, board)
        born = (board == 0) & (count == 3)
        survives = (board == 1) & ((count == 2) | (count == 3))
        population.append(int(board.sum()))
        births.append(int(born.sum()))
        deaths.append(population[-1] - int(survives.sum()))
        age[born] = 0
        age[survives] += 1
        age[~(born | survives)] = -1
        board = (born | survives).astype(np.int8)

    living = age >= 0
    ages, counts = np.unique(age[living], return_counts=True)
    rows = board.sum(axis=1, dtype=np.int64)
    # Density in squares of eight by eight cells.
    edge = size // 8 * 8
    density = board[:edge, :edge].reshape(edge // 8, 8, edge // 8, 8).mean(axis=(1, 3))
    return {
        "board": board,
        "age": age,
        "population": np.array(population),
        "births": np.array(births),
        "deaths": np.array(deaths),
        "ages": ages,
        "age_counts": counts,
        "busiest_row": int(rows.argmax()),
        "density": density,
        "blocks": count_blocks(np, board),
    }
