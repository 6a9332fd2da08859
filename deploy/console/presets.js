// The logins that the page offers, by the kind of provider. Each is an order for the fake Apple, which plays all of them;
// the editor changes those of Apple.

const seconds = () => Math.floor(Date.now() / 1000);

const yesterday = () => ({ iat: seconds() - 90000, exp: seconds() - 3600 });

const apple = [
  {
    id: "new", name: "New user", hint: "The first login: Apple gives the name once.",
    order: { givenName: "Ada", familyName: "Lovelace" },
  },
  {
    id: "returning", name: "Returning user", hint: "The last user, with a new token.",
    order: {}, returning: true,
  },
  {
    id: "2019", name: "Claims of 2019", hint: "Flags as strings, valid for 10 minutes.",
    order: { era: "2019" },
  },
  {
    id: "audience", name: "Wrong audience", hint: "Refused: issued to another app.",
    order: { aud: "com.example.other" },
  },
  {
    id: "expired", name: "Expired", hint: "Refused: issued yesterday.",
    order: {}, claims: () => ({ ...yesterday(), auth_time: seconds() - 90000 }),
  },
  {
    id: "nonce", name: "Wrong nonce", hint: "Refused: of another request of the app.",
    order: {}, nonce: "other",
  },
];

const openID = [
  { id: "new", name: "New user", hint: "A token with a nonce of Gatehouse.", order: {} },
  { id: "returning", name: "Returning user", hint: "The last user, with a new token.", order: {}, returning: true },
  {
    id: "audience", name: "Wrong audience", hint: "Refused: issued to another app.",
    order: { aud: "client.of.another.app" },
  },
  { id: "expired", name: "Expired", hint: "Refused: issued yesterday.", order: {}, claims: yesterday },
  { id: "nonce", name: "Wrong nonce", hint: "Refused: of another request of the app.", order: {}, nonce: "other" },
  { id: "forged", name: "Forged", hint: "Refused: signed with another key.", order: { forged: true } },
];

const codes = [
  { id: "new", name: "New user", hint: "A code, which Gatehouse exchanges.", order: {} },
  { id: "returning", name: "Returning user", hint: "The last user, with a new code.", order: {}, returning: true },
  { id: "used", name: "Used code", hint: "Refused: it signs in once, and then again.", order: {}, twice: true },
  { id: "expired", name: "Expired code", hint: "Refused: issued more than 10 minutes ago.", order: { expired: true } },
];

const ofKind = {
  apple,
  google: openID,
  openid: openID,
  wechat: [
    ...codes,
    { id: "app", name: "Code of another app", hint: "Refused: WeChat says 40029.", order: { fault: 40029 } },
    {
      id: "secret", name: "Wrong app secret", hint: "Fails: WeChat says 40125, and the log says what to correct.",
      order: { fault: 40125 },
    },
  ],
  qq: [
    ...codes,
    {
      id: "app", name: "Access token of another app", hint: "Refused: QQ names the app that it is for.",
      order: { clientID: "100000000" }, part: "accessToken",
    },
  ],
};

export const presetsOf = (provider) => ofKind[provider.kind] ?? [];

export const usualNonce = { apple: "hashed", google: "raw", openid: "raw", wechat: "none", qq: "none" };
