// A step as a command of curl and as Swift with GatehouseClient.

import { isOfBrowser } from "./browser-verdict.js";
import { state } from "./state.js";

const quoted = (text) => (/^[A-Za-z0-9/._:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export function curl(step) {
  const { method, path, headers, body } = step.request;
  const words = ["curl -sS --fail-with-body"];
  if (state.settings.hasProxy) words.push("--noproxy localhost,127.0.0.1");
  if (path.startsWith("http:")) {
    words.push(`-i ${quoted(path)}`);
  } else if (path.startsWith("https:")) {
    words.push(`-i --cacert ${quoted(state.settings.certificate)} ${quoted(path)}`);
  } else if (path.startsWith("/console/apple/")) {
    words.push(`http://127.0.0.1:${state.settings.fakeApple}${path.replace("/console/apple", "")}`);
  } else {
    words.push(`--cacert ${quoted(state.settings.certificate)} ${state.settings.origin}${path}`);
  }
  if (method !== "GET" && !(method === "POST" && body !== undefined)) words.push(`-X ${method}`);
  for (const [name, value] of Object.entries(headers)) words.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) words.push(`-d ${quoted(typeof body === "string" ? body : JSON.stringify(body))}`);
  const hint = headers.DPoP ? "# This proof was used. Where the server checks it, each request needs a new one.\n" : "";
  return hint + words.join(" \\\n    ");
}

// A text of the user as a literal of Swift, which has the escapes of JSON that occur.
const literal = (text) => JSON.stringify(text);

const client = () => `let client = GatehouseClient(
    URL(string: "${state.settings.origin}${state.apiFaults.length ? "/console/faulty" : ""}")!,
    store: MemorySessionStore())`;

const texts = {
  challenge: () => `${client()}
let challenge = try await client.challenge()  // AppleSignIn does this`,
  mint: () => `// Shows Apple's sheet, with the hash of the challenge as nonce.
let login = try await AppleSignIn(client).authorize(scopes: [.fullName, .email])`,
  login: () => `${client()}
let session = try await client.signIn(apple: login)`,
  link: () => `let accounts = try await client.link(apple: login)`,
  join: () => `// If another user had the account, the result is .joined(session), with the session of that user
let result = try await client.link(.apple(login), onTaken: .join)`,
  guest: () => `${client()}
let session = try await client.continueAsGuest()`,
  unlink: () => `try await client.unlinkApple()`,
  "code-send": ({ body }) => `${client()}
// The app shows when it may be sent again: sent.resendAt
let sent = try await client.requestCode(to: .${body.channel}(${literal(body.to)}))`,
  "code-again": () => `sent = try await client.requestCode(to: sent.to, resending: sent)`,
  "code-login": ({ body }) => `let session = try await client.signIn(code: ${literal(body.code)}, for: sent)`,
  "code-bind": ({ body }) => `let result = try await client.link(code: ${literal(body.code)}, for: sent)`,
  "code-join": ({ body }) => `// If the two users were joined, the result is .joined(session), with the session of the other user
let result = try await client.link(code: ${literal(body.code)}, for: sent, onTaken: .join)`,
  "code-replace": ({ body }) =>
    `let result = try await client.link(code: ${literal(body.code)}, for: sent, replacing: true)`,
  "code-unbind": ({ channel }) => `try await client.unlink(provider: .${channel})`,
  "number-mint": () => "// The library of the vendor gets the token from the carrier, after the user has agreed.",
  "number-login": ({ body }) => `${client()}
let session = try await client.signIn(numberToken: token, gateway: ${literal(body.gateway)})`,
  "number-bind": ({ body }) => `let result = try await client.bindPhone(numberToken: token, gateway: ${literal(body.gateway)})`,
  "passkey-options": () => "// The call that shows the sheet sends this first.",
  "passkey-login": () => `${client()}
let session = try await client.signInWithPasskey()`,
  "passkey-signup": () => `${client()}
let session = try await client.signUpWithPasskey()`,
  "passkey-add": ({ body }) => `let passkey = try await client.addPasskey(name: ${literal(body.name ?? "")})`,
  "passkey-list": () => `let passkeys = try await client.passkeys()`,
  "passkey-delete": () => `try await client.delete(passkey: passkey)`,
  me: () => `let user = try await client.user()`,
  refresh: () => `// The client refreshes when the access token is about to expire, once for all tasks.
let token = try await client.accessToken()`,
  lost: () => `// The client repeats a refresh whose answer is lost. The user stays signed in, also if it
// gives up and throws: the next call goes on with the same refresh token.
let token = try await client.accessToken()`,
  again: () => `let token = try await client.accessToken()`,
  replay: () => `// The client never sends a token that it has replaced. After a theft its next call throws,
// and the state is .signedOut(.refused(.refreshTokenReused)).
for await state in client.states { print(state) }`,
  logout: () => `// At once on the device; delivered later if the server cannot be reached.
let result = await client.signOut()`,
  export: () => `let data = try await client.export()`,
  delete: () => `let fresh = try await AppleSignIn(client).authorize()
let revocation = try await client.deleteAccount(authorizationCode: fresh.authorizationCode)`,
};

const sdk = "// Send what the provider’s SDK has returned: the body of the request above.";

const providerKinds = ["provider-challenge", "provider-mint"];

const serverOnly = "// No app sends this: Apple's servers do.";

// The address with a scheme of the app at which a sign-in ends.
const onTheWeb = ({ provider = "google" }) => `// One call does all of these steps, in a browser that the system shows over the app.
let session = try await client.signInOnTheWeb(
    with: Provider(${literal(provider)}), redirectURI: ${literal(ownScheme())}) { window }`;

const ownScheme = () => state.settings.redirectURIs.find((address) => !/^https?:/.test(address)) ?? "com.example.app:/signed-in";

const inPage = "// A page does this, with gatehouse.js. An app keeps its refresh token itself.";

export function swift(step) {
  if (isOfBrowser(step)) return step.way === "cookie" ? inPage : onTheWeb(step);
  if (providerKinds.includes(step.kind) || (step.provider ?? "apple") !== "apple") return sdk;
  return texts[step.kind] ? texts[step.kind](step) : serverOnly;
}
