// Shows the selected step: what it means first, then the request, the answer and the tokens.

import { $, code, copyButton, element, replace } from "./dom.js";
import { curl, swift } from "./snippets.js";
import { state } from "./state.js";
import { readable, tokensIn } from "./tokens.js";
import { verdict } from "./verdict.js";
import { hopView } from "./view-hop.js";
import { tokenView } from "./view-tokens.js";

export const marks = { good: "✓", bad: "✕", lost: "⚡", wait: "…" };

let drawn;

export function showStep() {
  const step = state.selected;
  // A redraw would close what the user has opened, and take the focus away.
  const key = JSON.stringify([step?.number, step?.answer?.status, step?.failure, step?.verify, step?.proofCheck]);
  if (key === drawn) return;
  drawn = key;
  replace($("step"), step ? stepView(step) : start());
}

function start() {
  return element(
    "div", { className: "start" },
    element("h3", {}, "Start here"),
    element("ol", {},
      element("li", {}, "Choose a user under ", element("strong", {}, "Who signs in"), ", and press ",
        element("strong", {}, "Sign in"), "."),
      element("li", {}, "Choose ", element("strong", {}, "Wrong audience"), " and sign in again: the refusal is explained here."),
      element("li", {}, "Send a code under ", element("strong", {}, "Codes"), ": it arrives in the inbox below."),
      element("li", {}, "Choose ", element("strong", {}, "In a browser"), ": a sign-in through a browser, redirect by redirect."),
      element("li", {}, "Lose an answer, replay an old token, sign out: each is a button above."),
    ),
  );
}

function stepView(step) {
  const result = verdict(step);
  return element(
    "article", { className: `step ${result.tone}`, "aria-labelledby": "step-heading" },
    element("h3", { id: "step-heading" }, `${step.number}. ${step.label}`),
    verdictView(step, result),
    checkTable(step.verify, "token", "apple", true), proofTable(step), hopView(step),
    requestView(step), answerView(step), tokensView(step), snippetView(step),
  );
}

function verdictView(step, { tone, title, cause, change, meaning }) {
  return element(
    "div", { className: "verdict" },
    element("p", { className: "title" }, element("span", { "aria-hidden": "true" }, `${marks[tone]} `), title,
      step.answer ? element("span", { className: "status" }, ` ${step.answer.status}`) : null),
    element("dl", {}, entry("What happened", tone === "bad" ? null : cause), entry("Cause", tone === "bad" ? cause : null),
      entry("What it means", meaning), entry("What to change", change),
      entry("In the token", faultOf(step.verify)), entry("In the proof", faultOf(step.proofCheck))),
  );
}

const entry = (name, text) => (text ? [element("dt", {}, name), element("dd", {}, text)] : []);

function faultOf(verify) {
  const fault = verify?.checks.find((check) => check.state === "fault");
  return fault ? `${fault.subject}: ${fault.message}` : null;
}

const states = { ok: "✓ passed", fault: "✕ fault", skipped: "– not checked" };

// Open where the request was refused because of its proof.
function proofTable({ proofCheck, answer }) {
  if (!proofCheck) return null;
  const open = answer?.json?.code === "invalid_dpop_proof";
  return element(
    "details", { className: "part", open }, element("summary", {}, "Checks of the proof"),
    checkTable(proofCheck, "proof", "dpop", open));
}

function checkTable(verify, name, command, isRefused) {
  if (!verify) return null;
  if (verify.failure) return element("p", { className: "error" }, verify.failure);
  if (!verify.checks.length) return verify.detail ? element("p", { className: "error" }, verify.detail) : null;
  const isUsed = verify.ok && isRefused ? `. The ${name} itself is valid: only the server knows that it was used.` : "";
  const rows = verify.checks.map(({ subject, state, message }) =>
    element("tr", { className: state }, element("th", { scope: "row" }, subject), element("td", {}, states[state]),
      element("td", {}, message)));
  return element(
    "div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": `Checks of the ${name}` },
    element("table", {},
      element("caption", {}, `gatehouse ${command} verify: each check of the ${name}, in order${isUsed}`),
      element("thead", {}, element("tr", {},
        ["Check", "Result", "Finding"].map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, rows)));
}

function requestView({ request }) {
  const head = Object.entries(request.headers).map(([name, value]) => `\n${name}: ${short(value)}`).join("");
  const body = request.body === undefined ? "" : `\n\n${typeof request.body === "string" ? request.body : readable(request.body)}`;
  return part("Request", `${request.method} ${request.path}${head}${body}`, true);
}

const short = (value) => (value.length > 60 ? `${value.slice(0, 28)}…${value.slice(-6)}` : value);

function answerView({ answer, failure, milliseconds }) {
  if (failure) return part("Answer", `none: ${failure}`, true);
  if (!answer) return null;
  const head = (answer.fields ?? Object.entries(answer.headers)).map(([name, value]) => `\n${name}: ${value}`).join("");
  const body = answer.json === undefined ? answer.text : readable(answer.json);
  return part(`Answer after ${milliseconds} ms`, `${answer.status}${head}${body ? `\n\n${body}` : ""}`, true);
}

function part(title, text, open) {
  return element("details", { open, className: "part" }, element("summary", {}, title), code(text, title));
}

function tokensView({ request, answer, form = [] }) {
  const { Authorization: credentials, DPoP: proof } = request.headers;
  const accessToken = credentials?.replace(/^\w+ /, "");
  const tokens = [
    ...tokensIn(request.body ?? {}), ...tokensIn(Object.fromEntries(form)), ...tokensIn({ accessToken, proof }), ...tokensIn(answer?.json ?? {}),
  ];
  if (!tokens.length) return null;
  return element("section", { "aria-label": "Tokens" }, element("h4", {}, "Tokens, decoded"), tokens.map(tokenView));
}

function snippetView(step) {
  return [["As curl", curl(step)], ["As Swift", swift(step)]].map(([title, text]) =>
    element("details", { className: "part" }, element("summary", {}, title), copyButton(text, `Copy: ${title}`), code(text, title)));
}
