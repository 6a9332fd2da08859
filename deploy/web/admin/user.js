// One user: who they are, their ways in, their sessions, what happened lately, and what an administrator can do.

import { actButtons, endSession } from "./acts.js";
import { api, gatehouse, idPath, query } from "./api.js";
import { button, element, facts, foreign, heading, link, section } from "./dom.js";
import { historyList } from "./history.js";
import { purpose, react, show } from "./page.js";
import { marks, userLink } from "./users.js";
import { capital, deviceOf, nameOf, providerName, say, time } from "./words.js";

export async function userView(id) {
  const found = await api("GET", `users/${idPath(id)}${query({ reason: purpose.words })}`);
  const { user, accounts, sessions, events, nextEvents } = found;
  const isOwn = id === gatehouse.user.id;
  return [
    heading(foreign(nameOf(user)), " ", marks(user)),
    merged(found),
    element("div", { className: "acts" }, actButtons(found)),
    isOwn && own(accounts),
    element("div", { className: "columns" },
      element("div", {},
        section(say("Who", "身份"), who(user, found.attributes)),
        section(say("Ways to sign in", "登录方式"), listOf(accounts.map(way),
          say("None: this user cannot sign in.", "没有：此用户无法登录。"))),
        section(say("Signed in on", "已登录的设备"), listOf(sessions.map((session) => device(session, found)),
          say("Not signed in on any device.", "未在任何设备上登录。")))),
      element("div", {},
        section(say("What happened lately", "近期动态"), historyList({ entries: events, next: nextEvents }, { user: id }, id),
          link(say("Everything, and who looked at this user", "全部记录，包括谁查看过此用户"), `#/audit/${idPath(id)}`)),
        await namelessRefusals(sessions, events))),
  ];
}

// An administrator's own account. With a passkey of their own, the server can demand one of administrators (ADMIN_ACR).
const own = (accounts) => element("div", { className: "acts" },
  element("p", { className: "hint" }, say("This is you: another administrator has to disable, delete or merge you, or change your role.",
    "这是您自己：停用、删除、合并或更改角色须由其他管理员进行。")),
  !accounts.some(({ provider }) => provider === "PASSKEY") && button(say("Add a passkey", "添加通行密钥"), () =>
    gatehouse.addPasskey().then(() => show(), react)));

const who = (user, attributes) => facts([
  [say("Nickname", "昵称"), user.nickname && foreign(user.nickname)],
  [say("Mail", "邮箱"), user.email && [foreign(user.email), !user.emailVerified && say(" (not proven)", "（未验证）")]],
  [say("Phone", "手机号"), user.phone],
  [say("Id", "编号"), element("code", {}, user.id)],
  [say("Since", "注册于"), time(user.createdAt)],
  [say("Last sign-in", "上次登录"), user.status !== "DELETED" && [time(user.lastLoginAt),
    user.lastLoginProvider && say(` by ${providerName(user.lastLoginProvider)}`,
    `（${providerName(user.lastLoginProvider)}）`)]],
  [say("Attributes", "属性"), Object.keys(attributes ?? {}).length > 0 && element("code", {}, foreign(JSON.stringify(attributes)))],
]);

const listOf = (items, none) => (items.length ? element("ul", { className: "rows" }, items) : element("p",
  { className: "hint" }, none));

const way = ({ provider, subject, unionSubject, email, isPrivateEmail, isMailForwarded, linkedAt }) => element("li", {},
  element("strong", {}, capital(providerName(provider))),
  element("span", { className: "hint" },
    email && [foreign(email), isPrivateEmail && say(" (Apple's relay)", "（Apple 隐藏邮箱）"), isMailForwarded === false
      && say(", not forwarded", "，未转发"), "; "],
    subject && subject !== email && [element("code", {}, subject), "; "],
      unionSubject && [element("code", {}, unionSubject), "; "],
    say("since ", "添加于 "), time(linkedAt)));

function device(session, found) {
  const name = deviceOf(session.lastDevice ?? session.device);
  return element("li", {},
    element("strong", { title: session.lastDevice ?? session.device ?? "" }, foreign(name)),
    session.current ? element("span", { className: "mark" }, say("this page", "本页面")) : endSession(session, name, found),
    element("span", { className: "hint" },
      say("used ", "使用于 "), time(session.lastUsedAt),
      (session.lastAddress ?? session.address) && [say(" at ", "，地址 "), foreign(session.lastAddress ?? session.address)],
      say("; signed in ", "；登录于 "), time(session.createdAt), say(` by ${providerName(session.provider)}`,
        `（${providerName(session.provider)}）`),
      session.bound && say("; bound to the device", "；已绑定设备")));
}

function merged({ merge }) {
  return merge && element("p", { className: "notice" }, say("This user was merged into ", "此用户已并入 "), userLink(merge.into),
    say(", ", "，时间 "), time(merge.mergedAt), say(". It can be undone until ", "。可撤销至 "), time(merge.undoableUntil),
      say(".", "。"));
}

// A wrong code, or a token for another app, does not say whose sign-in it was. Those from the user's own addresses may be.
async function namelessRefusals(sessions, events) {
  const used = [...sessions.flatMap(({ lastAddress, address }) => [lastAddress, address]), ...events.map(({ address }) => address)];
  const addresses = [...new Set(used.filter(Boolean))].slice(0, 3);
  const pages = await Promise.all(addresses.map((address) =>
    api("GET", `audit${query({ type: ["login_refused", "code_refused"], address })}`)));
  const entries = pages.flatMap((page) => page.entries).filter(({ userId }) => !userId)
    .sort((one, other) => other.time.localeCompare(one.time)).slice(0, 10);
  return entries.length > 0 && section(say("Refused lately from the same addresses", "近期来自相同地址的拒绝"),
    element("p", { className: "hint" }, say("These name no user: they may be of this user, or of others in the same network.",
      "这些记录未指明用户：可能属于此用户，也可能属于同一网络中的其他人。")),
    historyList({ entries: entries.map((entry) => ({ ...entry, isGuess: true })), next: null }, {}));
}
