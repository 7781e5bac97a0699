// The page of `plimsoll serve`: one setting or two, their address, and what is known of them.
import {difference} from "./difference.js";
import {$, askForToken, fill, post, tellControls, toClipboard} from "./common.js";
import {showCharts} from "./charts.js";
import {Setting} from "./setting.js";
import {isSplit} from "./split.js";
import {showTogether} from "./together.js";

const DEFAULTS = {model: "qwen3-14b", rate: "20", "prompt-tokens": "512", "output-tokens": "512",
                  slo: "ttft_p99<500ms"};

const settings = [];

function address() {
  const query = new URLSearchParams();
  for (const setting of settings)
    for (const [key, value] of Object.entries(setting.values)) query.set(setting.prefix + key, value);
  return `?${query}`;
}

// The way back leads from question to question: one that is still being typed or moved is one.
let isMoving = false;
function keepAddress() {
  if (address() === location.search) return;
  if (isMoving) history.replaceState(null, "", address());
  else history.pushState(null, "", address());
  isMoving = true;
}

function tellDifference() {
  $(".difference").textContent = difference(settings.map(({answer}) => answer));
  offerOtherLayout();
}

const drawTogether = () => showTogether($("#together"), settings, showCharts);

// With one setting: the other way to place prefill and decode, on as many GPUs.
function offerOtherLayout() {
  const button = $("#compare-layout");
  button.hidden = settings.length > 1 || !settings[0]?.answer?.holds;
  if (!button.hidden) button.textContent = `Compare with ${isSplit(settings[0].values) ? "instances that do both" : "a split"} on as many GPUs`;
}

async function offerFormats(setting) {
  const rows = await post("list", {topic: "trace-formats"}, "").catch(() => []);
  setting.offerFormats(rows);
}

function addSetting(prefix, values) {
  const setting = new Setting(prefix, {onChange: keepAddress, onSettled: () => isMoving = false, onAnswer: tellDifference,
                                       onCharts: drawTogether});
  $("#settings").append(setting.root);
  settings.push(setting);
  if (setting !== settings[0]) setting.takeTraffic(settings[0]);
  setting.values = values;  // labels are read in the document alone
  tellControls(setting.form, "capacity").catch(() => {});
  name();
  return setting;
}

function name() {
  const names = settings.length > 1 ? ["A", "B"] : [""];
  settings.forEach((setting, i) => {
    $("h2", setting.root).textContent = names[i] && `Setting ${names[i]}`;
    setting.root.setAttribute("aria-label", names[i] ? `Setting ${names[i]}` : "The setting");
  });
  $("#compare").textContent = settings.length > 1 ? "Leave setting B out" : "Compare with another setting";
}

function dropSetting() {
  const dropped = settings.pop();
  dropped.asking?.abort();
  dropped.root.remove();
  name();
  tellDifference();
  drawTogether();
}

function compareWith(values, change = () => {}) {
  isMoving = false;
  const other = addSetting("b.", values);
  change(other);
  other.ask();
  tellDifference();
  drawTogether();
  keepAddress();
  isMoving = false;
  return other;
}

$("#compare").onclick = () => {
  if (settings.length === 1) return void $("[name=hardware]", compareWith(settings[0].values).root).focus();
  isMoving = false;
  dropSetting();
  keepAddress();
  isMoving = false;
};
$("#compare-layout").onclick = () => {
  const first = settings[0];
  const {"prefill-instances": prefill, "decode-instances": decode, "num-instances": instances, "min-instances": finds, ...others} = first.values;
  const layout = isSplit(first.values) ? "" : "split";
  compareWith(others, (other) => other.takeLayout(layout, first)).root.scrollIntoView({block: "nearest"});
};
$("#link").onclick = () => toClipboard(location.href);

function begin() {
  fill("#models", "models", "model").catch(() => {});
  fill("#gpus", "gpus", "gpu").catch(() => {});
  fill("#links", "links", "name").catch(() => {});
  offerFormats(settings[0]);
  settings.forEach((setting) => setting.ask());
}

askForToken(() => {
  settings.forEach(({form}) => tellControls(form, "capacity").catch(() => {}));
  begin();
});

// What the address asks: settings that are there get its values, others come or go.
function readAddress() {
  const asked = [...new URLSearchParams(location.search)];  // of what stands there twice, the last
  const first = Object.fromEntries(asked.filter(([key]) => !key.startsWith("b.")));
  const second = Object.fromEntries(asked.filter(([key]) => key.startsWith("b.")).map(([key, value]) => [key.slice(2), value]));
  const wanted = [Object.keys(first).length > 0 ? first : DEFAULTS];
  if (Object.keys(second).length > 0) wanted.push(second);
  if (settings.length > wanted.length) dropSetting();
  wanted.forEach((values, i) => {
    if (settings[i]) settings[i].values = values;
    else addSetting(i === 0 ? "" : "b.", values);
  });
}
addEventListener("popstate", () => {
  readAddress();
  isMoving = false;
  settings.forEach((setting) => setting.ask());
});

readAddress();
history.replaceState(null, "", address());
begin();
