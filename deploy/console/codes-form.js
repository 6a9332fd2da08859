// The forms of the codes: one asks for a code, the other uses it.

import {
  bind, bindByNumber, bindOrJoin, replaceBound, sendAgain, sendCode, signInByCode, signInByNumber, unbind,
} from "./codes.js";
import { $ } from "./dom.js";
import { state } from "./state.js";
import { timeLeft } from "./tokens.js";
import { run, setDisabled } from "./view-session.js";

// With --real-apple a message may really be sent: these are a number of documentation, and a domain without mail.
const examples = { phone: "+8613800138000", email: "ada@example.com" };

const asked = () => ({ channel: $("channel").value, to: $("to").value.trim(), language: $("language").value });

export function buildCodes() {
  const { channel = "phone", to = examples[channel] } = state.code ?? {};
  $("channel").value = channel;
  $("to").value = to;
  $("channel").onchange = () => { $("to").value = examples[$("channel").value]; };
  onSubmit("codes", "send-code", () => sendCode(asked()));
  onSubmit("code-form", "code-login", () => signInByCode(code(), $("bound").checked));
  whenEnabled("send-again", () => sendAgain(asked()));
  whenEnabled("code-bind", () => bind(code()));
  whenEnabled("code-join", () => bindOrJoin(code()));
  whenEnabled("code-replace", () => replaceBound(code()));
  whenEnabled("code-unbind", () => unbind($("channel").value));
  // Only the fake Apple has tokens for a page: the carrier gives them to apps.
  $("one-tap").hidden = !state.settings.fakeApple || !state.offersOneTap;
  whenEnabled("number-login", () => signInByNumber(number(), $("bound").checked));
  whenEnabled("number-bind", () => bindByNumber(number()));
}

const code = () => $("code").value.trim();

// The number of the SIM: while the form has a mail address, the number of the examples.
const number = () => ($("channel").value === "phone" ? $("to").value.trim() : examples.phone);

export function fillCode(text) {
  $("code").value = text;
  $("code").focus();
}

function onSubmit(form, button, action) {
  $(form).onsubmit = (event) => {
    event.preventDefault();
    if ($(button).getAttribute("aria-disabled") === "false") run(action);
  };
}

function whenEnabled(id, action) {
  $(id).onclick = () => {
    if ($(id).getAttribute("aria-disabled") === "false") run(action);
  };
}

// No code signs in before one was sent, and none binds without a user.
export function showCodes() {
  for (const id of ["send-code", "number-login"]) setDisabled($(id), state.busy);
  for (const id of ["send-again", "code-login"]) setDisabled($(id), state.busy || !state.code);
  for (const id of ["code-bind", "code-join", "code-replace"]) setDisabled($(id), state.busy || !state.code || !state.session);
  for (const id of ["code-unbind", "number-bind"]) setDisabled($(id), state.busy || !state.session);
  tickCodes();
}

// The button works before its time, so that the refusal can be seen.
export function tickCodes() {
  if (!state.code) return;
  const { to, expiresAt, resendAt } = state.code;
  // Whole seconds are rounded down, and the wait must not seem to be over too early.
  const [left, wait] = [timeLeft(expiresAt), timeLeft(resendAt + 1)];
  $("code-state").textContent = `Sent to ${to}, ${left ? `valid for ${left}` : "expired"}. `
    + (wait ? `It may be sent again in ${wait}.` : "It may be sent again.");
}
