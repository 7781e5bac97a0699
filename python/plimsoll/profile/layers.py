"""Decoder layers of a model's true sizes with random weights, in plain PyTorch.

Timing needs no meaning, but all the work must be there: a layer that decodes reads a KV cache that
an earlier step filled, and gives what a prefill of the whole text would give.
"""
import math


class KvCache:
    """Keys and values of one layer: [batch, KV heads, tokens, head]."""

    def __init__(self, device, shape, batch, tokens):
        sizes = (batch, shape.kv_heads, tokens, shape.head_dim)
        self.keys = device.random(*sizes)
        self.values = device.random(*sizes)


class Rotation:
    """Rotary position embedding: pairs (i, i + head/2) turned by an angle that grows with i."""

    def __init__(self, device, head_dim, tokens):
        torch = device.torch
        half = head_dim // 2
        rate = 1e4 ** (-torch.arange(half, dtype=torch.float32) / max(1, half))
        angle = torch.arange(tokens, dtype=torch.float32)[:, None] * rate[None, :]
        # An odd width, which no model has, leaves its last element as it is.
        rest = torch.zeros(tokens, head_dim - 2 * half)
        cos = torch.cat([angle.cos(), angle.cos(), rest + 1], dim=1)
        sin = torch.cat([-angle.sin(), angle.sin(), rest], dim=1)
        order = list(range(half, 2 * half)) + list(range(half)) + list(range(2 * half, head_dim))
        self.cos = cos.to(device.dtype).to(device.kind)[None, :, None, :]
        self.sin = sin.to(device.dtype).to(device.kind)[None, :, None, :]
        self.partner = torch.tensor(order, device=device.kind)
        self.torch = torch

    def __call__(self, x, start):
        """Of x [batch, tokens, heads, head] whose first token stands at `start`."""
        end = start + x.shape[1]
        partner = x.index_select(3, self.partner)
        return self.torch.addcmul(x * self.cos[:, start:end], partner, self.sin[:, start:end])


