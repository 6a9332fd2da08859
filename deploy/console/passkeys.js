// What the buttons of the passkeys do: a challenge, the browser's dialog, and its answer.

import { beginSession, sendAuthorised } from "./actions.js";
import { $, element, replace } from "./dom.js";
import { isOK, send } from "./exchange.js";
import { state } from "./state.js";
import { bytesOf, encoded } from "./tokens.js";
import { run, setDisabled } from "./view-session.js";

const open = "/api/auth/passkey";
const own = "/api/users/me/passkeys";
const name = () => $("passkey-name").value.trim() || undefined;
const chosen = () => $("passkey").value;

// Each with what it needs.
const buttons = {
  "passkey-login": [() => answer("get", open, send, undefined, signIn)],
  "passkey-signup": [() => answer("create", `${open}/signup`, send, { nickname: name() }, signUp)],
  "passkey-add": [() => answer("create", own, sendAuthorised, undefined, add), () => state.session],
  "passkey-list": [list, () => state.session],
  "passkey-delete": [remove, () => state.session && chosen()],
};

export function buildPasskeys() {
  $("passkeys-part").hidden = !state.offersPasskeys;
  for (const [id, [action]] of Object.entries(buttons)) {
    $(id).onclick = () => $(id).getAttribute("aria-disabled") === "false" && run(action);
  }
}

export function showPasskeys() {
  const [before, passkeys] = [chosen(), state.session ? state.passkeys : []];
  const option = ({ id, name }) => element("option", { value: id, selected: id === before }, name || id);
  replace($("passkey"), passkeys.map(option));
  for (const [id, [, isThere = () => true]] of Object.entries(buttons)) setDisabled($(id), state.busy || !isThere());
}

// Asks for a challenge, opens the browser's dialog with it, and uses the answer.
async function answer(dialog, path, ask, body, use) {
  const order = { label: "Challenge for a passkey", kind: "passkey-options", method: "POST", path: `${path}/options`, body };
  const asked = await ask(order);
  if (!isOK(asked)) return;
  const { passkeyId, publicKey } = asked.answer.json;
  const type = dialog === "get" ? "parseRequestOptionsFromJSON" : "parseCreationOptionsFromJSON";
  const credential = await navigator.credentials[dialog]({ publicKey: PublicKeyCredential[type](publicKey) });
  await use({ path, method: "POST", body: { passkeyId, credential: credential.toJSON() } });
}

// The answer as the form says: as it is, or wrong.
async function signIn(order) {
  const mistake = $("passkey-answer").value;
  const { credential, credential: { response } } = order.body;
  if (mistake === "signature") response.signature = changed(response.signature);
  if (mistake === "unknown") credential.id = credential.rawId = changed(credential.id);
  if (mistake === "origin") {
    const data = JSON.parse(bytesOf(response.clientDataJSON).text);
    response.clientDataJSON = encoded(JSON.stringify({ ...data, origin: "https://evil.example" }));
  }
  const login = { label: "Sign in with the passkey", kind: "passkey-login", ...order };
  await beginSession(login, $("bound").checked);
  if (mistake === "again") await beginSession({ ...login, label: "Send the same answer again" }, $("bound").checked);
}

const changed = (text) => text.slice(0, 20) + (text[20] === "A" ? "B" : "A") + text.slice(21);

const signUp = (order) => beginSession({ label: "Sign up", kind: "passkey-signup", ...order }, $("bound").checked);

async function add(order) {
  Object.assign(order.body, { name: name() });
  if (isOK(await sendAuthorised({ label: "Add the passkey", kind: "passkey-add", ...order }))) await list();
}

async function list() {
  const step = await sendAuthorised({ label: "Passkeys", kind: "passkey-list", method: "GET", path: own });
  if (isOK(step)) state.passkeys = step.answer.json.passkeys;
}

async function remove() {
  const order = { label: "Delete the passkey", kind: "passkey-delete", method: "DELETE", path: `${own}/${chosen()}` };
  if (isOK(await sendAuthorised(order))) await list();
}
