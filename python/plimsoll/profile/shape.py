"""The sizes of a model's layers, from its config.json, whole or of one tensor-parallel rank.

What the profiler cannot measure is refused: latent and linear attention, Mamba.
"""
import dataclasses
import json
import os
import pathlib
import typing

from plimsoll.profile.errors import ProfileError

# Attention of a kind that is not measured, by the key that announces it.
UNKNOWN_ATTENTION = {
    "kv_lora_rank": "latent attention (MLA)",
    "linear_attn_config": "linear attention",
    "full_attention_interval": "linear attention",
    "linear_num_key_heads": "linear attention",
    "hybrid_override_pattern": "Mamba",
    "layers_block_type": "Mamba",
    "mamba_d_state": "Mamba",
    "ssm_state_size": "Mamba",
    "block_configs": "layers that differ one by one",
    "compress_ratios": "compressed attention",
    "index_topk": "sparse attention by an index",
}


@dataclasses.dataclass(frozen=True)
class Mlp:
    """What follows the attention of a layer. Widths are those of one rank."""

    width: int  # of a dense one, or of all shared experts together; 0 = none
    matrices: int  # 3 gated, 2 plain
    experts: int = 0  # 0 = dense
    experts_per_token: int = 0
    expert_width: int = 0

    def parameters(self, hidden):
        """In all."""
        routed = self.experts * (self.expert_width * self.matrices + 1)
        return hidden * (self.width * self.matrices + routed)

    def active_parameters(self, hidden):
        """That one token passes through."""
        routed = self.experts_per_token * self.expert_width * self.matrices + self.experts
        return hidden * (self.width * self.matrices + routed)


@dataclasses.dataclass(frozen=True)
class LayerKind:
    """So many layers that are alike."""

    count: int
    mlp: Mlp


@dataclasses.dataclass(frozen=True)
class ModelShape:
    """A decoder of one rank. Heads and widths are what this rank has of them."""

    name: str
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    tied: bool
    kinds: typing.Tuple[LayerKind, ...]
    longest: int  # tokens of context that all layers see; 0 = not said
    window: int  # the shortest sliding window; 0 = none
    quantised: str  # method of the checkpoint; "" = none
    tp: int = 1

    @property
    def layers(self):
        return sum(kind.count for kind in self.kinds)

    @property
    def attention_parameters(self):
        return self.hidden * self.head_dim * (2 * self.heads + 2 * self.kv_heads)

    @property
    def parameters(self):
        """Of this rank, norms left out."""
        inside = sum(kind.count * (self.attention_parameters + kind.mlp.parameters(self.hidden))
                     for kind in self.kinds)
        return inside + self.hidden * self.vocabulary * (1 if self.tied else 2)

    def kv_elements_per_token(self):
        return 2 * self.layers * self.kv_heads * self.head_dim


class Config:
    """The keys of a config.json, or of its text model, with errors that name file and key."""

    def __init__(self, path, keys):
        self.path = path
        self.keys = keys.get("text_config", keys) if isinstance(keys, dict) else keys
        if not isinstance(self.keys, dict):
            raise ProfileError(f"{path}: a JSON object is expected")

    def fail(self, key, what, mend=""):
        raise ProfileError(f'{self.path}: "{key}" {what}', mend)

    def first(self, *names):
        """The first of these keys that is there and not null, or None."""
        return next((name for name in names if self.keys.get(name) is not None), None)

    def count(self, *names, default=None, smallest=1, largest=10**9):
        name = self.first(*names)
        if name is None:
            if default is None:
                raise ProfileError(f'{self.path}: "{names[0]}" is missing',
                                   "take the config.json that lies beside the model's weights")
            return default
        value = self.keys[name]
        if isinstance(value, bool) or not isinstance(value, int) or not \
                smallest <= value <= largest:
            self.fail(name, f"must be a whole number from {smallest} to {largest}, "
                            f"not {json.dumps(value)}")
        return value


def find_config(model, environment=os.environ):
    """The path of config.json: a file, its folder, or an id in the caches of plimsoll or the hub."""
    path = pathlib.Path(model)
    if path.is_dir():
        path = path / "config.json"
    if path.is_file():
        return path
    home = environment.get("HOME", "")
    cache = environment.get("XDG_CACHE_HOME") or f"{home}/.cache"
    hub = environment.get("HF_HOME") or f"{cache}/huggingface"
    folder = model.replace("/", "--")
    found = list(pathlib.Path(cache, "plimsoll", "models", folder).glob("config.json"))
    found += sorted(pathlib.Path(hub, "hub", f"models--{folder}").glob("snapshots/*/config.json"))
    if found:
        return found[0]
    raise ProfileError(
        f'no config.json for "{model}"',
        "give its folder or file; an id is looked for in the caches of plimsoll and of the "
        "Hugging Face hub")


def read_shape(model, environment=os.environ):
    """The whole model, before it is split over ranks."""
    path = find_config(model, environment)
    try:
        keys = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ProfileError(f"{path}:{error.lineno}:{error.colno}: {error.msg}") from None
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        raise ProfileError(f"{path}: cannot be read: {error}") from None
    name = model.rstrip("/")
    if pathlib.Path(model).exists():
        name = keys.get("_name_or_path") if isinstance(keys, dict) else None
        if not isinstance(name, str) or not name:
            name = path.resolve().parent.name
    return shape_of(Config(path, keys), name, quantisation_of(keys))


