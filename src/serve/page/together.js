// Latency against load of two settings: one picture for each latency, drawn by the server from the curves of both, under
// a legend that says what they differ in.
import {$, draw, make} from "./common.js";
import {isSplit} from "./split.js";

const LAYOUT = ["prefill-instances", "decode-instances", "min-instances", "num-instances"];
const curvesOf = ({root}) => [...root.querySelectorAll("[data-curve]")].map((one) => JSON.parse(one.dataset.curve));

function layoutOf({values, answer}) {
  if (isSplit(values)) return `split, ${values["prefill-instances"] ?? 0} prefill + ${values["decode-instances"] ?? 0} decode`;
  const instances = values["num-instances"] ?? (answer?.instances > 0 ? answer.instances : "");
  return `aggregated${instances ? `, ${instances} instances` : ""}`;
}

/** What a setting has that another has not: "split, 1 prefill + 2 decode; GPU H200". */
export function distinction(setting, other) {
  const [own, its] = [setting.values, other.values];
  const parts = LAYOUT.some((name) => own[name] !== its[name]) ? [layoutOf(setting)] : [];
  const names = new Set([...Object.keys(own), ...Object.keys(its)]);
  for (const name of names) {
    if (LAYOUT.includes(name) || own[name] === its[name]) continue;
    const placeholder = setting.form.elements[name]?.placeholder;
    parts.push(`${setting.label(name) ?? name} ${own[name] ?? setting.answer?.config?.[name]?.value ?? (placeholder || "not set")}`);
  }
  return parts.join("; ");
}

function legend(settings) {
  const lines = ["main", "second"];
  return settings.map((setting, i) => {
    const text = distinction(setting, settings[1 - i]);
    const entry = make("span", `${"AB"[i]}${text ? `: ${text}` : ""}`);
    entry.prepend(make("i", "", {className: `sample ${lines[i]}`}));
    return entry;
  });
}

let drawing = null;

/** Draws both, where both are known; nothing of one setting. */
export async function showTogether(place, settings, showCharts) {
  place.hidden = settings.length < 2;
  document.body.classList.toggle("compared", !place.hidden);
  if (place.hidden) return;
  const [a, b] = settings.map(curvesOf);
  if (a.length === 0 || b.length === 0) return;
  drawing?.abort();
  drawing = new AbortController();
  try {
    const {charts} = await draw({a, b}, drawing.signal);
    $(".legend", place).replaceChildren(...legend(settings));
    showCharts($(".charts", place), charts);
  } catch (error) {
    if (error.name !== "AbortError") $(".legend", place).textContent = error.message;
  }
}
