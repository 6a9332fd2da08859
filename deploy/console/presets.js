// The logins that the page offers. Each is an order for the fake Apple; the editor changes it.

const seconds = () => Math.floor(Date.now() / 1000);

export const presets = [
  {
    id: "new", name: "New user", hint: "Signs in for the first time: Apple gives the name once.",
    order: { givenName: "Ada", familyName: "Lovelace" },
  },
  {
    id: "returning", name: "Returning user", hint: "The user who signed in last, with a new token.",
    order: {}, returning: true,
  },
  {
    id: "2019", name: "Claims of 2019", hint: "As Apple sent them then: flags are strings, valid for 10 minutes.",
    order: { era: "2019" },
  },
  {
    id: "audience", name: "Wrong audience", hint: "The token was issued to another app. Refused.",
    order: { aud: "com.example.other" },
  },
  {
    id: "expired", name: "Expired", hint: "The token was issued yesterday. Refused.",
    order: {}, claims: () => ({ iat: seconds() - 90000, auth_time: seconds() - 90000, exp: seconds() - 3600 }),
  },
  {
    id: "nonce", name: "Wrong nonce", hint: "The token belongs to another request of the app. Refused.",
    order: {}, nonce: "other",
  },
];
