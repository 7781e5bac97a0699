// What the page of `plimsoll serve` shows of an answer of capacity: the decision, its figures and the tests behind it.
import {HOURS_OF_MONTH, counted, make, money} from "./common.js";
import {percent, rate, threeDigits, time, whole} from "./numbers.js";
import {countText, poolsOf} from "./split.js";
import {word} from "./words.js";

// Where no simulation has decided yet: what instances would take if their steps were always full, or what failed
// already where that is more.
export function arithmetic(answer, values) {
  const each = answer.estimate.rate_rps_per_instance;
  const group = (values["prefill-instances"] ?? 0) + (values["decode-instances"] ?? 0);  // counted in whole ones
  const isCounted = group > 0 ? values["min-instances"] : values["num-instances"] === undefined;
  if (isCounted && values.rate !== undefined) {
    const failed = Math.max(0, ...(answer.evidence ?? []).filter((test) => test.answer === "fails").map((test) => test.instances));
    const step = group || 1;
    const few = step * Math.ceil(values.rate / each / step);
    if (failed >= few)
      return `More than ${counted(failed, "instance")}: a simulation shows that ${failed === 1 ? "one is" : "so many are"} too few.`;
    return `By arithmetic about ${counted(few, "instance")}, at ${rate(each)} req/s each.`;
  }
  const instances = group || Number(values["num-instances"] ?? 1);
  return `By arithmetic ${counted(instances, "instance")} take${instances === 1 ? "s" : ""} ` +
         `about ${rate(instances * each)} req/s.`;
}

// The decision stands out from what is said about it.
export function sentences(text) {
  const whole = text.replace(/(?<=[\d.]) (?=(?:%|m?s|req\/s)(?![\w/]))/g, "\u00a0");  // no line ends before a unit
  const [, first, rest] = /^(.*?\.)( [A-Z].*)$/s.exec(whole) ?? [whole, whole, ""];
  return rest ? [first, make("span", rest)] : [first];
}

// What a search has shown on its way, in numbers of instances or req/s.
export function soFar({lower, upper, unit, tests, elapsed_s}) {
  const amount = (value) => unit === "instances" ? counted(value, "instance") : `${rate(value)} req/s`;
  const [holds, fails] = unit === "instances" ? [upper, lower] : [lower, upper];
  const shown = [holds === null ? "" : `${amount(holds)} held`, fails === null ? "" : `${amount(fails)} failed`].filter(Boolean);
  return `Being refined: ${counted(tests, "simulation")} in ${elapsed_s.toFixed(1)} s${shown.length > 0 ? `; so far ${shown.join(", ")}` : ""} …`;
}

export function picked(answer) {
  const tests = answer.evidence ?? [];
  if (answer.instances > 0) return tests.find((test) => test.instances === answer.instances);
  const at = (rate) => tests.find((test) => test.rate_rps === rate && test.answer === "holds");
  return at(answer.rate_rps) ?? at(answer.max_rate_rps);
}

/** What to deploy: with the headroom that is advised, where that is known; its latencies only if it was simulated. */
export function recommended(answer) {
  const test = picked(answer);
  const instances = answer.instances > 0 ? answer.instances_with_headroom || answer.instances : test.instances;
  if (instances === test.instances) return test;
  const tested = answer.evidence.find((one) => one.instances === instances && one.rate_rps === test.rate_rps);
  const more = instances / test.instances;
  return tested ?? {instances, rate_rps: test.rate_rps, gpus: test.gpus * more, usd_per_hour: test.usd_per_hour * more};
}

// Of the sampling and of the model's error, where that is known.
function within(test, key) {
  const interval = test.intervals?.[key];
  return interval ? `${time(interval.low)} to ${time(interval.high)}` : "";
}

// "3 x H100"; of pools of unlike GPUs their number alone.
function gpusText(answer, gpus, gpu) {
  const kinds = new Set((answer.disaggregation?.pools ?? []).map(({hardware}) => hardware));
  return kinds.size > 1 ? whole(gpus) : `${whole(gpus)} x ${[...kinds][0] ?? gpu}`;
}

// The tokens are those of the rate, with however many instances.
function ofTokens(answer, deployed) {
  const {cost_per_million_output_tokens: usd, usd_per_hour: perHour} = picked(answer);
  return usd > 0 && perHour > 0 ? `$${threeDigits(usd * deployed.usd_per_hour / perHour)}` : "";
}

// A large figure, what it is, and what else is to be known of it.
function tile(figure, what, more = "") {
  const made = make("div", "");
  const label = make("span", "");
  label.append(word(what));
  made.append(make("b", figure), label);
  if (more) made.append(make("span", more));
  return made;
}

export function tiles(answer) {
  if (!answer.holds || !picked(answer)) return [];
  const deployed = recommended(answer);
  const test = deployed.ttft_p99_ms === undefined ? picked(answer) : deployed;
  const {instances, gpus, usd_per_hour: cost} = deployed;
  const gpu = answer.config.hardware?.value ?? "";
  const dollars = (hours) => cost === undefined || isNaN(cost) ? "" : money(hours * cost);
  const fewest = picked(answer).instances;
  const all = [
    [countText(answer, instances), instances === 1 ? "instance" : "instances",
     [poolsOf(answer, instances) ? "prefill + decode" : "",
      fewest < instances ? `with headroom; ${countText(answer, fewest)} hold${fewest === 1 ? "s" : ""}` : ""].filter(Boolean).join("; ")],
    [gpu ? gpusText(answer, gpus, gpu) : whole(gpus), "GPUs"], [rate(test.rate_rps), "req/s"],
    [dollars(1), "per hour"], [dollars(HOURS_OF_MONTH), "per month"],
    [ofTokens(answer, deployed), "per million output tokens"],
    [time(test.ttft_p99_ms), "TTFT p99", within(test, "ttft_p99_ms")],
    [time(test.tpot_mean_ms), "TPOT mean", within(test, "tpot_mean_ms")],
    [percent(test.utilization), "GPU busy", test.utilization > 0.95 && answer.decision.headroom > 0.05 ? "steps have room for more" : ""],
    [percent(test.kv_utilization), "KV used"]];
  return all.filter(([figure]) => figure !== "").map(([figure, what, range]) => tile(figure, what, range));
}

export function evidence(answer) {
  const tests = [answer.idle ?? [], answer.evidence ?? []].flat();  // the idle one may decide by itself
  if (tests.length === 0) return [];
  const table = make("table", "");
  table.append(make("caption", "The simulations behind it"));
  const head = table.createTHead().insertRow();
  for (const title of ["instances", "req/s", "requests", "verdict", "TTFT p99", "TPOT mean", "GPU busy"])
    head.append(make("th", "", {scope: "col"})), head.lastChild.append(word(title));
  head.cells[3].className = "text";  // may take several lines
  const body = table.createTBody();
  const deployed = answer.holds && picked(answer) ? recommended(answer) : null;
  for (const test of tests) {
    const row = body.insertRow();
    if (test === picked(answer)) row.className = "pick";
    const grows = test.verdict === "overloaded";
    const mark = test === picked(answer) ? " (answer)" : test === deployed ? " (deploy)" : test === answer.idle ? " (nearly idle)" : "";
    for (const cell of [`${countText(answer, test.instances)}${mark}`, rate(test.rate_rps), whole(test.requests),
                        test.answer === "holds" ? test.answer : `${test.answer}: ${test.reason}`,
                        grows ? "grows" : time(test.ttft_p99_ms), time(test.tpot_mean_ms),
                        percent(test.utilization)])
      row.insertCell().textContent = cell;
    row.cells[3].className = "text";
  }
  return [table];
}
