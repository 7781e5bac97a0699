// node tiny_gguf.mjs FILE: writes a small Llama model with random weights, in 16 bits. What it says
// means nothing; how long it takes is real.
//
// Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, version 3.
import { closeSync, openSync, writeSync } from "node:fs";

const shape = { width: 512, layers: 8, heads: 8, kvHeads: 4, inner: 1408, context: 4096 };

const UINT32 = 4, FLOAT32 = 6, BOOL = 7, STRING = 8, ARRAY = 9, INT32 = 5;
const F32 = 0, F16 = 1;  // types of tensors
const ALIGNMENT = 32;

const parts = [];
const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32LE(n); parts.push(b); };
const i32 = (n) => { const b = Buffer.alloc(4); b.writeInt32LE(n); parts.push(b); };
const f32 = (x) => { const b = Buffer.alloc(4); b.writeFloatLE(x); parts.push(b); };
const u64 = (n) => { const b = Buffer.alloc(8); b.writeBigUInt64LE(BigInt(n)); parts.push(b); };
const text = (s) => { const b = Buffer.from(s, "utf8"); u64(b.length); parts.push(b); };
const writers = { [UINT32]: u32, [INT32]: i32, [FLOAT32]: f32, [STRING]: text,
                  [BOOL]: (v) => parts.push(Buffer.from([v ? 1 : 0])) };

// A token per byte, and one for each letter and the space before a word.
function vocabulary() {
  const tokens = [["<unk>", 2], ["<s>", 3], ["</s>", 3]];
  for (let byte = 0; byte < 256; ++byte) {
    tokens.push([`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`, 6]);
  }
  for (const character of "\u2581abcdefghijklmnopqrstuvwxyz") tokens.push([character, 1]);
  return tokens;
}

const tokens = vocabulary();
const facts = [
  ["general.architecture", STRING, "llama"],
  ["general.name", STRING, "random"],
  ["llama.context_length", UINT32, shape.context],
  ["llama.embedding_length", UINT32, shape.width],
  ["llama.block_count", UINT32, shape.layers],
  ["llama.feed_forward_length", UINT32, shape.inner],
  ["llama.attention.head_count", UINT32, shape.heads],
  ["llama.attention.head_count_kv", UINT32, shape.kvHeads],
  ["llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5],
  ["llama.rope.dimension_count", UINT32, shape.width / shape.heads],
  ["llama.vocab_size", UINT32, tokens.length],
  ["tokenizer.ggml.model", STRING, "llama"],
  ["tokenizer.ggml.tokens", ARRAY, [STRING, tokens.map(([word]) => word)]],
  ["tokenizer.ggml.scores", ARRAY, [FLOAT32, tokens.map((_, i) => -i)]],
  ["tokenizer.ggml.token_type", ARRAY, [INT32, tokens.map(([, type]) => type)]],
  ["tokenizer.ggml.unknown_token_id", UINT32, 0],
  ["tokenizer.ggml.bos_token_id", UINT32, 1],
  ["tokenizer.ggml.eos_token_id", UINT32, 2],
  ["tokenizer.ggml.add_bos_token", BOOL, true],
];

const kvWidth = (shape.width / shape.heads) * shape.kvHeads;
const tensors = [
  ["token_embd.weight", [shape.width, tokens.length]],
  ["output_norm.weight", [shape.width]],
  ["output.weight", [shape.width, tokens.length]],
];
for (let layer = 0; layer < shape.layers; ++layer) {
  const add = (name, dimensions) => tensors.push([`blk.${layer}.${name}.weight`, dimensions]);
  add("attn_norm", [shape.width]);
  add("attn_q", [shape.width, shape.width]);
  add("attn_k", [shape.width, kvWidth]);
  add("attn_v", [shape.width, kvWidth]);
  add("attn_output", [shape.width, shape.width]);
  add("ffn_norm", [shape.width]);
  add("ffn_gate", [shape.width, shape.inner]);
  add("ffn_up", [shape.width, shape.inner]);
  add("ffn_down", [shape.inner, shape.width]);
}

const count = (dimensions) => dimensions.reduce((a, b) => a * b, 1);
const isNorm = (dimensions) => dimensions.length === 1;
const bytes = (dimensions) => count(dimensions) * (isNorm(dimensions) ? 4 : 2);
const padded = (n) => Math.ceil(n / ALIGNMENT) * ALIGNMENT;

// Norms are ones; weights are +-2^-5 to +-2^-7, from a generator of our own (xorshift32).
let state = 1;
function weights(dimensions) {
  const n = count(dimensions);
  const out = Buffer.alloc(padded(bytes(dimensions)));
  if (isNorm(dimensions)) {
    for (let i = 0; i < n; ++i) out.writeFloatLE(1, 4 * i);
    return out;
  }
  for (let i = 0; i < n; ++i) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const half = (state & 0x8000) | ((8 + ((state >>> 16) & 1)) << 10) | (state & 0x3ff);
    out.writeUInt16LE(half, 2 * i);
  }
  return out;
}

parts.push(Buffer.from("GGUF"));
u32(3);
u64(tensors.length);
u64(facts.length);
for (const [key, type, value] of facts) {
  text(key);
  u32(type);
  if (type !== ARRAY) {
    writers[type](value);
    continue;
  }
  const [elements, values] = value;
  u32(elements);
  u64(values.length);
  values.forEach(writers[elements]);
}
let offset = 0;
for (const [name, dimensions] of tensors) {
  text(name);
  u32(dimensions.length);
  dimensions.forEach(u64);
  u32(isNorm(dimensions) ? F32 : F16);
  u64(offset);
  offset += padded(bytes(dimensions));
}
const head = Buffer.concat(parts);
const file = openSync(process.argv[2], "w");
writeSync(file, Buffer.concat([head, Buffer.alloc(padded(head.length) - head.length)]));
for (const [, dimensions] of tensors) writeSync(file, weights(dimensions));
closeSync(file);