class AttentionKernel:
    """Attention over a KV cache, by PyTorch's fused kernel where it has one (2.0 and newer)."""

    def __init__(self, device):
        self.torch = device.torch
        self.fused = getattr(self.torch.nn.functional, "scaled_dot_product_attention", None)
        self.knows_groups = self._try_groups(device)

    def _try_groups(self, device):
        if self.fused is None:
            return False
        q, kv = device.random(1, 2, 1, 8), device.random(1, 1, 1, 8)
        try:
            self.fused(q, kv, kv, enable_gqa=True)
        except (TypeError, RuntimeError):
            return False
        return True

    def decode(self, q, keys, values):
        """One token of each sequence. The heads of a group stand side by side as queries of their
        KV head, so that the cache is read once."""
        batch, heads, _, width = q.shape
        grouped = q.reshape(batch, keys.shape[1], heads // keys.shape[1], width)
        return self._attend(grouped, keys, values, causal=False).reshape(batch, heads, 1, width)

    def prefill(self, q, keys, values):
        """Of whole sequences: as many queries as keys."""
        groups = q.shape[1] // keys.shape[1]
        if groups > 1 and self.knows_groups:
            return self.fused(q, keys, values, is_causal=True, enable_gqa=True)
        if groups > 1:
            keys = keys.repeat_interleave(groups, dim=1)
            values = values.repeat_interleave(groups, dim=1)
        return self._attend(q, keys, values, causal=True)

    def _attend(self, q, keys, values, causal):
        if self.fused is not None:
            return self.fused(q, keys, values, is_causal=causal)
        return self._plain(q, keys, values, causal)

    def _plain(self, q, keys, values, causal):
        """In blocks of queries, so that the scores fit."""
        torch = self.torch
        parts = []
        for begin in range(0, q.shape[2], 256):
            block = q[:, :, begin:begin + 256]
            seen = begin + block.shape[2] if causal else keys.shape[2]
            scores = block @ keys[:, :, :seen].transpose(2, 3) / math.sqrt(q.shape[3])
            if causal:
                ahead = torch.ones(block.shape[2], seen, dtype=torch.bool, device=q.device)
                scores = scores.masked_fill(ahead.triu(begin + 1), float("-inf"))
            parts.append(torch.softmax(scores, dim=3) @ values[:, :, :seen])
        return torch.cat(parts, dim=2)


class DenseMlp:
    """Gated (SiLU) or plain (GELU)."""

    def __init__(self, device, hidden, width, matrices):
        self.functional = device.torch.nn.functional
        self.gated = matrices == 3
        self.up = device.random((2 if self.gated else 1) * width, hidden, scale=hidden ** -0.5)
        self.down = device.random(hidden, width, scale=width ** -0.5)

    def __call__(self, x):
        return self.functional.linear(
            activated(self.functional, self.functional.linear(x, self.up), self.gated), self.down)


class ExpertMlp:
    """Routed experts, each token's `k` of them chosen evenly: which experts a token meets is fixed
    beforehand, since a CUDA graph has fixed sizes. The router is computed all the same."""

    def __init__(self, device, hidden, mlp):
        self.torch = device.torch
        self.gated = mlp.matrices == 3
        self.per_token = mlp.experts_per_token
        width = (2 if self.gated else 1) * mlp.expert_width
        self.router = device.random(mlp.experts, hidden, scale=hidden ** -0.5)
        self.up = device.random(mlp.experts, hidden, width, scale=hidden ** -0.5)
        self.down = device.random(mlp.experts, mlp.expert_width, hidden,
                                  scale=mlp.expert_width ** -0.5)
        self.shared = DenseMlp(device, hidden, mlp.width, mlp.matrices) if mlp.width else None
        self.tokens_of = {}  # by number of rows

    def _gathered(self, rows):
        """For each row of each touched expert the token it works on, and how many are touched."""
        slots = rows * self.per_token
        touched = min(self.router.shape[0], slots)
        if rows not in self.tokens_of:
            per_expert = -(-slots // touched)
            slot = self.torch.arange(touched * per_expert, device=self.router.device) % slots
            self.tokens_of[rows] = slot // self.per_token
        return self.tokens_of[rows], touched

    def __call__(self, x):
        functional = self.torch.nn.functional
        flat = x.reshape(-1, x.shape[-1])
        rows, hidden = flat.shape
        chance = self.torch.softmax(functional.linear(flat, self.router), dim=1)
        weights, _ = self.torch.topk(chance, self.per_token, dim=1)
        tokens, touched = self._gathered(rows)
        work = flat.index_select(0, tokens).view(touched, -1, hidden)
        work = activated(functional, self.torch.bmm(work, self.up[:touched]), self.gated)
        work = self.torch.bmm(work, self.down[:touched]).view(-1, hidden)
        work = work[:rows * self.per_token].view(rows, self.per_token, hidden)
        out = (work * weights[:, :, None]).sum(dim=1).view_as(x)
        return out if self.shared is None else out + self.shared(x)


def activated(functional, x, gated):
    if not gated:
        return functional.gelu(x)
    gate, up = x.chunk(2, dim=-1)
    return functional.silu(gate) * up


class Layer:
    """Norm, attention, norm, MLP. The norm is PyTorch's layer norm: one kernel, as an engine's RMS
    norm is, and the same traffic."""

    def __init__(self, device, shape, mlp, rotation, attention):
        self.functional = device.torch.nn.functional
        self.shape, self.rotation, self.attention = shape, rotation, attention
        hidden, width = shape.hidden, shape.heads * shape.head_dim
        columns = (shape.heads + 2 * shape.kv_heads) * shape.head_dim
        self.qkv = device.random(columns, hidden, scale=hidden ** -0.5)
        self.out = device.random(hidden, width, scale=width ** -0.5)
        self.scale = device.random(hidden, scale=0) + 1
        self.mlp = ExpertMlp(device, hidden, mlp) if mlp.experts else \
            DenseMlp(device, hidden, mlp.width, mlp.matrices)

    def norm(self, x):
        return self.functional.layer_norm(x, (x.shape[-1],), self.scale)

    def __call__(self, x, cache, start):
        """x [batch, tokens, hidden]: a whole prompt (start 0), or one token after `start` others."""
        shape, linear = self.shape, self.functional.linear
        batch, tokens, _ = x.shape
        turned = shape.heads + shape.kv_heads
        qkv = linear(self.norm(x), self.qkv).view(batch, tokens, -1, shape.head_dim)
        heads = self.rotation(qkv[:, :, :turned], start).transpose(1, 2)
        end = start + tokens
        cache.keys[:, :, start:end] = heads[:, shape.heads:]
        cache.values[:, :, start:end] = qkv[:, :, turned:].transpose(1, 2)
        attend = self.attention.prefill if start == 0 else self.attention.decode
        seen = attend(heads[:, :shape.heads], cache.keys[:, :, :end], cache.values[:, :, :end])
        x = x + linear(seen.transpose(1, 2).reshape(batch, tokens, -1), self.out)
        return x + self.mlp(self.norm(x))


class Ends:
    """Embedding before the layers; final norm, output head and the likeliest token after them."""

    def __init__(self, device, shape):
        self.functional = device.torch.nn.functional
        self.torch = device.torch
        self.table = device.random(shape.vocabulary, shape.hidden)
        self.head = self.table if shape.tied else \
            device.random(shape.vocabulary, shape.hidden, scale=shape.hidden ** -0.5)
        self.scale = device.random(shape.hidden, scale=0) + 1

    def __call__(self, ids):
        """ids [batch, tokens]; the head sees the last token of each sequence."""
        x = self.functional.embedding(ids, self.table)[:, -1]
        x = self.functional.layer_norm(x, (x.shape[-1],), self.scale)
        return self.functional.linear(x, self.head).argmax(dim=1)
