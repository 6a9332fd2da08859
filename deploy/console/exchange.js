// Sends requests and records each with its answer.

import { clearFailure } from "./dom.js";
import { proof } from "./proofs.js";
import { addStep, changed, noteEnd, state } from "./state.js";

const faulty = "/console/faulty";

// Sends a request and returns its step: {label, kind, request, answer, failure, requestIDs, startedAt}.
// `order`: label, kind (for the snippets), method, path, body, bearer; key for a proof by it, or proof for one that exists;
// language for `Accept-Language`.
export async function send(order) {
  const nonce = state.proofNonce;
  const step = await sendOnce(order);
  // The server demands a nonce, and its answer has one.
  const needsNonce = order.key && step.answer?.json?.reason === "nonce" && state.proofNonce !== nonce;
  return needsNonce ? sendOnce({ ...order, label: `${order.label}, with the nonce` }) : step;
}

async function sendOnce(order) {
  const request = await requestOf(order);
  const step = {
    ...order, request, answer: null, failure: null, verify: null, proofCheck: null, requestIDs: [], startedAt: Date.now(),
  };
  addStep(step);
  changed();
  await carryOut(step);
  noteEnd(step.answer?.json);
  if (request.headers.DPoP && step.answer) await verifyProof(step);
  changed();
  return step;
}

async function requestOf({ method, path, body, bearer, key, proof: made, language }) {
  const headers = {};
  const sent = address(path);
  if (language) headers["Accept-Language"] = language;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (bearer) headers.Authorization = `${key ? "DPoP" : "Bearer"} ${bearer}`;
  if (made) headers.DPoP = made;
  else if (key) headers.DPoP = await proof(key, { method, path: sent, accessToken: bearer });
  return { method, path: sent, headers, body };
}

// The table of `gatehouse dpop verify`.
async function verifyProof(step) {
  const { method, path, headers } = step.request;
  const order = { proof: headers.DPoP, method, url: location.origin + path, accessToken: step.bearer, jkt: step.jkt };
  try {
    step.proofCheck = await control("POST", "verify-proof", order);
  } catch (error) {
    step.proofCheck = { checks: [], failure: error.message };
  }
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
    state.proofNonce = response.headers.get("dpop-nonce") ?? state.proofNonce;
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
  "x-apple-revocation", "dpop-nonce", "link"];

function shown(headers) {
  return Object.fromEntries(interesting.filter((name) => headers.has(name)).map((name) => [name, headers.get(name)]));
}

export function parsed(text) {
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

// The providers that sign in through a browser, and whether there are passkeys.
export async function readWays() {
  const response = await fetch("/api/auth/ways", { cache: "no-store" });
  if (!response.ok) throw new Error(`/api/auth/ways answered ${response.status}`);
  ({
    web: state.webProviders, passkey: state.offersPasskeys = false, number: state.offersOneTap = false,
  } = await response.json());
}

export const isOK = (step) => step.answer !== null && step.answer.status < 300;
