// What the buttons do: each action is one request or several in a row.

import { control, isOK, send } from "./exchange.js";
import { advance, begin, end, state } from "./state.js";
import { decode, sha256 } from "./tokens.js";
import { readFaults } from "./faults.js";

// Mints a login with the fake Apple as an app's system would, and sends it.
// `order` is for the fake Apple; `nonce` is hashed, raw, other or none.
export async function signIn({ order, claims, nonce }) {
  const body = { ...order, claims: { ...claims } };
  if (nonce !== "none") {
    const challenge = await send({
      label: "Challenge", kind: "challenge", method: "POST", path: "/api/auth/apple/challenge",
    });
    if (!isOK(challenge)) return;
    body.nonce = challenge.answer.json.nonce;
    // An app passes the SHA-256 to Apple, and the nonce itself to Gatehouse.
    if (nonce === "hashed") body.claims = { nonce: await sha256(body.nonce), ...body.claims };
    if (nonce === "other") body.claims = { nonce: await sha256("another nonce"), ...body.claims };
  }
  const minted = await send({
    label: "Apple’s answer to the app", kind: "mint", method: "POST", path: "/console/apple/mint", body,
  });
  if (isOK(minted)) await logIn(minted.answer.json);
}

export async function logIn(body) {
  const step = await send({ label: "Sign in", kind: "login", method: "POST", path: "/api/auth/apple", body });
  if (isOK(step)) {
    begin(step.answer.json, step.answer.json.user);
    state.subject = decode(body.identityToken)?.claims?.sub ?? null;
  } else if (step.answer?.json?.code === "invalid_apple_token") {
    await explain(step, body);
  }
}

// The table of `gatehouse apple verify`, which verifies the same token with the same settings.
async function explain(step, body) {
  step.explainedAt = Date.now();
  try {
    step.verify = await control("POST", "verify", body);
  } catch (error) {
    step.verify = { checks: [], failure: error.message };
  }
}

const bearer = () => state.session?.accessToken;

export const me = () =>
  send({ label: "Me", kind: "me", method: "GET", path: "/api/users/me", bearer: bearer() });

export async function refresh(label = "Refresh", kind = "refresh", token = state.session?.refreshToken) {
  const step = await send({
    label, kind, method: "POST", path: "/api/auth/refresh", body: { refreshToken: token },
  });
  if (isOK(step)) advance(step.answer.json);
  return step;
}

// The server carries the first request out, and the second one gets the answer that was lost.
export async function loseAndRefresh() {
  const fault = { fault: "lost", path: "/api/auth/refresh", times: 1 };
  state.apiFaults = (await control("POST", "faults", fault)).faults;
  await refresh("Refresh, its answer lost", "lost");
  await readFaults();
  await refresh("Refresh again with the same token", "again");
}

// A token that was replaced within REFRESH_REUSE_GRACE (30 s) raced; after that it is theft.
export async function replay() {
  while (state.oldTokens.length < 2) {
    if (!isOK(await refresh()) || !isOK(await me())) return;
  }
  await refresh("Replay an old token", "replay", state.oldTokens[0]);
}

export async function signOut() {
  const step = await send({
    label: "Sign out", kind: "logout", method: "POST", path: "/api/auth/logout", bearer: bearer(),
  });
  if (isOK(step)) end();
}

// Apple's server signs a notification; the page delivers it, so that the request is visible.
export async function notify(type) {
  const body = { type, sub: state.subject ?? "001234.unknown.0930" };
  const signed = await send({
    label: "Apple signs a notification", kind: "mint-notification", method: "POST", path: "/console/apple/notify", body,
  });
  if (!isOK(signed)) return;
  await send({
    label: `Notification: ${type}`, kind: "notification", type, method: "POST", path: "/api/auth/apple/notifications",
    body: { payload: signed.answer.json.payload },
  });
}

export const exportData = () =>
  send({ label: "Export", kind: "export", method: "GET", path: "/api/users/me/export", bearer: bearer() });

export async function deleteAccount() {
  const step = await send({
    label: "Delete the account", kind: "delete", method: "DELETE", path: "/api/users/me", bearer: bearer(),
  });
  if (isOK(step)) end();
}
