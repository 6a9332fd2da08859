// Shows who is signed in, the buttons, and the history.

import * as actions from "./actions.js";
import { $, announce, element, fail, replace } from "./dom.js";
import { changed, state } from "./state.js";
import { decode } from "./tokens.js";
import { verdict } from "./verdict.js";
import { marks } from "./view-step.js";
import { boundTo, expiry } from "./view-tokens.js";
import { readFaults } from "./faults.js";

// Runs one action at a time, and tells how its last request ended.
export async function run(action) {
  if (state.busy) return;
  state.busy = true;
  changed();
  try {
    await action();
    await readFaults();
  } catch (error) {
    fail(error);
  } finally {
    state.busy = false;
    changed();
  }
  if (state.selected) {
    reveal($("step"));
    announce(summary(state.selected));
  }
}

// On a narrow window the result is far below the button.
function reveal(node) {
  const { top } = node.getBoundingClientRect();
  if (top < 0 || top > innerHeight * 0.6) node.scrollIntoView({ block: "start" });
}

function summary(step) {
  const { title, cause = "", change = "" } = verdict(step);
  return `${step.label}. ${title}. ${cause} ${change}`;
}

// The last member: only for a bound session.
const buttons = [
  ["me", "Me", actions.me],
  ["refresh", "Refresh", () => actions.refresh()],
  ["lose", "Lose the answer and refresh again", actions.loseAndRefresh],
  ["replay", "Replay an old token", actions.replay],
  ["no-proof", "Steal the tokens: no proof", actions.withoutProof, true],
  ["other-key", "Steal the tokens: another key", actions.withOtherKey, true],
  ["same-proof", "Steal a request: the same proof", actions.repeatProof, true],
  ["sign-out", "Sign out", actions.signOut],
  ["export", "Export", actions.exportData],
  ["delete", "Delete the account", actions.deleteAccount],
];

// Not there for a session in a cookie: the view of the browser has its own.
const needToken = ["refresh", "lose", "replay"];

const notifications = ["email-disabled", "email-enabled", "consent-revoked", "account-delete"];

export function buildActions() {
  const choice = element("select", { id: "notification", "aria-label": "Kind of notification" },
    notifications.map((type) => element("option", {}, type)));
  replace(
    $("actions"),
    buttons.map(([id, name, action]) => actionButton(id, name, action)),
    element("span", { className: "pair", id: "notify-pair" }, choice,
      actionButton("notify", "Notification from Apple", () => actions.notify(choice.value))),
  );
}

function actionButton(id, name, action) {
  const button = element("button", { type: "button", id }, name);
  button.onclick = () => {
    if (button.getAttribute("aria-disabled") === "false") run(action);
  };
  return button;
}

export function showSession() {
  const { session, busy } = state;
  replace($("session"), session ? signedIn(session) : element("p", { className: "hint" }, "No user is signed in."));
  for (const [id, , , isOfBound] of buttons) {
    setDisabled($(id), busy || !session || (needToken.includes(id) && !session.refreshToken));
    if (isOfBound) $(id).hidden = !session?.jkt;
  }
  $("notify-pair").hidden = !state.settings.fakeApple;
  setDisabled($("notify"), busy || !state.subject);
}

// `disabled` would take the focus away while a request runs.
export function setDisabled(button, isDisabled) {
  button.setAttribute("aria-disabled", String(isDisabled));
}

function signedIn({ accessToken, refreshToken, user, ended }) {
  const access = decode(accessToken)?.claims ?? {};
  const refresh = decode(refreshToken)?.claims ?? {};
  return element(
    "dl", { className: "session" },
    element("dt", {}, "User"), element("dd", {}, user?.nickname ?? user?.email ?? user?.phone ?? "unnamed", " ", element("code", {}, access.sub ?? "")),
    element("dt", {}, "Key"), element("dd", {}, boundTo(access)),
    ended ? [element("dt", {}, "Session"), element("dd", { className: "error" }, `ended: ${ended}. Sign in again.`)] : [],
    element("dt", {}, "Access token"), element("dd", {}, expiry(access.exp)),
    element("dt", {}, "Refresh token"), element("dd", {}, refreshToken
      ? [`generation ${refresh.gen ?? "?"}, `, expiry(refresh.exp)].flat() : "in the cookie, where no script reads it"),
  );
}

export function showHistory() {
  $("no-history").hidden = state.steps.length > 0;
  replace($("history"), [...state.steps].reverse().map((step) => {
    const { tone } = verdict(step);
    const status = step.answer?.status ?? (step.failure ? "no answer" : "…");
    const button = element(
      "button", { type: "button", className: tone, onclick: () => select(step) },
      element("span", { "aria-hidden": "true" }, marks[tone]), `${step.number}. ${step.label}`,
      element("span", { className: "status" }, String(status)));
    if (step === state.selected) button.setAttribute("aria-current", "true");
    return element("li", {}, button);
  }));
}

function select(step) {
  const index = [...$("history").querySelectorAll("button")].indexOf(document.activeElement);
  state.selected = step;
  changed();
  $("history").querySelectorAll("button")[index]?.focus();
  announce(summary(step));
}
