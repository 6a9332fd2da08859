// The logins that the page offers. Each is an order for the fake Apple; the editor changes it.

const seconds = () => Math.floor(Date.now() / 1000);

export const presets = [
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
    order: {}, claims: () => ({ iat: seconds() - 90000, auth_time: seconds() - 90000, exp: seconds() - 3600 }),
  },
  {
    id: "nonce", name: "Wrong nonce", hint: "Refused: of another request of the app.",
    order: {}, nonce: "other",
  },
];
