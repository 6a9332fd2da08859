// What the buttons do: each action is one request or several in a row.

import { control, isOK, send } from "./exchange.js";
import { apple, obtain } from "./mint.js";
import { find, forget, keep, newKey } from "./proofs.js";
import { advance, begin, end, state } from "./state.js";
import { decode } from "./tokens.js";
import { readFaults } from "./faults.js";

// Gets the login of a provider as an app would, and sends it: `login` is for `obtain`. `subject` is the user at a provider
// other than Apple, `isBound` gives the session a key of this page, and `twice` sends the same login again.
export async function signIn(login) {
  const body = await obtain(login);
  if (!body) return;
  await logIn(body, login);
  if (login.twice) await logIn(body, login, "Sign in with the same code");
}

export async function logIn(body, { provider = apple, subject, isBound }, label = "Sign in") {
  const isApple = provider.kind === "apple";
  const step = await beginSession({
    label, kind: "login", provider: provider.kind, method: "POST",
    path: isApple ? "/api/auth/apple" : "/api/auth/identity",
    body: isApple ? body : { provider: provider.name.toUpperCase(), ...body },
  }, isBound);
  if (isOK(step)) remember(provider, body, subject);
  else await explain(step, body);
}

// Sends a login. Its session takes the place of the one before.
export async function beginSession(order, isBound) {
  // An app makes the key before the login, too, so that no session is ever without it.
  const key = isBound ? await newKey() : undefined;
  const step = await send({ ...order, key });
  if (!isOK(step)) return step;
  await drop();
  const isKept = step.answer.json.tokenType === "DPoP";
  begin(step.answer.json, step.answer.json.user, isKept ? key.thumbprint : undefined);
  if (isKept) await keep(key);
  return step;
}

// The user who signed in last, for a returning user.
function remember(provider, body, subject) {
  if (provider.kind === "apple") state.subject = decode(body.identityToken)?.claims?.sub ?? null;
  else state.subjects[provider.name] = subject;
}

// The table of `gatehouse apple verify`, which verifies the same token with the same settings.
async function explain(step, body) {
  if (step.answer?.json?.code !== "invalid_apple_token") return;
  step.explainedAt = Date.now();
  try {
    step.verify = await control("POST", "verify", body);
  } catch (error) {
    step.verify = { checks: [], failure: error.message };
  }
}

// A request with the access token, and of a bound session with a proof by its key.
export async function sendAuthorised(order) {
  return send({ ...order, bearer: state.session?.accessToken, ...await ownKey() });
}

async function ownKey() {
  const jkt = state.session?.jkt;
  return jkt ? { key: await find(jkt), jkt } : {};
}

// The session is over, and with it its key.
export async function drop() {
  if (state.session?.jkt) await forget(state.session.jkt);
  end();
}

// Gets another login, and links it to the signed-in user.
export async function link(login) {
  const body = await obtain(login);
  if (!body) return;
  const join = login.joins ? { onTaken: "join", refreshToken: state.session?.refreshToken } : {};
  const step = await sendAuthorised({
    label: `Link ${login.provider.name}`, kind: login.joins ? "join" : "link", provider: login.provider.kind, method: "POST",
    path: `/api/users/me/accounts/${login.provider.name}`, body: { ...body, ...join },
  });
  if (isOK(step)) remember(login.provider, body, login.subject);
  // The guest is now the user who has the account, in a session of the same key.
  const { json } = step.answer ?? {};
  if (isOK(step) && json.accessToken) begin(json, json.user, json.tokenType === "DPoP" ? state.session.jkt : undefined);
  else await explain(step, body);
}

export const unlink = ({ name, kind }) => sendAuthorised({
  label: `Unlink ${name}`, kind: "unlink", provider: kind, method: "DELETE", path: `/api/users/me/accounts/${name}`,
});

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
