// node server.mjs MODEL.gguf: an OpenAI-compatible server around llama.cpp (node-llama-cpp), which
// batches the sequences under way continuously. Prints its address and serves until it is stopped.
import { createServer } from "node:http";
import { getLlama, LlamaLogLevel } from "node-llama-cpp";

const SEQUENCES = 8;
const CONTEXT = 1024;  // tokens of each

const llama = await getLlama({ gpu: false, build: "never", logLevel: LlamaLogLevel.error });
const model = await llama.loadModel({ modelPath: process.argv[2] });
const context = await model.createContext({
  sequences: SEQUENCES, contextSize: CONTEXT, batchSize: 512, threads: 1,
  batching: { dispatchSchedule: "nextCycle" },
});

// Requests beyond the sequences there are wait for one.
const free = Array.from({ length: SEQUENCES }, () => context.getSequence());
const waiting = [];
const take = () => free.length > 0 ? Promise.resolve(free.pop())
                                   : new Promise((resolve) => waiting.push(resolve));
const giveBack = (sequence) => waiting.length > 0 ? waiting.shift()(sequence)
                                                  : free.push(sequence);

const readBody = async (request) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString());
};

const sendJson = (response, status, value) => {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(value));
};

async function* generate(sequence, tokens, most, response) {
  await sequence.clearHistory();
  let made = 0;
  for await (const token of sequence.evaluate(tokens, { temperature: 0, yieldEogToken: true })) {
    if (response.destroyed) return;
    yield model.detokenize([token]);
    if (++made === most) return;
  }
}

async function complete(request, response, chat) {
  const body = await readBody(request);
  const prompt = chat ? body.messages.map((message) => message.content).join("\n") : body.prompt;
  const tokens = [model.tokens.bos, ...model.tokenize(prompt)];
  const most = body.max_tokens ?? 16;
  if (tokens.length + most > CONTEXT) {
    return sendJson(response, 400, { error: { message: `longer than ${CONTEXT} tokens` } });
  }
  const usage = { prompt_tokens: tokens.length, completion_tokens: most };
  const choice = (text, end) => ({
    ...(chat ? { [body.stream ? "delta" : "message"]: { content: text } } : { text }),
    finish_reason: end ? "length" : null,
  });
  const say = (value) => response.write(`data: ${JSON.stringify(value)}\n\n`);
  const sequence = await take();
  try {
    if (body.stream) response.writeHead(200, { "Content-Type": "text/event-stream" });
    let text = "";
    let made = 0;
    for await (const piece of generate(sequence, tokens, most, response)) {
      made += 1;
      text += piece;
      if (body.stream) say({ choices: [choice(piece, made === most)] });
    }
    if (!body.stream) return sendJson(response, 200, { choices: [choice(text, true)], usage });
    say({ choices: [], usage });
    response.end("data: [DONE]\n\n");
  } finally {
    giveBack(sequence);
  }
}

const server = createServer((request, response) => {
  const fail = (error) => sendJson(response, 500, { error: { message: String(error) } });
  response.socket.setNoDelay(true);
  switch (request.url) {
    case "/v1/models":
      return sendJson(response, 200, { data: [{ id: "random", max_model_len: CONTEXT }] });
    case "/v1/completions":
      return complete(request, response, false).catch(fail);
    case "/v1/chat/completions":
      return complete(request, response, true).catch(fail);
    default:
      return sendJson(response, 404, { error: { message: "not here" } });
  }
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
