// The charts of an answer, as the server draws them for the pages of reports, too.
import {tellMarks} from "./chart.js";

/** Shows the markup of figures, or nothing; a chart that the keyboard is at stays at hand. */
export function showCharts(place, markup = "") {
  if (place.markup === markup) return;
  place.markup = markup;
  const reading = [...place.querySelectorAll("svg")].indexOf(document.activeElement);
  place.innerHTML = markup;
  const charts = place.querySelectorAll("svg");
  charts.forEach(tellMarks);
  charts[reading]?.focus();
}
