// The live log: reads lines as they are written, and shows those of the selected step.

import { ask, stepName } from "./exchange.js";
import { $, code, element, replace } from "./dom.js";
import { onChange, state } from "./state.js";

const longest = 1000;
const names = { gatehouse: "Gatehouse", nginx: "nginx", apple: "fake Apple", console: "fault" };
let lines = [];
let drawn = [];
let cursor;
const times = {}; // of the last line of each source

export function startLog() {
  $("log-filter").addEventListener("change", () => show());
  onChange(() => show());
  read("end");
}

async function read(first) {
  cursor = first;
  for (;;) {
    try {
      const page = await ask("GET", `log/${cursor}`);
      take(page.lines);
      cursor = page.cursor;
      $("log-state").textContent = "";
    } catch (error) {
      $("log-state").textContent = `The log cannot be read: ${error.message}. Trying again.`;
      await new Promise((resolve) => { setTimeout(resolve, 2000); });
    }
  }
}

function take(fresh) {
  if (!fresh.length) return;
  const added = fresh.filter((line) => !isOwn(line));
  for (const line of added) {
    line.isDated = Boolean(line.time) || cursor !== "end";
    times[line.source] = line.at = moment(line);
    connect(line);
  }
  lines = [...lines, ...added].sort((a, b) => a.at - b.at).slice(-longest);
  show();
}

// The page's own questions to the fake Apple.
const isOwn = ({ source, members }) =>
  source === "apple" && members?.method === "GET" && ["/faults", "/inbox"].includes(members.path);

// nginx writes whole seconds, and its line after Gatehouse's. A line that is older than the page and has no time, as those of a
// start, stays behind the one before it.
function moment({ source, time, isDated }) {
  if (!isDated) return times[source] ?? 0;
  const at = Date.parse(time ?? "") || Date.now();
  return source === "nginx" ? Math.min(at + 999, Date.now()) : at;
}

// The line of a fault has the request id that the lost answer would have had.
function connect(line) {
  const step = line.source === "console" && state.steps.find((one) => stepName(one) === line.members?.step);
  if (step && line.requestId && !step.requestIDs.includes(line.requestId)) step.requestIDs.push(line.requestId);
}

function show() {
  const form = new FormData($("log-filter"));
  const sources = new Set(form.getAll("source"));
  const step = form.get("lines") === "step" ? state.selected : null;
  const visible = lines.filter((line) => sources.has(line.source) && (!step || belongs(line, step)));
  draw(visible, step);
}

// Adds lines at the end where that is enough: a line that is open or has the focus stays.
function draw(visible, step) {
  const list = $("log");
  const follows = list.scrollTop + list.clientHeight >= list.scrollHeight - 30;
  const isLonger = drawn.length > 0 && drawn.every((line, index) => line === visible[index]);
  if (isLonger) list.append(...visible.slice(drawn.length).map(view));
  else replace(list, visible.map(view));
  drawn = visible;
  if (!visible.length) {
    replace(list, element("li", { className: "hint" }, step ? "No line of this request yet." : "No line yet."));
  }
  if (follows) list.scrollTop = list.scrollHeight;
}

// A line without a request id, such as each of Apple's, belongs to the request during which it was written.
function belongs(line, step) {
  if (line.members?.step) return line.members.step === stepName(step);
  if (line.requestId) return step.requestIDs.includes(line.requestId);
  const next = state.steps[state.steps.indexOf(step) + 1];
  // The explanation of a refused token fetches Apple's key set once more.
  const end = step.explainedAt ?? next?.startedAt ?? Infinity;
  return line.at >= step.startedAt && line.at < end;
}

function view(line) {
  const details = element(
    "details", {},
    element("summary", {},
      element("span", { className: "time" },
        line.isDated ? new Date(line.at).toLocaleTimeString([], { hour12: false }) : "no time "), " ",
      element("span", { className: `source ${line.source}` }, names[line.source]), " ",
      element("span", { className: status(line) >= 400 ? "bad" : "" }, text(line))),
    code(line.text ?? JSON.stringify(line.members, null, 2), `Line of ${names[line.source]}`));
  return element("li", {}, details);
}

const status = ({ members }) => members?.status ?? 0;

function text({ source, members, text: plain }) {
  if (!members) return plain;
  const { method, path, status: answer, code: reason, event, message, milliseconds, seconds, fault, error } = members;
  if (source === "console") return `${method} ${path} ${message}`;
  const time = milliseconds !== undefined ? `${milliseconds} ms` : seconds !== undefined ? `${seconds} s` : "";
  const name = event === "request" ? "" : event;
  return [name, method, path, answer, reason ?? members.reason ?? error, fault && `fault: ${fault}`, message, time]
    .filter((part) => part !== undefined && part !== "").join(" ");
}
