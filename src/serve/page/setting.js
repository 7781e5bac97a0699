// A setting of the page of `plimsoll serve`: its controls and its answer. The first answer is short, the second
// thorough; a question that was changed is withdrawn, and the server stops. While a slider moves, a first look that
// has begun is let end, so that there are answers on the way.
import {arithmetic, evidence, recommended, sentences, soFar, tiles} from "./answer.js";
import {showCharts} from "./charts.js";
import {$, counted, curl, follow, make, markOf, post, put, textOf, toClipboard, withFlags} from "./common.js";
import {rate} from "./numbers.js";
import {evenRatio, isSplit, shortage, showLayout, takeLayout} from "./split.js";

const LENGTHS = ["prompt-tokens", "output-tokens"];  // recorded traffic has its own
const NUMBERS = ["tp", "num-instances", "prefill-instances", "decode-instances", "prefill-tp", "decode-tp", "rate",
                 "prompt-tokens", "output-tokens"];
const FIRST = {"no-model-error": true};  // what the short answer leaves out
const FIRST_S = 0.25;  // of work: with the way there and back, 0.3 s
const PAUSE_MS = 120;  // without a key, before what is typed is asked

const formatOf = (file) => /azure/i.test(file) ? "azure" : /\.jsonl$/.test(file) ? "mooncake" : "csv";

export class Setting {
  // onChange: a control has moved; onSettled: it was let go; onAnswer: the answer is another one, or none; onCharts: its
  // charts are.
  constructor(prefix, {onChange, onSettled, onAnswer, onCharts}) {
    Object.assign(this, {prefix, onChange, onAnswer, onCharts});
    this.root = $("#setting").content.cloneNode(true).firstElementChild;
    this.form = $("form", this.root);
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", (event) => this.changed(event.target));
    this.form.addEventListener("change", onSettled);
    $(".without", this.root).onclick = () => { this.leaveTraceOut(); this.changed(this.form.elements.trace); };
    $(".even", this.root).onclick = () => this.takeRatio(evenRatio(this.answer));
    for (const copy of this.root.querySelectorAll(".copy"))
      copy.onclick = () => toClipboard($(`.${copy.dataset.of}`, this.root).textContent);
  }

  get trace() { return this.form.elements.trace.files[0]; }

  // What an address can hold: of the recorded traffic only what it was.
  get values() {
    const texts = [...new FormData(this.form)].filter(([key]) => !key.startsWith("trace") && key !== "layout");
    const given = Object.fromEntries(texts.map(([key, value]) => [key, value.trim()]).filter(([, value]) => value !== ""));
    const trace = this.trace ? markOf(this.trace) : this.missing;
    const format = this.trace ? this.form.elements["trace-format"].value : this.missingFormat;
    return {...given, ...(trace && {trace}), ...(trace && format && {"trace-format": format})};
  }

  set values(values) {
    const {trace, "trace-format": format = "", ...others} = values;
    const ignored = [];
    for (const control of this.form.elements)
      if (control.name && !control.name.startsWith("trace")) control.value = "";
    this.form.elements.layout.value = isSplit(others) ? "split" : "";
    for (const [name, value] of Object.entries(others)) {
      const control = name === "layout" || name.startsWith("trace") ? null : this.form.elements[name];
      if (!control) ignored.push(`${name} cannot be set on this page`);
      else if (!put(control, value)) ignored.push(`${this.label(name)} cannot be "${value}"`);
      else if (name === "num-instances" && isSplit(others)) ignored.push(`${this.label(name)} ${value}, beside those of prefill and decode`);
    }
    $(".ignored", this.root).textContent = ignored.length > 0 ? `Left out of this link: ${ignored.join("; ")}.` : "";
    if (!trace) this.leaveTraceOut();
    else if (!this.trace || markOf(this.trace) !== trace) {
      this.leaveTraceOut();
      Object.assign(this, {missing: trace, missingFormat: format});
    } else if (format) {
      this.form.elements["trace-format"].value = format;
    }
    showLayout(this.form);
    this.showTrace();
    this.sliders().forEach((slider) => this.follow(slider));
  }

  // With as many instances as now, but so many of each pool.
  takeRatio(ratio) {
    ["prefill-instances", "decode-instances"].forEach((name, i) => this.form.elements[name].value = ratio[i]);
    this.changed(this.form.elements["prefill-instances"]);
  }

  // Prefill and decode on instances of their own, or together again: as many instances as are deployed now.
  takeLayout(layout, from = this) {
    this.form.elements.layout.value = layout;
    const instances = from.deployed;
    if (layout === "") this.form.elements["num-instances"].value = instances;
    takeLayout(this.form, instances, from.answer);
  }

