// The last stages of a sign-in through a browser: the client exchanges its code, and the session goes on.

import { drop, me, refresh, signOut } from "./actions.js";
import { api, flow, now, randomText } from "./browser-flow.js";
import { isOK } from "./exchange.js";
import { hop } from "./hop.js";
import { advance, begin, changed, state } from "./state.js";
import { decode } from "./tokens.js";

// `way` is json, cookie or form.
export async function exchange(way) {
  const step = await sendCode(way, { label: "Exchange the code", kind: "web-exchange" });
  if (!isOK(step)) return;
  await drop();
  begin(tokensOf(step), step.answer.json.user);
  state.session.way = way;
  flow().used = way;
  // For Apple's notifications about this user.
  const appleToken = flow().back.form?.find(([name]) => name === "id_token")?.[1];
  if (flow().provider === "apple") state.subject = decode(appleToken)?.claims?.sub ?? state.subject;
  changed();
}

// In the words of the API, or in OAuth's.
function tokensOf({ answer: { json } }) {
  const refreshToken = json.refreshToken ?? json.refresh_token ?? null;
  return { accessToken: json.accessToken ?? json.access_token, refreshToken };
}

export const withWrongVerifier = (way) =>
  sendCode(way, { label: "Exchange with another verifier", kind: "web-verifier" }, randomText(32));

// The client has used the code, so the second use is that of a thief, or the first one was.
export async function useAgain() {
  const step = await sendCode(flow().used, { label: "Use the code again", kind: "web-again" });
  if (step.answer?.status !== 400 || !state.session) return;
  const next = await me();
  if (next.answer?.status === 401) state.session.ended = "its code was used twice";
  changed();
}

function sendCode(way, order, codeVerifier = flow().verifier) {
  const { result: { code }, resultAt, redirectURI } = flow();
  const more = { ...order, method: "POST", url: api("exchange"), age: now() - resultAt, way };
  if (way === "form") {
    const fields = { grant_type: "authorization_code", code, code_verifier: codeVerifier, redirect_uri: redirectURI };
    return hop({ ...more, form: Object.entries(fields) });
  }
  const json = { code, codeVerifier, redirectUri: redirectURI };
  if (way === "json") return hop({ ...more, json });
  return hop({ ...more, json: { ...json, session: "cookie" }, browser: "own", headers: ownOrigin() });
}

// --- The session ------------------------------------------------------------------------------------------------------

const ownOrigin = () => ({ Origin: state.settings.webOrigin, "Sec-Fetch-Site": "same-origin" });

export async function refreshSession() {
  const { way, refreshToken } = state.session;
  if (way === "json") return refresh();
  const step = way === "cookie"
    ? await withCookie("refresh", { label: "Refresh with the cookie", kind: "web-refresh" })
    : await hop({
      label: "Refresh as OAuth", kind: "web-refresh", method: "POST", url: api("exchange"), way,
      form: [["grant_type", "refresh_token"], ["refresh_token", refreshToken]],
    });
  if (isOK(step)) advance(tokensOf(step));
  changed();
  return step;
}

export async function signOutOfSession() {
  if (state.session.way !== "cookie") return signOut();
  const step = await withCookie("logout", { label: "Sign out with the cookie", kind: "web-logout" });
  if (isOK(step)) await drop();
  changed();
  return step;
}

// Of the same site, so the browser sends the cookie.
export function fromOtherOrigin() {
  const { protocol, hostname } = new URL(state.settings.webOrigin);
  const headers = { Origin: `${protocol}//${hostname}:4443`, "Sec-Fetch-Site": "same-site" };
  return withCookie("refresh", { label: "Refresh by a page of another origin", kind: "web-origin", headers });
}

const withCookie = (path, order) =>
  hop({ method: "POST", url: api(path), browser: "own", headers: ownOrigin(), way: "cookie", ...order });
