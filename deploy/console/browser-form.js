// The buttons of a sign-in through a browser: one for each stage, and some for mistakes on purpose.

import * as flows from "./browser-flow.js";
import * as sessions from "./browser-session.js";
import { $, element, replace } from "./dom.js";
import { state } from "./state.js";
import { stage } from "./view-browser.js";
import { run } from "./view-session.js";

export function buildBrowser() {
  for (const input of document.querySelectorAll("input[name=view]")) {
    input.onchange = () => showView(input.value);
    // A reload may keep the choice.
    if (input.checked) showView(input.value);
  }
  const { webProviders: names, settings: { redirectURIs } } = state;
  $("flow").hidden = !names.length;
  $("no-web").hidden = names.length > 0;
  $("no-web").textContent = "No provider signs in through a browser here: REDIRECT_URIS or a provider’s CLIENT_ID is not set.";
  replace($("web-provider"), names.map((name) => element("option", { value: name }, flows.titleOf(name))));
  replace($("redirect-uri"), redirectURIs.flatMap(withPort).map((address) => element("option", {}, address)));
  for (const [id, action] of Object.entries(actions)) whenEnabled(id, action);
  $("page-form").onsubmit = (event) => {
    event.preventDefault();
    if ($("continue").getAttribute("aria-disabled") === "false") run(answer);
  };
}

function showView(name) {
  $("app-view").hidden = name !== "in-app";
  $("browser-view").hidden = name !== "in-browser";
}

// A program on this machine takes any port.
const withPort = (address) => {
  const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(\/.*)?$/.exec(address);
  return loopback ? [address, `${loopback[1]}:51234${loopback[2] ?? ""}`] : [address];
};

// --- What the buttons do ----------------------------------------------------------------------------------------------

const chosen = () => ({ provider: $("web-provider").value, redirectURI: $("redirect-uri").value });

const way = () => $("way").value;

const actions = {
  "make-secrets": () => flows.makeSecrets(),
  "start-flow": () => flows.start(chosen()),
  "start-elsewhere": () =>
    flows.start({ ...chosen(), redirectURI: "https://evil.example/" }, { label: "Start for another address" }),
  "start-unhashed": () => flows.start(chosen(), { label: "Start without a challenge", without: "code_challenge" }),
  "open-page": () => flows.openPage(),
  cancel: () => answer("cancel"),
  "follow-back": () => flows.followBack(),
  "other-browser": () => flows.fromOtherBrowser(),
  "other-state": () => flows.withOtherState(),
  "exchange-code": () => sessions.exchange(way()),
  "wrong-verifier": () => sessions.withWrongVerifier(way()),
  "use-again": () => sessions.useAgain(),
  "web-refresh": () => sessions.refreshSession(),
  "web-sign-out": () => sessions.signOutOfSession(),
  "other-origin": () => sessions.fromOtherOrigin(),
  "all-stages": goOn,
};

function whenEnabled(id, action) {
  $(id).onclick = () => {
    if ($(id).getAttribute("aria-disabled") === "false") run(action);
  };
}

async function answer(action = "continue") {
  const inputs = [...$("page-fields").querySelectorAll("input")];
  const values = inputs.filter(({ type, checked }) => type !== "checkbox" || checked).map(({ name, value }) => [name, value]);
  await flows.answerPage(action, values, $("forgery").value);
  $("forgery").value = "";
}

// From the present stage to the exchange, as far as nothing is refused. A sign-in that is over begins anew.
async function goOn() {
  const { used, result } = state.browser.flow;
  if (used || result?.error) state.browser.flow = {};
  const all = [
    flows.makeSecrets, () => flows.start(chosen()), flows.openPage, answer, flows.followBack, () => sessions.exchange(way()),
  ];
  for (let next = stage(); next < all.length; next += 1) {
    await all[next]();
    if (stage() !== next + 1) return;
  }
}
