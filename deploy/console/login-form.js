// The form of a login: presets, the editor, and an app's own token.

import { logIn, signIn } from "./actions.js";
import { $, element, replace } from "./dom.js";
import { presets } from "./presets.js";
import { state } from "./state.js";
import { run, setDisabled } from "./view-session.js";

let preset = presets[0];

export function buildLogin() {
  replace($("presets"), presets.map(option));
  // A reload keeps the session, and with it the choice.
  $("bound").checked = Boolean(state.session?.jkt);
  fill();
  $("login").onsubmit = (event) => {
    event.preventDefault();
    const login = read();
    if (login) run(() => signIn({ ...login, isBound: $("bound").checked }));
  };
  $("paste").onsubmit = (event) => {
    event.preventDefault();
    const body = readToken();
    if (body) run(() => logIn(body, $("bound").checked));
  };
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

// There is no returning user before the first login.
export function showLogin() {
  const input = document.querySelector('input[value="returning"]');
  input.disabled = !state.subject;
  if (preset.returning) $("subject").value ||= state.subject ?? "";
  for (const button of document.querySelectorAll("#login button, #paste button")) setDisabled(button, state.busy);
}

function read() {
  // The times of an expired token count from now.
  const claims = object($("claims").value || "{}", "claims");
  if (!claims) return null;
  const { givenName, familyName } = preset.order;
  const order = { era: $("era").value, aud: $("audience").value, ...(givenName ? { givenName, familyName } : {}) };
  if (preset.returning && !$("subject").value) $("subject").value = state.subject ?? "";
  if ($("subject").value) order.sub = $("subject").value;
  if (!order.aud) delete order.aud;
  return { order, claims, nonce: $("nonce").value };
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
