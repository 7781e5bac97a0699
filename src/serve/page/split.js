// Prefill and decode on the same instances or on instances of their own: the controls of a setting for that, and how an
// answer of it is written.
import {$} from "./common.js";

const COUNTS = ["prefill-instances", "decode-instances"];

/** Of the values of a setting. */
export const isSplit = (values) => COUNTS.some((name) => name in values);

/** Instances of both pools, as [prefill, decode]; null where all instances do both. */
export function poolsOf(answer, instances) {
  const given = COUNTS.map((name) => answer.config?.[name]?.value ?? 0);
  if (given.some((count) => count === 0)) return null;
  const groups = instances / (given[0] + given[1]);
  return given.map((count) => count * groups);
}

/** "4", or "1 + 3" of a split. */
export const countText = (answer, instances) => poolsOf(answer, instances)?.join(" + ") ?? instances.toLocaleString("en");

/** As many instances as the answer deploys, divided as its prompts and tokens keep steps busy. */
function divided(instances, answer) {
  const total = Math.max(2, instances);
  const share = answer?.estimate?.prefill_share ?? 0;
  const prefill = Math.min(total - 1, Math.max(1, Math.round(share * total)));
  return [prefill, total - prefill];
}

/** The form shows the controls of its layout; the others are left out of the question. */
export function showLayout(form) {
  const layout = form.elements.layout.value;
  for (const part of form.querySelectorAll("[data-layout]")) {
    part.hidden = part.dataset.layout !== layout;
    for (const control of part.querySelectorAll("input,select")) control.disabled = part.hidden;
  }
}

/** A split that was just chosen begins with as many instances as there were. */
export function takeLayout(form, instances, answer) {
  showLayout(form);
  const [prefill, decode] = COUNTS.map((name) => form.elements[name]);
  if (form.elements.layout.value !== "split" || prefill.value || decode.value) return;
  [prefill.value, decode.value] = divided(instances, answer);
}

/** Which pool is short, in a sentence, and at which load that was seen; empty where all instances do both, and of what
 *  the verdict says already. */
export function shortage(answer, rateText) {
  const pools = answer.disaggregation;
  if (!pools) return "";
  const [what, ratio] = pools.reason.split(": ");
  if (answer.answer.toLowerCase().includes(what.toLowerCase())) return ratio ? `${ratio[0].toUpperCase()}${ratio.slice(1)}.` : "";
  const seen = `At ${rateText(pools.rate_rps)} req/s`;
  return `${seen} with ${countText(answer, pools.instances)} instances ${pools.reason}.`;
}

/** The ratio that would keep both pools about equally full, as [prefill, decode]; null where it is this one. */
export function evenRatio(answer) {
  const pools = answer.disaggregation;
  if (!pools || !/short/.test(pools.verdict)) return null;
  const even = [pools.balanced_prefill_instances, pools.balanced_decode_instances];
  return even[0] === poolsOf(answer, pools.instances)?.[0] ? null : even;
}
