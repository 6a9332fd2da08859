// What the buttons do: each action is one request or several in a row.

import { control, isOK, send } from "./exchange.js";
import { find, forget, keep, newKey } from "./proofs.js";
import { advance, begin, end, state } from "./state.js";
import { decode, sha256 } from "./tokens.js";
import { readFaults } from "./faults.js";

// Mints a login with the fake Apple as an app's system would, and sends it.
// `order` is for the fake Apple; `nonce` is hashed, raw, other or none. `isBound`: the session gets a key of this page.
export async function signIn({ order, claims, nonce, isBound }) {
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
  if (isOK(minted)) await logIn(minted.answer.json, isBound);
}

export async function logIn(body, isBound) {
  // An app makes the key before the login, too, so that no session is ever without it.
  const key = isBound ? await newKey() : undefined;
  const step = await send({ label: "Sign in", kind: "login", method: "POST", path: "/api/auth/apple", body, key });
  if (isOK(step)) {
    await drop();
    const isKept = step.answer.json.tokenType === "DPoP";
    begin(step.answer.json, step.answer.json.user, isKept ? key.thumbprint : undefined);
    if (isKept) await keep(key);
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

// A request with the access token, and of a bound session with a proof by its key.
async function sendAuthorised(order) {
  return send({ ...order, bearer: state.session?.accessToken, ...await ownKey() });
}

async function ownKey() {
  const jkt = state.session?.jkt;
  return jkt ? { key: await find(jkt), jkt } : {};
}

// The session is over, and with it its key.
async function drop() {
  if (state.session?.jkt) await forget(state.session.jkt);
  end();
}

export const me = () => sendAuthorised({ label: "Me", kind: "me", method: "GET", path: "/api/users/me" });

export async function refresh(label = "Refresh", kind = "refresh", token = state.session?.refreshToken) {
  const step = await send({
    label, kind, method: "POST", path: "/api/auth/refresh", body: { refreshToken: token }, ...await ownKey(),
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

// --- What a thief of the tokens of a bound session can do -----------------------------------------------------------------

const stolen = () => ({
  method: "POST", path: "/api/auth/refresh", body: { refreshToken: state.session.refreshToken }, jkt: state.session.jkt,
});

export const withoutProof = () => send({ label: "Refresh without a proof", kind: "no-proof", ...stolen() });

export const withOtherKey = async () =>
  send({ label: "Refresh with another key", kind: "other-key", ...stolen(), key: await newKey() });

// The same request again, as a thief who has read it would send it.
export async function repeatProof() {
  const request = stolen();
  const first = await refresh();
  if (!isOK(first)) return;
  await send({ label: "Send the same proof again", kind: "same-proof", ...request, proof: first.request.headers.DPoP });
}

export async function signOut() {
  const step = await sendAuthorised({ label: "Sign out", kind: "logout", method: "POST", path: "/api/auth/logout" });
  if (isOK(step)) await drop();
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
  sendAuthorised({ label: "Export", kind: "export", method: "GET", path: "/api/users/me/export" });

export async function deleteAccount() {
  const step = await sendAuthorised({
    label: "Delete the account", kind: "delete", method: "DELETE", path: "/api/users/me",
  });
  if (isOK(step)) await drop();
}
