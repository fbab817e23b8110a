"""Outputs whose names a body rebinds to other arrays: the result is then never written.

``y = 2 * x`` rebinds the name to a new array, ``y[...] = 2 * x`` writes the output. The effect of an assignment to a name is not always
known: the array may have been written before, or the new array may be a view of it. Only cases that can be neither are reported.
"""

import ast as _ast
import dis as _dis
import inspect as _inspect
import textwrap as _textwrap
import warnings as _warnings

#: Attributes of an array that are not views of it.
_FACTS = {"dtype", "itemsize", "nbytes", "ndim", "shape", "size"}

#: Functions that neither write the arrays passed to them nor return views of them.
_READERS = {"empty_like", "full_like", "len", "ones_like", "zeros_like"}

#: Nodes with their own namespace.
_SCOPES = (
    _ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef, _ast.Lambda, _ast.ListComp, _ast.SetComp, _ast.DictComp, _ast.GeneratorExp,
)  # fmt: skip

#: Nodes that run some of their statements in some passes only.
_BRANCHES = (_ast.If, _ast.IfExp, _ast.BoolOp, _ast.For, _ast.AsyncFor, _ast.While, _ast.Try, _ast.TryStar, _ast.Match)

#: Functions that give access to arrays other than by name.
_FRAMES = {"_getframe", "currentframe", "eval", "exec", "locals", "vars"}

_ARITHMETIC = (_ast.BinOp, _ast.UnaryOp, _ast.Compare)


def _is_stored(code, name):
    """Whether a function has an instruction that binds the name."""
    for one in _dis.get_instructions(code):
        named = one.argval if isinstance(one.argval, tuple) else (one.argval,)
        if one.opname.startswith("STORE_") and name in named:
            return True
    return False


def _tree(function):
    """The function's text as a tree, and the line before its first one; `None` if the text is not available."""
    try:
        lines, first = _inspect.getsourcelines(function)
        tree = _ast.parse(_textwrap.dedent("".join(lines)))
    except (OSError, TypeError, ValueError, SyntaxError):
        return None
    body = tree.body[0] if tree.body else None
    return (body, max(first, 1) - 1) if isinstance(body, (_ast.FunctionDef, _ast.AsyncFunctionDef)) else None


def _nodes(of, path=()):
    """The nodes of a function in execution order, without branches: each with its parents, the innermost first."""
    yield of, path
    inside = (of, *path)
    match of:
        case _ast.Assign() | _ast.AnnAssign() | _ast.NamedExpr() | _ast.AugAssign():
            # Values are computed before names are bound.
            targets = of.targets if isinstance(of, _ast.Assign) else [of.target]
            parts = [*([of.value] if of.value is not None else []), *targets]
        case _ast.For() | _ast.AsyncFor():
            parts = [of.iter, of.target, *of.body, *of.orelse]
        case _:
            parts = _ast.iter_child_nodes(of)
    for part in parts:
        yield from _nodes(part, inside)


def _only_reads(node, path):
    """Whether a use of the array's name neither writes the array nor passes a view of it on."""
    for outer in path:
        match outer:
            case _ast.Subscript(value=inner, ctx=_ast.Load()) if inner is node:
                node = outer
            case _ast.Attribute(attr=attribute):
                return attribute in _FACTS
            case _ast.Call(func=_ast.Name(id=called) | _ast.Attribute(attr=called)):
                return node is not outer.func and called in _READERS
            case _:
                return isinstance(outer, _ARITHMETIC)
    return False


def _line(body, name):
    """The line that rebinds the name in every pass, before anything can have been written to the array."""
    if any(_called(one) in _FRAMES for statement in body for one in _ast.walk(statement)):
        return None
    for statement in body:
        for node, path in _nodes(statement):
            if isinstance(node, _SCOPES) and name in _names(node):
                return None
            if not isinstance(node, _ast.Name) or node.id != name:
                continue
            if isinstance(node.ctx, _ast.Load):
                if not _only_reads(node, path):
                    return None
                continue
            # `y += x` writes the array; `del y` is not reported.
            if not isinstance(node.ctx, _ast.Store) or isinstance(path[0], _ast.AugAssign):
                return None
            if any(isinstance(outer, _BRANCHES) for outer in path):
                return None
            return node.lineno
    return None


def _called(node):
    """The name of a variable or attribute; `None` for other nodes."""
    return getattr(node, "id", None) or getattr(node, "attr", None)


def _names(node):
    return {one.id for one in _ast.walk(node) if isinstance(one, _ast.Name)}


def warn(task, function, told):
    """Warns of each output of a task's body whose name is rebound to another array."""
    function = _inspect.unwrap(function)
    code = getattr(function, "__code__", None)
    if code is None:
        return
    written = [one.name for one in told if one.kind not in ("in", "value", "unbound") and not one.is_context]
    stored = [name for name in written if _is_stored(code, name)]
    found = _tree(function) if stored else None
    if found is None:
        return
    body, before = found
    for name in stored:
        line = _line(body.body, name)
        if line is None:
            continue
        text = (
            f"task {task}: this line gives the name {name} to another array, and the output {name} is not written: "
            f"`{name}[...] = values` writes to it, `{name} = values` does not"
        )
        _warnings.warn_explicit(text, RuntimeWarning, code.co_filename, before + line)
