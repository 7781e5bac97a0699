// What a label means, as `plimsoll explain` says it: asked once, shown beside the label on a pointer, on focus
// and on a tap, until Escape or something else is pointed at.
import {make, post} from "./common.js";

const meanings = new Map();
function meaningOf(word) {
  if (!meanings.has(word)) {
    const asked = post("explain", {word}, "within=1").then(([first]) => first.meaning);
    meanings.set(word, asked.catch(() => { meanings.delete(word); return ""; }));
  }
  return meanings.get(word);
}

/** The label as a button that tells. */
export const word = (text) => make("button", text, {type: "button", className: "word"});

const tip = make("div", "", {id: "tip", role: "tooltip", hidden: true});
document.body.append(tip);
let at = null;

async function show({target}) {
  if (tip.contains(target)) return;  // it may be pointed at
  const label = target.closest?.("button.word") ?? null;
  if (label === at) return;
  at = label;
  tip.hidden = true;
  if (label === null) return;
  const meaning = await meaningOf(label.textContent);
  if (at !== label || meaning === "") return;
  tip.textContent = meaning;
  tip.hidden = false;
  label.setAttribute("aria-describedby", "tip");
  const box = label.getBoundingClientRect();
  tip.style.left = `${scrollX + Math.max(16, Math.min(box.left, innerWidth - tip.offsetWidth - 16))}px`;
  tip.style.top = `${scrollY + box.bottom + 4}px`;
}

for (const kind of ["pointerover", "focusin", "click"]) document.addEventListener(kind, show);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
