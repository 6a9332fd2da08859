// What the page knows: the session, the requests so far, and the one that is shown. A reload keeps the session.

const stored = "gatehouse-console";

export const state = {
  settings: { origin: location.origin, fakeApple: null, bundleIDs: [], certificate: "" },
  session: null, // {accessToken, refreshToken, user}
  oldTokens: [], // refresh tokens of this session that have been replaced, the oldest first
  subject: null, // the Apple user who signed in last
  steps: [],
  selected: null,
  busy: false,
  apiFaults: [],
  appleFaults: [],
};

const listeners = [];

export function onChange(listener) {
  listeners.push(listener);
}

export function changed() {
  const { session, oldTokens, subject } = state;
  sessionStorage.setItem(stored, JSON.stringify({ session, oldTokens, subject }));
  for (const listener of listeners) listener();
}

export function restore() {
  try {
    Object.assign(state, JSON.parse(sessionStorage.getItem(stored) ?? "{}"));
  } catch {
    sessionStorage.removeItem(stored);
  }
}

export function begin(tokens, user) {
  state.oldTokens = [];
  state.session = { accessToken: tokens.accessToken, refreshToken: tokens.refreshToken, user };
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

export function noteEnd(code) {
  if (state.session && endings.includes(code)) state.session.ended = code;
}

export function addStep(step) {
  step.number = state.steps.length + 1;
  state.steps.push(step);
  state.selected = step;
}
