// The view of a sign-in through a browser: its stages, of which each has a button, and the cookies.

import * as flows from "./browser-flow.js";
import { $, element, replace } from "./dom.js";
import { forgeriesOf } from "./forgeries.js";
import { cookies } from "./hop.js";
import { state } from "./state.js";
import { timeLeft } from "./tokens.js";
import { run, setDisabled } from "./view-session.js";

const flow = () => state.browser.flow;

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
  $("app-view").hidden = name !== "app";
  $("browser-view").hidden = name !== "browser";
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
  "start-elsewhere": () => flows.start({ ...chosen(), redirectURI: "https://evil.example/" }, { label: "Start for another address" }),
  "start-unhashed": () => flows.start(chosen(), { label: "Start without a challenge", without: "code_challenge" }),
  "open-page": () => flows.openPage(),
  cancel: () => answer("cancel"),
  "follow-back": () => flows.followBack(),
  "other-browser": () => flows.fromOtherBrowser(),
  "other-state": () => flows.withOtherState(),
  "exchange-code": () => flows.exchange(way()),
  "wrong-verifier": () => flows.withWrongVerifier(way()),
  "use-again": () => flows.useAgain(),
  "web-refresh": () => flows.refreshSession(),
  "web-sign-out": () => flows.signOutOfSession(),
  "other-origin": () => flows.fromOtherOrigin(),
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
  if (stage() === stages.indexOf("session") || flow().result?.error) state.browser.flow = {};
  const all = [flows.makeSecrets, () => flows.start(chosen()), flows.openPage, answer, flows.followBack, () => flows.exchange(way())];
  for (let next = stage(); next < all.length; next += 1) {
    await all[next]();
    if (stage() !== next + 1) return;
  }
}

// --- What is shown ----------------------------------------------------------------------------------------------------

const stages = ["secrets", "start", "page", "answer", "callback", "exchange", "session"];

// The stage that comes next.
function stage() {
  const { verifier, page, form, back, result, used } = flow();
  const isDone = [verifier, page || result, form || result, back || result, result, used];
  const next = isDone.findIndex((value) => !value);
  return next < 0 ? isDone.length : next;
}

export function showBrowser() {
  const next = stage();
  [...$("stages").children].forEach((item, index) => {
    item.className = index < next ? "done" : index === next && !flow().result?.error ? "now" : "later";
  });
  replace($("secrets"), values({ code_verifier: flow().verifier, code_challenge: flow().challenge, state: flow().clientState }));
  replace($("result"), values(flow().result ?? {}));
  showPage();
  showButtons();
  showCookies();
  tickBrowser();
}

const values = (members) => Object.entries(members).filter(([, value]) => value).flatMap(([name, value]) =>
  [element("dt", {}, name), element("dd", {}, value)]);

function showButtons() {
  const { busy, session } = state;
  const { verifier, page, form, back, result, used } = flow();
  const usable = {
    "all-stages": true, "make-secrets": true, "start-flow": verifier, "start-elsewhere": verifier, "start-unhashed": verifier,
    "open-page": flows.isStandIn(page), continue: form, cancel: form, "follow-back": back, "other-browser": back && !result,
    "other-state": back && !result, "exchange-code": result?.code && !used, "wrong-verifier": result?.code && !used,
    "use-again": used, "web-refresh": session?.way, "web-sign-out": session?.way, "other-origin": session?.way === "cookie",
  };
  for (const [id, isUsable] of Object.entries(usable)) setDisabled($(id), busy || !isUsable);
}

let drawn;

// What the user types stays while the page is the same.
function showPage() {
  const { page, form, provider } = flow();
  $("page-note").textContent = page && !flows.isStandIn(page)
    ? "This page is not one of the fake Apple, and the console goes to no other host. Sign in with the example page instead." : "";
  $("page-form").hidden = !form;
  const key = JSON.stringify([page, form]);
  if (key === drawn) return;
  drawn = key;
  replace($("page-fields"), (form?.fields ?? []).flatMap(field));
  replace($("forgery"), element("option", { value: "" }, "right"),
    Object.entries(forgeriesOf(flows.webProvider(provider))).map(([id, { name }]) => element("option", { value: id }, name)));
}

function field({ name, value, label, isCheckbox }) {
  const id = `page-${name}`;
  if (isCheckbox) {
    return element("label", { className: "preset" }, element("input", { id, name, value, type: "checkbox" }), label);
  }
  return [element("label", { for: id }, label), element("input", { id, name, value, autocomplete: "off", spellcheck: false })];
}

function showCookies() {
  const all = cookies();
  replace($("cookies"), all.length ? all.map(({ name, value, attributes }) => element(
    "li", {}, element("code", {}, `${name}=${value.slice(0, 8)}…`), " ",
    element("span", { className: "hint" }, attributes.map(([key, text]) => (text === null ? key : `${key}=${text}`)).join("; "))))
    : element("li", { className: "hint" }, "None."));
}

// The code works after its time as well, so that the refusal can be seen.
export function tickBrowser() {
  const { result, resultAt, used } = flow();
  const left = timeLeft((resultAt ?? 0) + 60);
  $("code-left").textContent = !result?.code || used ? "A code is good for 60 s, once." : left
    ? `The code is good for ${left}. Wait, to see it refused.` : "The code has expired: the exchange will be refused.";
}
