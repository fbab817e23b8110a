"""Weft: arrays you can see through.

``import weft.numpy as np`` gives NumPy's interface on Weft's runtime. Work is done in the background, on every processor of the machine;
reading a value waits for it. ``weft run --profile -- python prog.py`` records which line asked for which kernel.
"""

import atexit as _atexit
import contextlib as _contextlib
import copy as _copy
import operator as _operator
import os as _os
import site as _site
import sys as _sys
import sysconfig as _sysconfig
import threading as _threading
import types as _types


def _refuse_subinterpreters():
    """Raises ImportError in all interpreters of the process but the main one."""
    try:
        import _interpreters as interpreters
    except ImportError:
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            return
    if interpreters.get_current() != interpreters.get_main():
        raise ImportError(
            "weft cannot be imported in a subinterpreter: its runtime and NumPy belong to the main interpreter of the process; "
            "use threads there, or multiprocessing with the start method 'spawn'"
        )


# Comes before the import of the extension, because only the first interpreter that loads it can use it.
_refuse_subinterpreters()

from . import _core, _settings  # noqa: E402

__version__ = "0.1.0"

__all__ = [
    "TaskContext", "Unbound", "annotate", "finish", "foreign", "load_ipython_extension", "offload_to", "pool_status", "rank", "ranks", "start", "stencil_hint",
    "task", "wait",
]  # fmt: skip


def _passed_folders():
    """Folders of code that is not the user's, which WEFT_PROVENANCE=user skips."""
    if _settings.choice("WEFT_PROVENANCE", "call", "user") != "user":
        return []
    folders = [*_site.getsitepackages(), _site.getusersitepackages(), _sysconfig.get_path("stdlib")]
    return [_os.path.join(folder, "") for folder in folders]


_core.register_package(_os.path.join(_os.path.dirname(__file__), ""), _passed_folders())

def _is_second_interrupt(error):
    """Whether an interrupt arrived while the program handled an earlier one."""
    known = set()
    while (error := getattr(error, "__context__", None)) is not None and id(error) not in known:
        if isinstance(error, KeyboardInterrupt):
            return True
        known.add(id(error))
    return False


@_atexit.register
def _end_interrupted():
    """Completes the profile if KeyboardInterrupt ends the program: Python then ends the process by a signal."""
    error = getattr(_sys, "last_exc", None) or getattr(_sys, "last_value", None)
    is_interactive = hasattr(_sys, "ps1") or "IPython" in _sys.modules
    if isinstance(error, KeyboardInterrupt) and not is_interactive and _core.has_started():
        if _is_second_interrupt(error):
            _core.end_by_signal()
        _core.abandon()



def _install_excepthooks():
    """Tracebacks that end a program or a thread leave out the frames of this package below the user's line; WEFT_TRACEBACK=full keeps them."""
    if _settings.choice("WEFT_TRACEBACK", "short", "full") == "full":
        return
    package = _os.path.join(_os.path.dirname(__file__), "")

    def folded(trace):
        kept = []
        while trace is not None:
            if not trace.tb_frame.f_code.co_filename.startswith(package):
                kept.append(trace)
            trace = trace.tb_next
        made = None
        for one in reversed(kept):
            made = _types.TracebackType(made, one.tb_frame, one.tb_lasti, one.tb_lineno)
        return made

    def fold(error, known):
        while error is not None and id(error) not in known:
            known.add(id(error))
            trace = folded(error.__traceback__)
            if trace is not None:
                error.__traceback__ = trace
            fold(error.__cause__, known)
            for one in getattr(error, "exceptions", None) or ():
                fold(one if isinstance(one, BaseException) else None, known)
            error = error.__context__

    theirs, of_threads = _sys.excepthook, _threading.excepthook

    def hook(kind, error, trace):
        fold(error, set())
        theirs(kind, error, trace if error is None else error.__traceback__)

    def hook_of_threads(args):
        fold(args.exc_value, set())
        of_threads(_threading.ExceptHookArgs((args.exc_type, args.exc_value, getattr(args.exc_value, "__traceback__", None), args.thread)))

    _sys.excepthook, _threading.excepthook = hook, hook_of_threads


