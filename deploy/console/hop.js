// Requests of a browser, and of a client that signs in through one. The console's server sends each, because a script sees
// neither redirects nor cookies. It follows no redirect: the next request is a step of its own.

import { parsed, stepName } from "./exchange.js";
import { addStep, changed, noteEnd, state } from "./state.js";

// Sends a request and returns its step. `order`: label, kind, method, url; form (pairs) or json; headers; browser: `own` has the
// cookies of the page's browser and stores new ones, `other` has none, and without it a client sends the request; isForeign
// for a request that a page of another site causes.
export async function hop(order) {
  const step = {
    ...order, request: requestOf(order), answer: null, failure: null, verify: null, proofCheck: null, requestIDs: [],
    startedAt: Date.now(), isHop: true,
  };
  addStep(step);
  changed();
  await carryOut(step);
  if (order.browser === "own") keep(step.answer?.cookies ?? []);
  noteEnd(step.answer?.json);
  changed();
  return step;
}

function requestOf({ method = "GET", url, form, json, headers = {}, browser, isForeign = false }) {
  const all = { ...headers };
  const cookies = browser === "own" ? cookiesFor(isForeign, method) : [];
  if (cookies.length) all.Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  if (form) all["Content-Type"] = "application/x-www-form-urlencoded";
  if (json) all["Content-Type"] = "application/json";
  return { method, path: url, headers: all, body: form ? new URLSearchParams(form).toString() : json };
}

async function carryOut(step) {
  const { method, path: url, headers, body } = step.request;
  const text = typeof body === "object" ? JSON.stringify(body) : body;
  try {
    const response = await fetch("/console/hop", {
      method: "POST", cache: "no-store", headers: { "Content-Type": "application/json", "X-Console-Step": stepName(step) },
      body: JSON.stringify({ method, url, headers: { "User-Agent": navigator.userAgent, ...headers }, body: text }),
    });
    const json = parsed(await response.text());
    if (response.ok) takeAnswer(step, json);
    else step.failure = json?.error ?? `the console answered ${response.status}`;
  } catch (error) {
    step.failure = String(error.message ?? error);
  }
  step.milliseconds = Date.now() - step.startedAt;
  step.endedAt = Date.now();
}

function takeAnswer(step, { status, headers: fields, body: text, cookies }) {
  const headers = Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
  step.answer = { status, headers, fields, text, json: parsed(text), cookies };
  if (headers["x-request-id"]) step.requestIDs.push(headers["x-request-id"]);
}

// Where the browser goes next; undefined for an answer that is no redirect.
export const locationOf = ({ answer }) => (answer?.status === 303 ? answer.headers.location : undefined);

// --- The cookies of the page's browser --------------------------------------------------------------------------------

const now = () => Date.now() / 1000;

// A form that a page of another site posts comes with those of SameSite=None alone.
function cookiesFor(isForeign, method) {
  return cookies().filter(({ sameSite }) => !isForeign || sameSite === "none" || (sameSite === "lax" && method === "GET"));
}

export const cookies = () => state.browser.cookies.filter(({ expiresAt }) => !expiresAt || expiresAt > now());

function keep(received) {
  for (const { name, value, attributes, effect } of received) {
    if (effect === "refused") continue;
    const others = state.browser.cookies.filter((one) => one.name !== name);
    const known = Object.fromEntries(attributes.map(([key, text]) => [key.toLowerCase(), text]));
    const seconds = Number(known["max-age"]);
    const cookie = {
      name, value, attributes, sameSite: (known.samesite ?? "lax").toLowerCase(),
      expiresAt: known["max-age"] ? now() + seconds : null,
    };
    state.browser.cookies = effect === "removed" ? others : [...others, cookie];
  }
}
