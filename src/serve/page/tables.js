// Tables and tiles of the page of plans and forecasts, whose labels tell what they mean.
import {make} from "./common.js";
import {threeDigits, whole} from "./numbers.js";
import {word} from "./words.js";

const LONG_TEXT = 24;  // letters of a cell that may take several lines

const shown = (value) => typeof value !== "number" ? value ?? "" : Number.isInteger(value) ? whole(value) : threeDigits(value);

/** `rows` of cells: numbers or texts; that of the pick stands out. */
export function table(verb, caption, heads, rows) {
  const made = make("table", "");
  made.append(make("caption", caption));
  const head = made.createTHead().insertRow();
  for (const title of heads) head.append(make("th", "", {scope: "col"})), head.lastChild.append(word(title, verb));
  const body = made.createTBody();
  for (const cells of rows) {
    const row = body.insertRow();
    for (const cell of cells) {
      const place = row.insertCell();
      place.textContent = shown(cell);
      if (String(cell).length > LONG_TEXT) place.className = head.cells[place.cellIndex].className = "text";
    }
    if (cells.includes("the pick")) row.className = "pick";
  }
  return made;
}

/** A large figure, what it is, and what else is to be known of it. */
export function tile(verb, figure, what, more = "") {
  const made = make("div", "");
  const label = make("span", "");
  label.append(word(what, verb));
  made.append(make("b", figure), label);
  if (more) made.append(make("span", more));
  return made;
}
