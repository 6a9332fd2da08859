// The types of gatehouse.js.

export type State = "unknown" | "signed-in" | "signed-out";

export interface User {
  id: string;
  email: string | null;
  emailVerified: boolean;
  phone: string | null;
  nickname: string | null;
  avatarUrl: string | null;
  role: string;
  status: string;
  onboardingCompleted: boolean;
  /** Whether the user has no account yet. */
  guest: boolean;
  /** What the operator's services keep of the user and show to them. Absent if the server shows nothing. */
  attributes?: Record<string, unknown>;
}

export interface Account {
  provider: string;
  email: string | null;
  emailVerified: boolean | null;
  isPrivateEmail: boolean | null;
  isMailForwarded: boolean | null;
  /** RFC 3339. */
  linkedAt: string;
}

export interface Login {
  accessToken: string;
  refreshToken: null;
  tokenType: string;
  expiresIn: number;
  isNewUser: boolean;
  /** Another user has proven the address of this new user as well. See `discardNewUser`. */
  knownAddress?: true;
  user: User;
}

export interface Ways {
  /** The providers for `signIn`. */
  web: string[];
  /** The channels for `sendCode`. */
  codes: ("phone" | "email")[];
  /** Whether there are passkeys. */
  passkey: boolean;
  /** Whether there are guests: a page needs `open`. */
  guests: "off" | "bound" | "open";
  /** Whether the server runs in development. */
  development: boolean;
}

export interface SentCode {
  codeId: string;
  /** Seconds. */
  expiresIn: number;
  /** Seconds until the same address may get another message. */
  resendAfter: number;
}

export interface Passkey {
  /** For `renamePasskey` and `deletePasskey`. */
  id: string;
  /** As browsers name it, in base64url. */
  credentialId: string;
  name: string | null;
  /** RFC 3339. */
  createdAt: string;
  lastUsedAt: string | null;
}

/** The body of a refusal (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string | null;
  code: string;
  requestId: string;
  reason?: string;
  errors?: { field: string; message: string }[];
}

export class GatehouseError extends Error {
  /**
   * The server's code, or `offline`, `signed_out`, `unexpected_answer`, `insecure_page`, `invalid_return_address`, or one of
   * `SignInError` and `PasskeyError`. Later servers have more.
   */
  readonly code: string;
  readonly status?: number;
  /** For how many milliseconds the server asks to wait. */
  readonly retryAfter?: number;
  readonly problem?: Problem;
  /** Whether the same call may succeed later. */
  readonly isTemporary: boolean;
}

/** No answer, or one that the browser keeps back because the page is not of CORS_ORIGINS. The user stays signed in. */
export class OfflineError extends GatehouseError {}

export class SignedOutError extends GatehouseError {
  /** Undefined if another user has signed in instead. */
  readonly reason?: Reason;
}

/**
 * Why no user is signed in: `signed_out` by the user, `no_session` if the browser has none, or the server's code:
 * `refresh_token_expired`, `refresh_token_revoked` (ended elsewhere), `refresh_token_reused` (perhaps stolen),
 * `invalid_refresh_token` or `user_disabled`.
 */
export type Reason = "signed_out" | "no_session" | (string & {});

/**
 * The sign-in that the browser came back from has failed. `code` is OAuth's error, such as `access_denied` if the user has
 * cancelled, `other_tab` if this tab has not begun it, `invalid_issuer`, or the server's for the exchange of the code.
 */
export class SignInError extends GatehouseError {}

/**
 * The browser has made or shown no passkey. `code` is `access_denied` if the user has cancelled, has none, or has let the time
 * pass, `aborted` by a signal or by the next dialog, `passkey_exists` if the device has one of this user already, `no_passkeys`
 * in a browser without them, `wrong_domain` on a page that is not of PASSKEY_RP_ID, or `passkey_failed`.
 */
export class PasskeyError extends GatehouseError {}

export interface Options {
  /** Where Gatehouse is. The default is where this file comes from. */
  server?: string;
  /** The address of a page that calls `start()`, one of REDIRECT_URIS. The default is this page, without its query. */
  redirectURI?: string;
  /** The server's TOKEN_ISSUER, if it is an https origin: an answer of another server is then refused. */
  issuer?: string;
}

