// The page of `plimsoll serve`: a question per setting, asked again whenever a control moves. The first
// answer is short, the second thorough; a question that was changed is withdrawn, and the server stops.
import {arithmetic, evidence, picked, sentences, short, soFar, tiles, time} from "./answer.js";
import {$, askForToken, counted, curl, fill, follow, make, money, post, tellControls, textOf, toClipboard} from "./common.js";

const DEFAULTS = {model: "qwen3-14b", rate: "20", "prompt-tokens": "512", "output-tokens": "512",
                  slo: "ttft_p99<500ms"};
const LENGTHS = ["prompt-tokens", "output-tokens"];  // recorded traffic has its own
const NUMBERS = ["tp", "num-instances", "rate", "prompt-tokens", "output-tokens"];
const FIRST = {"no-model-error": true};  // what the short answer leaves out
const FIRST_S = 0.3;
const PAUSE_MS = 120;  // without a change, before it is asked

const formatOf = (file) => /azure/i.test(file) ? "azure" : /\.jsonl$/.test(file) ? "mooncake" : "csv";

// ---- a setting: its controls and its answer

class Setting {
  constructor(prefix, onChange) {
    this.prefix = prefix;
    this.onChange = onChange;
    this.root = $("#setting").content.cloneNode(true).firstElementChild;
    this.form = $("form", this.root);
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", (event) => this.changed(event.target));
    this.form.addEventListener("change", () => isMoving = false);
    for (const copy of this.root.querySelectorAll(".copy"))
      copy.onclick = () => toClipboard($(`.${copy.dataset.of}`, this.root).textContent);
  }

  // What an address can hold: all but the recorded traffic.
  get values() {
    const texts = [...new FormData(this.form)].filter(([key]) => !key.startsWith("trace"));
    return Object.fromEntries(texts.map(([key, value]) => [key, value.trim()]).filter(([, value]) => value !== ""));
  }

  get trace() { return this.form.elements.trace.files[0]; }

  set values(values) {
    for (const control of this.form.elements)
      if (control.name && !control.name.startsWith("trace")) control.value = values[control.name] ?? "";
    this.sliders().forEach((slider) => this.follow(slider));
  }

  sliders() { return [...this.form.querySelectorAll("[type=range]")]; }

  // A slider goes by ratios: each step is as many percent more.
  follow(slider) {
    const {low, high, of} = slider.dataset;
    const field = this.form.elements[of];  // empty: its default, where it has one
    const value = Number(field.value) || Number(field.placeholder) || Number(low);
    slider.value = 100 * Math.log(value / low) / Math.log(high / low);
    slider.setAttribute("aria-valuetext", field.value || field.placeholder);
  }

  changed(control) {
    if (control.type === "file") {
      $(".traffic", this.root).textContent = "";  // of the file before
      const format = this.form.elements["trace-format"];
      $(".format", this.root).hidden = this.trace === undefined;
      if (this.trace) format.value = formatOf(this.trace.name);
      for (const name of LENGTHS) this.form.elements[name].disabled = this.trace !== undefined;
      this.sliders().forEach((slider) => slider.disabled = this.form.elements[slider.dataset.of].disabled);
    } else if (control.type === "range") {
      const {low, high, of} = control.dataset;
      const value = low * (high / low) ** (control.value / 100);
      this.form.elements[of].value = of === "rate" ? Number(value.toPrecision(2)) : Math.round(value);
      control.setAttribute("aria-valuetext", this.form.elements[of].value);
    } else {
      this.sliders().filter((slider) => slider.dataset.of === control.name)
                    .forEach((slider) => this.follow(slider));
    }
    this.onChange();
    this.ask(PAUSE_MS);
  }

  // As the page calls it, where an answer speaks of a flag.
  label(name) { return this.form.elements[name]?.labels?.[0]?.firstChild.textContent.trim(); }

  inWords(text) { return text.replace(/"([a-z-]+)"/g, (field, name) => this.label(name) ?? field); }

  // What was asked, for a print, which has no form.
  get question() {
    const given = Object.keys(this.values).map((name) => `${this.label(name) ?? name} ${this.values[name]}`);
    const lengths = LENGTHS.filter((name) => !this.values[name] && !this.trace)
                           .map((name) => `${this.label(name)} ${this.form.elements[name].placeholder}`);
    return [...given, ...lengths, ...(this.trace ? [`traffic of ${this.trace.name}`] : [])].join(", ");
  }

