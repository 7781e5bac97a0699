// What the page of plans shows of an answer: the pick in figures, its limits and how sure they are, why the others
// lost, what would help, the run that checks it.
import {HOURS_OF_MONTH, counted, make, money, withFlags} from "./common.js";
import {percent, rate, threeDigits, time, whole} from "./numbers.js";
import {table, tile} from "./tables.js";

const VERB = "plan";
const OUTCOMES = {feasible: "holds", infeasible: "fails", dominated: "cannot win", unclear: "too close to call", pruned: "ruled out"};

const title = (slo) => slo.replace(/<.*/, "").replaceAll("_", " ").replace(/^[a-z0-9]+/, (metric) => metric.toUpperCase());
const dollars = (usd, hours = 1) => usd === null || usd === undefined ? "-" : money(hours * usd);

function tiles(best) {
  const {cost, performance, intervals} = best;
  const sure = intervals?.max_sustainable_qps;
  const all = [
    [`${whole(best.total_gpus)} x ${best.gpu_type}`, "GPUs", best.num_replicas > 0 ? counted(best.num_replicas, "instance") : ""],
    [rate(performance.max_sustainable_qps), "sustainable req/s", sure ? `${rate(sure.low)} to ${rate(sure.high)} with the model's error` : ""],
    [cost?.cost_per_hour ? money(cost.cost_per_hour) : "", "per hour"],
    [cost?.cost_per_hour ? money(HOURS_OF_MONTH * cost.cost_per_hour) : "", "per month"],
    [cost?.cost_per_million_output_tokens ? `$${threeDigits(cost.cost_per_million_output_tokens)}` : "", "per million output tokens"]];
  const place = make("div", "", {className: "tiles"});
  place.append(...all.filter(([figure]) => figure !== "").map(([figure, what, more]) => tile(VERB, figure, what, more)));
  return place;
}

function limits(best) {
  const rows = best.slo_compliance?.slos ?? [];
  if (rows.length === 0) return [];
  return [table(VERB, "Its limits", ["limit", "value", "90 % interval", "margin"], rows.map(
    ({slo, value_ms: value, target_ms: target, interval, margin}) =>
      [`${title(slo)} < ${time(target)}`, time(value), interval ? `${time(interval[0])} to ${time(interval[1])}` : "-", percent(margin)]))];
}

function candidates(found) {
  const best = found.best_configuration?.config_id;
  const rows = (found.all_candidates ?? []).filter((one) => one.simulated);
  rows.sort((a, b) => (a.cost_per_hour ?? Infinity) - (b.cost_per_hour ?? Infinity));
  const all = rows.find((one) => one.slo_compliance?.slos?.length)?.slo_compliance.slos ?? [];
  const limit = (one, slo) => {
    const value = one.slo_compliance?.slos?.find((other) => other.slo === slo.slo)?.value_ms;
    return value === undefined || value === null ? "-" : time(value);
  };
  return table(VERB, "The candidates that were simulated, by cost",
    ["no.", "GPU", "GPUs", "TP", "instances", "req/s", ...all.map(({slo}) => title(slo)), "per hour", "per month", "outcome", "why"],
    rows.map((one) => [String(one.config_id), one.config.gpu_type, one.config.total_gpus, one.config.tensor_parallel, one.config.num_replicas,
      one.max_qps === null ? "-" : rate(one.max_qps), ...all.map((slo) => limit(one, slo)), dollars(one.cost_per_hour),
      dollars(one.cost_per_hour, HOURS_OF_MONTH), one.config_id === best ? "the pick" : OUTCOMES[one.fate] ?? one.fate, one.reason]));
}

function sentencesOf(heading, texts) {
  if (texts.length === 0) return [];
  const list = make("ul", "");
  for (const text of texts) list.append(make("li", "")), list.lastChild.append(...withFlags(text.replaceAll("`", "")));
  return [make("h2", heading), list];
}

// Instances share no state: twice the rate takes about twice as many.
function doubled(found) {
  const best = found.best_configuration;
  const asked = found.inputs?.rate_rps;
  const each = best.performance.max_sustainable_qps / best.num_replicas;
  if (!asked || !(each > 0)) return [];
  const needed = Math.ceil(2 * asked / each);
  const usd = best.cost?.cost_per_hour ? ` at ${money(best.cost.cost_per_hour / best.num_replicas * needed)} per hour` : "";
  return [`Twice the rate, ${rate(2 * asked)} req/s, takes by arithmetic ${counted(needed, "instance")} of the pick${usd}: plan with that rate to make sure.`];
}

function check(best) {
  if (!best.run) return [];
  const block = make("pre", "");
  block.append(make("code", "", {className: "check"}));
  block.firstChild.append(...withFlags(best.run));
  return [make("h2", "The run that checks the pick"), block,
          make("button", "Copy the run", {type: "button", className: "copy"})];
}

/** Elements, in the order in which they are read. */
export function planParts(found) {
  const best = found.best_configuration;
  if (!best) return [...sentencesOf("What would help", found.advice ?? []), candidates(found)];
  return [tiles(best), ...limits(best), candidates(found),
          ...sentencesOf("What would cost less or serve more", [...found.advice ?? [], ...doubled(found)]), ...check(best)];
}
