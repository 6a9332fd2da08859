// Starts the page.

import { control } from "./exchange.js";
import { $, announce, fail } from "./dom.js";
import { buildFaults, readFaults } from "./faults.js";
import { startLog } from "./log.js";
import { buildLogin, showLogin } from "./login-form.js";
import { onChange, restore, state } from "./state.js";
import { buildActions, showHistory, showSession } from "./view-session.js";
import { showStep } from "./view-step.js";
import { tick } from "./view-tokens.js";

restore();
try {
  state.settings = await control("GET", "settings");
  $("server").textContent = `${state.settings.origin}, for ${state.settings.bundleIDs.join(", ")}`;
} catch (error) {
  fail(error);
}

buildLogin();
buildActions();
buildFaults();
if (!state.settings.fakeApple) withoutFakeApple();
for (const show of [showSession, showStep, showHistory, showLogin]) {
  onChange(show);
  show();
}
startLog();
setInterval(tick, 1000);
$("copy-faulty").onclick = async () => {
  await navigator.clipboard.writeText($("faulty-url").textContent);
  announce("Copied");
};
await readFaults().catch(fail);

function withoutFakeApple() {
  $("login").hidden = true;
  $("pasted").open = true;
  const notice = $("real-apple");
  notice.hidden = false;
  notice.textContent = "The server accepts Apple’s own tokens (--real-apple), which this page cannot mint. Paste the "
    + "identity token or the login of your app below. Apple’s notifications and Apple’s faults are not available here.";
}