/** One for a page. */
export class Gatehouse {
  constructor(options?: Options);

  /** Unknown until the server has answered. */
  readonly state: State;
  readonly user: User | null;
  /** For how many seconds the access token is valid. */
  readonly expiresIn: number;

  /** Calls back at each change, in this tab or another one. Returns a function that ends it. */
  onChange(callback: (change: { state: State; user: User | null; reason?: Reason }) => void): () => void;

  /** When the page is loaded: finishes the sign-in that the browser returns from, or restores the session. */
  start(): Promise<User | null>;
  /** The first half of `start`. Null if this address does not end a sign-in. */
  finishSignIn(): Promise<Login | null>;
  /** The second half of `start`. */
  restore(): Promise<User | null>;

  ways(): Promise<Ways>;
  /**
   * Leaves the page for that of the provider, such as `apple`. After the sign-in, `start()` goes on to `returnTo`, an address of
   * this origin: it loads the page there if its path is another one.
   */
  signIn(provider: string, options?: { returnTo?: string | URL }): Promise<void>;
  /** With the `codeId` of an earlier answer, the same code is sent again. */
  sendCode(channel: "phone" | "email", to: string, codeId?: string): Promise<SentCode>;
  signInWithCode(codeId: string, code: string): Promise<Login>;
  /** Makes a user without an account. `link` makes an ordinary user of the guest, with the same id. */
  continueAsGuest(options?: { nickname?: string }): Promise<Login>;
  /**
   * Links an account: `credential` is the body of a login by the provider, for `phone` and `email` of a code. Rejects with
   * `account_already_linked` if another user has the account. With `onTaken: "join"` a guest becomes that user instead, and the
   * answer is a login.
   */
  link(
    provider: string, credential: Record<string, unknown>, options?: { onTaken?: "refuse" | "join" },
  ): Promise<{ accounts: Account[] } | Login>;
  /** Whether the login of this tab was answered with `knownAddress`, in the last ten minutes. */
  readonly knownAddress: boolean;
  /**
   * Where `knownAddress` is true: deletes the new user, who has nothing yet, and signs out. Then let the user sign in as before,
   * and link the account of this login.
   */
  discardNewUser(): Promise<void>;

  /**
   * With a passkey, in the browser's dialog. With `mediation: "conditional"` among the suggestions of a field with
   * `autocomplete="username webauthn"`, until a user has signed in: null if in another way, if the signal has ended it, and in
   * browsers without it. A dialog may be opened meanwhile. A passkey that the server does not know is refused as
   * `invalid_passkey`, and the browser is told not to offer it any more.
   */
  signInWithPasskey(options: { mediation: "conditional"; signal?: AbortSignal }): Promise<Login | null>;
  signInWithPasskey(options?: { signal?: AbortSignal }): Promise<Login>;
  /**
   * Makes a new user with a passkey alone. `contact` is a mail address or a phone number, which stays unproven. After a lost
   * answer the user may exist: the passkey signs in.
   */
  signUpWithPasskey(options?: { nickname?: string; contact?: string; signal?: AbortSignal }): Promise<Login>;
  /** Makes a passkey of the user. Rejects with `login_too_old` if the user has to sign in again before. */
  addPasskey(options?: { name?: string; signal?: AbortSignal }): Promise<Passkey>;
  /** Those of the user. The browser is told which they are, so that it offers no other one. */
  passkeys(): Promise<Passkey[]>;
  renamePasskey(id: string, name: string): Promise<Passkey>;
  /** Rejects with `login_too_old` as `addPasskey`, and with `last_account` if the user has no other way to sign in. */
  deletePasskey(id: string): Promise<void>;

  /**
   * Signs out in all tabs at once. True if the server has ended the session. False if it could not be told yet, which is then
   * done later, and if it has found no session to end.
   */
  signOut(): Promise<boolean>;

  /**
   * As the `fetch` of the browser, with the access token where the request is for the server. After a 401 that a refresh may
   * help against, it is sent once more. Rejects with `SignedOutError` if no user is signed in.
   */
  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;
  /** For code that sends its own requests. */
  accessToken(): Promise<string>;
  /** Reads the user again, after a change of the profile. */
  loadUser(): Promise<User>;
}
