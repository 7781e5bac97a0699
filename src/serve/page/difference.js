// What a second setting changes, each deployed as its answer recommends.
import {picked, recommended} from "./answer.js";
import {counted, money} from "./common.js";
import {percent, rate, time} from "./numbers.js";

const lessOr = (isLess) => isLess ? "less" : "more";
const lowerOr = (isLess) => isLess ? "lower" : "higher";

// "needs 1 instance fewer, costs $1.62/h less and has a 6.69 ms lower TTFT p99"
const inWords = (parts) => [parts.slice(0, -1).join(", "), ...parts.slice(-1)].filter(Boolean).join(" and ");

// What both have in common is said once.
function doubts(answers, isOfRecommended) {
  const [ofA, ofB] = answers.map(({decision}) => decision?.verdict === "likely" ? decision.doubts.map(({reason}) => reason) : []);
  const fewest = isOfRecommended ? "" : " with the fewest instances";
  const said = (subject, reasons) => reasons.length > 0 ? ` ${subject} to hold${fewest}: ${reasons.join("; ")}.` : "";
  const ofBoth = ofA.filter((reason) => ofB.includes(reason));
  const others = (reasons) => reasons.filter((reason) => !ofBoth.includes(reason));
  return said("Neither is certain", ofBoth) + said("A is not certain", others(ofA)) + said("B is not certain", others(ofB));
}

// What a setting does not hold that was asked of it.
function missed(answers) {
  return answers.map((answer, i) => answer.rate_answer === "fails"
    ? ` ${"AB"[i]} does not hold ${rate(answer.rate_rps)} req/s, only ${rate(answer.max_rate_rps)}.` : "").join("");
}

// What each takes at most, where one was asked for that alone and the other for a rate; none where that is not known.
function changeOfMost(answers) {
  const most = answers.map(({max_rate_rps: value}) => value);
  if (!most.every((value) => value > 0)) return [];
  const by = most[1] - most[0];
  return by === 0 ? [] : [`has a ${rate(Math.abs(by))} req/s ${lowerOr(by < 0)} maximum rate`];
}

/** A sentence on two answers, and what is in doubt of either; empty before there are two. */
export function difference(answers) {
  if (answers.length < 2 || !answers.every(Boolean)) return "";
  const failing = answers.map((answer, i) => answer.holds && picked(answer) ? "" : "AB"[i]).filter(Boolean);
  if (failing.length === 1) return `${failing[0]} does not hold what is asked of it; ${failing[0] === "A" ? "B" : "A"} does.`;
  if (failing.length === 2) return "";
  const [a, b] = answers.map(recommended);
  const change = (key, text) => {
    const by = b[key] - a[key];
    return !by ? [] : [text(Math.abs(by), by < 0)];
  };
  const isOfOneQuestion = (answers[0].rate_rps > 0) === (answers[1].rate_rps > 0);
  const isOfOneRate = isOfOneQuestion && a.rate_rps === b.rate_rps;
  const isOtherLayout = answers.some((answer) => answer.disaggregation) && a.gpus === b.gpus;
  const latencies = !isOfOneRate ? [] : [
    ...change("ttft_p99_ms", (by, isLess) => `a ${time(by)} ${lowerOr(isLess)} TTFT p99`),
    ...change("tpot_mean_ms", (by, isLess) => `a ${time(by)} ${lowerOr(isLess)} TPOT`)];
  const parts = [
    ...(isOtherLayout ? [`runs on as many GPUs (${a.gpus})`]
                      : change("instances", (by, isLess) => `needs ${counted(by, "instance")} ${isLess ? "fewer" : "more"}`)),
    ...(isOfOneQuestion ? change("rate_rps", (by, isLess) => `holds ${rate(by)} req/s ${lessOr(isLess)}`) : changeOfMost(answers)),
    ...change("usd_per_hour", (by, isLess) => `costs ${money(by)}/h ${lessOr(isLess)}`),
    ...(latencies.length > 0 ? [`has ${inWords(latencies)}`] : [])];
  const isOfRecommended = answers.every((answer) => recommended(answer).instances === picked(answer).instances);
  const headrooms = answers.map((answer) => answer.decision?.headroom);
  const [from, to] = headrooms.every(Boolean) ? headrooms.map(percent) : [];
  const sentences = [
    ...(parts.length > 0 ? [`Compared with A, B ${inWords(parts)}.`] : []),
    ...(from !== to ? [`${isOfRecommended ? "The" : "At the fewest instances that hold, the"} headroom of B is ${to} (A: ${from}).`] : [])];
  if (sentences.length === 0) return "";
  return `${sentences.join(" ")}${missed(answers)}${doubts(answers, isOfRecommended)}`;
}
