// Wrong answers of a provider's page. The fake Apple gives the next one of a kind that is ordered here.

import { isOK, send } from "./exchange.js";

const seconds = () => Math.floor(Date.now() / 1000);

const token = (claims) => ({ token: { claims } });

const inToken = {
  nonce: { name: "Nonce of another sign-in", order: () => token({ nonce: "of.another.sign-in" }) },
  issuer: { name: "Token of another issuer", order: () => token({ iss: "https://issuer.example" }) },
  audience: { name: "Token for another client", order: () => token({ aud: "client.of.another.site" }) },
  expired: { name: "Token of yesterday", order: () => token({ iat: seconds() - 90000, exp: seconds() - 3600 }) },
  forged: { name: "Signed with another key", order: () => ({ token: { forged: true } }) },
};

const inAnswer = {
  code: { name: "Unknown code", order: () => ({ parameters: { code: "unknown" } }) },
  state: { name: "Unknown state", order: () => ({ parameters: { state: "unknown" } }) },
  error: { name: "error=server_error", order: () => ({ parameters: { error: "server_error" } }) },
  busy: { name: "error=temporarily_unavailable", order: () => ({ parameters: { error: "temporarily_unavailable" } }) },
};

// RFC 9207.
const mixedUp = { iss: { name: "iss of another provider", order: () => ({ parameters: { iss: "https://issuer.example" } }) } };

const ofKind = {
  apple: { ...inToken, ...inAnswer }, google: { ...inToken, ...mixedUp, ...inAnswer },
  openid: { ...inToken, ...mixedUp, ...inAnswer }, wechat: inAnswer, qq: inAnswer,
};

export const forgeriesOf = (provider) => ofKind[provider?.kind] ?? {};

// Returns whether the next answer will be that one.
export async function forge(provider, id) {
  const { name, order } = forgeriesOf(provider)[id];
  const step = await send({
    label: `The fake Apple will answer wrongly: ${name}`, kind: "web-forge", method: "POST",
    path: `/console/apple/${provider.mint.replace(/mint$/, "answers")}`, body: order(),
  });
  return isOK(step);
}
