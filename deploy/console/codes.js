// What the buttons of the codes do. A code is sent to an address; with the id in the answer it signs in or binds the address.

import { beginSession, sendAuthorised } from "./actions.js";
import { isOK, send } from "./exchange.js";
import { begin, state } from "./state.js";

const now = () => Date.now() / 1000;

export async function sendCode({ channel, to, language }) {
  await ask({ label: `Send a code by ${names[channel]}`, kind: "code-send", body: { channel, to }, language });
}

// The same code again, while it is alive and the address is the same.
export async function sendAgain({ channel, to, language }) {
  const body = { channel, to, codeId: state.code.id };
  await ask({ label: "Send the code again", kind: "code-again", body, language });
}

const names = { phone: "text message", email: "mail" };

async function ask(order) {
  const step = await send({ ...order, method: "POST", path: "/api/auth/codes" });
  const { channel, to } = order.body;
  if (isOK(step)) {
    const { codeId, expiresIn, resendAfter } = step.answer.json;
    state.code = { id: codeId, channel, to, expiresAt: now() + expiresIn, resendAt: now() + resendAfter };
  } else if (state.code && step.answer?.headers["retry-after"]) {
    state.code.resendAt = now() + Number(step.answer.headers["retry-after"]);
  }
}

export const signInByCode = (code, isBound) => beginSession({
  label: "Sign in with the code", kind: "code-login", method: "POST", path: `/api/auth/codes/${state.code.id}`,
  body: { code },
}, isBound);

export const bind = (code) => bindBy("Bind the address", "code-bind", { code });

export const replaceBound = (code) => bindBy("Replace the address", "code-replace", { code, replace: true });

// With `join`, the answer is a login if the address belongs to another user. Its session has the key of the present one. A join
// needs the refresh token: an access token may be stolen. That of a page is in its cookie.
export async function bindOrJoin(code) {
  const { jkt, refreshToken } = state.session;
  const held = refreshToken ? { refreshToken } : { session: "cookie" };
  const step = await bindBy("Bind the address or join its user", "code-join", { code, onTaken: "join", ...held });
  if (isOK(step) && step.answer.json.accessToken) begin(step.answer.json, step.answer.json.user, jkt);
}

const bindBy = (label, kind, { code, ...more }) => sendAuthorised({
  label, kind, method: "POST", path: `/api/users/me/accounts/${state.code.channel}`,
  body: { codeId: state.code.id, code, ...more },
});

export const unbind = (channel) => sendAuthorised({
  label: `Unbind ${channel}`, kind: "code-unbind", channel, method: "DELETE", path: `/api/users/me/accounts/${channel}`,
});

// --- One tap --------------------------------------------------------------------------------------------------------

// The fake Apple plays the carrier and the library of a vendor, too.
async function carrierToken(phone) {
  const step = await send({
    label: "Token of the carrier", kind: "number-mint", method: "POST", path: "/console/apple/number/mint", body: { phone },
  });
  return isOK(step) ? step.answer.json : null;
}

export async function signInByNumber(phone, isBound) {
  const body = await carrierToken(phone);
  const order = { label: "Sign in by one tap", kind: "number-login", method: "POST", path: "/api/auth/number", body };
  if (body) await beginSession(order, isBound);
}

export async function bindByNumber(phone) {
  const body = await carrierToken(phone);
  const order = { label: "Bind by one tap", kind: "number-bind", method: "POST", path: "/api/users/me/accounts/number", body };
  if (body) await sendAuthorised(order);
}
