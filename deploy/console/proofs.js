// Keys to which sessions are bound, and proofs by them (RFC 9449). No script can read a private key, and a reload keeps it.

import { state } from "./state.js";

const algorithm = { name: "ECDSA", namedCurve: "P-256" };
const loaded = new Map();

// A key is {pair, jwk, thumbprint}.
export async function newKey() {
  const pair = await crypto.subtle.generateKey(algorithm, false, ["sign"]);
  const { crv, kty, x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  // RFC 7638: the members in this order.
  return { pair, jwk: { crv, kty, x, y }, thumbprint: await hash(JSON.stringify({ crv, kty, x, y })) };
}

// `order`: method, path as it is sent, accessToken if one is sent.
export async function proof(key, { method, path, accessToken }) {
  const claims = {
    jti: crypto.randomUUID(), htm: method, htu: location.origin + path.split("?")[0], iat: Math.floor(Date.now() / 1000),
    ...(accessToken ? { ath: await hash(accessToken) } : {}), ...(state.proofNonce ? { nonce: state.proofNonce } : {}),
  };
  const header = { typ: "dpop+jwt", alg: "ES256", jwk: key.jwk };
  const content = [header, claims].map((part) => encoded(bytes(JSON.stringify(part)))).join(".");
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key.pair.privateKey, bytes(content));
  return `${content}.${encoded(new Uint8Array(signature))}`;
}

const bytes = (text) => new TextEncoder().encode(text);

export const hash = async (text) => encoded(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes(text))));

export const encoded = (octets) =>
  btoa(String.fromCharCode(...octets)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

// --- IndexedDB: it alone can keep a key that cannot be read -----------------------------------------------------------

export async function keep(key) {
  loaded.set(key.thumbprint, key);
  await stored("readwrite", (keys) => keys.put(key, key.thumbprint));
}

export async function find(thumbprint) {
  const key = loaded.get(thumbprint) ?? await stored("readonly", (keys) => keys.get(thumbprint));
  if (!key) throw new Error("the key of this session is gone from the browser. Sign in again");
  loaded.set(thumbprint, key);
  return key;
}

export async function forget(thumbprint) {
  loaded.delete(thumbprint);
  await stored("readwrite", (keys) => keys.delete(thumbprint));
}

async function stored(mode, use) {
  const opening = indexedDB.open("gatehouse-console", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
  const database = await settled(opening);
  try {
    return await settled(use(database.transaction("keys", mode).objectStore("keys")));
  } finally {
    database.close();
  }
}

const settled = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
