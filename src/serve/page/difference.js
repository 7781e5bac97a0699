// What a second setting changes, each deployed as its answer recommends.
import {picked, recommended} from "./answer.js";
import {counted, money} from "./common.js";
import {percent, rate, time} from "./numbers.js";

const lessOr = (isLess) => isLess ? "less" : "more";

// What both have in common is said once.
function doubts(answers, isOfRecommended) {
  const [ofA, ofB] = answers.map(({decision}) => decision?.verdict === "likely" ? decision.doubts.map(({reason}) => reason) : []);
  const fewest = isOfRecommended ? "" : " with the fewest instances";
  const said = (subject, reasons) => reasons.length > 0 ? ` ${subject} to hold${fewest}: ${reasons.join("; ")}.` : "";
  const ofBoth = ofA.filter((reason) => ofB.includes(reason));
  const others = (reasons) => reasons.filter((reason) => !ofBoth.includes(reason));
  return said("Neither is sure", ofBoth) + said("A is not sure", others(ofA)) + said("B is not sure", others(ofB));
}

// What a setting does not hold that was asked of it.
function missed(answers) {
  return answers.map((answer, i) => answer.rate_answer === "fails"
    ? ` ${"AB"[i]} does not hold ${rate(answer.rate_rps)} req/s, only ${rate(answer.max_rate_rps)}.` : "").join("");
}

/** A sentence on two answers, and what is in doubt of either; empty where one has none that holds. */
export function difference(answers) {
  if (answers.length < 2 || !answers.every((answer) => answer?.holds && picked(answer))) return "";
  const [a, b] = answers.map(recommended);
  const change = (key, text) => {
    const by = b[key] - a[key];
    return !by ? [] : [text(Math.abs(by), by < 0)];
  };
  const isOfOneRate = a.rate_rps === b.rate_rps;
  const isOtherLayout = answers.some((answer) => answer.disaggregation) && a.gpus === b.gpus;
  const parts = [
    ...(isOtherLayout ? [`on as many GPUs (${a.gpus})`]
                      : change("instances", (by, isLess) => counted(by, `${isLess ? "fewer" : "more"} instance`))),
    ...change("rate_rps", (by, isLess) => `${rate(by)} req/s ${lessOr(isLess)}`),
    ...change("usd_per_hour", (by, isLess) => `${money(by)} an hour ${lessOr(isLess)}`),
    ...(isOfOneRate ? change("ttft_p99_ms", (by, isLess) => `${time(by)} TTFT p99 ${lessOr(isLess)}`) : []),
    ...(isOfOneRate ? change("tpot_mean_ms", (by, isLess) => `${time(by)} TPOT ${lessOr(isLess)}`) : [])];
  if (parts.length === 0) return "";
  const isOfRecommended = answers.every((answer) => recommended(answer).instances === picked(answer).instances);
  const headrooms = answers.map((answer) => answer.decision?.headroom);
  if (headrooms.every(Boolean)) {
    const [from, to] = headrooms.map(percent);
    parts.push(`${isOfRecommended ? "" : "with the fewest that hold "}headroom ${to} instead of ${from}`);
  }
  return `Setting B against setting A, each as recommended: ${parts.join(", ")}.${missed(answers)}${doubts(answers, isOfRecommended)}`;
}
