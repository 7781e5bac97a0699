// Plans and forecasts on the server: started by a button, told as they go, stopped when the page is left. The answer
// is the page that --html writes, in a frame to which this page is a stranger.
import {$, askForToken, counted, curl, fill, follow, markOf, money, put, tellControls, textOf, toClipboard, withFlags} from "./common.js";
import {rate} from "./numbers.js";

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
const LABELS = {verb: "Answer", model: "Model", rate: "Requests per second", slo: "Limits (SLO)", "gpu-types": "GPUs"};
const form = $("#question");
const answer = $(".answer");
let working = null;
let missing = "";  // what a link says there was of documents, which it cannot hold

// Whether a document asks in the place of the fields.
const hasDocument = () => form.elements.document.value.trim() !== "" ||
    [...form.elements.files.files].some(({name}) => /\.(ya?ml|json)$/.test(name));

function values() {
  const isOfFields = form.elements.verb.value === "plan" && !hasDocument() && !missing;
  const names = isOfFields ? ["verb", "model", "rate", "slo", "gpu-types"] : ["verb"];
  return Object.fromEntries(names.map((name) => [name, form.elements[name].value.trim()]).filter(([, value]) => value));
}

// The document and the files that are given here.
function documents() {
  const typed = form.elements.document.value.trim();
  const files = [...form.elements.files.files].map(markOf);
  return [...(typed ? [markOf({name: "a typed document", size: new Blob([typed]).size})] : []), ...files].join(", ");
}

function showForm() {
  const verb = form.elements.verb.value;
  for (const part of form.querySelectorAll("[data-of]")) part.hidden = part.dataset.of !== verb;
  $("#document-name").textContent = verb === "plan" ? "Request (YAML)" : "Forecast (YAML)";
  form.elements.document.placeholder = EXAMPLES[verb];
  for (const control of form.querySelectorAll("[data-of=plan] input")) control.disabled = hasDocument();
  $("#without").hidden = !missing;
}

function keepAddress() {
  const given = documents() || missing;
  history.replaceState(null, "", `?${new URLSearchParams({...values(), ...(given && {documents: given})})}`);
}

function onChange({target}) {
  $(".ignored").textContent = "";
  if (["document", "files"].includes(target?.name)) missing = "";
  showForm();
  keepAddress();
}

// What is asked, and of which files it has its texts.
async function question() {
  if (missing) throw new Error(`What this link was asked with is missing here: ${missing}. Choose it again, or ask without it.`);
  const {verb, ...rest} = values();
  if (rest.rate) rest.rate = Number(rest.rate);
  const files = [];
  for (const file of form.elements.files.files) files.push({name: file.name, text: await textOf(file)});
  const typed = form.elements.document.value.trim();
  const first = typed ? undefined : files.find(({name}) => /\.(ya?ml|json)$/.test(name));
  if (!typed && !first) return {fields: rest, files: []};
  const texts = Object.fromEntries(files.filter((file) => file !== first).map(({name, text}) => [name, text]));
  return {fields: {[DOCUMENT[verb]]: typed || first.text, ...(Object.keys(texts).length > 0 && {files: texts})}, files};
}

// The search so far: how much of it is done, what was tested last, and the best of what was shown.
function onProgress({phase, done, of, elapsed_s, left_s, share, tests, test, best}) {
  const left = left_s === null ? "" : `, about ${Math.round(left_s)} s left`;
  const settled = typeof of === "number" ? `${done} of ${counted(of, "candidate")} settled, ` : "";
  const last = test ? `; last ${counted(test.instances, "instance")} at ${rate(test.rate_rps)} req/s: ${test.reason}` : "";
  $(".state").textContent = `${phase}: ${settled}${counted(tests ?? 0, "simulation")} in ${Math.round(elapsed_s)} s${left}${last}`;
  $("progress").hidden = share === null;
  if (share !== null) $("progress").value = 100 * share;
  if (!best) return;
  const cost = best.cost_per_hour > 0 ? ` at ${money(best.cost_per_hour)} per hour` : "";
  $(".verdict").textContent = `Best so far: ${best.deployment}${cost}, no. ${best.config_id}.`;
}

function show(verb, full) {
  $(".state").textContent = full.cut_short ? "the time was up before the search was complete" : "simulated to the end";
  $(".verdict").textContent = full.verdict;
  $(".command").replaceChildren(...withFlags(full.command));
  $(".json").textContent = JSON.stringify(full.answer, null, 1);
  $(".report").hidden = !full.report;
  if (!full.report) return;
  $(".report iframe").src = full.report;
  $(".report .alone").href = full.report;
  $(".report .save").href = full.report;
  $(".report .save").download = `${verb}.html`;
}

function begins(controller) {
  working = controller;
  answer.setAttribute("aria-busy", "true");
  $("#start").hidden = true;
  $("#stop").hidden = false;
  $(".verdict").classList.remove("error");
  $(".verdict").textContent = "";
  $(".report").hidden = true;
  $(".report iframe").removeAttribute("src");
  $(".state").textContent = "simulating …";
  keepAddress();
  for (const part of [".command", ".request", ".json"]) $(part).textContent = "";
  const given = documents();
  $(".printed").textContent = Object.entries({...values(), ...(given && {documents: given})})
    .map(([name, value]) => `${name} ${value}`).join(", ");
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
    const {fields, files} = await question();
    $(".request").textContent = curl(verb, fields, files);
    show(verb, await follow(verb, fields, "form=stream&report=true", onProgress, working.signal));
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

$("#without").onclick = () => { missing = ""; onChange({}); };

// The controls as the address has them; says what of it they cannot show.
function readAddress() {
  const {documents: were = "", ...given} = Object.fromEntries(new URLSearchParams(location.search));
  missing = were;
  const ignored = [];
  for (const [name, value] of Object.entries(location.search ? given : DEFAULTS)) {
    const control = LABELS[name] ? form.elements[name] : null;
    if (!control) ignored.push(`${name} cannot be set on this page`);
    else if (!put(control, value)) ignored.push(`${LABELS[name]} cannot be "${value}"`);
  }
  if (!form.elements.verb.value) form.elements.verb.value = DEFAULTS.verb;
  $(".ignored").textContent = ignored.length > 0 ? `Left out of this link: ${ignored.join("; ")}.` : "";
  showForm();
}

readAddress();
const begin = () => {
  fill("#models", "models", "model").catch(() => {});
  tellControls(form, "plan").catch(() => {});
  const isWhole = form.elements.verb.value === "plan" || missing;  // a forecast has a document
  if (location.search && isWhole && !working) form.requestSubmit();
};
askForToken(begin);
begin();
