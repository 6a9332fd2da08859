// The users who were found.

import { api, query } from "./api.js";
import { announce, button, element, foreign, heading, link, replace } from "./dom.js";
import { react, search } from "./page.js";
import { nameOf, providerName, roleName, say, statusName, time } from "./words.js";

export async function usersView() {
  if (!search.isDone) await find();
  const list = element("ul", { className: "users" });
  const more = button(say("Show more", "显示更多"), () => findMore(list, more).catch(react));
  fill(list, more);
  const title = search.words ? [say("Users found for ", "查找："), foreign(search.words)] : say("The newest users", "最新用户");
  announce(say(`Users: ${search.users.length}`, `${search.users.length} 个用户`));
  if (search.users.length === 0) {
    return [heading(title), element("p", {},
      say("No user was found. An exact mail address, a phone number with +, an id (user_… or the "
      + "id at a provider), or the beginning of a nickname is looked for.",
      "未找到用户。可输入完整的邮箱、带 + 的手机号、编号（user_… 或平台上的编号），或昵称的开头。"))];
  }
  // Whoever looks for one person need not choose.
  if (search.words && search.users.length === 1 && !search.next && !search.wasOpened) {
    search.wasOpened = true;
    location.replace(`#/user/${encodeURIComponent(search.users[0].id)}`);
  }
  return [heading(title), list, more];
}

async function find(cursor) {
  const answer = await api("GET", `users${query({ query: search.words, cursor })}`);
  search.users = cursor ? [...search.users, ...answer.users] : answer.users;
  search.next = answer.next;
  search.isDone = true;
  if (!cursor) search.wasOpened = false;
}

async function findMore(list, more) {
  const before = search.users.length;
  await find(search.next);
  fill(list, more);
  list.children[before]?.querySelector("a").focus();
}

function fill(list, more) {
  replace(list, search.users.map(row));
  more.hidden = !search.next;
}

const row = (user) => element("li", {},
  element("a", { href: `#/user/${encodeURIComponent(user.id)}` }, foreign(nameOf(user))),
  marks(user),
  element("span", { className: "hint" }, [user.email, user.phone].filter((value) => value && value !== nameOf(user))
    .map((value) => [foreign(value), ", "]), user.lastLoginAt ? [say("last signed in ", "上次登录 "), time(user.lastLoginAt),
    user.lastLoginProvider && say(` by ${providerName(user.lastLoginProvider)}`, `（${providerName(user.lastLoginProvider)}）`)]
    : say("never signed in", "从未登录")));

// The role and the state of a user, where they are not the usual ones.
export const marks = ({ role, status, guest }) => [
  guest && element("span", { className: "mark" }, providerName("GUEST")),
  status !== "ACTIVE" && element("span", { className: "mark bad" }, statusName(status)),
  role !== "USER" && element("span", { className: "mark" }, roleName(role)),
];

export const userLink = (id, text) => link(foreign(text ?? id), `#/user/${encodeURIComponent(id)}`);
