"""Elementwise chains."""

import numpy as np

from packages import F, both, columns_of, expression, jnp, ne, torch, xla

COEFFICIENTS = [-0.25, 0.75, -1.5, 0.375, 1.25, -0.625]


def clamp(x, y, p):
    out = np.zeros_like(x)

    def numpy_out():
        np.multiply(x, F(1.5), out=out)
        np.add(out, y, out=out)
        np.maximum(out, F(0), out=out)
        return np.clip(out, F(0.125), F(0.75), out=out)

    runners = {"numpy": lambda: np.clip(np.maximum(x * F(1.5) + y, F(0)), F(0.125), F(0.75)), "numpy_out": numpy_out}
    runners |= xla(lambda x, y: jnp.clip(jnp.maximum(x * F(1.5) + y, F(0)), F(0.125), F(0.75)), x, y)
    if ne:
        text = "where(x * s + y < low, low, where(x * s + y > high, high, x * s + y))"
        runners["numexpr"] = expression(text, out, x=x, y=y, s=F(1.5), low=F(0.125), high=F(0.75))
    if torch:
        tx, ty, tout = torch.from_numpy(x), torch.from_numpy(y), torch.from_numpy(out)

        def torch_out():
            torch.mul(tx, 1.5, out=tout)
            return tout.add_(ty).relu_().clamp_(0.125, 0.75)

        runners["torch"] = lambda: torch.clamp(torch.relu(tx * 1.5 + ty), 0.125, 0.75)
        runners["torch_out"] = torch_out
    return runners


def length(x, y, p):
    out, other = np.zeros_like(x), np.zeros_like(x)

    def numpy_out():
        np.multiply(x, x, out=out)
        np.multiply(y, y, out=other)
        np.add(out, other, out=out)
        return np.sqrt(out, out=out)

    runners = both(lambda m, x, y: m.sqrt(x * x + y * y), x, y) | {"numpy_out": numpy_out}
    if ne:
        runners["numexpr"] = expression("sqrt(x * x + y * y)", out, x=x, y=y)
    if torch:
        tx, ty, tout, tother = map(torch.from_numpy, (x, y, out, other))

        def torch_out():
            torch.mul(tx, tx, out=tout)
            torch.mul(ty, ty, out=tother)
            return tout.add_(tother).sqrt_()

        runners["torch"] = lambda: torch.sqrt(tx * tx + ty * ty)
        runners["torch_out"] = torch_out
    return runners


def polynomial(x, y, p):
    out = np.zeros_like(x)

    def horner(x):
        r = F(0.5)
        for c in COEFFICIENTS:
            r = r * x + F(c)
        return r

    def numpy_out():
        np.multiply(x, F(0.5), out=out)
        np.add(out, F(COEFFICIENTS[0]), out=out)
        for c in COEFFICIENTS[1:]:
            np.multiply(out, x, out=out)
            np.add(out, F(c), out=out)
        return out

    runners = {"numpy": lambda: horner(x), "numpy_out": numpy_out, **xla(horner, x)}
    if ne:
        text = "(((((c * x + c0) * x + c1) * x + c2) * x + c3) * x + c4) * x + c5"
        constants = {f"c{i}": F(c) for i, c in enumerate(COEFFICIENTS)}
        runners["numexpr"] = expression(text, out, x=x, c=F(0.5), **constants)
    if torch:
        tx, tout = torch.from_numpy(x), torch.from_numpy(out)

        def eager():
            r = 0.5
            for c in COEFFICIENTS:
                r = r * tx + c
            return r

        def torch_out():
            torch.mul(tx, 0.5, out=tout)
            tout.add_(COEFFICIENTS[0])
            for c in COEFFICIENTS[1:]:
                tout.mul_(tx).add_(c)
            return tout

        runners["torch"] = eager
        runners["torch_out"] = torch_out
    return runners


def normalise(x, y, p):
    columns = columns_of(x)
    x = x.reshape(-1, columns)
    rows, rest = len(x), p[2048:]
    weight, bias = p[:columns], p[columns : 2 * columns]
    mean, factor = rest[:rows, None], rest[rows : 2 * rows, None]
    out = np.zeros_like(x)

    def numpy_out():
        np.subtract(x, mean, out=out)
        np.multiply(out, factor, out=out)
        np.multiply(out, weight, out=out)
        return np.add(out, bias, out=out)

    runners = both(lambda m, x, mean, factor: (x - mean) * factor * weight + bias, x, mean, factor)
    runners["numpy_out"] = numpy_out
    if ne:
        text = "(x - mean) * factor * weight + bias"
        runners["numexpr"] = expression(text, out, x=x, mean=mean, factor=factor, weight=weight, bias=bias)
    if torch:
        tx, tmean, tfactor, tweight, tbias, tout = map(torch.from_numpy, (x, mean, factor, weight, bias, out))

        def torch_out():
            torch.sub(tx, tmean, out=tout)
            return tout.mul_(tfactor).mul_(tweight).add_(tbias)

        runners["torch"] = lambda: (tx - tmean) * tfactor * tweight + tbias
        runners["torch_out"] = torch_out
    return runners


def gelu(x, y, p):
    out, half = np.zeros_like(x), np.zeros_like(x)
    a, b = F(0.797884561), F(0.044715)

    def numpy_out():
        np.multiply(b, x, out=out)
        np.multiply(out, x, out=out)
        np.multiply(out, x, out=out)
        np.add(x, out, out=out)
        np.multiply(a, out, out=out)
        np.tanh(out, out=out)
        np.add(F(1), out, out=out)
        np.multiply(F(0.5), x, out=half)
        return np.multiply(half, out, out=out)

    runners = both(lambda m, x: F(0.5) * x * (F(1) + m.tanh(a * (x + b * x * x * x))), x)
    runners["numpy_out"] = numpy_out
    if ne:
        text = "h * x * (one + tanh(a * (x + b * x * x * x)))"
        runners["numexpr"] = expression(text, out, x=x, a=a, b=b, h=F(0.5), one=F(1))
    if torch:
        tx = torch.from_numpy(x)
        runners["torch"] = lambda: 0.5 * tx * (1 + torch.tanh(0.797884561 * (tx + 0.044715 * tx * tx * tx)))
        runners["torch_out"] = lambda: torch.nn.functional.gelu(tx, approximate="tanh")
    return runners


def five(x, y, p):
    out = np.zeros_like(x)
    runners = both(lambda m, x, y: m.square(-((x + y) * x) + y), x, y)
    if ne:
        runners["numexpr"] = expression("(y - (x + y) * x) * (y - (x + y) * x)", out, x=x, y=y)
    if torch:
        tx, ty = torch.from_numpy(x), torch.from_numpy(y)
        runners["torch"] = lambda: torch.square(-((tx + ty) * tx) + ty)
    return runners
