// What the page knows: the session, the requests so far, and the one that is shown. A reload keeps the session.

const stored = "gatehouse-console";

export const state = {
  settings: { origin: location.origin, fakeApple: null, bundleIDs: [], certificate: "" },
  // {accessToken, refreshToken, user, jkt, way}: the thumbprint of the key of a bound session; the way of the exchange if it
  // began in a browser. With the way cookie the refresh token is null.
  session: null,
  browser: { cookies: [], flow: {} }, // of a sign-in through a browser
  webProviders: [], // the names of the providers for it
  offersPasskeys: false, passkeys: [], // of the last list
  offersOneTap: false,
  oldTokens: [], // refresh tokens of this session that have been replaced, the oldest first
  subject: null, // the Apple user who signed in last
  subjects: {}, // the user of each other provider who signed in last
  code: null, // the last one that was sent: {id, channel, to, expiresAt, resendAt}, times in seconds since 1970
  providers: [], // the providers besides Apple: {name, kind, audience, appId, mint}
  steps: [],
  selected: null,
  busy: false,
  proofNonce: null, // the last nonce of the server for proofs
  apiFaults: [],
  appleFaults: [],
};

const listeners = [];

export function onChange(listener) {
  listeners.push(listener);
}

export function changed() {
  const { session, oldTokens, subject, subjects, code, browser } = state;
  sessionStorage.setItem(stored, JSON.stringify({ session, oldTokens, subject, subjects, code, browser }));
  for (const listener of listeners) listener();
}

export function restore() {
  try {
    Object.assign(state, JSON.parse(sessionStorage.getItem(stored) ?? "{}"));
  } catch {
    sessionStorage.removeItem(stored);
  }
}

export function begin(tokens, user, jkt) {
  state.oldTokens = [];
  state.session = { accessToken: tokens.accessToken, refreshToken: tokens.refreshToken, user, jkt };
}

export function advance(tokens) {
  if (!state.session) return;
  if (tokens.refreshToken !== state.session.refreshToken) state.oldTokens.push(state.session.refreshToken);
  state.session.ended = undefined;
  state.session.accessToken = tokens.accessToken;
  state.session.refreshToken = tokens.refreshToken;
}

export function end() {
  state.session = null;
  state.oldTokens = [];
}

// Codes that mean that the session has ended.
const endings = ["invalid_refresh_token", "refresh_token_expired", "refresh_token_revoked", "refresh_token_reused",
  "user_disabled"];

// A proof by another key ends the session, except for reads, which this page never sends with one.
export function noteEnd(problem) {
  const { code, reason } = problem ?? {};
  if (!state.session) return;
  if (endings.includes(code)) state.session.ended = code;
  if (code === "invalid_dpop_proof" && reason === "key") state.session.ended = "a proof by another key";
}

export function addStep(step) {
  step.number = state.steps.length + 1;
  state.steps.push(step);
  state.selected = step;
}
