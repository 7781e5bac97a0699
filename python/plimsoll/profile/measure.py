"""Measures batches of a grid, and single operators, on one device."""
import statistics
import typing

from plimsoll.profile import layers, work
from plimsoll.profile.errors import ProfileError

# Large enough that what is read again is no longer in the GPU's caches.
BEYOND_CACHES = 256 << 20
MOST_COPIES = 64
MEMORY_SHARE = 0.85  # of what is free
MANY_ROWS = 256  # a product of so many is not limited by reading its weights


class Sample(typing.NamedTuple):
    """Milliseconds of the repeats of one batch, of the whole model."""

    point: object
    ms: list
    peak_bytes: typing.Optional[int]


class Bench:
    """A few layers of each kind, in memory once, stand for all layers of their kind."""

    def __init__(self, device, shape, repeats, layers_in_memory, longest):
        self.device, self.shape, self.repeats = device, shape, repeats
        self.element = device.torch.tensor([], dtype=device.dtype).element_size()
        self.attention = layers.AttentionKernel(device)
        rotation = layers.Rotation(device, shape.head_dim, longest)
        ends = self.element * shape.hidden * shape.vocabulary * (1 if shape.tied else 2)
        room = MEMORY_SHARE * device.free_bytes() / 2 - ends  # the other half is for batches
        per_kind = room / len(shape.kinds)
        self.kinds = []
        for kind in shape.kinds:
            one = work.layer_bytes(shape, kind, self.element)
            if one > per_kind:
                raise ProfileError(
                    f"one layer of {shape.name} needs {one / 1e9:.1f} GB beside {ends / 1e9:.1f} "
                    f"GB of embeddings; {device.free_bytes() / 1e9:.1f} GB are free",
                    "measure one rank of a tensor-parallel group: --tp 2")
            count = min(kind.count, layers_in_memory, int(per_kind // one))
            self.kinds.append((kind, [layers.Layer(device, shape, kind.mlp, rotation,
                                                   self.attention) for _ in range(count)]))
        self.ends = layers.Ends(device, shape)

    @property
    def layers_in_memory(self):
        return sum(len(made) for _, made in self.kinds)

    def measure(self, point):
        """The whole model on one batch; None if it does not fit in memory."""
        return self._if_it_fits(lambda: self._measure(point))

    def matrix_product_ms(self, m, n, k):
        """Median; None if it does not fit."""
        return self._if_it_fits(lambda: self._matrix_product_ms(m, n, k))

    def attention_ms(self, point):
        """Median of one layer's kernel alone; None if it does not fit."""
        return self._if_it_fits(lambda: self._attention_ms(point))

    def _if_it_fits(self, measured):
        try:
            return measured()
        except RuntimeError as error:
            if not self.device.is_out_of_memory(error):
                raise
            return None
        finally:
            self.device.release()

    def _measure(self, point):
        totals = [0.0] * self.repeats
        peaks = []
        for kind, made in self.kinds:
            count = self._layers_that_fit(kind, len(made), point)
            if count == 0:
                return None
            run = self._pass(made[:count], point)
            peaks.append(self.device.peak_bytes(run))
            scale = kind.count / count
            for i, ms in enumerate(self.device.samples_ms(run, self.repeats)):
                totals[i] += scale * ms
            del run
        for i, ms in enumerate(self.device.samples_ms(self._around(point), self.repeats)):
            totals[i] += ms
        return Sample(point, totals, None if None in peaks else max(peaks))

    def _layers_that_fit(self, kind, made, point):
        room = MEMORY_SHARE * self.device.free_bytes()
        # Capture holds what one pass holds once more.
        room -= 2 * work.activation_bytes(self.shape, kind, point, self.element)
        return max(0, min(made, int(room // work.cache_bytes(self.shape, point, self.element))))

    def _pass(self, chain, point):
        tokens, start = (point.tokens, 0) if point.phase == "prefill" else (1, point.tokens)
        caches = [layers.KvCache(self.device, self.shape, point.batch, point.context)
                  for _ in chain]
        x = self.device.random(point.batch, tokens, self.shape.hidden)

        def run():
            out = x
            for layer, cache in zip(chain, caches):
                out = layer(out, cache, start)
            return out

        return run

    def _around(self, point):
        tokens = point.tokens if point.phase == "prefill" else 1
        ids = self.device.torch.randint(self.shape.vocabulary, (point.batch, tokens),
                                        device=self.device.kind)
        return lambda: self.ends(ids)

    def matrix_products(self):
        """The (n, k) of the products of a step; y[m, n] = x[m, k] w[k, n]."""
        shape = self.shape
        sizes = [((shape.heads + 2 * shape.kv_heads) * shape.head_dim, shape.hidden),
                 (shape.hidden, shape.heads * shape.head_dim)]
        for kind in shape.kinds:
            if kind.mlp.width:
                sizes += [((kind.mlp.matrices - 1) * kind.mlp.width, shape.hidden),
                          (shape.hidden, kind.mlp.width)]
        return list(dict.fromkeys(sizes + [(shape.vocabulary, shape.hidden)]))

    def _matrix_product_ms(self, m, n, k):
        bytes_once = self.element * (n * k + m * (n + k))
        if bytes_once > MEMORY_SHARE * self.device.free_bytes():
            return None
        copies = 1 if m >= MANY_ROWS else \
            copies_of(self.element * n * k, MEMORY_SHARE * self.device.free_bytes())
        linear = self.device.torch.nn.functional.linear
        x = self.device.random(m, k)
        weights = [self.device.random(n, k) for _ in range(copies)]

        def run():
            for weight in weights:
                linear(x, weight)

        return statistics.median(self.device.samples_ms(run, self.repeats)) / copies

    def _attention_ms(self, point):
        shape, room = self.shape, MEMORY_SHARE * self.device.free_bytes()
        once = work.cache_bytes(shape, point, self.element)
        queries = point.tokens if point.phase == "prefill" else 1
        if once * (2 + 2 * shape.heads // shape.kv_heads) > room:
            return None
        copies = copies_of(once, room) if point.phase == "decode" else 1
        caches = [layers.KvCache(self.device, shape, point.batch, point.context)
                  for _ in range(copies)]
        q = self.device.random(point.batch, shape.heads, queries, shape.head_dim)
        attend = getattr(self.attention, point.phase)

        def run():
            for cache in caches:
                attend(q, cache.keys, cache.values)

        return statistics.median(self.device.samples_ms(run, self.repeats)) / copies


def copies_of(size, room):
    return max(1, min(MOST_COPIES, -(-BEYOND_CACHES // size), int(room // (2 * size))))
