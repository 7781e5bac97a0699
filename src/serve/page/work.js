// Plans and forecasts on the server: started by a button, told as they go, stopped when the page is left.
import {$, askForToken, curl, fill, follow, make, tellControls, textOf, toClipboard} from "./common.js";
import {word} from "./words.js";

const DOCUMENT = {plan: "request", forecast: "forecast"};  // the field of each question
const DEFAULTS = {verb: "plan", model: "qwen3-14b", rate: "20", slo: "ttft_p99<500ms", "gpu-types": "H100,H200,L40S"};
const EXAMPLES = {
  plan: "in the place of the fields, or a file",
  forecast: `a file, or for example
routes:
  chat: {requests_per_s: 6, prompt_tokens: 800, output_tokens: 60}
resources:
  prompt_tokens_per_s: {capacity: 5000}
history: {file: history.csv, horizon_days: 90}`};
const form = $("#question");
const answer = $(".answer");
let working = null;

const short = (value, digits = 3) =>
  typeof value === "number" ? value.toLocaleString("en", {maximumSignificantDigits: digits}) : value ?? "";

function values() {
  const names = form.elements.verb.value === "plan" ? ["verb", "model", "rate", "slo", "gpu-types"] : ["verb"];
  return Object.fromEntries(names.map((name) => [name, form.elements[name].value.trim()]).filter(([, value]) => value));
}

function onChange() {
  const verb = form.elements.verb.value;
  for (const part of form.querySelectorAll("[data-of]")) part.hidden = part.dataset.of !== verb;
  $("#document-name").textContent = verb === "plan" ? "Request (YAML)" : "Forecast (YAML)";
  form.elements.document.placeholder = EXAMPLES[verb];
  history.replaceState(null, "", `?${new URLSearchParams(values())}`);
}

async function fields() {
  const {verb, ...rest} = values();
  if (rest.rate) rest.rate = Number(rest.rate);
  const texts = {};
  let text = form.elements.document.value.trim();
  for (const file of form.elements.files.files) {
    if (/\.(ya?ml|json)$/.test(file.name) && !text) text = await textOf(file);
    else texts[file.name] = await textOf(file);
  }
  if (!text) return rest;
  return {[DOCUMENT[verb]]: text, ...(Object.keys(texts).length > 0 && {files: texts})};
}

function table(caption, heads, rows) {
  const made = make("table", "");
  made.append(make("caption", caption));
  const head = made.createTHead().insertRow();
  for (const title of heads) head.append(make("th", "", {scope: "col"})), head.lastChild.append(word(title));
  const body = made.createTBody();
  for (const cells of rows) {
    const row = body.insertRow();
    for (const cell of cells) row.insertCell().textContent = short(cell);
  }
  return made;
}

function evidence(verb, found) {
  if (verb === "forecast") {
    return table("Each resource at the forecast's peak", ["resource", "forecast p95", "capacity", "use %", "headroom %"],
      (found.resources ?? []).map((row) => [row.name, row.forecast_p95, row.capacity,
        row.utilisation === null ? "" : 100 * row.utilisation, row.headroom === null ? "" : 100 * row.headroom]));
  }
  const tested = (found.all_candidates ?? []).filter((one) => one.simulated);
  const shown = tested.sort((a, b) => (a.cost_per_hour ?? Infinity) - (b.cost_per_hour ?? Infinity));
  return table("The candidates that were simulated, by cost", ["GPU", "GPUs", "TP", "instances", "req/s", "$/h", "outcome", "why"],
    shown.map((one) => [one.config.gpu_type, one.config.total_gpus, one.config.tensor_parallel, one.config.num_replicas,
      one.max_qps, one.cost_per_hour, one.fate, one.reason]));
}

function onProgress(text) {
  $(".state").textContent = text;
  const share = /(\d+) %/.exec(text);
  $("progress").hidden = !share;
  if (share) $("progress").value = share[1];
}

function show(verb, full) {
  $(".state").textContent = full.cut_short ? "the time was up before the search was complete" : "simulated to the end";
  $(".verdict").textContent = full.verdict;
  $(".command").textContent = full.command;
  $(".json").textContent = JSON.stringify(full.answer, null, 1);
  $(".wide").replaceChildren(evidence(verb, full.answer));
}

function begins(controller) {
  working = controller;
  answer.setAttribute("aria-busy", "true");
  $("#start").hidden = true;
  $("#stop").hidden = false;
  $(".verdict").classList.remove("error");
  $(".verdict").textContent = "";
  $(".wide").replaceChildren();
  $(".state").textContent = "simulating …";
}

function ends() {
  working = null;
  answer.setAttribute("aria-busy", "false");
  $("#start").hidden = false;
  $("#stop").hidden = true;
  $("progress").hidden = true;
}

form.onsubmit = async (event) => {
  event.preventDefault();
  if (working) return;
  const {verb} = values();
  begins(new AbortController());
  try {
    const asked = await fields();
    $(".request").textContent = curl(verb, asked);
    show(verb, await follow(verb, asked, onProgress, working.signal));
  } catch (error) {
    const stopped = error.name === "AbortError";
    $(".state").textContent = stopped ? "stopped" : "";
    if (!stopped) {
      $(".verdict").classList.add("error");
      $(".verdict").textContent = error.hint ? `${error.message}\n${error.hint}` : error.message;
    }
  }
  ends();
};
form.oninput = onChange;
$("#stop").onclick = () => working?.abort();
addEventListener("pagehide", () => working?.abort());
for (const copy of document.querySelectorAll(".copy")) copy.onclick = () => toClipboard($(`.${copy.dataset.of}`).textContent);

const given = {...Object.fromEntries(new URLSearchParams(location.search))};
for (const [name, value] of Object.entries(Object.keys(given).length > 0 ? given : DEFAULTS))
  if (form.elements[name]?.type !== "file" && form.elements[name]) form.elements[name].value = value;
onChange();
const begin = () => {
  fill("#models", "models", "name").catch(() => {});
  tellControls(form, "plan").catch(() => {});
};
askForToken(begin);
begin();
