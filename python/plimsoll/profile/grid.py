"""Which batches are measured."""
import dataclasses

# More tokens than an engine puts into one step say nothing about its steps.
MOST_PREFILL_TOKENS = 16384


@dataclasses.dataclass(frozen=True)
class Point:
    """One batch: prefill of `tokens` new ones each, or decode of one token over `tokens` kept."""

    phase: str  # "prefill" or "decode"
    tokens: int
    batch: int

    @property
    def rows(self):
        """That pass through the layers."""
        return self.batch * (self.tokens if self.phase == "prefill" else 1)

    @property
    def context(self):
        """Tokens of the KV cache of one sequence after the step."""
        return self.tokens + (0 if self.phase == "prefill" else 1)

    @property
    def pairs(self):
        """Of a new token and one it looks at, itself included."""
        if self.phase == "prefill":
            return self.batch * self.tokens * (self.tokens + 1) // 2
        return self.batch * self.context

    def __str__(self):
        kept = "seq_len" if self.phase == "prefill" else "kv_cache"
        return f"{self.phase} {kept} {self.tokens} batch {self.batch}"


@dataclasses.dataclass(frozen=True)
class Grid:
    """The axes of both phases."""

    seq_lens: tuple = (128, 256, 512, 1024, 2048, 4096, 8192)
    prefill_batches: tuple = (1, 2, 4, 8)
    kv_lens: tuple = (128, 512, 1024, 2048, 4096, 8192)
    decode_batches: tuple = (1, 2, 4, 8, 16, 32, 64, 128, 256)
    rows: tuple = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)  # of matrix products

    def points(self, longest=0):
        """The cheapest first; none in which a request would outgrow `longest` tokens (0 = any)."""
        prefill = [Point("prefill", tokens, batch) for tokens in self.seq_lens
                   for batch in self.prefill_batches if tokens * batch <= MOST_PREFILL_TOKENS]
        decode = [Point("decode", tokens, batch) for tokens in self.kv_lens
                  for batch in self.decode_batches]
        fit = [point for point in prefill + decode if not longest or point.context <= longest]
        return sorted(fit, key=lambda point: (point.phase != "prefill", point.pairs, point.rows))


QUICK = Grid(seq_lens=(128, 512), prefill_batches=(1, 4), kv_lens=(128, 1024),
             decode_batches=(1, 8), rows=(1, 16, 128, 512))
