// What the page of a report can do where scripts run; without, all but the long table reads as well.
// Tables sort by the button in each head and filter by words; labels show what they mean; charts tell their
// marks (chart.js); commands are copied by a button; print opens what is folded away.
const make = (name, attributes, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

// ---- words: what a label means stands at the end of the page (report/form/page_words.h)

const meanings = new Map([...document.querySelectorAll(".words dd")].flatMap(
    (meaning) => [...meaning.previousElementSibling.children].map((word) => [word.textContent, meaning])));
const wordAt = (place) => meanings.get((place.querySelector?.("button") ?? place).textContent);

function describe(button) {
  const meaning = meanings.get(button.textContent);
  if (meaning) button.setAttribute("aria-describedby", meaning.id);
}

// A label of a line or of a large figure becomes a button, so that keys and fingers get to it.
function tellWord(label) {
  if (!meanings.has(label.textContent)) return;
  const button = make("button", {type: "button", class: "word"}, ...label.childNodes);
  describe(button);
  label.append(button);
}
document.querySelectorAll("main dl:not(.words) dt, .tiles span").forEach(tellWord);

const tip = make("div", {id: "tip", hidden: "", "aria-hidden": "true"});
document.body.append(tip);
function showTip({target}) {
  if (tip.contains(target)) return;  // it may be pointed at
  const label = target.closest?.("th, td, button.word");
  const meaning = label && wordAt(label);
  tip.hidden = !meaning;
  if (!meaning) return;
  tip.textContent = meaning.textContent;
  const box = label.getBoundingClientRect();
  tip.style.left = `${scrollX + Math.max(16, Math.min(box.left, innerWidth - tip.offsetWidth - 16))}px`;
  tip.style.top = `${scrollY + box.bottom + 4}px`;
}
for (const kind of ["pointerover", "focusin", "click"]) document.addEventListener(kind, showTip);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });

// ---- tables

// Of a text that is a figure and nothing else: ">= 1,234", "$3.20".
const figure = (text) => {
  if (isNumber(text)) return text;
  const found = /^(?:[<>]= |\$)?(-?[\d,]*\.?\d+)$/.exec(text);
  return found ? Number(found[1].replaceAll(",", "")) : text;
};
const isNumber = (value) => typeof value === "number";
const compare = (a, b) => isNumber(a) && isNumber(b) ? a - b
    : isNumber(a) ? -1 : isNumber(b) ? 1 : a.localeCompare(b);

// What has no value stands last, whichever way, and before it what is only known not to be more ("<= 36.0").
const isAtMost = (text) => typeof text === "string" && text.startsWith("<= ");
const sorted = (rows, textOf, up) => {
  const place = (text) => text === "" ? 2 : isAtMost(text) ? 1 : 0;
  const keyed = rows.map((row) => [place(textOf(row)), figure(textOf(row)), row]);
  keyed.sort(([p, a], [q, b]) => p - q || up * compare(a, b));
  return keyed.map(([, , row]) => row);
};

function sortButtons(table, sort) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (head.textContent.trim() === "") return;
    head.setAttribute("aria-sort", "none");
    const button = make("button", {type: "button"}, ...head.childNodes);
    describe(button);
    head.append(button);
    button.onclick = () => {
      const up = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", up > 0 ? "ascending" : "descending");
      sort(column, up);
    };
  });
}

// Of "$/h<=20": whether the figure in the column of that name, or else that begins so, is within the bound; undefined:
// it is no bound. What is known not to be more than a figure is no answer to a question for more.
const kSides = {"<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "<": (a, b) => a < b, ">": (a, b) => a > b, "=": (a, b) => a === b};
function bound(word, heads) {
  const [, name, side, limit] = /^([^<>=]+)([<>]=?|=)\$?([\d.,]+)$/.exec(word) ?? [];
  if (!name) return undefined;
  const names = heads.map(nameOf);
  const column = names.includes(name) ? names.indexOf(name) : names.findIndex((one) => one.startsWith(name === "cost" ? "$" : name));
  if (column < 0) return undefined;
  const isOpen = (text) => side.startsWith(">") ? isAtMost(text) : text.startsWith(">= ") && side !== ">=";
  return (cells) => isNumber(figure(cells[column])) && !isOpen(cells[column]) && kSides[side](figure(cells[column]), figure(limit));
}

const nameOf = (head) => head.toLowerCase().replaceAll(/\s/g, "");

// The words of a filter: bounds lose their spaces, those within the name of a column included.
function filterWords(text, heads) {
  let words = text.toLowerCase().replaceAll(/\s*([<>]=?|=)\s*/g, "$1");
  for (const head of heads.map((one) => one.toLowerCase()).filter((one) => one.includes(" ")))
    for (const side of "<>=") words = words.replaceAll(head + side, nameOf(head) + side);
  return words.split(/\s+/).filter(Boolean);
}

// A reason names other candidates: words are looked for in it only if no other column has them.
function wordTest(word, rows) {
  const has = (cells) => cells.join(" ").toLowerCase().includes(word);
  const hasItself = (cells) => has(cells.slice(0, -1));
  return rows.some(hasItself) ? hasItself : has;
}

function rowFilter(heads, rowsOf, onChange) {
  const price = heads.find((head) => head.startsWith("$"));
  const input = make("input", {type: "search", size: "26", placeholder: price ? `e.g. H200 TP2 ${price}<=20` : "words, e.g. H200 TP2"});
  let tests = [];
  input.oninput = () => {
    const rows = rowsOf();
    tests = filterWords(input.value, heads).map((word) => bound(word, heads) ?? wordTest(word, rows));
    onChange();
  };
  return {label: make("label", {}, "Filter", input), holds: (cells) => tests.every((test) => test(cells))};
}

const kMany = 12;
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const value = (cell) => {
    const data = cell.querySelector("data");
    return data ? Number(data.value) : cell.textContent;
  };
  if (body.rows.length < 2) {
    [...table.tHead.rows[0].cells].forEach(tellWord);
    continue;
  }
  sortButtons(table, (column, up) => body.append(...sorted([...body.rows], (row) => value(row.cells[column]), up)));
  if (body.rows.length > kMany) {
    const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent);
    const textsOf = (row) => [...row.cells].map((cell) => cell.textContent);
    const filter = rowFilter(heads, () => [...body.rows].map(textsOf), () => {
      for (const row of body.rows) row.hidden = !filter.holds(textsOf(row));
    });
    table.parentElement.before(make("div", {class: "asked"}, filter.label));
  }
}

