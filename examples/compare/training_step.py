"""A training step of one transformer block: forward, gradients of all weights, and the weights after the step.

zerocast and XLA derive the gradients. NumPy has none, so its backward pass is written by hand.
"""

import numpy as np

NAME = "training step of a transformer block, d = 512, 1,024 tokens"
SMALL, LARGE = 32, 512
RATE = 0.1


def inputs(d):
    """Tokens and targets (4, d / 2, d), and the weights: queries, keys and values, output, two layers."""
    rng = np.random.default_rng(7)
    shapes = (4, d // 2, d), (4, d // 2, d), (d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)
    scales = 1, 1, d**-0.5, d**-0.5, d**-0.5, (4 * d) ** -0.5
    return tuple((rng.standard_normal(shape) * scale).astype(np.float32) for shape, scale in zip(shapes, scales))


def softmax(xp, scores):
    powers = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return powers / xp.sum(powers, axis=-1, keepdims=True)


def normalized(xp, x):
    apart = x - xp.mean(x, axis=-1, keepdims=True)
    return apart / xp.sqrt(xp.mean(apart * apart, axis=-1, keepdims=True) + 1e-5)


def gelu(xp, x):
    return 0.5 * x * (1 + xp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def heads(xp, qkv):
    """Queries, keys and values, each (batch, heads, tokens, 64 or less)."""
    batch, tokens, width = qkv.shape
    each = min(64, width // 6)
    return xp.permute_dims(xp.reshape(qkv, (batch, tokens, 3, -1, each)), (2, 0, 3, 1, 4))


def loss(xp, x, target, wide, out, first, second):
    q, k, v = heads(xp, normalized(xp, x) @ wide)
    scores = q @ xp.matrix_transpose(k) * q.shape[-1] ** -0.5
    h = x + xp.reshape(xp.permute_dims(softmax(xp, scores) @ v, (0, 2, 1, 3)), x.shape) @ out
    y = h + gelu(xp, normalized(xp, h) @ first) @ second
    return xp.mean((y - target) ** 2)


def by_zerocast(zc, x, target, *weights):
    weights = [zc.variable(w) for w in weights]
    value = loss(zc, x, target, *weights)
    return zc.compute(value, *(w - RATE * g for w, g in zip(weights, zc.vjp(value, weights))))


def by_xla(jnp, x, target, *weights):
    import jax

    value, gradients = jax.value_and_grad(lambda weights: loss(jnp, x, target, *weights))(weights)
    return value, *(w - RATE * g for w, g in zip(weights, gradients))


def normalized_back(np, x, gain):
    """The gradient by x of normalized(x), for the gradient `gain` of its result."""
    spread = np.sqrt(np.var(x, axis=-1, keepdims=True) + 1e-5)
    z = (x - np.mean(x, axis=-1, keepdims=True)) / spread
    return (gain - np.mean(gain, axis=-1, keepdims=True) - z * np.mean(gain * z, axis=-1, keepdims=True)) / spread


def gelu_back(np, x, gain):
    t = np.tanh(0.7978845608 * (x + 0.044715 * x * x * x))
    return gain * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608 * (1 + 3 * 0.044715 * x * x))


def products(np, a, b):
    """a.T @ b over all tokens."""
    return a.reshape(-1, a.shape[-1]).T @ b.reshape(-1, b.shape[-1])


def by_numpy(np, x, target, wide, out, first, second):
    before = normalized(np, x)
    q, k, v = heads(np, before @ wide)
    scale = q.shape[-1] ** -0.5
    weights = softmax(np, q @ np.matrix_transpose(k) * scale)
    mixed = np.permute_dims(weights @ v, (0, 2, 1, 3)).reshape(x.shape)
    h = x + mixed @ out
    between = normalized(np, h)
    hidden = between @ first
    active = gelu(np, hidden)
    error = h + active @ second - target
    by_y = error * (2 / error.size)
    by_hidden = gelu_back(np, hidden, by_y @ second.T)
    by_h = by_y + normalized_back(np, h, by_hidden @ first.T)
    by_mixed = np.permute_dims((by_h @ out.T).reshape(*x.shape[:2], -1, q.shape[-1]), (0, 2, 1, 3))
    by_weights = by_mixed @ np.matrix_transpose(v)
    by_scores = weights * (by_weights - np.sum(by_weights * weights, axis=-1, keepdims=True)) * scale
    by_parts = by_scores @ k, np.matrix_transpose(by_scores) @ q, np.matrix_transpose(weights) @ by_mixed
    by_qkv = np.permute_dims(np.stack(by_parts), (1, 3, 0, 2, 4)).reshape(*x.shape[:2], -1)
    gradients = (
        products(np, before, by_qkv),
        products(np, mixed, by_h),
        products(np, between, by_hidden),
        products(np, active, by_y),
    )
    return np.mean(error**2), *(w - RATE * g for w, g in zip((wide, out, first, second), gradients))
