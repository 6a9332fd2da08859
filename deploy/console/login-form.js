// The form of a login: presets, the editor, and an app's own token.

import { beginSession, link, logIn, signIn, unlink } from "./actions.js";
import { $, element, replace } from "./dom.js";
import { apple } from "./mint.js";
import { presetsOf, usualNonce } from "./presets.js";
import { state } from "./state.js";
import { run, setDisabled } from "./view-session.js";

let provider = apple;
let preset = presetsOf(apple)[0];

export function buildLogin() {
  buildProviders();
  choose(apple);
  // A reload keeps the session, and with it the choice.
  $("bound").checked = Boolean(state.session?.jkt);
  $("login").onsubmit = (event) => {
    event.preventDefault();
    send(signIn);
  };
  whenEnabled("guest", () => run(() => beginSession({
    label: "Continue as a guest", kind: "guest", method: "POST", path: "/api/auth/guest", body: {},
  }, $("bound").checked)));
  whenEnabled("link", () => send(link));
  whenEnabled("join", () => send((login) => link({ ...login, joins: true })));
  whenEnabled("unlink", () => run(() => unlink(provider)));
  $("paste").onsubmit = (event) => {
    event.preventDefault();
    const body = readToken();
    if (body) run(() => logIn(body, { isBound: $("bound").checked }));
  };
}

// Apple, and the providers of Gatehouse whose logins the fake Apple can mint.
function buildProviders() {
  const offered = [apple, ...state.providers.filter((one) => one.mint && presetsOf(one).length)];
  replace($("provider"), offered.map(({ name, kind }) =>
    element("option", { value: name }, kind === "apple" ? "Apple" : name)));
  $("provider").onchange = () => {
    choose(offered.find(({ name }) => name === $("provider").value));
    showLogin();
  };
}

function choose(one) {
  provider = one;
  preset = presetsOf(provider)[0];
  $("presets-heading").textContent = provider === apple ? "A login with the fake Apple" : `A login by ${provider.name}`;
  $("editor").hidden = provider !== apple;
  replace($("presets"), presetsOf(provider).map(option));
  fill();
}

function whenEnabled(id, action) {
  $(id).onclick = () => {
    if ($(id).getAttribute("aria-disabled") === "false") action();
  };
}

function send(action) {
  const login = provider === apple ? read() : readPreset();
  if (login) run(() => action({ ...login, isBound: $("bound").checked }));
}

function option(one) {
  const input = element("input", { type: "radio", name: "preset", value: one.id, checked: one === preset });
  input.onchange = () => {
    preset = one;
    fill();
  };
  return element(
    "label", { className: "preset" }, input,
    element("span", {}, element("strong", {}, one.name), element("span", { className: "hint" }, one.hint)));
}

// The editor shows what the preset asks of Apple; what is edited counts.
function fill() {
  $("subject").value = preset.returning ? state.subject ?? "" : "";
  $("audience").value = preset.order.aud ?? state.settings.bundleIDs[0] ?? "";
  $("era").value = preset.order.era ?? "2025";
  $("nonce").value = preset.nonce ?? "hashed";
  $("claims").value = JSON.stringify(preset.claims?.() ?? {}, null, 2);
  fault("claims", "");
}

const lastSubject = () => (provider === apple ? state.subject : state.subjects[provider.name]) ?? null;

// There is no returning user before the first login, and no link without a user.
export function showLogin() {
  const input = document.querySelector('input[value="returning"]');
  input.disabled = !lastSubject();
  if (preset.returning) $("subject").value ||= state.subject ?? "";
  for (const button of document.querySelectorAll("#login button, #paste button")) setDisabled(button, state.busy);
  for (const id of ["link", "join", "unlink"]) setDisabled($(id), state.busy || !state.session);
}

// The stand-in does not say which user it has chosen, so the page chooses the user.
function readPreset() {
  const subject = (preset.returning && lastSubject()) || newSubject();
  const isOpenID = ["openid", "google"].includes(provider.kind);
  const audience = isOpenID ? { aud: provider.audience } : {};
  return {
    provider, subject, order: { ...audience, ...preset.order, [isOpenID ? "sub" : "openid"]: subject },
    claims: preset.claims?.(), nonce: preset.nonce ?? usualNonce[provider.kind], twice: preset.twice, part: preset.part,
  };
}

const newSubject = () =>
  [...crypto.getRandomValues(new Uint8Array(14))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function read() {
  // The times of an expired token count from now.
  const claims = object($("claims").value || "{}", "claims");
  if (!claims) return null;
  const { givenName, familyName } = preset.order;
  const order = { era: $("era").value, aud: $("audience").value, ...(givenName ? { givenName, familyName } : {}) };
  if (preset.returning && !$("subject").value) $("subject").value = state.subject ?? "";
  if ($("subject").value) order.sub = $("subject").value;
  if (!order.aud) delete order.aud;
  return { provider, order, claims, nonce: $("nonce").value };
}

function readToken() {
  const text = $("token").value.trim();
  const nonce = $("token-nonce").value;
  fault("token", text ? "" : "Paste the token, or the body that the app sends.");
  if (!text) return null;
  const body = text.startsWith("{") ? object(text, "token") : { identityToken: text };
  return body && nonce ? { ...body, nonce } : body;
}

// Returns null and shows an error at the field if the text is no JSON object.
function object(text, field) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    fault(field, `This is not JSON: ${error.message}.`);
    return null;
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    fault(field, "This must be a JSON object, such as {\"email\": null}.");
    return null;
  }
  fault(field, "");
  return value;
}

function fault(field, text) {
  $(`${field}-error`).textContent = text;
  $(field).setAttribute("aria-invalid", String(Boolean(text)));
  if (text) {
    if (field === "claims") $("editor").open = true;
    $(field).focus();
  }
}
