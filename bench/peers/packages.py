"""The packages that are there, and how a case becomes a runner of each.

A case is a function of the inputs x, y and the parameters p that returns its runners, each of which returns its result:

    numpy, torch           as one writes it
    numpy_out, torch_out   step by step into memory that exists
    xla                    jitted
    numexpr                into memory that exists
"""

import functools

import numpy as np

try:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_cpu_enable_async_dispatch", False)
except ImportError:
    jax = jnp = None
try:
    import numexpr as ne
except ImportError:
    ne = None
try:
    import torch
except ImportError:
    torch = None

F = np.float32


def columns_of(a):
    return min(a.size, 1024)


def table(a):
    return a.reshape(-1, columns_of(a))


def square(a):
    return a.reshape(round(a.size**0.5), -1)


def expression(text, out, **names):
    """numexpr's runner: constants are float32, too, or it would compute in float64."""
    return lambda: ne.evaluate(text, local_dict=names, out=out, casting="same_kind")


def compiled(f, *arrays):
    """XLA's runner of f(array, ...), compiled here. The arrays are arguments, so that none is folded."""
    arrays = [jax.device_put(a) for a in arrays]
    run = jax.jit(f).lower(*arrays).compile()
    return lambda: run(*arrays).block_until_ready()


def xla(f, *arrays):
    """The runner by name, where there is XLA."""
    return {"xla": compiled(f, *arrays)} if jax else {}


def both(f, *arrays):
    """f(module, array, ...) by NumPy and by XLA."""
    return {"numpy": lambda: np.asarray(f(np, *arrays)), **xla(functools.partial(f, jnp), *arrays)}