  // So many instances as are asked about, or as the answer recommends.
  get deployed() {
    const given = Number(this.values["num-instances"]);
    return given || (this.answer?.holds && recommended(this.answer)?.instances) || 2;
  }

  leaveTraceOut() {
    this.form.elements.trace.value = "";
    Object.assign(this, {missing: "", missingFormat: ""});
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

  // Recorded traffic, or what a link says there was of it, stands in the place of the lengths.
  showTrace() {
    const recorded = this.trace !== undefined || Boolean(this.missing);
    $(".format", this.root).hidden = this.trace === undefined;
    $(".without", this.root).hidden = !recorded;
    for (const name of LENGTHS) this.form.elements[name].disabled = recorded;
    this.sliders().forEach((slider) => slider.disabled = this.form.elements[slider.dataset.of].disabled);
  }

  changed(control) {
    $(".ignored", this.root).textContent = "";
    if (control.type === "file") {
      const isOfLink = this.trace && markOf(this.trace) === this.missing && this.missingFormat;
      if (this.trace) this.form.elements["trace-format"].value = isOfLink ? this.missingFormat : formatOf(this.trace.name);
      Object.assign(this, {missing: "", missingFormat: ""});
      this.showTrace();
    } else if (control.name === "layout") {
      takeLayout(this.form, this.deployed, this.answer);
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
    if (control.type === "range") this.askMoving();
    else this.ask(PAUSE_MS);
  }

  // As the page calls it, where an answer speaks of a flag.
  label(name) { return this.form.elements[name]?.labels?.[0]?.firstChild.textContent.trim(); }

  inWords(text) { return text.replace(/"([a-z-]+)"/g, (field, name) => this.label(name) ?? field); }

  // What was asked, for a print, which has no form.
  get question() {
    const {trace, "trace-format": format, ...given} = this.values;
    const shown = Object.keys(given).map((name) => `${this.label(name) ?? name} ${given[name]}`);
    const lengths = LENGTHS.filter((name) => !given[name] && !trace)
                           .map((name) => `${this.label(name)} ${this.form.elements[name].placeholder}`);
    return [...shown, ...lengths, ...(trace ? [`traffic of ${trace}, format ${format}`] : [])].join(", ");
  }

  async fields() {
    if (this.missing) throw new Error(`The trace ${this.missing} is missing here: choose it again, or ask without it.`);
    const wrong = [...this.form.elements].find((control) => control.validity.badInput);  // its value is empty
    if (wrong) throw new Error(`${this.label(wrong.name)} must be a number`);

    const {trace, "trace-format": format, ...given} = this.values;
    const fields = Object.fromEntries(Object.entries(given).map(
      ([key, value]) => [key, NUMBERS.includes(key) && !isNaN(value) ? Number(value) : value === "true" || value]));
    return trace ? {...fields, trace: await textOf(this.trace), "trace-format": format} : fields;
  }

  // What the recorded traffic looks like: asked once for each file and format.
  async describeTraffic({trace, "trace-format": format}, signal) {
    if (trace === undefined || this.described?.file === this.trace && this.described.format === format) return;
    const told = await post("describe", {trace, "trace-format": format}, "form=full&within=1", signal);
    this.described = {file: this.trace, format};
    $(".traffic", this.root).textContent = told.verdict;
  }

  // What is shown belongs to another question from now on, until there is an answer to this one.
  outdate() {
    const answer = $(".answer", this.root);
    answer.setAttribute("aria-busy", "true");
    answer.classList.add("outdated");
    $(".state", this.root).textContent = "simulating …";
    for (const part of [".command", ".request"]) $(part, this.root).textContent = "";
    const format = this.form.elements["trace-format"].value;
    if (this.described && (this.described.file !== this.trace || this.described.format !== format)) {
      this.described = null;
      $(".traffic", this.root).textContent = "";
    }
  }

  // Asked at once, or as soon as the first look that is on its way is there.
  askMoving() {
    if (!this.looking || this.looking.signal.aborted) return void this.ask();
    this.hasMoved = true;
    this.outdate();
  }

  async ask(pause = 0) {
    this.asking?.abort();
    const asking = this.asking = new AbortController();
    this.looking = null;
    this.hasMoved = false;
    this.outdate();
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    if (asking.signal.aborted) return;
    this.looking = asking;
    try {
      const question = this.question;
      const fields = await this.fields();
      await this.describeTraffic(fields, asking.signal);
      const first = await post("capacity", {...fields, ...FIRST}, `form=full&charts=true&within=${FIRST_S}`, asking.signal);
      this.looking = null;
      $(".printed", this.root).textContent = question;
      this.show(first, "a first look, which is being refined …", fields);
      if (this.hasMoved) return void this.ask();
      $(".answer", this.root).classList.remove("outdated");
      this.show(await follow("capacity", fields, "form=stream&charts=true", (progress) => this.refine(progress), asking.signal), "", fields);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (asking === this.asking) this.looking = null;
      if (error.busy) return void setTimeout(() => asking.signal.aborted || this.ask(), 2000);
      if (this.hasMoved) return void this.ask();
      this.fail(error);
    }
    $(".answer", this.root).setAttribute("aria-busy", "false");
  }

  // The server knows the text of the file, not its name; and the first look leaves something out.
  commandOf({command}) {
    const whole = command.replace(/ --no-model-error(?: True)?/, "");
    return this.trace ? whole.replace("--trace trace", () => `--trace '${this.trace.name.replaceAll("'", "'\\''")}'`) : whole;
  }

  requestOf(fields) {
    return curl("capacity", fields, this.trace ? [{name: this.trace.name, text: fields.trace}] : []);
  }

  fail(error) {
    $(".answer", this.root).classList.remove("outdated");
    $(".state", this.root).textContent = "";
    $(".printed", this.root).textContent = this.question;
    this.answer = undefined;
    this.onAnswer();
    const verdict = $(".verdict", this.root);
    verdict.classList.add("error");
    verdict.textContent = this.inWords(error.hint ? `${error.message}\n${error.hint}` : error.message);
    this.offerRatio(null);
    for (const part of [".pools span", ".tiles", ".charts", ".wide", ".assumed", ".command", ".request"]) $(part, this.root).replaceChildren();
    this.onCharts();
  }

  // A test of the question itself, before the answer that follows from all of them.
  refine(progress) {
    if (progress.charts) this.showCharts(progress.charts);
    if (!progress.tests) return;
    $(".state", this.root).textContent = soFar(progress);
    const isDecided = progress.unit !== "instances" && this.answer?.rate_answer === "holds";
    if (this.answer?.holds || isDecided || !progress.phase.startsWith("searching")) return;
    const [holds, fails] = progress.unit === "instances" ? [progress.upper, progress.lower] : [progress.lower, progress.upper];
    const amount = (value) => progress.unit === "instances" ? counted(value, "instance") : `${rate(value)} req/s`;
    if (holds === null && fails === null) return;
    const text = holds === null ? `${amount(fails)} did not hold, so far.`
                 : fails === null ? `${amount(holds)} held, so far.` : `${amount(holds)} held and ${amount(fails)} did not, so far.`;
    $(".verdict", this.root).replaceChildren(...sentences(text));
  }

  show(full, state, fields) {
    const cut = full.cut_short ? "the time was up before the search was complete" : "";
    $(".state", this.root).textContent = state || cut || "simulated to the end";
    const verdict = $(".verdict", this.root);
    verdict.classList.remove("error");
    const text = full.cut_short && !full.answer.holds ? arithmetic(full.answer, fields) : full.verdict;
    if (verdict.textContent !== text) verdict.replaceChildren(...sentences(text));
    this.answer = full.answer;
    this.onAnswer();
    $(".command", this.root).replaceChildren(...withFlags(this.commandOf(full)));
    $(".request", this.root).textContent = this.requestOf(fields);
    $(".tiles", this.root).replaceChildren(...tiles(full.answer));
    this.showCharts(full.charts);
    $(".pools span", this.root).textContent = shortage(full.answer, rate);
    this.offerRatio(evenRatio(full.answer));
    $(".wide", this.root).replaceChildren(...evidence(full.answer));
    const assumed = full.answer.assumed ?? [];
    $(".assumed", this.root).textContent = assumed.length > 0 ? `Assumed: ${assumed.join(", ")}.` : "";
  }

  showCharts(markup) {
    showCharts($(".charts", this.root), markup);
    this.onCharts();
  }

  offerRatio(ratio) {
    const button = $(".even", this.root);
    button.hidden = ratio === null;
    if (ratio) button.textContent = `Try ${ratio[0]} prefill + ${ratio[1]} decode`;
  }

  // The same recorded traffic as another setting has.
  takeTraffic({form}) {
    this.form.elements.trace.files = form.elements.trace.files;
    const formats = form.elements["trace-format"];
    this.form.elements["trace-format"].innerHTML = formats.innerHTML;
    this.form.elements["trace-format"].value = formats.value;
  }

  offerFormats(rows) {
    this.form.elements["trace-format"].replaceChildren(...rows.map(({name, help}) => make("option", name, {title: help})));
  }
}
