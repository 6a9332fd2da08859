// Sends requests and records each with its answer.

import { clearFailure } from "./dom.js";
import { addStep, changed, noteEnd, state } from "./state.js";

const faulty = "/console/faulty";

// Sends a request and returns its step: {label, kind, request, answer, failure, requestIDs, startedAt}.
// `order`: label, kind (for the snippets), method, path, body, bearer.
export async function send(order) {
  const step = {
    ...order, request: requestOf(order), answer: null, failure: null, verify: null, requestIDs: [], startedAt: Date.now(),
  };
  addStep(step);
  changed();
  await carryOut(step);
  noteEnd(step.answer?.json?.code);
  changed();
  return step;
}

function requestOf({ method, path, body, bearer }) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  return { method, path: address(path), headers, body };
}

// Where a request goes: through the faults of the API while there are some.
function address(path) {
  return path.startsWith("/api/") && state.apiFaults.length ? faulty + path : path;
}

async function carryOut(step) {
  const { method, path, headers, body } = step.request;
  try {
    const response = await fetch(path, {
      method, cache: "no-store", redirect: "error", headers: { ...headers, "X-Console-Step": stepName(step) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    step.answer = { status: response.status, headers: shown(response.headers), text, json: parsed(text) };
    const id = response.headers.get("x-request-id");
    if (id) step.requestIDs.push(id);
  } catch (error) {
    step.failure = String(error.message ?? error);
  }
  step.milliseconds = Date.now() - step.startedAt;
  step.endedAt = Date.now();
}

// By it, the log tells which request id a lost answer had.
const page = crypto.getRandomValues(new Uint32Array(1))[0].toString(36);
export const stepName = (step) => `${page}-${step.number}`;

const interesting = ["content-type", "cache-control", "www-authenticate", "retry-after", "allow", "x-request-id",
  "x-apple-revocation", "link"];

function shown(headers) {
  return Object.fromEntries(interesting.filter((name) => headers.has(name)).map((name) => [name, headers.get(name)]));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// A request of the page itself, which is no step. When it succeeds, the last failure is no longer shown.
export async function control(method, path, body) {
  const json = await ask(method, path, body);
  clearFailure();
  return json;
}

// The same for requests that the user did not cause: they leave the last failure on the page.
export async function ask(method, path, body) {
  const response = await fetch(`/console/${path}`, {
    method, cache: "no-store", headers: body === undefined ? {} : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const json = parsed(await response.text());
  if (!response.ok) throw new Error(json?.error ?? json?.detail ?? `${path} answered ${response.status}`);
  return json;
}

export const isOK = (step) => step.answer !== null && step.answer.status < 300;
