// What a step means, in words: {tone: good | bad | lost | wait, title, cause, change}.

import { browserVerdict, isOfBrowser } from "./browser-verdict.js";

export function verdict(step) {
  if (step.failure) return withoutAnswer(step);
  if (!step.answer) return { tone: "wait", title: "Waiting for the answer…" };
  if (isOfBrowser(step)) return browserVerdict(step);
  if (step.answer.status < 300) return accepted(step);
  return refused(step);
}

function withoutAnswer(step) {
  if (step.kind === "lost") {
    return {
      tone: "lost", title: "The answer was lost",
      cause: "Gatehouse carried the request out, and the connection ended before its answer arrived. "
        + "The app still has the old refresh token.",
      change: "Nothing: send the same refresh token again, even hours later. Gatehouse repeats the lost answer.",
    };
  }
  return {
    tone: "lost", title: "No answer",
    cause: `The connection ended without an answer (${step.failure}). Gatehouse may have carried the request out.`,
    change: "See the log, and the faults that are switched on. Then send the request again.",
  };
}

const good = {
  challenge: () => ["A nonce for one login", "The app passes its SHA-256 to Apple, and sends the nonce itself."],
  "provider-challenge": () => ["A nonce for one login", "The app hands it to the provider, and sends it with the token."],
  mint: () => ["Apple has issued an identity token", "This is what an app gets from AuthenticationServices."],
  "provider-mint": () => ["The provider has issued a login", "This is what an app gets from the provider’s SDK."],
  link: () => ["The login is linked", "It signs this user in from now on."],
  join: ({ json }) => json.accessToken
    ? ["The guest has joined the user", "The login belonged to another user, who is signed in now. The guest is gone."]
    : ["The login is linked", "It belonged to no other user, and signs this user in from now on."],
  guest: () => ["A guest", "A user without an account. The first login that is linked makes an ordinary user of the guest."],
  unlink: () => ["The login is not linked any more", "It would sign in a new user."],
  login: signedIn,
  "code-login": signedIn,
  "number-login": signedIn,
  "number-bind": () => ["The number is bound to the user", "It signs this user in, by one tap and by a code."],
  "number-mint": () => ["The carrier has issued a token", "This is what an app gets from the library of a vendor. It is good once."],
  "passkey-login": signedIn,
  "passkey-signup": signedIn,
  "passkey-options": () => [
    "A challenge for the browser’s dialog", "Good once, with this passkeyId. To sign in, it names no user and no passkey.",
  ],
  "passkey-add": () => ["The passkey is added", "It signs this user in from now on."],
  "passkey-list": () => ["The passkeys of the user", "A page hands their ids to the browser, which hides all others of the user."],
  "passkey-delete": () => ["The passkey is deleted", "It is refused as unknown from now on; the browser may still offer it."],
  "code-send": ({ json }) => [
    "A code was sent",
    `It is good for ${Math.round(json.expiresIn / 60)} minutes, with this codeId, which only this app has. The answer is `
      + "the same whether the address has an account or not.",
  ],
  "code-again": ({ json }, { body }) => json.codeId === body.codeId
    ? ["The same code was sent again", "Under the same codeId: wrong tries go on counting."]
    : ["A new code was sent", "The one before is over, or was for another address."],
  "code-bind": () => ["The address is bound to the user", "A code to it signs this user in from now on."],
  "code-join": ({ json }) => json.accessToken
    ? ["The users are joined", "The address belonged to another user, who is signed in now and has the accounts of both."]
    : ["The address is bound to the user", "It belonged to no other user, so no users were joined."],
  "code-unbind": () => ["The address is not bound any more", "A code to it would sign in a new user."],
  "code-replace": () => [
    "The address was replaced", "The former one does not sign this user in any more. It gets a notice: see the inbox.",
  ],
  me: () => ["The access token was accepted", ""],
  refresh: () => ["New tokens", "The old refresh token has been replaced."],
  again: () => [
    "Still signed in", "Gatehouse has repeated the answer that was lost: both requests made one new generation.",
  ],
  replay: () => [
    "Accepted: the request raced",
    "The token was replaced less than REFRESH_REUSE_GRACE (30 s) ago. After that time the same button shows a theft.",
  ],
  logout: () => ["Signed out", "The access token is refused from now on, although it has not expired."],
  "mint-notification": () => ["Apple has signed a notification", ""],
  notification: (answer, { type }) => ["The notification was accepted", notified[type] ?? ""],
  export: () => ["Everything that is held about the user", ""],
  delete: ({ headers }) => [
    "The account is deleted", `${revocation(headers["x-apple-revocation"])} The same Apple user would be a new user.`,
  ],
};

function signedIn({ json }) {
  return [
    json.isNewUser ? "Signed in as a new user" : "Signed in: the user is known",
    `Gatehouse has issued an access token and a refresh token${json.tokenType === "DPoP" ? ", bound to the key of the proof" : ""}.`,
  ];
}

const notified = {
  "email-disabled": "The linked account has isMailForwarded false now: see Export.",
  "email-enabled": "The linked account has isMailForwarded true now: see Export.",
  "consent-revoked": "The user’s sessions have ended. APPLE_ON_CONSENT_REVOKED says what becomes of the user.",
  "account-delete": "The user’s sessions have ended. APPLE_ON_CONSENT_REVOKED says what becomes of the user.",
};

function revocation(header) {
  if (header === "queued") return "Gatehouse asks Apple to revoke the tokens, until Apple answers.";
  if (header === "by-hand") return "Gatehouse has nothing to revoke at Apple with: the app shows the page in Link.";
  return "The user had no Apple Account.";
}

function accepted(step) {
  const { kind, answer } = step;
  const [title, cause] = good[kind]?.(answer, step) ?? ["Accepted", ""];
  return { tone: "good", title, cause };
}

// What a thief has and gets, by the experiment and the reason of the refusal.
const stolen = {
  "no-proof missing": "This is all that a thief of the tokens gets. The session goes on: nothing was changed.",
  "other-key key": "A thief has made a key: the proof is right, but its key is not the session’s. So Gatehouse knows that the "
    + "tokens were stolen. It has ended the session and recorded session_key_mismatch.",
  "same-proof replayed": "A thief has read a whole request: its proof was used once. The session goes on: nothing was changed.",
};

function refused({ kind, answer: { status, json } }) {
  // The `detail` of a 400 also has what is in `errors`.
  const [cause, change] = sentences(json?.detail ?? json?.error ?? "The answer has no explanation.");
  const meaning = stolen[`${kind} ${json?.reason}`];
  return { tone: "bad", title: `Refused: ${json?.reason ?? json?.code ?? status}`, cause, change, meaning };
}

// A `detail` says first what is wrong, then what to do.
function sentences(detail) {
  const end = detail.indexOf(". ");
  return end < 0 ? [detail, ""] : [detail.slice(0, end + 1), detail.slice(end + 2)];
}
