"""What a batch amounts to: arithmetic and memory, counted from the shapes."""


def flops(shape, point):
    """Of this rank, 2 for a multiplication with its addition; causal attention not doubled."""
    inside = sum(kind.count * (shape.attention_parameters +
                               kind.mlp.active_parameters(shape.hidden)) for kind in shape.kinds)
    attention = 4 * shape.heads * shape.head_dim * point.pairs * shape.layers
    head = 2 * point.batch * shape.hidden * shape.vocabulary
    return 2 * point.rows * inside + attention + head


def bytes_read(shape, point, element):
    """At least: weights that some row needs, and the KV cache."""
    weights = shape.hidden * shape.vocabulary
    for kind in shape.kinds:
        mlp = kind.mlp
        idle = max(0, mlp.experts - point.rows * mlp.experts_per_token)
        unused = idle * mlp.expert_width * mlp.matrices * shape.hidden
        weights += kind.count * (shape.attention_parameters + mlp.parameters(shape.hidden) - unused)
    cache = shape.kv_elements_per_token() * point.batch * point.tokens
    return element * (weights + (cache if point.phase == "decode" else 0))


def layer_bytes(shape, kind, element):
    """Weights of one layer."""
    return element * (shape.attention_parameters + kind.mlp.parameters(shape.hidden))


def cache_bytes(shape, point, element):
    """KV cache of one layer."""
    return 2 * element * shape.kv_heads * shape.head_dim * point.batch * point.context


def activation_bytes(shape, kind, point, element):
    """What one layer holds at most, roughly: its input twice, and the widest of its products with
    what is made of it."""
    rows, mlp = point.rows, kind.mlp
    attention = 4 * (shape.heads + 2 * shape.kv_heads) * shape.head_dim
    dense = 2 * mlp.width * mlp.matrices
    routed = mlp.experts_per_token * (2 * shape.hidden + 2 * mlp.expert_width * mlp.matrices)
    return element * rows * (3 * shape.hidden + max(attention, dense + routed))
