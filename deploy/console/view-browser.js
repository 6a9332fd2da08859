// Shows how far a sign-in through a browser is, and the cookies of its browser.

import * as flows from "./browser-flow.js";
import { $, element, replace } from "./dom.js";
import { forgeriesOf } from "./forgeries.js";
import { cookies } from "./hop.js";
import { state } from "./state.js";
import { timeLeft } from "./tokens.js";
import { setDisabled } from "./view-session.js";

const { flow } = flows;

// The index of the stage that comes next.
export function stage() {
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
  const { verifier, challenge, clientState, result } = flow();
  replace($("secrets"), values({ code_verifier: verifier, code_challenge: challenge, state: clientState }));
  replace($("result"), values(result ?? {}));
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