def quantisation_of(keys):
    scheme = keys.get("quantization_config") if isinstance(keys, dict) else None
    return str(scheme.get("quant_method", "unknown")) if isinstance(scheme, dict) else ""


def shape_of(config, name, quantised=""):
    refuse_unknown_attention(config)
    hidden = config.count("hidden_size", "n_embd")
    heads = config.count("num_attention_heads", "n_head")
    head_dim = config.count("head_dim", default=max(1, hidden // heads))
    kv_heads = config.count("num_key_value_heads", default=heads)
    if heads % kv_heads:
        config.fail("num_key_value_heads", f"is {kv_heads}, which does not divide {heads} heads")
    return ModelShape(
        name=name, hidden=hidden, heads=heads, kv_heads=kv_heads, head_dim=head_dim,
        vocabulary=config.count("vocab_size"),
        tied=bool(config.keys.get("tie_word_embeddings", False)),
        kinds=layer_kinds(config, hidden),
        longest=config.count("max_position_embeddings", "n_positions", default=0, smallest=0),
        window=window_of(config), quantised=quantised)


def refuse_unknown_attention(config):
    for key, what in UNKNOWN_ATTENTION.items():
        if config.first(key):
            config.fail(key, f"means {what}, which is not measured",
                        "known: full and sliding-window attention with keys and values per head")
    types = config.keys.get("layer_types") or []
    known = ("full_attention", "sliding_attention", "chunked_attention")
    for kind in types if isinstance(types, list) else [types]:
        if kind not in known:
            config.fail("layer_types", f"has {json.dumps(kind)}, which is not measured",
                        f"known: {', '.join(known)}")


def window_of(config):
    if config.keys.get("use_sliding_window") is False:
        return 0
    return config.count("sliding_window", "attention_chunk_size", default=0, smallest=0)


def matrices_of(config):
    """Gated MLPs have three matrices, plain ones two. GELU is gated in Gemma's family alone."""
    name = config.first("hidden_act", "hidden_activation", "activation_function")
    activation = str(config.keys[name]) if name else "silu"
    if activation.startswith("relu"):
        return 2
    gemma = str(config.keys.get("model_type", "")).startswith("gemma")
    return 2 if activation.startswith("gelu") and not gemma else 3


def layer_kinds(config, hidden):
    layers = config.count("num_hidden_layers", "n_layer", largest=100_000)
    matrices = matrices_of(config)
    experts = config.count("num_experts", "n_routed_experts", "num_local_experts", default=0,
                           smallest=0)
    sparse = expert_layers(config, layers) if experts > 1 else 0
    width = config.count("intermediate_size_mlp", "intermediate_size", "n_inner",
                         default=4 * hidden)
    kinds = [LayerKind(layers - sparse, Mlp(width, matrices))] if sparse < layers else []
    if sparse:
        expert_width = config.count("moe_intermediate_size", "intermediate_size")
        shared = config.count("shared_expert_intermediate_size", default=0, smallest=0) or \
            expert_width * config.count("n_shared_experts", default=0, smallest=0)
        per_token = config.count("num_experts_per_tok", "num_experts_per_token", "top_k_experts")
        if per_token > experts:
            config.fail(config.first("num_experts_per_tok", "num_experts_per_token",
                                     "top_k_experts"), f"is {per_token} of {experts} experts")
        kinds.append(LayerKind(sparse, Mlp(shared, matrices, experts, per_token, expert_width)))
    return tuple(kinds)


def expert_layers(config, layers):
    """How many layers have experts; the order in which they stand does not matter here."""
    first = config.count("first_k_dense_replace", default=0, smallest=0)
    frequency = config.keys.get("moe_layer_freq")
    dense = config.keys.get("mlp_only_layers") or []
    every = config.count("decoder_sparse_step", "interleave_moe_layer_step", default=1)
    if isinstance(frequency, list):
        return sum(1 for sparse in frequency if sparse)
    step = config.count("moe_layer_freq", default=1)
    return sum(1 for i in range(layers)
               if i >= first and i % step == 0 and (i + 1) % every == 0 and i not in dense)


def rank_of(shape, tp):
    """The part of one of `tp` ranks. KV heads fewer than ranks are copied."""
    def part(what, count):
        if count % tp:
            raise ProfileError(f"--tp {tp} does not divide the {count} {what} of {shape.name}")
        return count // tp

    if tp == 1:
        return shape
    if shape.kv_heads % tp and tp % shape.kv_heads:
        raise ProfileError(f"--tp {tp} fits the {shape.kv_heads} KV heads of {shape.name} neither "
                           "way", "choose a divisor or a multiple of their number")
    kinds = tuple(dataclasses.replace(kind, mlp=dataclasses.replace(
        kind.mlp, width=part("MLP columns", kind.mlp.width),
        expert_width=part("columns of an expert", kind.mlp.expert_width))) for kind in shape.kinds)
    return dataclasses.replace(
        shape, heads=part("heads", shape.heads), kv_heads=max(1, shape.kv_heads // tp),
        vocabulary=-(-shape.vocabulary // tp), kinds=kinds, tp=tp)
