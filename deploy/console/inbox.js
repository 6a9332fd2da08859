// The inbox: the messages that Gatehouse has sent, as they arrive at the fake Apple.

import { fillCode } from "./codes-form.js";
import { $, announce, copyButton, element, replace } from "./dom.js";
import { ask } from "./exchange.js";
import { state } from "./state.js";

const most = 20;
const wait = 20; // seconds
let messages = [];

export function startInbox() {
  $("inbox-part").hidden = !state.settings.fakeApple;
  if (state.settings.fakeApple) read();
}

async function read() {
  let [last, isFirst] = [0, true];
  for (;;) {
    try {
      const page = await ask("GET", `apple/inbox?after=${last}&wait=${isFirst ? 0 : wait}`);
      // The fake Apple has been started again, and counts from one.
      if (page.last < last) messages = [];
      last = page.last;
      take(page.messages, isFirst);
      isFirst = false;
    } catch (error) {
      $("inbox-state").textContent = `The inbox cannot be read: ${error.message}. Trying again.`;
      await new Promise((resolve) => { setTimeout(resolve, 2000); });
    }
  }
}

function take(fresh, isFirst) {
  messages = [...fresh, ...messages].slice(0, most);
  $("inbox-state").textContent = messages.length ? "" : "No message yet.";
  if (!fresh.length) return;
  replace($("inbox"), messages.map(view));
  if (!isFirst) announce(`A message to ${fresh[0].to} has arrived.`);
}

function view({ channel, to, subject, text, code, time }) {
  const at = new Date(time * 1000).toLocaleTimeString([], { hour12: false });
  return element(
    "li", {},
    element("p", { className: "hint" }, `${at} ${channel === "phone" ? "text message" : "mail"} to `, element("strong", {}, to)),
    subject ? element("p", { className: "subject" }, subject) : null,
    element("p", { className: "message" }, text.trim()),
    code ? buttons(code, to) : null);
}

function buttons(code, to) {
  const use = element("button", { type: "button", className: "use", "aria-label": `Use the code to ${to}` }, `Use ${code}`);
  use.onclick = () => fillCode(code);
  return element("p", { className: "pair" }, use, copyButton(code, `Copy the code to ${to}`));
}
