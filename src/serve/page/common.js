// What the pages of `plimsoll serve` have in common: how they ask, with the token where there is one.
import {whole} from "./numbers.js";

export const $ = (selector, root = document) => root.querySelector(selector);
export const make = (name, text, attributes = {}) =>
  Object.assign(document.createElement(name), {textContent: text}, attributes);
/** A command or a sentence with flags, in which no line ends. */
export const withFlags = (text) => text.split(/(--[a-z0-9-]+)/).map((part) => part.startsWith("--") ? make("span", part, {className: "flag"}) : part);
export const counted = (count, what) => `${whole(count)} ${what}${count === 1 ? "" : "s"}`;
export const HOURS_OF_MONTH = 730;
export const money = (usd) => usd >= 1000 ? `$${whole(Math.round(usd))}` : `$${usd.toFixed(2)}`;
let token = "";  // in memory and in the tab alone
try { token = sessionStorage.getItem("plimsoll-token") ?? ""; } catch { /* forbidden: ask each time */ }

async function asked(path, fields, signal) {
  const headers = {"Content-Type": "application/json"};
  if (token) headers.Authorization = `Bearer ${token}`;
  const body = JSON.stringify(fields);
  checkSize(new Blob([body]).size);
  const response = await fetch(path, {method: "POST", headers, body, signal});
  if (response.status === 401) $("#token").hidden = false;
  return response;
}

function failure({message, hint = ""}, busy = false) {
  return Object.assign(new Error(message), {hint, busy});
}

async function answered(path, fields, signal) {
  const response = await asked(path, fields, signal);
  const body = await response.json();
  if (response.ok) return body;
  throw failure(body.error, response.status === 429);
}

export const post = (verb, fields, query, signal) => answered(`api/${verb}?${query}`, fields, signal);

/** Curves of two settings as charts of both. */
export const draw = (curves, signal) => answered("compared-charts", curves, signal);

/** The same, told of progress on the way: lines of JSON, the last of which is the answer. */
export async function follow(verb, fields, query, onProgress, signal) {
  const response = await asked(`api/${verb}?${query}`, fields, signal);
  if (!response.ok) throw failure((await response.json()).error, response.status === 429);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const {done, value} = await reader.read();
    if (done) throw failure({message: "the server ended before it answered"});
    text += value;
    const lines = text.split("\n");
    text = lines.pop();
    for (const line of lines.filter(Boolean)) {
      const part = JSON.parse(line);
      if (part.error) throw failure(part.error);
      if (part.answer !== undefined) return part;
      onProgress(part);
    }
  }
}

export function toClipboard(text) {
  const done = (how) => { $("#copied").textContent = how; setTimeout(() => $("#copied").textContent = "", 2000); };
  if (text === "") return void done("nothing to copy until there is an answer");
  // Browsers have no clipboard for pages of other machines without TLS.
  if (!navigator.clipboard) return void done("select it to copy: this address is neither https nor localhost");
  navigator.clipboard.writeText(text).then(() => done("copied"), () => done("the browser did not allow it"));
}

const LARGEST = 2 << 20;  // bytes of a question that the server takes (serve/http_server.h)

function checkSize(bytes, of = "this question, with its files,") {
  if (bytes <= LARGEST) return;
  throw failure({message: `${of} has ${(Math.ceil(bytes / LARGEST * 200) / 100).toFixed(2)} MiB, and the server takes 2 MiB at a time`,
                 hint: "leave files out or shorten them; the command line has no such limit"});
}

/** The text of a chosen file; it is sent along and stays in memory. */
export async function textOf(file) {
  checkSize(file.size, file.name);
  return file.text();
}

/** What an address says of a file, which it cannot hold. */
export const markOf = ({name, size}) => `${name} (${whole(size)} bytes)`;

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Whether the control can show the value, and then does. */
export function put(control, value) {
  const isNoNumber = control.type === "number" && (value.trim() === "" || isNaN(value));
  control.value = isNoNumber ? "" : value;
  return control.value === value.trim() || control.value === value;
}

/** A request for a shell; the texts of files, each {name, text}, are read from there by jq. */
export function curl(verb, fields, files = []) {
  const shown = token ? ' -H "Authorization: Bearer $TOKEN"' : "";
  const call = `curl --silent ${location.origin}/api/${verb}${shown} --json`;
  if (files.length === 0) return `${call} ${quoted(JSON.stringify(fields))}`;
  const place = (i) => `\u0001${i}`;
  const json = JSON.stringify(fields, (key, value) => {
    const i = files.findIndex(({text}) => text === value);
    return i < 0 ? value : place(i);
  });
  const program = files.reduce((text, file, i) => text.replaceAll(JSON.stringify(place(i)), () => `$file${i}`), json);
  const read = files.map(({name}, i) => `--rawfile file${i} ${quoted(name)}`).join(" ");
  return `jq --null-input ${read} ${quoted(program)} | ${call} @-`;
}

/** Each control of a form tells what it is, as the description of the API has it. */
export async function tellControls(form, verb) {
  const headers = token ? {Authorization: `Bearer ${token}`} : {};
  const api = await (await fetch("openapi.json", {headers})).json();
  for (const [name, field] of Object.entries(api.components.schemas[verb].properties))
    if (form.elements[name]) form.elements[name].title = field.description;
}

export async function fill(id, topic, key) {
  const rows = await post("list", {topic}, "");
  $(id).replaceChildren(...rows.map((row) => make("option", "", {value: row[key]})));
}

export function askForToken(then) {
  $("#token").onsubmit = (event) => {
    event.preventDefault();
    token = event.target.elements.token.value;
    try { sessionStorage.setItem("plimsoll-token", token); } catch { /* then until the page is left */ }
    $("#token").hidden = true;
    then();
  };
}
