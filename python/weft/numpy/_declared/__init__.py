"""The functions of `weft.numpy`, as the tables declare them."""
# Made by python/declare.py from python/declared/*.toml.

from . import methods
from .creation import *  # noqa: F403
from .elementwise import *  # noqa: F403
from .files import *  # noqa: F403
from .functions import *  # noqa: F403
from .grids import *  # noqa: F403
from .polynomials import *  # noqa: F403
from .products import *  # noqa: F403
from .reductions import *  # noqa: F403
from .settings import *  # noqa: F403
from .shapes import *  # noqa: F403
from .sorting import *  # noqa: F403
from .types import *  # noqa: F403
from .windows import *  # noqa: F403
