// A step as a command of curl and as Swift with GatehouseClient.

import { state } from "./state.js";

const quoted = (text) => (/^[A-Za-z0-9/._:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export function curl(step) {
  const { method, path, headers, body } = step.request;
  const words = ["curl -sS --fail-with-body"];
  if (path.startsWith("/console/apple/")) {
    words.push(`http://127.0.0.1:${state.settings.fakeApple}${path.replace("/console/apple", "")}`);
  } else {
    words.push(`--cacert ${quoted(state.settings.certificate)} ${state.settings.origin}${path}`);
  }
  if (method !== "GET" && !(method === "POST" && body !== undefined)) words.push(`-X ${method}`);
  for (const [name, value] of Object.entries(headers)) words.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) words.push(`-d ${quoted(JSON.stringify(body))}`);
  return words.join(" \\\n    ");
}

const client = () => `let client = GatehouseClient(
    URL(string: "${state.settings.origin}${state.apiFaults.length ? "/console/faulty" : ""}")!,
    store: MemorySessionStore())`;

const texts = {
  challenge: () => `${client()}
let challenge = try await client.challenge()`,
  mint: () => `// Apple's answer, in the delegate of an ASAuthorizationController.
request.nonce = SHA256.hash(data: Data(challenge.nonce.utf8)).map { String(format: "%02x", $0) }.joined()
let credential = authorization.credential as! ASAuthorizationAppleIDCredential
let token = String(decoding: credential.identityToken!, as: UTF8.self)`,
  login: () => `${client()}
let login = AppleLogin(identityToken: token, nonce: challenge.nonce, authorizationCode: code)
let session = try await client.signIn(apple: login)`,
  me: () => `let user = try await client.user()`,
  refresh: () => `// The client refreshes when the access token is about to expire, once for all tasks.
let token = try await client.accessToken(validFor: .seconds(60))`,
  lost: () => `// Throws; the session stays. The same call later goes on with the same refresh token.
let token = try await client.accessToken(validFor: .seconds(60))`,
  again: () => `let token = try await client.accessToken(validFor: .seconds(60))`,
  replay: () => `// A client never sends a token that it has replaced. After theft the next call throws,
// and the state is .signedOut.
for await state in client.states { print(state) }`,
  logout: () => `// At once on the device; delivered later if the server cannot be reached.
let result = await client.signOut()`,
  export: () => `let data = try await client.export()`,
  delete: () => `let revocation = try await client.deleteAccount(authorizationCode: code)`,
};

const serverOnly = "// No app sends this: Apple's servers do.";

export const swift = (step) => (texts[step.kind] ? texts[step.kind](step) : serverOnly);
