// Decodes tokens for display. It verifies nothing: Gatehouse does.

export function decode(token) {
  const parts = String(token).split(".");
  if (parts.length !== 3) return null;
  try {
    return { header: JSON.parse(text(parts[0])), claims: JSON.parse(text(parts[1])) };
  } catch {
    return null;
  }
}

const text = (part) => new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(part).bytes);

// Of base64url. As text, each byte is a character.
export function bytesOf(part) {
  const text = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
  return { text, bytes: Uint8Array.from(text, (c) => c.charCodeAt(0)) };
}

export const encoded = (text) => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export const isToken = (value) => typeof value === "string" && value.length > 60 && decode(value) !== null;

// "14:32" until a time in seconds since 1970, or null when it is over.
export function timeLeft(expiry, now = Date.now()) {
  const seconds = Math.floor(expiry - now / 1000);
  if (!(seconds > 0)) return null;
  const days = Math.floor(seconds / 86400);
  const rest = new Date(seconds * 1000).toISOString().slice(11, 19);
  return days ? `${days} d ${rest}` : rest.replace(/^00:/, "");
}

// The SHA-256 in lowercase hexadecimal, as an app passes it to Apple.
export async function sha256(value) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(value));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Every token in a JSON value, with the names of its members.
export function tokensIn(value, name = "") {
  if (isToken(value)) return [{ name, token: value }];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, member]) => tokensIn(member, key));
}

// Indented JSON in which tokens are shortened: their content is shown separately.
export function readable(value) {
  return JSON.stringify(value, (_, member) => (isToken(member) ? shortened(member) : member), 2);
}

export const shortened = (token) => `${token.slice(0, 12)}…${token.slice(-6)} (${token.length} characters)`;
