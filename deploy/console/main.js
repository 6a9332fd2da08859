// Starts the page.

import { control, readWays } from "./exchange.js";
import { $, fail } from "./dom.js";
import { buildBrowser } from "./browser-form.js";
import { buildCodes, showCodes, tickCodes } from "./codes-form.js";
import { buildFaults, readFaults } from "./faults.js";
import { startInbox } from "./inbox.js";
import { startLog } from "./log.js";
import { buildLogin, showLogin } from "./login-form.js";
import { buildPasskeys, showPasskeys } from "./passkeys.js";
import { onChange, restore, state } from "./state.js";
import { showBrowser, tickBrowser } from "./view-browser.js";
import { buildActions, showHistory, showSession } from "./view-session.js";
import { showStep } from "./view-step.js";
import { tick } from "./view-tokens.js";

restore();
if (await readSettings()) await start();

async function readSettings() {
  try {
    state.settings = await control("GET", "settings");
    $("server").textContent = `${state.settings.origin}, for ${state.settings.bundleIDs.join(", ")}`;
    return true;
  } catch (error) {
    $("server").textContent = "The settings of the server cannot be read. Reload the page when ./deploy/run is running.";
    document.querySelector("main").hidden = true;
    fail(error);
    return false;
  }
}

async function start() {
  await readProviders().catch(fail);
  await readFaults().catch(fail);
  await readWays().catch(fail);
  buildLogin();
  buildBrowser();
  buildCodes();
  buildPasskeys();
  buildActions();
  buildFaults();
  if (!state.settings.fakeApple) withoutFakeApple();
  for (const show of [showSession, showStep, showHistory, showLogin, showCodes, showPasskeys, showBrowser]) {
    onChange(show);
    show();
  }
  startLog();
  startInbox();
  setInterval(() => {
    tick();
    tickCodes();
    tickBrowser();
  }, 1000);
}

// Without them, Apple's logins still work.
async function readProviders() {
  state.providers = (await control("GET", "providers")).providers;
}

function withoutFakeApple() {
  $("login").hidden = true;
  $("pasted").open = true;
  const notice = $("real-apple");
  notice.hidden = false;
  notice.textContent = "The server accepts Apple’s own tokens (--real-apple), which this page cannot mint. Paste the "
    + "identity token or the login of your app below. Apple’s notifications and Apple’s faults are not available here, and "
    + "codes go to your own gateway and mail server.";
}
