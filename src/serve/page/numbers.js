// Numbers as reports write them (base/text.cc, report/answer/words.cc), so that the page
// and the verdict beside it never write one in two ways.
const fixed = (value, decimals) =>
  value.toLocaleString("en", {minimumFractionDigits: decimals, maximumFractionDigits: decimals});
const magnitude = (value) => Math.floor(Math.log10(Math.abs(value)));

/** "0.125", "12.5", "12,500". */
export function threeDigits(value) {
  if (!(Math.abs(value) >= 0.0005)) return "0";
  const rounded = Number(value.toPrecision(3));
  return fixed(rounded, Math.max(0, Math.min(5, 2 - magnitude(rounded))));
}

// "11.40", "1,234".
function fourDigits(value) {
  if (value >= 999.95) return fixed(Math.round(value), 0);
  return value > 0 ? value.toFixed(Math.max(0, Math.min(9, 3 - magnitude(value)))) : "0.000";
}

export const whole = (count) => count.toLocaleString("en");

/** Of requests per second; one that was typed is as whole as that. */
export const rate = (rps) => Number.isInteger(rps) ? whole(rps) : fourDigits(rps);
export const percent = (share) => `${threeDigits(100 * share)} %`;

/** A latency, in milliseconds. */
export const time = (ms) => ms < 999.5 ? `${threeDigits(ms)} ms` : `${threeDigits(ms / 1000)} s`;