  async fields() {
    const wrong = [...this.form.elements].find((control) => control.validity.badInput);  // its value is empty
    if (wrong) throw new Error(`${this.label(wrong.name)} must be a number`);

    const fields = Object.fromEntries(Object.entries(this.values).map(
      ([key, value]) => [key, NUMBERS.includes(key) && !isNaN(value) ? Number(value) : value]));
    return this.trace ? {...fields, ...await this.traffic()} : fields;
  }

  async traffic() {
    return {trace: await textOf(this.trace), "trace-format": this.form.elements["trace-format"].value};
  }

  // What the recorded traffic looks like.
  async describeTraffic(signal) {
    const told = this.trace ? await post("describe", await this.traffic(), "form=full&within=1", signal) : {verdict: ""};
    $(".traffic", this.root).textContent = told.verdict;
  }

  async ask(pause = 0) {
    this.asking?.abort();
    const asking = this.asking = new AbortController();
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (asking.signal.aborted) return;
    $(".answer", this.root).setAttribute("aria-busy", "true");
    $(".state", this.root).textContent = "simulating …";
    $(".printed", this.root).textContent = this.question;
    try {
      const fields = await this.fields();
      $(".request", this.root).textContent = curl("capacity", fields);
      await this.describeTraffic(asking.signal);
      const first = await post("capacity", {...fields, ...FIRST}, `form=full&within=${FIRST_S}`, asking.signal);
      this.show(first, "a first look, which is being refined …");
      this.show(await follow("capacity", fields, (progress) => this.refine(progress), asking.signal), "");
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.busy) return void setTimeout(() => asking.signal.aborted || this.ask(), 2000);
      this.fail(error);
    }
    $(".answer", this.root).setAttribute("aria-busy", "false");
  }

  // The server knows the text of the file, not its name.
  named(command) {
    return this.trace ? command.replace("--trace trace", () => `--trace '${this.trace.name.replaceAll("'", "'\\''")}'`) : command;
  }

  fail(error) {
    $(".state", this.root).textContent = "";
    this.answer = undefined;
    tellDifference();
    const verdict = $(".verdict", this.root);
    verdict.classList.add("error");
    verdict.textContent = this.inWords(error.hint ? `${error.message}\n${error.hint}` : error.message);
    for (const part of [".tiles", ".wide", ".assumed", ".command"]) $(part, this.root).replaceChildren();
  }

  // A test of the question itself, before the answer that follows from all of them.
  refine(progress) {
    if (!progress.tests) return;
    $(".state", this.root).textContent = soFar(progress);
    if (this.answer?.holds || !progress.phase.startsWith("searching")) return;
    const [holds, fails] = progress.unit === "instances" ? [progress.upper, progress.lower] : [progress.lower, progress.upper];
    const amount = (value) => progress.unit === "instances" ? counted(value, "instance") : `${short(value, 4)} req/s`;
    if (holds === null && fails === null) return;
    const text = holds === null ? `${amount(fails)} did not hold, so far.`
                 : fails === null ? `${amount(holds)} held, so far.` : `${amount(holds)} held and ${amount(fails)} did not, so far.`;
    $(".verdict", this.root).replaceChildren(...sentences(text));
  }

  show(full, state) {
    const cut = full.cut_short ? "the time was up before the search was complete" : "";
    $(".state", this.root).textContent = state || cut || "simulated to the end";
    const verdict = $(".verdict", this.root);
    verdict.classList.remove("error");
    const text = full.cut_short && !full.answer.holds ? arithmetic(full.answer, this.values) : full.verdict;
    if (verdict.textContent !== text) verdict.replaceChildren(...sentences(text));
    this.answer = full.answer;
    tellDifference();
    if (!state) $(".command", this.root).textContent = this.named(full.command);
    $(".tiles", this.root).replaceChildren(...tiles(full.answer));
    $(".wide", this.root).replaceChildren(...evidence(full.answer));
    const assumed = full.answer.assumed ?? [];
    $(".assumed", this.root).textContent = assumed.length > 0 ? `Assumed: ${assumed.join(", ")}.` : "";
  }
}

