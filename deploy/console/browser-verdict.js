// What a step of a sign-in through a browser means, in words.

import { forgeriesOf } from "./forgeries.js";
import { locationOf } from "./hop.js";
import { backOf, titleOf, webProvider } from "./browser-flow.js";

export const isOfBrowser = ({ kind }) => kind?.startsWith("web-");

export function browserVerdict(step) {
  const { kind, answer } = step;
  if (kind === "web-start") return started(step);
  if (kind === "web-answer") return answered(step);
  if (kind.startsWith("web-callback")) return calledBack(step);
  if (answer.status < 300) return good(...(accepted[kind]?.(step) ?? ["Accepted", ""]));
  return refused(step);
}

const good = (title, cause, meaning) => ({ tone: "good", title, cause, meaning });
const bad = (title, cause, more = {}) => ({ tone: "bad", title, cause, ...more });

function started(step) {
  const location = locationOf(step);
  if (!location) return refused(step);
  if (location.startsWith(step.redirectURI)) {
    return toClient(location, "Gatehouse tells the client at its own address, because that address is registered.");
  }
  if (step.browser === "other") {
    return good("Another browser begins a sign-in", "The attacker’s browser has its own cookie, and its own state of Gatehouse.");
  }
  return good(`The browser goes to ${titleOf(step.provider)}`,
    "Gatehouse keeps the request for ten minutes. It belongs to this provider and, by the cookie, to this browser.");
}

function answered(step) {
  const back = backOf(step);
  const forged = step.forgery ? `Wrong on purpose: ${forgeriesOf(webProvider(step.provider))[step.forgery]?.name}.` : undefined;
  if (!back) {
    const isStaying = step.answer.status < 300;
    return isStaying ? good(`The browser stays at ${titleOf(step.provider)}`, "The provider does not send it back.") : refused(step);
  }
  const cause = back.method === "POST"
    ? "The page posts a form to Gatehouse’s callback by itself: a request that comes from another site."
    : "The browser follows the address to Gatehouse’s callback.";
  return good(`${titleOf(step.provider)} sends the browser back`, cause, forged);
}

function calledBack(step) {
  const location = locationOf(step);
  if (!location) return { ...refused(step), meaning: attacks[step.kind] ?? again };
  if (!new URL(location).searchParams.has("code")) {
    return toClient(location, "Gatehouse does not repeat what the provider said: the log has the reason.");
  }
  const returned = new URL(location).searchParams.get("state");
  if (returned !== step.clientState) return bad("The state is not the client’s", "The client must not use this code.");
  return good("The client gets a code",
    "Gatehouse has verified the identity. The state is the one of step 1, so the answer belongs to this sign-in.");
}

const again = "An answer of a provider is used once. This one was used, is older than ten minutes, or has the state of no sign-in.";

const attacks = {
  "web-callback-other": "No other browser can end this sign-in: without the cookie, the state is worth nothing. "
    + "The request stays, and its own browser can go on.",
  "web-callback-state": "An attacker cannot sign this browser in as the attacker: the state belongs to the cookie of another browser.",
};

function toClient(location, meaning) {
  const parameters = new URL(location).searchParams;
  return bad(`The client gets an error: ${parameters.get("error")}`, parameters.get("error_description"), { meaning });
}

const accepted = {
  "web-forge": () => ["The next answer of the page will be wrong", "A test of what Gatehouse finds out."],
  "web-page": ({ provider }) => [`${titleOf(provider)} asks the user`, "Choose a user in step 4, or cancel. The real provider asks for a password."],
  "web-exchange": ({ way, answer: { json } }) => [
    json.isNewUser === undefined ? "Signed in" : json.isNewUser ? "Signed in as a new user" : "Signed in: the user is known",
    ways[way],
  ],
  "web-refresh": ({ way }) => ["New tokens", way === "cookie"
    ? "The refresh token was replaced in the cookie: no script of a page reads it."
    : "The refresh token has been replaced."],
  "web-logout": () => ["Signed out", "The session has ended, and the browser removes the cookie."],
};

const ways = {
  json: "The answer is that of any login. The client keeps the refresh token.",
  cookie: "The refresh token is in a cookie that no script reads, and refreshToken in the body is null.",
  form: "OAuth’s form and OAuth’s answer, as libraries have them.",
};

function refused(step) {
  const { status, json, text } = step.answer;
  const page = /<p>([^<]*)<\/p>/.exec(text);
  const code = json?.error ?? json?.code ?? /<small>([a-z_]+),/.exec(text)?.[1] ?? status;
  const detail = json?.error_description ?? json?.detail ?? page?.[1] ?? "The answer has no explanation.";
  const end = detail.indexOf(". ");
  const [cause, change] = end < 0 ? [detail] : [detail.slice(0, end + 1), detail.slice(end + 2)];
  return bad(`Refused: ${code}`, cause, { change, meaning: meaningOf(step) });
}

function meaningOf({ kind, age }) {
  if (kind === "web-exchange" && age > 60) return `The code was ${Math.round(age)} s old, and is good for 60 s. The user signs in again.`;
  return {
    "web-verifier": "A thief who has read the code in the address gets nothing: the verifier never left the client. The code stays good for "
      + "the client.",
    "web-again": "A code that is used twice was stolen. The thief gets nothing, and Gatehouse ends the session that the first use "
      + "opened, because that one may have been the thief’s: see the next request.",
    "web-origin": "The browser has sent the cookie, because the page is of the same site. Its Origin is neither Gatehouse’s own nor "
      + "one of CORS_ORIGINS. Pages of other sites do not get so far: SameSite=Lax keeps the cookie back.",
  }[kind];
}
