// Signs the users of a web page in by Gatehouse, and sends their requests.
//
//   const gatehouse = new Gatehouse();
//   gatehouse.onChange(({ state, user }) => show(state, user));
//   await gatehouse.start();
//
// The refresh token is in a cookie that no script can read, and the access token only in memory. All tabs of a browser share
// one session, one refresh at a time, and the access token that it brings.

const timeout = 15_000; // of one request
const pauses = [500, 2_000]; // between the attempts of a refresh and of a logout; Retry-After replaces them
const longestWait = 5_000; // a longer Retry-After is left to the caller
const longestPause = 3_600_000; // even if the server, or a proxy before it, asks for more
const margin = 60_000; // an access token that ends sooner is refreshed
const newUserLifetime = 600_000; // a new user may have something later
const patience = 30_000; // before the passkeys are offered again, where the server could not be asked

// A refresh that is refused with one of these has no session any more. Any other 401 or 403 may be of a captive portal.
const endsSession = new Set([
  "invalid_refresh_token", "refresh_token_expired", "refresh_token_revoked", "refresh_token_reused", "user_disabled",
]);
const helpedByRefresh = new Set(["access_token_expired", "invalid_access_token", "session_revoked"]);
const neverHelpedByRefresh = new Set(["login_too_old", "insufficient_authentication", "invalid_dpop_proof"]);
const perhapsHelpedByRefresh = new Set(["phone_required", "guest", "user_disabled"]); // with 403

// --- Errors ---------------------------------------------------------------------------------------------------------------

// `code` is the server's, or one of the codes below. `isTemporary`: the same call may succeed later.
export class GatehouseError extends Error {
  constructor(code, message, { status, retryAfter, problem, isTemporary = false, cause } = {}) {
    super(message, { cause });
    Object.assign(this, { name: new.target.name, code, status, retryAfter, problem, isTemporary });
  }
}

// No answer. The user stays signed in. A browser does not say whether it has kept the answer back.
export class OfflineError extends GatehouseError {
  constructor(cause, url) {
    const mayBeKeptBack = navigator.onLine && new URL(url).origin !== location.origin;
    const hint = ` If it runs, ${location.origin} may be missing in its CORS_ORIGINS, which looks the same.`;
    super("offline", "The server cannot be reached." + (mayBeKeptBack ? hint : ""), { isTemporary: true, cause });
  }
}

// `reason`: `signed_out` by the user, `no_session` if the browser has none, or the server's code.
export class SignedOutError extends GatehouseError {
  constructor(reason) {
    super("signed_out", `No user is signed in${reason ? `: ${reason}` : ""}.`);
    this.reason = reason;
  }
}

// `code` is OAuth's `error`, such as `access_denied` if the user has cancelled, `other_tab` if this tab has not begun the
// sign-in, or the server's for the exchange of the code.
export class SignInError extends GatehouseError {}

// The browser has made or shown no passkey: `access_denied` if the user has cancelled, or one of `dialogErrors`.
export class PasskeyError extends GatehouseError {}

// A browser does not say whether the user has cancelled, has no passkey, or has let the time pass.
const dialogErrors = {
  NotAllowedError: ["access_denied", "The user has cancelled, or has no passkey for this page here."],
  AbortError: ["aborted", "The page, or another dialog of it, has ended the dialog for passkeys."],
  InvalidStateError: ["passkey_exists", "This device has a passkey of this user already."],
  SecurityError: ["wrong_domain", "This page is not of the domain PASSKEY_RP_ID, nor of an origin related to it."],
  NotSupportedError: ["no_passkeys", "This browser makes no such passkey."],
};

// --- Requests -------------------------------------------------------------------------------------------------------------

// Sends one request of the module, and returns the JSON of an expected answer.
async function ask(method, url, { body, token, expected = [200] } = {}) {
  const headers = { Accept: "application/json" };
  if (body) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  let answer, text;
  try {
    answer = await fetch(url, {
      method, headers, body: body && JSON.stringify(body), credentials: "include", cache: "no-store",
      referrerPolicy: "no-referrer", redirect: "error", signal: AbortSignal.timeout(timeout),
    });
    text = await answer.text();
  } catch (error) {
    throw new OfflineError(error, url);
  }
  const json = parsed(text);
  // A page of a captive portal may have any status.
  if (expected.includes(answer.status) && (json || answer.status === 204)) return json;
  throw refusal(answer, json);
}

