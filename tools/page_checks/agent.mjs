// Asks a `plimsoll serve` as an agent does, with the official client of the Model Context Protocol.
//   node agent.mjs URL
import {Client} from "@modelcontextprotocol/sdk/client/index.js";
import {StreamableHTTPClientTransport} from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const client = new Client({name: "page-checks", version: "1"});
await client.connect(new StreamableHTTPClientTransport(new URL("mcp", `${process.argv[2]}/`)));
const {tools} = await client.listTools();
const wanted = ["capacity", "run", "plan", "forecast", "describe", "explain"];
const missing = wanted.filter((name) => !tools.some((tool) => tool.name === name));
if (missing.length > 0) throw new Error(`no tools ${missing}`);
const forms = tools.filter(({outputSchema}) => outputSchema);  // the client holds the answers of these against it
if (forms.length < 5) throw new Error(`only ${forms.map(({name}) => name)} say what an answer looks like`);
const heard = [];
const told = await client.callTool({name: "capacity",
  arguments: {model: "qwen3-14b", rate: 5, slo: "ttft_p99<500ms", "no-model-error": true}}, undefined,
  {timeout: 120_000, onprogress: (progress) => heard.push(progress)});
if (heard.length < 2 || !heard.every(({message}) => message)) throw new Error(`of progress only ${JSON.stringify(heard)}`);
for (const [name, question] of [["run", {model: "qwen3-14b", rate: 5, "num-requests": 500}],
                                ["plan", {model: "qwen3-14b", rate: 5, "gpu-types": "H100"}],
                                ["describe", {workload: "chatbot", rate: 5}]]) {
  const answer = await client.callTool({name, arguments: question}, undefined, {timeout: 120_000});
  if (answer.isError) throw new Error(`${name}: ${JSON.stringify(answer).slice(0, 400)}`);
}
if (told.isError || told.structuredContent.decision.verdict !== "yes") throw new Error(JSON.stringify(told).slice(0, 400));
const wrong = await client.callTool({name: "run", arguments: {model: "qwen3-99b", rate: 5}});
if (!wrong.isError || !wrong.content[0].text.includes("qwen3-99b")) throw new Error(JSON.stringify(wrong).slice(0, 400));
console.log(`MCP: ${tools.length} tools, ${heard.length} notifications of progress; ${told.content[0].text}`);
await client.close();
