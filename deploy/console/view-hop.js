// What a browser sees of a request and a page does not: the address of a redirect, a form that posts itself, and cookies.

import { backOf } from "./browser-flow.js";
import { element } from "./dom.js";
import { locationOf } from "./hop.js";
import { bytesOf, isToken, shortened } from "./tokens.js";

export function hopView(step) {
  if (step.request.body?.credential) return passkeyTables(step.request.body.credential.response);
  if (!step.isHop || !step.answer) return [];
  const location = locationOf(step);
  const form = step.kind === "web-answer" && !location ? backOf(step) : null;
  return [
    location ? addressTable("Location, taken apart", location, meaningsOf(step, location)) : null,
    form ? fieldTable("The form that the page posts", form.url, form.form, toGatehouse) : null,
    ...step.answer.cookies.map(cookieTable),
  ];
}

// --- Parameters -------------------------------------------------------------------------------------------------------

const toProvider = {
  client_id: "Gatehouse, as the provider knows it", appid: "Gatehouse, as the provider knows it",
  redirect_uri: "Gatehouse’s callback, which is registered at the provider",
  response_type: "a code; at Apple an identity token beside it", scope: "what Gatehouse asks for",
  response_mode: "form_post: Apple’s page posts a form to the callback",
  state: "Gatehouse’s own, not the client’s. It belongs to the cookie and to this provider",
  nonce: "comes back in the identity token", code_challenge: "of a verifier that Gatehouse keeps: PKCE with the provider",
  code_challenge_method: "S256",
};

const toGatehouse = {
  code: "the provider’s code, which Gatehouse exchanges", state: "the one that Gatehouse has made", iss: "which provider answers",
  id_token: "Apple’s identity token: its nonce is that of the start, and its c_hash that of the code",
  user: "the name, at the first consent only", error: "why there is no code", error_description: "the same in words",
  usercancel: "the user has declined",
};

const toClient = {
  code: "Gatehouse’s code: good for 60 s, once, and with the verifier alone",
  state: "the client’s own: it must be the one of step 1", iss: "which server answers (RFC 9207)",
  error: "one of OAuth’s errors", error_description: "fixed text: nothing of the provider’s answer is repeated",
};

function meaningsOf({ kind, redirectURI }, location) {
  if (kind === "web-answer") return toGatehouse;
  return redirectURI && location.startsWith(redirectURI) ? toClient : toProvider;
}

function addressTable(title, address, meanings) {
  const url = new URL(address);
  const start = address.split(/[?#]/)[0];
  return fieldTable(title, start, [...url.searchParams], meanings);
}

function fieldTable(title, address, fields, meanings) {
  return table(title, columns, [
    ["address", address, ""], ...fields.map(([name, value]) => [name, value, meanings[name] ?? ""]),
  ]);
}

// --- Cookies ----------------------------------------------------------------------------------------------------------

const effects = {
  stored: "the browser stores it", removed: "the browser removes it", refused: "the browser refuses it",
};

const attributeMeanings = {
  path: "sent with every path", secure: "sent over HTTPS alone", httponly: "no script reads it",
  "samesite=none": "sent with the form that Apple’s page posts from its own site",
  "samesite=lax": "not sent with what pages of other sites post", "max-age=0": "gone at once", "max-age": "seconds for which it is kept",
};

function attributeMeaning([name, value]) {
  const key = name.toLowerCase();
  return attributeMeanings[`${key}=${(value ?? "").toLowerCase()}`] ?? attributeMeanings[key] ?? "";
}

function cookieTable({ name, value, attributes, effect, fault }) {
  const prefix = name.startsWith("__Host-") ? "__Host-: of this host alone, and of no other one of its domain" : "";
  return table(`Set-Cookie: ${effects[effect]}${fault ? `. ${fault}` : ""}`, columns, [
    [name, value || "(empty)", prefix],
    ...attributes.map(([key, text]) => [key, text ?? "", attributeMeaning([key, text])]),
  ]);
}

const ofPasskeys = {
  type: "webauthn.get signs in, webauthn.create makes a passkey", challenge: "that of the request before, good once",
  origin: "of the page: one of PASSKEY_ORIGINS", crossOrigin: "whether the page is a frame of another origin",
  rpIdHash: "SHA-256 of PASSKEY_RP_ID", UP: "the user was there", UV: "the user was verified, by a face, a finger or a PIN",
  BE: "it may be copied to other devices", BS: "it was copied", AT: "a new key is with it", signCount: "0, or more than before",
};

const flags = { UP: 0x01, UV: 0x04, BE: 0x08, BS: 0x10, AT: 0x40 };

function passkeyTables({ clientDataJSON, authenticatorData }) {
  const data = bytesOf(authenticatorData).bytes;
  const said = Object.entries(flags).map(([flag, bit]) => [flag, data[32] & bit ? "yes" : "no"]);
  const hash = [...data.slice(0, 32)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const rows = [["rpIdHash", hash], ...said, ["signCount", new DataView(data.buffer).getUint32(33)]];
  return [
    ["What the browser says: clientDataJSON", Object.entries(JSON.parse(bytesOf(clientDataJSON).text))],
    ["What the authenticator says", rows],
  ].map(([title, rows]) => table(title, columns, rows.map(([key, value]) => [key, String(value), ofPasskeys[key] ?? ""])));
}

// --- Tables -----------------------------------------------------------------------------------------------------------

const columns = ["Part", "Value", "Meaning"];

function table(title, columns, rows) {
  return element(
    "div", { className: "scroll taken-apart", tabIndex: 0, role: "region", "aria-label": title },
    element("table", {},
      element("caption", {}, title),
      element("thead", {}, element("tr", {}, columns.map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, rows.map(([name, value, meaning]) => element("tr", {},
        element("th", { scope: "row" }, name), element("td", {}, element("code", {}, brief(value))),
        element("td", {}, meaning))))));
}

const brief = (value) => (isToken(value) ? shortened(value) : value);