function refusal({ status, headers }, problem) {
  const seconds = headers.get("Retry-After");
  const retryAfter = /^\d+$/.test(seconds ?? "") ? Math.min(Number(seconds) * 1000, 86_400_000) : undefined;
  if (typeof problem?.code !== "string") {
    const message = `The answer with status ${status} is not of Gatehouse.`;
    return new GatehouseError("unexpected_answer", message, { status, retryAfter, isTemporary: true });
  }
  const isTemporary = status === 408 || status === 429 || status >= 500;
  return new GatehouseError(problem.code, problem.detail ?? problem.code, { status, retryAfter, problem, isTemporary });
}

// An object, or undefined.
function parsed(text) {
  try {
    const value = JSON.parse(text);
    return value && typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}

// A request of the page.
async function send(request, token) {
  request.headers.set("Authorization", `Bearer ${token}`);
  try {
    return await fetch(request);
  } catch (error) {
    throw request.signal.aborted ? error : new OfflineError(error, request.url);
  }
}

async function repeatedly(action) {
  for (const pause of pauses) {
    try {
      return await action();
    } catch (error) {
      const wait = error.retryAfter ?? pause;
      if (!error.isTemporary || wait > longestWait || !navigator.onLine) throw error;
      await passed(wait);
    }
  }
  return action();
}

const passed = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

// --- Values ---------------------------------------------------------------------------------------------------------------

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

async function challengeFor(verifier) {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

// Another path may be of another page.
function goOn(address) {
  if (address.pathname === location.pathname) history.replaceState(history.state, "", address);
  else location.replace(address);
}

// The user whom an access token is for.
function subject(token) {
  return parsed(String.fromCharCode(...bytesOf(token.split(".")[1] ?? "")))?.sub;
}

// The time is taken from two clocks: one may be set, and the other may stand still while the device sleeps.
const tokenOf = ({ accessToken, expiresIn }) =>
  ({ text: accessToken, lifetime: expiresIn * 1000, clock: Date.now(), monotonic: performance.now() });

function remaining(token) {
  return token ? token.lifetime - Math.max(Date.now() - token.clock, performance.now() - token.monotonic) : 0;
}

const isFresh = (token) => remaining(token) > Math.min(margin, (token?.lifetime ?? 0) / 2);

// --- The browser's passkeys -----------------------------------------------------------------------------------------------

// Both ways by hand, in all browsers: older ones have no `parseRequestOptionsFromJSON` and no `toJSON`, nor has what the
// extension of a password manager answers.
function readableOptions({ challenge, user, excludeCredentials, ...others }) {
  const withBytes = (one) => one && { ...one, id: bytesOf(one.id) };
  const excluded = excludeCredentials?.map(withBytes);
  return { ...others, challenge: bytesOf(challenge), user: withBytes(user), excludeCredentials: excluded };
}

function credentialJSON(credential) {
  const { rawId, type, response } = credential;
  const encoded = (bytes) => base64url(new Uint8Array(bytes));
  const names = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  const parts = names.filter((name) => response[name]).map((name) => [name, encoded(response[name])]);
  return {
    id: encoded(rawId), rawId: encoded(rawId), type, clientExtensionResults: credential.getClientExtensionResults(),
    response: { ...Object.fromEntries(parts), transports: response.getTransports?.() },
  };
}

// Opens the dialog of the browser, `get` or `create`, for the options of the server. Returns the body of the next request.
async function askBrowser(method, { passkeyId, publicKey }, options) {
  if (!window.PublicKeyCredential) throw new PasskeyError(...dialogErrors.NotSupportedError);
  try {
    const credential = await navigator.credentials[method]({ publicKey: readableOptions(publicKey), ...options });
    return { passkeyId, credential: credentialJSON(credential) };
  } catch (error) {
    const [code, message] = dialogErrors[error.name] ?? ["passkey_failed", error.message];
    throw new PasskeyError(code, message, { cause: error });
  }
}

// Keeps what the browser offers true, where it can be told: `signal` is one of its functions. It may refuse, and nothing
// depends on it.
async function tellBrowser(signal, facts) {
  try {
    await window.PublicKeyCredential?.[signal]?.(facts);
  } catch {}
}

const shown = () => document.visibilityState === "visible"
  || new Promise((resolve) => { addEventListener("visibilitychange", resolve, { once: true }); });

// --- The client -----------------------------------------------------------------------------------------------------------

export class Gatehouse {
  #server;
  #redirectURI;
  #issuer;
  #name;
  #state = "unknown";
  #user = null;
  #token;
  #reason; // why no user is signed in
  #ending; // the access token of a session that the server has to end
  #callbacks = new Set();
  #renewal; // the refresh that callers of this tab wait for
  #pause; // until when the server has asked not to refresh
  #refusedAfterRefresh; // an access token that was refused although it was new
  #queue = Promise.resolve(); // in place of the lock, in browsers without one
  #channel;
  #echoes = new Map();
  #turn; // of the dialog for passkeys: a browser has one at a time

  // `server` is where Gatehouse is, `redirectURI` an address of this page in REDIRECT_URIS, `issuer` the server's TOKEN_ISSUER.
  constructor({
    server = new URL(import.meta.url).origin, redirectURI = location.origin + location.pathname, issuer,
  } = {}) {
    if (!isSecureContext) {
      throw new GatehouseError("insecure_page", "A browser keeps no session for this page: use https, or http://localhost.");
    }
    this.#server = new URL(server).href.replace(/\/$/, "");
    this.#redirectURI = redirectURI;
    this.#issuer = issuer;
    // The cookie belongs to the origin, and so do the lock, the channel and what is stored.
    this.#name = `gatehouse ${new URL(server).origin}`;
    this.#channel = new BroadcastChannel(this.#name);
    new BroadcastChannel(this.#name).onmessage = ({ data }) => this.#hear(data);
    addEventListener("online", () => this.#resume());
    addEventListener("visibilitychange", () => this.#resume());
    addEventListener("pageshow", ({ persisted }) => { if (persisted) this.#resume(true); });
  }

  // `signed-in`, `signed-out`, or `unknown` until the server has said which.
  get state() {
    return this.#state;
  }

  get user() {
    return this.#user;
  }

  // For how many seconds the access token is valid.
  get expiresIn() {
    return Math.max(0, remaining(this.#token) / 1000);
  }

  // Calls back with `{ state, user, reason }` when a user has signed in or out, in any tab, and when the user has changed.
  // `reason` is that of SignedOutError. Returns a function that ends it.
  onChange(callback) {
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }

  // Call it when the page is loaded: finishes the sign-in that the browser returns from, or restores the session.
  async start() {
    let failure;
    try {
      const answer = await this.finishSignIn();
      if (answer) return answer.user;
    } catch (error) {
      failure = error;
    }
    const user = await this.restore().catch((error) => { throw failure ?? error; });
    if (failure) throw failure;
    return user;
  }

  // Asks the server whether the browser has a session. Rejects, and the state stays unknown, if the server cannot be reached.
  async restore() {
    if (this.#state === "signed-out" && !this.#signOutOrder) this.#state = "unknown";
    try {
      await this.#renew();
    } catch (error) {
      if (!(error instanceof SignedOutError)) throw error;
    }
    return this.#user;
  }

  // What a page may offer: `{web: ["apple", …], codes: ["phone", "email"], passkey, guests, development}`.
  ways() {
    return ask("GET", this.#url("/api/auth/ways"));
  }

  // --- Signing in

  // Leaves the page for that of the provider, who returns the browser to `redirectURI`. From there it goes on to `returnTo`.
  async signIn(provider, { returnTo } = {}) {
    const target = new URL(returnTo ?? this.#redirectURI, location.href);
    // A page may take it from its address, which others can write.
    if (target.origin !== location.origin || target.protocol !== location.protocol) {
      throw new GatehouseError("invalid_return_address", "returnTo is not an address of this origin.");
    }
    const [verifier, state] = [randomText(), randomText()];
    const start = new URL(this.#url(`/api/auth/${encodeURIComponent(provider)}/start`));
    start.search = new URLSearchParams({
      response_type: "code", redirect_uri: this.#redirectURI, state,
      code_challenge: await challengeFor(verifier), code_challenge_method: "S256",
    });
    // Only this tab can finish it.
    const begun = { verifier, state, redirectUri: this.#redirectURI, returnTo: returnTo && target.href };
    sessionStorage.setItem(this.#name, JSON.stringify(begun));
    location.assign(start);
  }

  // Returns the answer of the login, or null if this address is not the end of a sign-in.
  async finishSignIn() {
    const address = new URL(location.href);
    const result = Object.fromEntries(address.searchParams);
    if (!result.state || !(result.code || result.error)) return null;
    const begun = parsed(sessionStorage.getItem(this.#name) ?? "");
    const isOwn = result.state === begun?.state;
    // Elsewhere, and from another issuer, these parameters are of something else.
    if (!isOwn && !this.#isRedirectURI(address)) return null;
    if (!isOwn && this.#issuer && result.iss !== this.#issuer) return null;
    // First of all, so that nothing repeats the code, and no later address has it.
    if (isOwn) sessionStorage.removeItem(this.#name);
    for (const name of ["code", "state", "iss", "error", "error_description"]) address.searchParams.delete(name);
    // A browser keeps the fragment of a provider's address in redirects, such as WeChat's `#wechat_redirect`.
    address.hash = "";
    history.replaceState(history.state, "", address);
    // A code of another sign-in could be an attacker's, and would sign the user in as the attacker.
    if (!isOwn) throw new SignInError("other_tab", "This tab has not begun this sign-in. Sign in again.");
    if (this.#issuer && result.iss !== this.#issuer) {
      throw new SignInError("invalid_issuer", "The answer is of another server.");
    }
    if (result.error) {
      const isTemporary = result.error === "temporarily_unavailable";
      throw new SignInError(result.error, result.error_description ?? result.error, { isTemporary });
    }
    try {
      const { verifier: codeVerifier, redirectUri } = begun;
      const answer = await this.#logIn("/api/auth/exchange", { code: result.code, codeVerifier, redirectUri });
      if (begun.returnTo) goOn(new URL(begun.returnTo));
      return answer;
    } catch (error) {
      throw new SignInError(error.code ?? "server_error", error.message, { ...error, cause: error });
    }
  }

  #isRedirectURI({ origin, pathname }) {
    const own = new URL(this.#redirectURI, location.href);
    return origin === own.origin && pathname === own.pathname;
  }

  // `channel` is `phone` or `email`. With the `codeId` of an earlier answer, the same code is sent again.
  sendCode(channel, to, codeId) {
    return ask("POST", this.#url("/api/auth/codes"), { body: { channel, to, codeId }, expected: [202] });
  }

  signInWithCode(codeId, code) {
    return this.#logIn(`/api/auth/codes/${encodeURIComponent(codeId)}`, { code });
  }

  // Makes a user without an account, who has `user.guest`. It needs `GUESTS=open`: a page has no key of the device.
  continueAsGuest({ nickname } = {}) {
    return this.#logIn("/api/auth/guest", { nickname });
  }

  // Links an account to the user: `credential` is the body of a login by the provider, `{codeId, code}` for `phone` and `email`.
  // With `onTaken: "join"` a guest becomes the user who has the account. Returns the answer: `accounts`, or that of a login.
  async link(provider, credential, { onTaken } = {}) {
    const path = `/api/users/me/accounts/${encodeURIComponent(provider)}`;
    const token = await this.accessToken();
    const answer = await this.#exclusively(async () => {
      const body = { ...credential, onTaken, session: onTaken && "cookie" };
      const answer = await ask("POST", this.#url(path), { token, body });
      if (answer.accessToken) await this.#share(tokenOf(answer), answer.user);
      return answer;
    });
    // The access token may say that the user is a guest, or has no number.
    if (!answer.accessToken) {
      if (this.#token?.text === token) this.#token.lifetime = 0;
      await this.loadUser().catch(() => {});
    }
    return answer;
  }

  // Sent once: the server accepts a code once, and may have used it although its answer was lost.
  #logIn(path, body) {
    return this.#exclusively(async () => {
      // The cookie of the session before is about to be replaced, and then nothing can end that session.
      await this.#deliverSignOut().catch(() => {});
      const order = this.#signOutOrder;
      const answer = await ask("POST", this.#url(path), { body: { ...body, session: "cookie" } });
      // The user has signed out since: the logout that waits for the lock ends the new session.
      if (this.#signOutOrder !== order) throw this.#signedOut();
      localStorage.removeItem(this.#name);
      this.#pause = undefined;
      const made = { id: answer.user.id, end: Date.now() + newUserLifetime };
      if (answer.knownAddress) sessionStorage.setItem(`${this.#name} new user`, JSON.stringify(made));
      await this.#share(tokenOf(answer), answer.user);
      return answer;
    });
  }

  // Whether the login of this tab has just made a user whose address another user has proven: probably the same person.
  get knownAddress() {
    const made = parsed(sessionStorage.getItem(`${this.#name} new user`) ?? "");
    return this.#user !== null && this.#user.id === made?.id && Date.now() < made.end;
  }

  // Then: deletes that user, who has nothing yet. The account of the login can be linked after a sign-in as before.
  async discardNewUser() {
    const token = await this.accessToken();
    // The cookie, from which the token may be new, may be another user's by now.
    if (!this.knownAddress || subject(token) !== this.#user.id) throw this.#signedOut();
    await ask("DELETE", this.#url("/api/users/me"), { token, expected: [204] });
    this.#end("signed_out");
    this.#ending = undefined;
    await this.#tell({ hasEnded: true, reason: "signed_out", isDelivered: true });
  }

  // --- Passkeys

  // Opens the browser's dialog. With `mediation: "conditional"` the browser offers passkeys in the suggestions of a field with
  // `autocomplete="username webauthn"`, until a user has signed in: null if in another way, or if the signal has ended it.
  async signInWithPasskey({ mediation, signal } = {}) {
    const challenge = () => ask("POST", this.#url("/api/auth/passkey/options"), { body: {} });
    if (mediation === "conditional") return this.#offerPasskeys(challenge, signal);
    return this.#inTurn(signal, async (signal) => this.#logInByPasskey(await challenge(), { signal }));
  }

  // Makes a new user with a passkey alone. `contact`, a mail address or a phone number, is unproven.
  signUpWithPasskey({ nickname, contact, signal } = {}) {
    const path = "/api/auth/passkey/signup";
    return this.#inTurn(signal, async (signal) => {
      const options = await ask("POST", this.#url(path + "/options"), { body: { nickname, contact } });
      return this.#logIn(path, await askBrowser("create", options, { signal }));
    });
  }

  async #logInByPasskey(made, options) {
    const body = await askBrowser("get", made, options);
    try {
      return await this.#logIn("/api/auth/passkey", body);
    } catch (error) {
      const isUnknown = error.code === "invalid_passkey" && error.problem?.reason === "unknown";
      const facts = { rpId: made.publicKey.rpId, credentialId: body.credential.id };
      if (isUnknown) tellBrowser("signalUnknownCredential", facts);
      throw error;
    }
  }

  // Gives way to each dialog and goes on after it, and begins again before its challenge ends.
  async #offerPasskeys(challenge, signal) {
    if (!await window.PublicKeyCredential?.isConditionalMediationAvailable?.()) return null;
    const isOver = () => signal?.aborted || this.#state === "signed-in";
    while (!isOver()) {
      await (this.#turn?.end ?? shown());
      // The user has asked for nothing yet, so a server that does not answer is no error.
      const made = await challenge().catch((error) => { if (!error.isTemporary) throw error; });
      if (!made) await passed(patience);
      if (!made || this.#turn || isOver()) continue;
      const begun = Date.now();
      let own;
      try {
        return await this.#inTurn(signal, (signal, stop) => {
          own = signal;
          setTimeout(stop, (made.publicKey.timeout ?? 300_000) * 0.9);
          const forget = this.onChange(({ state }) => { if (state === "signed-in") stop(); });
          return this.#logInByPasskey(made, { mediation: "conditional", signal }).finally(forget);
        });
      } catch (error) {
        // Some browsers end the offer when the user closes it. One that refuses at once would refuse again.
        const hasEnded = error.code === "aborted" || error.code === "access_denied";
        if (!hasEnded || !(own.aborted || Date.now() - begun > 1_000)) throw error;
      }
    }
    return null;
  }

  // Ends the dialog before. `action` gets a signal for its own, and what ends it.
  #inTurn(signal, action) {
    const before = this.#turn;
    before?.stop();
    const controller = new AbortController();
    const stop = () => controller.abort();
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop);
    const result = Promise.resolve(before?.end).then(() => action(controller.signal, stop));
    const turn = { stop, end: result.catch(() => {}).then(() => {
      signal?.removeEventListener("abort", stop);
      if (this.#turn === turn) this.#turn = undefined;
    }) };
    this.#turn = turn;
    return result;
  }

  // For the user who is signed in, and has signed in within the last minutes: an error is `login_too_old` otherwise.
  addPasskey({ name, signal } = {}) {
    return this.#inTurn(signal, async (signal) => {
      const options = await this.#own("POST", "/api/users/me/passkeys/options", {});
      const made = await askBrowser("create", options, { signal });
      const passkey = await this.#own("POST", "/api/users/me/passkeys", { ...made, name });
      // A list of before may have told the browser that there is no such passkey.
      await this.passkeys().catch(() => {});
      return passkey;
    });
  }

  // Those of the user. The browser is told which they are, and the name of the user.
  async passkeys() {
    const { rpId, user, passkeys } = await this.#own("GET", "/api/users/me/passkeys");
    if (user) {
      const { id: userId, name, displayName } = user;
      const allAcceptedCredentialIds = passkeys.map(({ credentialId }) => credentialId);
      tellBrowser("signalAllAcceptedCredentials", { rpId, userId, allAcceptedCredentialIds });
      tellBrowser("signalCurrentUserDetails", { rpId, userId, name, displayName });
    }
    return passkeys;
  }

  renamePasskey(id, name) {
    return this.#own("PATCH", `/api/users/me/passkeys/${encodeURIComponent(id)}`, { name });
  }

  async deletePasskey(id) {
    const { rpId, passkeys } = await this.#own("GET", "/api/users/me/passkeys");
    await this.#own("DELETE", `/api/users/me/passkeys/${encodeURIComponent(id)}`);
    const credentialId = passkeys.find((passkey) => passkey.id === id)?.credentialId;
    if (credentialId) tellBrowser("signalUnknownCredential", { rpId, credentialId });
  }

  // --- Signing out

  // Signs out in all tabs at once, also without a network. Returns whether the server has ended the session: if it cannot be
  // reached, it is told later.
  async signOut() {
    localStorage.setItem(this.#name, crypto.randomUUID());
    this.#end("signed_out");
    this.#tell({ hasEnded: true, reason: "signed_out" });
    try {
      return await repeatedly(() => this.#exclusively(() => this.#deliverSignOut()));
    } catch (error) {
      if (error.isTemporary) return false;
      throw error;
    }
  }

  // Not null while a sign-out has to be delivered. Another sign-out is another order.
  get #signOutOrder() {
    return localStorage.getItem(this.#name);
  }

  async #deliverSignOut() {
    const order = this.#signOutOrder;
    // Another tab has delivered it.
    if (!order) return !this.#ending;
    this.#end("signed_out");
    const isDelivered = await this.#logOut(remaining(this.#ending) > 0 ? this.#ending.text : undefined);
    if (isDelivered) this.#ending = undefined;
    if (this.#signOutOrder === order) localStorage.removeItem(this.#name);
    await this.#tell({ hasEnded: true, reason: "signed_out", isDelivered });
    return isDelivered;
  }

  // The token ends the session also where the browser does not send the cookie.
  async #logOut(token) {
    try {
      await ask("POST", this.#url("/api/auth/logout"), { token, expected: [204] });
      return true;
    } catch (error) {
      if (error.status !== 401 || !error.problem) throw error;
      // A token that is refused keeps the server from reading the cookie. Without both, there is no session to end.
      return token ? this.#logOut() : false;
    }
  }

  // --- The access token

  // For code that sends its own requests. Refreshed ahead of its end.
  async accessToken() {
    if (this.#state === "signed-out") throw this.#signedOut();
    if (!isFresh(this.#token)) {
      await this.#renew().catch((error) => {
        if (!error.isTemporary || remaining(this.#token) <= 0) throw error;
      });
    }
    // Another tab may have signed out since.
    if (!this.#token) throw this.#signedOut();
    return this.#token.text;
  }

  // One refresh for all callers. The lock is free during the pauses, so that a logout need not wait for them.
  #renew() {
    this.#renewal ??= this.#tryToRenew().finally(() => { this.#renewal = undefined; });
    return this.#renewal;
  }

  async #tryToRenew() {
    if (this.#pause?.end > Date.now()) throw this.#pause.error;
    try {
      await repeatedly(() => this.#exclusively(() => this.#refresh()));
    } catch (error) {
      if (error.isTemporary && error.retryAfter) {
        this.#pause = { end: Date.now() + Math.min(error.retryAfter, longestPause), error };
      }
      throw error;
    }
  }

  async #refresh() {
    await this.#deliverSignOut().catch(() => {});
    if (this.#state === "signed-out") throw this.#signedOut();
    // Another tab may have refreshed while this one waited for the lock.
    const token = isFresh(this.#token) ? this.#token : await this.#newToken();
    const isSameUser = this.#user && this.#user.id === subject(token.text);
    if (token === this.#token && isSameUser) return;
    const user = isSameUser ? this.#user : await ask("GET", this.#url("/api/users/me"), { token: token.text });
    // The message of another tab may arrive before what that tab has stored.
    if (this.#signOutOrder || this.#state === "signed-out") throw this.#signedOut();
    await this.#share(token, user);
  }

  async #newToken() {
    let reason = "no_session";
    try {
      // 204 without a session, because browsers write each refusal to the console.
      const url = this.#url("/api/auth/refresh?session=optional");
      let answer = await ask("POST", url, { expected: [200, 204] });
      // A lost answer was repeated after its access token had expired. Its refresh token gets a new one.
      if (answer?.expiresIn === 0) answer = await ask("POST", url, { expected: [200, 204] });
      if (answer) return tokenOf(answer);
    } catch (error) {
      if (!endsSession.has(error.code)) throw error;
      reason = error.code;
    }
    this.#end(reason);
    await this.#tell({ hasEnded: true, reason });
    throw this.#signedOut();
  }

  // --- Requests of the user

  // As `fetch`, with the access token where the request is for the server's origin. Other origins never get it.
  async fetch(input, init) {
    const base = new URL(this.#server).origin === location.origin ? document.baseURI : this.#server;
    const request = new Request(input instanceof Request ? input : new URL(input, base), init);
    if (new URL(request.url).origin !== new URL(this.#server).origin) return fetch(request);
    // A body that is a stream cannot be sent twice.
    const copy = init?.body instanceof ReadableStream ? undefined : request.clone();
    const token = await this.accessToken();
    const user = this.#user?.id;
    const answer = await send(request, token);
    if (!await this.#isHelped(answer, token)) return answer;
    if (this.#token?.text === token) this.#token.lifetime = 0;
    if (!copy) return answer;
    const next = await this.accessToken();
    // Not as another user.
    if (this.#user?.id !== user) return answer;
    const second = await send(copy, next);
    if (second.status === answer.status) this.#refusedAfterRefresh = next;
    return second;
  }

  // Whether a refresh may help. A service behind the guard may answer 401 for reasons of its own, each time.
  async #isHelped(answer, token) {
    if (answer.status !== 401 && answer.status !== 403) return false;
    const isProblem = answer.headers.get("Content-Type")?.startsWith("application/problem+json");
    const code = isProblem && parsed(await answer.clone().text())?.code;
    if (neverHelpedByRefresh.has(code)) return false;
    if (answer.status === 401 && helpedByRefresh.has(code)) return true;
    return token !== this.#refusedAfterRefresh && (answer.status === 401 || perhapsHelpedByRefresh.has(code));
  }

  // Reads the user again, after a change of the profile.
  async loadUser() {
    const user = await this.#own("GET", "/api/users/me");
    const before = this.#user;
    if (before?.id !== user.id) throw this.#signedOut();
    await this.#share(this.#token, user);
    // Browsers show the name beside the passkey, and some can be told.
    const isRenamed = before.nickname !== user.nickname || before.email !== user.email;
    const isTold = isRenamed && window.PublicKeyCredential?.signalCurrentUserDetails;
    if (isTold) this.ways().then(({ passkey }) => passkey && this.passkeys()).catch(() => {});
    return user;
  }

  // A request of the module for the user. Its answer is JSON, or empty.
  async #own(method, path, body) {
    const headers = body && { "Content-Type": "application/json" };
    const init = { method, headers, body: body && JSON.stringify(body), cache: "no-store" };
    const answer = await this.fetch(this.#url(path), init);
    const json = parsed(await answer.text());
    if (!answer.ok || !(json || answer.status === 204)) throw refusal(answer, json);
    return json;
  }

  // --- What all tabs share

  // Logins, refreshes and logouts of all tabs, one at a time: no late answer takes the place of a newer one.
  #exclusively(action) {
    if (navigator.locks) return navigator.locks.request(this.#name, action);
    const result = this.#queue.then(action);
    this.#queue = result.catch(() => {});
    return result;
  }

  async #share(token, user) {
    this.#become("signed-in", user, token);
    await this.#tell({ token: { ...token, monotonic: undefined }, user });
  }

  // Resolves when the message has come round to this tab itself. The others have it as well by then, before they get the lock.
  #tell(message) {
    const id = crypto.randomUUID();
    const echo = new Promise((resolve) => { this.#echoes.set(id, resolve); });
    this.#channel.postMessage({ ...message, id });
    return Promise.race([echo, passed(1_000)]);
  }

  #hear({ id, hasEnded, reason, isDelivered, token, user }) {
    const echo = this.#echoes.get(id);
    if (echo) {
      this.#echoes.delete(id);
      echo();
    } else if (hasEnded) {
      this.#end(reason);
      if (isDelivered) this.#ending = undefined;
    } else if (!this.#signOutOrder) {
      this.#become("signed-in", user, { ...token, monotonic: performance.now() });
    }
  }

  #end(reason) {
    this.#ending = reason === "signed_out" ? this.#token ?? this.#ending : undefined;
    this.#become("signed-out", null, undefined, reason);
  }

  #signedOut() {
    return new SignedOutError(this.#reason);
  }

  #become(state, user, token, reason) {
    const hasChanged = state !== this.#state || JSON.stringify(user) !== JSON.stringify(this.#user);
    [this.#state, this.#user, this.#token, this.#reason] = [state, user, token, reason];
    if (token) this.#ending = undefined;
    if (!hasChanged) return;
    // Each in its own turn: an error in one of them concerns nothing else.
    for (const callback of this.#callbacks) queueMicrotask(() => callback({ state, user, reason }));
  }

  // When the network or the page is back. A page that the browser has kept may be of a session that has ended since.
  #resume(wasKept = false) {
    if (document.visibilityState === "hidden") return;
    if (wasKept && this.#token) this.#token.lifetime = 0;
    if (wasKept || this.#state === "unknown" || this.#signOutOrder) this.restore().catch(() => {});
  }

  #url(path) {
    return this.#server + path;
  }
}
