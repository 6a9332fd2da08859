// Shows what a token contains, and how long it is valid.

import { code, element } from "./dom.js";
import { decode, timeLeft } from "./tokens.js";

const names = {
  identityToken: "Identity token of Apple", accessToken: "Access token", refreshToken: "Refresh token",
  id_token: "Identity token", access_token: "Access token", refresh_token: "Refresh token",
  payload: "Notification from Apple", proof: "Proof of the key",
};

export function tokenView({ name, token }) {
  const { header, claims } = decode(token);
  return element(
    "details", { className: "token" },
    element("summary", {}, names[name] ?? name, " ", expiry(claims.exp)),
    times(claims), ["accessToken", "access_token"].includes(name) ? element("p", { className: "hint" }, "Key: ", boundTo(claims)) : null,
    code(JSON.stringify(claims, null, 2), `Claims: ${names[name] ?? name}`),
    element("p", { className: "hint" }, "Header: ", element("code", {}, JSON.stringify(header))),
  );
}

// The key to which an access token is bound.
export function boundTo(claims) {
  const jkt = claims.cnf?.jkt;
  return jkt ? element("span", {}, "bound to ", element("code", {}, jkt)) : "not bound";
}

function times(claims) {
  const known = [["iat", "issued"], ["auth_time", "signed in"], ["exp", "expires"]].filter(([claim]) => claims[claim]);
  return element("p", { className: "hint" }, known.map(([claim, word]) => `${word} ${local(claims[claim])}`).join(" · "));
}

const local = (seconds) => new Date(seconds * 1000).toLocaleString();

// Counts down; `tick` updates every one of them.
export function expiry(seconds) {
  const node = element("span", { className: "expiry" });
  if (typeof seconds !== "number") return node;
  node.dataset.expiry = seconds;
  update(node);
  return node;
}

function update(node) {
  const left = timeLeft(Number(node.dataset.expiry));
  node.textContent = left ? `valid for ${left}` : "expired";
  node.classList.toggle("over", !left);
}

export function tick() {
  for (const node of document.querySelectorAll("[data-expiry]")) update(node);
}
