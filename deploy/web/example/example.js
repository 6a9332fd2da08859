// An example of a page that signs in with gatehouse.js. It has no script or style in its HTML, so a strict security policy
// holds for it.

import { Gatehouse, OfflineError, SignedOutError, SignInError } from "/gatehouse.js";

const gatehouse = new Gatehouse();
const $ = (id) => document.getElementById(id);
const names = { apple: "Apple", google: "Google", wechat: "WeChat", qq: "QQ", phone: "Text message", email: "Mail",
  passkey: "Passkey" };
const nameOf = (way) => names[way] ?? way.charAt(0).toUpperCase() + way.slice(1);
let code; // {channel, to, codeId} of the code that was sent last

gatehouse.onChange(show);
build();
attempt(showWays);
await attempt(() => gatehouse.start());

// --- What the user sees ---------------------------------------------------------------------------------------------------

function show({ state, user, reason }) {
  // An error of before does not concern the new state.
  tell("error", "");
  const wasEnded = reason && reason !== "signed_out" && reason !== "no_session";
  tell("notice", wasEnded ? `The server has ended the session (${reason}). Sign in again.` : "");
  $("waiting").hidden = true;
  // A guest may sign in by a code, and keeps what they have done.
  $("signed-out").hidden = state !== "signed-out" && !user?.guest;
  $("guest-part").hidden = !user?.guest;
  $("signed-in").hidden = state !== "signed-in";
  $("known").hidden = !gatehouse.knownAddress;
  const heading = $(state === "signed-in" ? "user-heading" : "sign-in-heading");
  if (user) showUser(user);
  usePasskeys();
  heading.focus();
}

function showUser(user) {
  $("user-heading").textContent = `Signed in as ${user.nickname ?? user.email ?? user.phone ?? (user.guest ? "a guest" : user.id)}`;
  const rows = { "User id": user.id, "Nickname": user.nickname, "Mail": user.email, "Phone": user.phone, "Role": user.role };
  $("user").replaceChildren(...Object.entries(rows).filter(([, value]) => value).flatMap(([name, value]) =>
    [element("dt", {}, name), element("dd", {}, value)]));
  $("answer").hidden = true;
  showExpiry();
  attempt(showSessions);
}

