// What a second setting changes, each deployed as its answer recommends.
import {picked, recommended, short, time} from "./answer.js";
import {counted, money} from "./common.js";

const lessOr = (isLess) => isLess ? "less" : "more";

/** A sentence on two answers, and what is in doubt of either; empty where one has none that holds. */
export function difference(answers) {
  if (answers.length < 2 || !answers.every((answer) => answer?.holds && picked(answer))) return "";
  const [a, b] = answers.map(recommended);
  const change = (key, text) => {
    const by = b[key] - a[key];
    return !by ? [] : [text(Math.abs(by), by < 0)];
  };
  const parts = [
    ...change("instances", (by, isLess) => counted(by, `${isLess ? "fewer" : "more"} instance`)),
    ...change("rate_rps", (by, isLess) => `${short(by)} req/s ${lessOr(isLess)}`),
    ...change("usd_per_hour", (by, isLess) => `${money(by)} an hour ${lessOr(isLess)}`),
    ...change("ttft_p99_ms", (by, isLess) => `${time(by)} TTFT p99 ${lessOr(isLess)}`)];
  if (parts.length === 0) return "";
  const headrooms = answers.map((answer) => answer.decision?.headroom);
  if (headrooms.every(Boolean)) {
    const [from, to] = headrooms.map((share) => `${short(100 * share)} %`);
    const isOfRecommended = answers.every((answer) => recommended(answer).instances === picked(answer).instances);
    parts.push(`${isOfRecommended ? "" : "with the fewest that hold "}headroom ${to} instead of ${from}`);
  }
  const doubts = answers.flatMap((answer, i) => answer.decision?.verdict !== "likely" ? [] :
    ` ${"AB"[i]} is not sure to hold: ${answer.decision.doubts.map(({reason}) => reason).join("; ")}.`);
  return `Setting B against setting A, each as recommended: ${parts.join(", ")}.${doubts.join("")}`;
}