_install_excepthooks()


@_atexit.register
def _end_tasks():
    """Waits for the bodies of tasks, which need the interpreter, before it ends; after a failure of the program, bodies that have not begun are dropped."""
    daemons = [thread for thread in _threading.enumerate() if thread.daemon and thread is not _threading.current_thread()]
    if daemons and _core.has_started():
        _core.pause_threads(len(daemons))
    is_interactive = hasattr(_sys, "ps1") or "IPython" in _sys.modules
    has_failed = getattr(_sys, "last_type", None) is not None and not is_interactive
    if has_failed and _core.has_tasks():
        _core.abandon()
    try:
        _core.end_tasks()
    except KeyboardInterrupt:
        # Exceptions of exit handlers are ignored: the interpreter would end with status 0.
        _sys.excepthook(*_sys.exc_info())
        _core.abandon_interrupted()


start = _core.start
wait = _core.wait_all
finish = _core.finish
pool_status = _core.pool_status
offload_to = _core.offload_to
stencil_hint = _core.stencil_hint


def rank():
    """The number of this process among the ranks of the run, starting at 0."""
    return _core.ranks()[0]


def ranks():
    """The number of ranks of the run: processes that run the same program, started by ``weft run --ranks-per-node``."""
    return _core.ranks()[1]


def load_ipython_extension(ipython):
    """``%load_ext weft``: records the session, so that ``%%weft`` shows what each line of a cell cost, and ``%weft view`` the timeline."""
    from ._notebook import load

    load(ipython)


def _place(gpus, cpus, priority):
    """The first of these GPUs and one past the last, whether tasks run on CPUs, and the priority."""
    if gpus is not None:
        if cpus:
            raise ValueError("annotate: tasks run on gpus or on cpus, not on both")
        gpus = gpus if isinstance(gpus, range) else range(_operator.index(gpus), _operator.index(gpus) + 1)
        if not gpus or gpus.step != 1 or gpus.start < 0:
            raise ValueError(f"annotate: gpus must be a number or a range of numbers one after the other, not {gpus}")
        gpus = (gpus.start, gpus.stop)
    if priority is not None:
        priority = _operator.index(priority)
        if not -128 <= priority <= 127:
            raise ValueError(f"annotate: priority must lie between -128 and 127, and is {priority}")
    return gpus, cpus, priority


class annotate(_contextlib.ContextDecorator):
    """Names a part of the program: ``with weft.annotate("assembly"):``, or ``@weft.annotate("assembly")`` above a function.

    ``weft stats --by scope`` says what each costs, the table WEFT_SCOPE has them, and Nsight Systems shows a range for each. Scopes nest; they belong to the
    thread that opens them.

    A scope can also say where its tasks run: ``gpus=range(0, 2)`` or ``gpus=1`` on these GPUs of the rank alone, ``cpus=True`` on CPUs in a run with GPUs. Of
    the tasks that are ready, CPUs take those of the highest ``priority`` first; it is 0 elsewhere. Without a name it is named after these.
    """

    def __init__(self, name=None, *, gpus=None, cpus=False, priority=None):
        if name is None and gpus is None and not cpus and priority is None:
            raise TypeError("annotate needs a name, gpus, cpus or priority")
        self._name = None if name is None else str(name)
        self._place = _place(gpus, bool(cpus), priority)
        # Scopes belong to threads: one object may name parts of several at once.
        self._of_thread = _threading.local()

    def _recreate_cm(self):
        again = _copy.copy(self)
        again._of_thread = _threading.local()
        return again

    def __enter__(self):
        vars(self._of_thread).setdefault("open", []).append(_core.Scope(self._name, *self._place))
        return self

    def __exit__(self, *_):
        opened = vars(self._of_thread).get("open")
        if not opened:
            raise RuntimeError(f"the scope {self._name!r} was opened by another thread")
        opened.pop().close()
        return False


from .tasks import TaskContext, Unbound, foreign, task  # noqa: E402