function showExpiry() {
  const seconds = Math.round(gatehouse.expiresIn);
  $("expiry").textContent = `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

async function showSessions() {
  const { sessions } = await api("/api/users/me/sessions");
  $("sessions").replaceChildren(...sessions.map(({ id, provider, lastDevice, lastUsedAt, current }) => element("li", {},
    element("span", {}, `${nameOf(provider.toLowerCase())}, ${new Date(lastUsedAt).toLocaleString()}`),
    element("span", { className: "hint", title: lastDevice ?? "" }, deviceOf(lastDevice ?? "")),
    current ? element("strong", {}, "This browser")
      : element("button", { type: "button", onclick: () => attempt(() => endSession(id)) }, "End"))));
}

// Such as "Chrome on Linux". The first name that fits counts, because each browser also gives the names of older ones.
function deviceOf(userAgent) {
  const first = (names) => Object.keys(names).find((name) => names[name].test(userAgent));
  const browser = first({ Edge: /Edg(e|A|iOS)?\//, Opera: /OPR\//, WeChat: /MicroMessenger\//, Firefox: /(Firefox|FxiOS)\//,
    Chrome: /(Chrome|CriOS)\//, Safari: /Safari\//, curl: /^curl\// });
  const system = first({ iPhone: /iPhone/, iPad: /iPad/, Android: /Android/, Windows: /Windows/, macOS: /Macintosh/,
    ChromeOS: /CrOS/, Linux: /Linux/ });
  return [browser ?? (userAgent.split("/")[0].trim() || "Unknown device"), system].filter(Boolean).join(" on ");
}

// --- Signing in -----------------------------------------------------------------------------------------------------------

async function showWays() {
  const { web, codes, passkey, guests, development } = await gatehouse.ways();
  $("ways").replaceChildren(...web.map((provider) => {
    const button = element("button", { type: "button", onclick: () => attempt(() => gatehouse.signIn(provider)) },
      `Continue with ${nameOf(provider)}`);
    button.dataset.provider = provider;
    return element("li", {}, button);
  }));
  $("channels").replaceChildren(...codes.map((channel, index) => element("label", {},
    element("input", { type: "radio", name: "channel", value: channel, checked: index === 0, onchange: chooseChannel }),
    nameOf(channel))));
  $("code-request").hidden = codes.length === 0;
  $("inbox").hidden = !development || codes.length === 0;
  chooseChannel();
  $("passkey").hidden = $("passkeys-part").hidden = !passkey;
  $("guest").hidden = guests !== "open";
  usePasskeys();
}

function chooseChannel() {
  const isPhone = $("code-request").channel?.value === "phone";
  $("to-label").textContent = isPhone ? "Phone number, such as +44 7400 123456" : "Mail address";
  $("to").type = isPhone ? "tel" : "email";
}

// With the `codeId` of before, the same code is sent again.
async function sendCode(channel, to, codeId) {
  const answer = await gatehouse.sendCode(channel, to, codeId);
  code = { channel, to, codeId: answer.codeId };
  $("sent-to").textContent = to;
  $("code-login").hidden = false;
  $("code").value = "";
  $("code").focus();
}

// A guest keeps what they have done: the number or address is linked, or the guest becomes the user who has it.
async function signInWithCode() {
  const typed = $("code").value;
  if (gatehouse.user?.guest) {
    await gatehouse.link(code.channel, { codeId: code.codeId, code: typed }, { onTaken: "join" });
  } else {
    await gatehouse.signInWithCode(code.codeId, typed);
  }
  $("code-login").hidden = true;
}

// --- Passkeys -------------------------------------------------------------------------------------------------------------

// The list of the user. Without one, the field for the code suggests passkeys; after one that was refused, the others.
async function usePasskeys() {
  if ($("passkey").hidden || gatehouse.state === "unknown") return;
  try {
    await (gatehouse.user ? showPasskeys() : gatehouse.signInWithPasskey({ mediation: "conditional" }));
  } catch (error) {
    explain(error);
    if (error.code === "invalid_passkey") usePasskeys();
  }
}

async function showPasskeys() {
  const passkeys = await gatehouse.passkeys();
  $("passkeys").replaceChildren(...passkeys.map(({ id, name, lastUsedAt }) => element("li", {},
    element("input", { value: name ?? "", placeholder: "A passkey", maxLength: 64, ariaLabel: "Name of the passkey",
      onchange: ({ target }) => attempt(() => gatehouse.renamePasskey(id, target.value)) }),
    element("span", { className: "hint" }, lastUsedAt ? `Used ${new Date(lastUsedAt).toLocaleString()}` : "Not used yet"),
    element("button", { type: "button", onclick: () => attempt(() => gatehouse.deletePasskey(id).then(showPasskeys)) },
      "Delete"))));
}

// --- Requests of the user -------------------------------------------------------------------------------------------------

async function api(path, init) {
  const answer = await gatehouse.fetch(path, { cache: "no-store", ...init });
  const text = await answer.text();
  const json = text ? JSON.parse(text) : null;
  if (!answer.ok) throw new Error(json?.detail ?? `${path} answered ${answer.status}`);
  return json;
}

async function showMe() {
  const user = await api("/api/users/me");
  $("answer").textContent = JSON.stringify(user, null, 2);
  $("answer").hidden = false;
  await showSessions();
}

async function endSession(id) {
  await api(`/api/users/me/sessions/${encodeURIComponent(id)}`, { method: "DELETE" });
  await showSessions();
}

async function signOut() {
  const isDelivered = await gatehouse.signOut();
  if (!isDelivered) tell("notice", "Signed out here. The server is told when it can be reached.");
}

// --- The page -------------------------------------------------------------------------------------------------------------

function build() {
  $("code-request").onsubmit = (event) => {
    event.preventDefault();
    attempt(() => sendCode($("code-request").channel.value, $("to").value));
  };
  $("code-login").onsubmit = (event) => {
    event.preventDefault();
    attempt(signInWithCode);
  };
  $("passkey").onsubmit = (event) => {
    event.preventDefault();
    attempt(() => gatehouse.signUpWithPasskey({ nickname: $("new-name").value || undefined }));
  };
  $("passkey-sign-in").onclick = () => attempt(() => gatehouse.signInWithPasskey());
  $("passkey-add").onclick = () =>
    attempt(() => gatehouse.addPasskey({ name: deviceOf(navigator.userAgent) }).then(showPasskeys));
  $("guest").onclick = () => attempt(() => gatehouse.continueAsGuest());
  $("again").onclick = () => attempt(() => sendCode(code.channel, code.to, code.codeId));
  $("me").onclick = () => attempt(showMe);
  $("as-before").onclick = () => attempt(() => gatehouse.discardNewUser());
  $("sign-out").onclick = () => attempt(signOut);
  addEventListener("offline", () => tell("notice", "There is no network. You stay signed in."));
  addEventListener("online", () => {
    tell("notice", "");
    if ($("ways").children.length === 0) attempt(showWays);
  });
  setInterval(showExpiry, 1000);
  showExpiry();
}

// Does what a button says, and shows why it has failed.
async function attempt(action) {
  tell("error", "");
  try {
    await action();
  } catch (error) {
    explain(error);
  }
}

function explain(error) {
  // The page has changed to the sign-in already, or the user has pressed another button.
  if (error instanceof SignedOutError || error.code === "aborted") return;
  if (error instanceof OfflineError) tell("notice", "The server cannot be reached. Try again when the network is back.");
  else tell("error", error instanceof SignInError && error.code === "access_denied" ? "You have cancelled the sign-in."
    : error.message);
}

function tell(id, text) {
  $(id).textContent = text;
  $(id).hidden = !text;
}

// Text from the server becomes a text node, and is never parsed as HTML.
function element(name, properties, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}
