// Gets a login as an app does: from Apple, or from another provider that the fake Apple plays.

import { isOK, send } from "./exchange.js";
import { sha256 } from "./tokens.js";

export const apple = { name: "apple", kind: "apple", mint: "mint" };

// The provider issued the code for this address, which the app repeats.
const redirectUri = "https://app.example.com/qq";

// What the app sends to Gatehouse, or null if a request for it was refused.
// `order` and `claims` are for the stand-in; `nonce` is hashed, raw, other or none; `part` is a member of QQ's answer.
export async function obtain({ provider, order, claims, nonce, part }) {
  const body = { ...order, ...(claims ? { claims } : {}) };
  if (nonce !== "none" && !await addNonce(body, provider, nonce)) return null;
  const isApple = provider.kind === "apple";
  const minted = await send({
    label: isApple ? "Apple’s answer to the app" : `Answer of ${provider.name} to the app`,
    kind: isApple ? "mint" : "provider-mint", method: "POST", path: `/console/apple/${provider.mint}`, body,
  });
  return isOK(minted) ? sent(provider, minted.answer.json, part) : null;
}

// The app hands the nonce to the provider, Apple's as its SHA-256, and sends the nonce itself to Gatehouse.
async function addNonce(body, provider, nonce) {
  const isApple = provider.kind === "apple";
  const challenge = await send({
    label: "Challenge", kind: isApple ? "challenge" : "provider-challenge", method: "POST",
    path: isApple ? "/api/auth/apple/challenge" : "/api/auth/challenge",
  });
  if (!isOK(challenge)) return false;
  body.nonce = challenge.answer.json.nonce;
  if (nonce === "hashed") body.claims = { nonce: await sha256(body.nonce), ...body.claims };
  if (nonce === "other") body.claims = { nonce: await sha256("another nonce"), ...body.claims };
  return true;
}

function sent({ kind }, answer, part = "code") {
  if (kind !== "qq") return answer;
  return part === "code" ? { code: answer.code, redirectUri } : { [part]: answer[part] };
}