// A table of thousands: its cells as runs of few different texts (report/form/page.h).
const kShown = 50, kPrinted = 200;
const kFewTexts = 12, kFewNames = 40;
const isLong = (text) => text.length > 20;

function unpacked({texts, runs}) {
  const cells = [];
  for (const run of runs.split(" ")) {
    const [text, times] = run.split("*");
    for (let i = 0; i < Number(times ?? 1); ++i) cells.push(texts[text]);
  }
  return cells;
}

function dataTable(place) {
  const {caption, columns} = JSON.parse(place.querySelector("script").textContent);
  const cells = columns.map(unpacked);
  const heads = ["no.", ...columns.map((column) => column.head)];
  const all = cells[0].map((_, i) => [String(i + 1), ...cells.map((column) => column[i])]);
  const isPick = (row) => row.includes("the pick");
  let rows = [...all.filter(isPick), ...all.filter((row) => !isPick(row))], limit = kShown;
  const areFigures = [true, ...columns.map((column) => column.texts.every((text) => text === "" || isNumber(figure(text))))];
  const head = make("tr", {}, ...heads.map((text, i) => make("th", {scope: "col", ...(areFigures[i] && {class: "n"})}, text)));
  const body = make("tbody", {});
  const stacks = columns.at(-1).texts.some(isLong) && {class: "stacks", style: `--beside:${heads.length - 1}`};
  const table = make("table", {...stacks}, make("caption", {}, caption), make("thead", {}, head), body);
  const told = make("span", {role: "status", class: "small"});
  const more = make("button", {type: "button"}, "Show more");
  const filter = rowFilter(heads, () => all, () => restart());
  const choices = columns.flatMap((column, i) => column.texts.length < 2 || column.texts.length > (areFigures[i + 1] ? kFewTexts : kFewNames) || column.texts.some((text) => /^[<>]|\d\.\d/.test(text)) ? [] : [[i + 1,
    make("select", {}, make("option", {value: ""}, "any"), ...column.texts.filter(Boolean).map((text) => make("option", {}, text)))]]);
  const show = (most, ofRest = () => "") => {
    const chosen = rows.filter((row) => choices.every(([i, one]) => one.value === "" || row[i] === one.value) && filter.holds(row));
    body.replaceChildren(...chosen.slice(0, most).map((row) => make("tr", isPick(row) ? {class: "mark"} : {}, ...row.map(
        (text, i) => make("td", areFigures[i] ? {class: "n"} : isLong(text) ? {class: "t"} : {}, text)))));
    told.textContent = `${chosen.length.toLocaleString("en")} of ${all.length.toLocaleString("en")}` +
        (chosen.length > most ? `, ${most} shown${ofRest(chosen.length - most)}` : "");
    more.hidden = chosen.length <= most;
  };
  const restart = () => show(limit = kShown);
  for (const [, one] of choices) one.onchange = restart;
  more.onclick = () => show(limit += 4 * kShown);
  sortButtons(table, (column, up) => {
    rows = sorted(all, (row) => row[column], up);
    show(limit);
  });
  addEventListener("beforeprint", () => show(kPrinted,
      (rest) => `, ${rest.toLocaleString("en")} left out: filter the table before you print, or use --json`));
  addEventListener("afterprint", () => show(limit));
  place.replaceChildren(
      make("div", {class: "asked"}, filter.label, ...choices.map(([i, one]) => make("label", {}, heads[i], one)), told),
      make("div", {class: "wide", tabindex: "0", role: "group", "aria-label": caption}, table), more);
  restart();
}
for (const place of document.querySelectorAll(".data-table")) dataTable(place);

document.querySelectorAll("figure svg").forEach(tellMarks);

// ---- commands, print

for (const block of document.querySelectorAll("pre")) {
  const text = block.textContent;
  const button = make("button", {type: "button"}, "Copy");
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {  // not allowed: marked, for the keys that copy
      getSelection().selectAllChildren(block.firstElementChild ?? block);
      button.textContent = "Press Ctrl-C";
    }
    setTimeout(() => button.textContent = "Copy", 2000);
  };
  block.append(button);
}
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const one of folded) one.open = true;
});
addEventListener("afterprint", () => folded.forEach((one) => one.open = false));
