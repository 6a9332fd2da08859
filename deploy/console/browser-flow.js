// The stages of a sign-in through a browser until the client has a code. Each sends one request, or two for a mistake on
// purpose.

import { isOK } from "./exchange.js";
import { forge } from "./forgeries.js";
import { hop, locationOf } from "./hop.js";
import { apple } from "./mint.js";
import { formIn } from "./page-form.js";
import { encoded, hash } from "./proofs.js";
import { changed, state } from "./state.js";

export const now = () => Date.now() / 1000;
export const flow = () => state.browser.flow;
export const api = (path) => `${state.settings.webOrigin}/api/auth/${path}`;
export const randomText = (count) => encoded(crypto.getRandomValues(new Uint8Array(count)));

export const webProvider = (name) =>
  (name === "apple" ? apple : state.providers.find((one) => one.name.toLowerCase() === name));

export const titleOf = (name) => (name === "apple" ? "Apple" : name);

// --- 1, 2: the client begins ------------------------------------------------------------------------------------------

export async function makeSecrets() {
  const verifier = randomText(32);
  state.browser.flow = { verifier, challenge: await hash(verifier), clientState: randomText(16) };
  changed();
}

export async function start({ provider, redirectURI }, { label = `Start at ${titleOf(provider)}`, without } = {}) {
  const { verifier, challenge, clientState } = flow();
  state.browser.flow = { verifier, challenge, clientState, provider, redirectURI };
  const step = await hop({
    label, kind: "web-start", url: startAddress(flow(), without), browser: "own", provider, redirectURI, clientState,
  });
  const location = locationOf(step);
  if (!location) return;
  if (isAt(location, redirectURI)) flow().result = parametersOf(location);
  else [flow().page] = location.split("#");
  changed();
}

function startAddress({ provider, redirectURI, challenge, clientState }, without) {
  const query = new URLSearchParams({
    response_type: "code", redirect_uri: redirectURI, code_challenge: challenge, code_challenge_method: "S256",
    state: clientState,
  });
  if (without) query.delete(without);
  return `${api(`${provider}/start`)}?${query}`;
}

const isAt = (address, start) => [start, `${start}?`, `${start}&`].some((one) => address === one || address.startsWith(one));

const parametersOf = (address) => Object.fromEntries(new URL(address).searchParams);

// --- 3, 4: the provider's page ----------------------------------------------------------------------------------------

export const isStandIn = (address) =>
  Boolean(state.settings.pagesOrigin) && (address ?? "").startsWith(`${state.settings.pagesOrigin}/`);

export async function openPage() {
  const { provider, page } = flow();
  const step = await hop({ label: `The page of ${titleOf(provider)}`, kind: "web-page", url: page, provider });
  Object.assign(flow(), { form: isOK(step) ? formIn(step.answer.text) : null, back: null, result: null, used: null });
  changed();
}

// `values` are the fields of the form, `action` is its button, and `forgery` is how the answer is wrong.
export async function answerPage(action, values, forgery) {
  const { provider, page } = flow();
  if (forgery && !await forge(webProvider(provider), forgery)) return;
  const step = await hop({
    label: `${action === "cancel" ? "Cancel" : "Continue"} at ${titleOf(provider)}`, kind: "web-answer", method: "POST", url: page,
    form: [...values, ["action", action]], headers: { "Sec-Fetch-Site": "same-origin" }, provider, forgery,
  });
  Object.assign(flow(), { back: backOf(step), result: null, used: null });
  changed();
}

// How the browser comes back: {method, url, form}; null if it stays at the provider.
export function backOf(step) {
  const url = locationOf(step);
  if (url) return { method: "GET", url };
  const form = formIn(step.answer?.text);
  if (!form?.action) return null;
  return { method: "POST", url: form.action, form: form.fields.map(({ name, value }) => [name, value]) };
}

// --- 5: the callback --------------------------------------------------------------------------------------------------

// The page of the provider is of another site.
function callback(more) {
  const { back, provider, clientState, redirectURI } = flow();
  const origin = back.method === "POST" ? { Origin: state.settings.pagesOrigin } : {};
  return hop({
    label: `Callback of ${titleOf(provider)}`, kind: "web-callback", ...back, headers: { ...origin, "Sec-Fetch-Site": "cross-site" },
    browser: "own", isForeign: true, provider, clientState, redirectURI, ...more,
  });
}

export async function followBack() {
  const location = locationOf(await callback());
  if (!location) return;
  Object.assign(flow(), { result: parametersOf(location), resultAt: now(), used: null });
  changed();
}

export const fromOtherBrowser = () =>
  callback({ label: "Callback in another browser", kind: "web-callback-other", browser: "other" });

// An attacker begins a sign-in, and has this browser end it.
export async function withOtherState() {
  const { provider, redirectURI, back } = flow();
  const begun = await hop({
    label: "Another browser starts a sign-in", kind: "web-start", browser: "other", provider, redirectURI,
    url: startAddress({ provider, redirectURI, challenge: await hash(randomText(32)), clientState: randomText(16) }),
  });
  const other = locationOf(begun) && parametersOf(locationOf(begun)).state;
  if (!other) return;
  const changes = { label: "Callback with that state", kind: "web-callback-state" };
  if (back.method === "POST") {
    await callback({ ...changes, form: back.form.map(([name, value]) => [name, name === "state" ? other : value]) });
  } else {
    const url = new URL(back.url);
    url.searchParams.set("state", other);
    await callback({ ...changes, url: url.href });
  }
}