// What the second setting changes, where both have an answer, and what is in doubt of either.
function tellDifference() {
  const answers = settings.map(({answer}) => answer?.holds && answer);
  const [a, b] = answers.map((answer) => answer && picked(answer));
  const change = (key, text) => {
    const by = b[key] - a[key];
    return !by ? [] : [text(Math.abs(by), by < 0)];
  };
  const lessOr = (isLess) => isLess ? "less" : "more";
  const parts = !a || !b ? [] : [
    ...change("instances", (by, isLess) => counted(by, `${isLess ? "fewer" : "more"} instance`)),
    ...change("rate_rps", (by, isLess) => `${short(by)} req/s ${lessOr(isLess)}`),
    ...change("usd_per_hour", (by, isLess) => `${money(by)} an hour ${lessOr(isLess)}`),
    ...change("ttft_p99_ms", (by, isLess) => `${time(by)} TTFT p99 ${lessOr(isLess)}`)];
  const headrooms = answers.map((answer) => answer?.decision?.headroom);
  if (parts.length > 0 && headrooms.every(Boolean)) {
    const [from, to] = headrooms.map((share) => `${short(100 * share)} %`);
    parts.push(`headroom ${to} instead of ${from}`);
  }
  const doubts = answers.flatMap((answer, i) => answer?.decision?.verdict !== "likely" ? [] :
    ` ${"AB"[i]} is not sure to hold: ${answer.decision.doubts.map(({reason}) => reason).join("; ")}.`);
  $(".difference").textContent = parts.length > 0 ? `Setting B against setting A: ${parts.join(", ")}.${doubts.join("")}` : "";
}

// ---- the page: settings, their address, what is known

const settings = [];

function address() {
  const query = new URLSearchParams();
  for (const setting of settings)
    for (const [key, value] of Object.entries(setting.values)) query.set(setting.prefix + key, value);
  return `?${query}`;
}

// The way back leads from question to question: one that is still being typed or moved is one.
let isMoving = false;
function keepAddress() {
  if (address() === location.search) return;
  if (isMoving) history.replaceState(null, "", address());
  else history.pushState(null, "", address());
  isMoving = true;
}

async function offerFormats(setting) {
  const rows = await post("list", {topic: "trace-formats"}, "").catch(() => []);
  setting.form.elements["trace-format"].replaceChildren(...rows.map(({name, help}) => make("option", name, {title: help})));
}

function addSetting(prefix, values) {
  const setting = new Setting(prefix, keepAddress);
  setting.values = values;
  settings.push(setting);
  $("#settings").append(setting.root);
  offerFormats(setting);
  tellControls(setting.form, "capacity").catch(() => {});
  name();
  return setting;
}

function name() {
  const names = settings.length > 1 ? ["A", "B"] : [""];
  settings.forEach((setting, i) => {
    $("h2", setting.root).textContent = names[i] && `Setting ${names[i]}`;
    setting.root.setAttribute("aria-label", names[i] ? `Setting ${names[i]}` : "The setting");
  });
  $("#compare").textContent = settings.length > 1 ? "Leave setting B out" : "Compare with another setting";
}

function dropSetting() {
  const dropped = settings.pop();
  dropped.asking?.abort();
  dropped.root.remove();
  name();
  tellDifference();
}

$("#compare").onclick = () => {
  isMoving = false;
  if (settings.length > 1) {
    dropSetting();
  } else {
    const other = addSetting("b.", settings[0].values);
    other.ask();
    $("[name=hardware]", other.root).focus();
  }
  keepAddress();
  isMoving = false;
};
$("#link").onclick = () => toClipboard(location.href);

function begin() {
  fill("#models", "models", "name").catch(() => {});
  fill("#gpus", "gpus", "name").catch(() => {});
  settings.forEach((setting) => setting.ask());
}

askForToken(begin);

// What the address asks: settings that are there get its values, others come or go.
function readAddress() {
  const asked = [...new URLSearchParams(location.search)];
  const first = Object.fromEntries(asked.filter(([key]) => !key.startsWith("b.")));
  const second = Object.fromEntries(asked.filter(([key]) => key.startsWith("b.")).map(([key, value]) => [key.slice(2), value]));
  const wanted = [Object.keys(first).length > 0 ? first : DEFAULTS];
  if (Object.keys(second).length > 0) wanted.push(second);
  if (settings.length > wanted.length) dropSetting();
  wanted.forEach((values, i) => {
    if (settings[i]) settings[i].values = values;
    else addSetting(i === 0 ? "" : "b.", values);
  });
}
addEventListener("popstate", () => {
  readAddress();
  isMoving = false;
  settings.forEach((setting) => setting.ask());
});

readAddress();
history.replaceState(null, "", address());
begin();
