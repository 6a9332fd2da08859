// What the page shows, by the address after `#`, and the bar above it.

import { api, explain, gatehouse, needs } from "./api.js";
import { $, announce, button, element, foreign, link, replace } from "./dom.js";
import { refusedView, signInView } from "./sign-in.js";
import { nameOf, say, switchLanguage } from "./words.js";

export const views = {}; // by name: functions that return the nodes of a view
// What was looked for last, for the way back to the list.
export const search = { words: "", users: [], next: null, isDone: false };
// Why the administrator looks: it is recorded with each look, and proposed in the dialogs.
export const purpose = { words: "" };
let outcome = ""; // of an act: the next view tells it
let turn = 0; // of the view that is shown: a late answer of another one is dropped

export function showTop() {
  const user = gatehouse.user;
  const [page] = place();
  const entry = (name, text) => {
    const node = link(text, `#/${name}`);
    if (page === name || (page === "user" && name === "users")) node.setAttribute("aria-current", "page");
    return node;
  };
  const words = element("input", {
    id: "query", type: "search", placeholder: say("Mail, phone, id or name", "邮箱、手机号、编号或昵称"), spellcheck: false,
    autocomplete: "off", maxLength: 256, "aria-label": say("Find a user by mail, phone, id, name or id at a provider",
      "按邮箱、手机号、编号、昵称或平台编号查找用户"), value: search.words,
  });
  const reason = element("input", {
    id: "purpose", placeholder: say("Reason (required): ticket 4711", "原因（必填）：工单 4711"), autocomplete: "off", maxLength: 160, required: true,
    "aria-label": say("Why you look, for the audit trail", "查看原因（记入审计记录）"), value: purpose.words,
  });
  reason.oninput = () => { purpose.words = reason.value.trim(); };
  reason.onfocus = () => reason.select();
  const form = element("form", { id: "search", role: "search" }, words, reason,
    element("button", {}, say("Find", "查找")));
  form.onsubmit = (event) => {
    event.preventDefault();
    search.words = words.value.trim();
    search.isDone = false;
    if (location.hash === "#/users") show();
    else location.hash = "#/users";
  };
  replace($("top"),
    element("h1", {}, say("User support", "用户支持")),
    user && element("nav", { "aria-label": say("Parts of the page", "页面导航") }, entry("", say("Overview", "概览")),
      entry("users", say("Users", "用户")), entry("deliveries", say("Deliveries", "投递")),
        entry("audit", say("Audit trail", "审计记录"))),
    user && form,
    element("div", { className: "self" },
      user && element("span", {}, foreign(nameOf(user))),
      user && button(say("Sign out", "退出"), () => gatehouse.signOut().catch(fail)),
      Object.assign(button(say("中文", "English"), switchLanguage), { lang: say("zh-CN", "en") })));
}

// `#/user/user_…` is ["user", "user_…"].
function place() {
  const [, name = "", argument] = /^#\/(\w*)(?:\/(\w+))?$/.exec(location.hash) ?? [];
  return Object.hasOwn(views, name) ? [name, argument] : [""];
}

export async function show(need) {
  const mine = ++turn;
  $("dialog").close();
  showTop();
  if (gatehouse.state !== "signed-in") return put(mine, await signInView("sign-in", () => show()));
  if (need) return put(mine, await signInView(need, () => show()));
  const [name, argument] = place();
  $("main").setAttribute("aria-busy", "true");
  try {
    put(mine, await mayUse() ? await views[name](argument) : refusedView(gatehouse.user));
  } catch (error) {
    if (mine !== turn) return;
    $("main").removeAttribute("aria-busy");
    react(error);
  }
}

// Everything answers 404 to users without the role, and where the API is off.
async function mayUse() {
  if (!["ADMIN", "SUPER_ADMIN"].includes(gatehouse.user.role)) return false;
  try {
    await api("GET", "self");
    return true;
  } catch (error) {
    if (error.status !== 404) throw error;
    return false;
  }
}

// The new content, with the focus at its heading.
function put(mine, nodes) {
  if (mine !== turn) return;
  $("main").removeAttribute("aria-busy");
  replace($("main"), outcome && element("p", { className: "notice done" }, outcome), nodes);
  if (outcome) announce(outcome);
  outcome = "";
  const title = $("main").querySelector("h2");
  document.title = `${title.textContent} – ${say("User support", "用户支持")}`;
  title.focus({ preventScroll: true });
  scrollTo(0, 0);
}

export function tell(done) { outcome = done; }

export function react(error) {
  const need = needs(error);
  if (need) show(need);
  else fail(error);
}

// Above the view that is there.
export function fail(error) {
  $("main").querySelector(":scope > .fault")?.remove();
  $("main").prepend(element("p", { className: "fault", role: "alert" }, explain(error), " ",
    button(say("Try again", "重试"), () => show())));
}
