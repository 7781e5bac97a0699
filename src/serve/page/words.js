// What a label means, as `plimsoll explain` says it: asked once, shown beside the label on a pointer, on focus
// and on a tap, until Escape or something else is pointed at.
import {make, post} from "./common.js";

// A label of `capacity` is meant before one of all reports, and a word of the field before another verb's label.
function rank({source}) {
  const [page, section = ""] = source.split(", ");
  if (page.startsWith("labels")) return source.includes("capacity") ? 0 : /^[a-z]/.test(section) ? 4 : 1;
  return page === "glossary" ? 2 : page.startsWith("metrics") ? 3 : 5;
}

const meanings = new Map();
function meaningOf(word) {
  if (!meanings.has(word)) {
    const asked = post("explain", {word}, "within=1").then(
      (found) => found.sort((a, b) => rank(a) - rank(b))[0].meaning);
    meanings.set(word, asked.catch(() => { meanings.delete(word); return ""; }));
  }
  return meanings.get(word);
}

/** The label as a button that tells what it means. */
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
