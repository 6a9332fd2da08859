// What an administrator does to a user: each in a dialog that asks for the reason.

import { api, explain, idPath, needs, query } from "./api.js";
import { $, button, element, field, foreign, replace } from "./dom.js";
import { purpose, show, tell as tellDone } from "./page.js";
import { nameOf, providerName, roleName, say } from "./words.js";

// Opens a dialog. `act` gets the reason and returns the address that the page goes to, or nothing. `extra` is more of the
// dialog, `isReady` says whether the act may be done.
export function ask({ title, text, confirm, className = "primary", extra, act, done, isReady = () => true }) {
  const dialog = $("dialog");
  const reason = element("textarea", { id: "reason", rows: 2, required: true, minLength: 3, maxLength: 160,
    value: purpose.words });
  const fault = element("p", { className: "fault", role: "alert", hidden: true });
  const submit = element("button", { className }, confirm);
  const form = element("form", {},
    element("h2", { id: "dialog-heading" }, title), text && element("p", {}, text), extra,
    field(say("Reason, for the audit trail", "原因（记入审计记录）"), reason, say("Such as the number of the ticket.", "例如工单号。")),
    fault, element("div", { className: "acts" }, submit, button(say("Cancel", "取消"), () => dialog.close())));
  let isBusy = false;
  const tell = (words) => {
    fault.textContent = words;
    fault.hidden = !words;
  };
  form.noValidate = true;
  form.onsubmit = async (event) => {
    event.preventDefault();
    if (isBusy) return;
    const given = reason.value.trim();
    const missing = isReady();
    if (missing !== true) return tell(missing);
    if (given.length < 3) {
      tell(say("Say why: at least three letters.", "请填写原因，至少三个字符。"));
      reason.focus();
      return;
    }
    isBusy = true;
    tell("");
    submit.setAttribute("aria-disabled", "true");
    try {
      const target = await act(given);
      dialog.close();
      tellDone(done);
      if (target && target !== location.hash) location.hash = target;
      else await show();
    } catch (error) {
      if (needs(error)) show(needs(error));
      else tell(explain(error));
    } finally {
      isBusy = false;
      submit.removeAttribute("aria-disabled");
    }
  };
  replace(dialog, form);
  if (!dialog.open) dialog.showModal();
}

const acts = {
  "sign-out": [say("Sign out everywhere…", "在所有设备上退出…"), signOut],
  disable: [say("Disable…", "停用…"), disable],
  enable: [say("Enable…", "启用…"), enable],
  role: [say("Change the role…", "更改角色…"), changeRole],
  merge: [say("Merge into another user…", "并入另一个用户…"), merge],
  unmerge: [say("Undo the merge…", "撤销合并…"), unmerge],
  delete: [say("Delete…", "删除…"), remove],
};

export const actButtons = (found) => Object.entries(acts).filter(([name]) => found.acts.includes(name))
  .map(([name, [text, act]]) => Object.assign(button(text, () => act(found), name === "delete" ? "danger" : ""),
    { id: `act-${name}` }));

const change = (found, method, path) => (reason, more) => api(method, `users/${idPath(found.user.id)}${path}`,
  { reason, ...more });
const nameIn = ({ user }) => foreign(nameOf(user));

export function endSession(session, name, found) {
  if (!found.acts.includes("sign-out")) return null;
  const node = button(say("Sign out this device…", "退出此设备…"), () => ask({
    title: [say("Sign out ", "退出设备："), foreign(name)],
    text: say("This device is signed out at its next request. The user can sign in again.", "该设备将在下一次请求时被退出，用户可以重新登录。"),
    confirm: say("Sign out", "退出"), done: say("The device is signed out.", "该设备已退出。"),
    act: async (reason) => { await change(found, "POST", "/sign-out")(reason, { session: session.id }); },
  }));
  node.setAttribute("aria-label", say(`Sign out ${name}`, `退出 ${name}`));
  return node;
}

function signOut(found) {
  ask({
    title: [say("Sign out everywhere: ", "在所有设备上退出："), nameIn(found)],
    text: say(`Every session ends at its next request; now there are ${found.sessions.length}. The user can sign in again.`,
      `全部 ${found.sessions.length} 个会话将在下一次请求时结束，用户可以重新登录。`),
    confirm: say("Sign out everywhere", "全部退出"), done: say("The user is signed out everywhere.", "用户已在所有设备上退出。"),
    act: async (reason) => { await change(found, "POST", "/sign-out")(reason); },
  });
}

function disable(found) {
  ask({
    title: [say("Disable ", "停用："), nameIn(found)],
    text: say("The user is signed out everywhere and cannot sign in until you enable them again. Nothing is deleted.",
      "用户将在所有设备上退出，在重新启用前无法登录。不会删除任何数据。"),
    confirm: say("Disable", "停用"), className: "danger", done: say("The user is disabled.", "用户已停用。"),
    act: async (reason) => { await change(found, "POST", "/disable")(reason); },
  });
}

function enable(found) {
  ask({
    title: [say("Enable ", "启用："), nameIn(found)], text: say("The user can sign in again.", "用户可以重新登录。"),
    confirm: say("Enable", "启用"), done: say("The user is enabled.", "用户已启用。"),
    act: async (reason) => { await change(found, "POST", "/enable")(reason); },
  });
}

function changeRole(found) {
  const role = element("select", {}, ["USER", "ADMIN", "SUPER_ADMIN"].map((name) =>
    element("option", { value: name, selected: name === found.user.role }, roleName(name))));
  ask({
    title: [say("The role of ", "角色："), nameIn(found)],
    text: say("An administrator can use this page. A super administrator can also change roles, and act on administrators.",
      "管理员可以使用本页面；超级管理员还可以更改角色，并对管理员进行操作。"),
    extra: field(say("Role", "角色"), role), confirm: say("Change the role", "更改角色"),
    done: say("The role is changed.", "角色已更改。"),
    isReady: () => role.value !== found.user.role || say("The user has this role already.", "用户已是此角色。"),
    act: async (reason) => { await change(found, "PUT", "/role")(reason, { role: role.value }); },
  });
}

// What has to be typed to delete a user: the name, unless some of it cannot be typed.
function typedName(user) {
  const name = nameOf(user);
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(name) ? name : user.id;
}

function remove(found) {
  const name = typedName(found.user);
  const typed = element("input", { autocomplete: "off", spellcheck: false });
  ask({
    title: [say("Delete ", "删除："), nameIn(found)],
    text: say("The user, their ways to sign in and their personal data are deleted. This cannot be undone.",
      "将删除用户、其登录方式和个人数据，无法撤销。"),
    extra: field([say("To confirm, type ", "请输入以确认："), element("strong", {}, foreign(name))], typed),
    confirm: say("Delete for ever", "永久删除"), className: "danger", done: say("The user is deleted.", "用户已删除。"),
    isReady: () => typed.value.trim().normalize() === name.trim().normalize() || say("The name that you typed is another one.", "输入的名称不一致。"),
    act: async (reason) => { await change(found, "DELETE", "")(reason); },
  });
}

// --- Merging --------------------------------------------------------------------------------------------------------------

// First the other user is looked for, then what would move is shown.
function merge(found) {
  const words = element("input", { id: "into", autocomplete: "off", spellcheck: false, maxLength: 256 });
  const preview = element("div", { className: "preview", role: "status" });
  let plan; // the answer of the dry run
  const look = async () => {
    plan = undefined;
    replace(preview, element("p", { className: "hint" }, say("Looking…", "正在查找…")));
    try {
      const { users, next } = await api("GET", `users${query({ query: words.value.trim() })}`);
      const others = users.filter(({ id }) => id !== found.user.id);
      if (others.length === 0) return replace(preview, element("p", {}, say("No other user was found.", "未找到其他用户。")));
      if (others.length > 1 || next) return replace(preview, choices(others, words, look));
      plan = await change(found, "POST", "/merge")(purpose.words || undefined, { into: others[0].id, dryRun: true });
      replace(preview, planned(plan));
    } catch (error) {
      if (needs(error)) show(needs(error));
      else replace(preview, element("p", { className: "fault" }, explain(error)));
    }
  };
  words.onkeydown = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    look();
  };
  words.oninput = () => {
    plan = undefined;
    replace(preview);
  };
  ask({
    title: [nameIn(found), say(" goes into another user", " 并入另一个用户")],
    text: say("For one person with two users. The other user stays and gets the ways to sign in of this one, which goes away. It can be "
      + "undone for a day.", "用于同一人拥有两个用户的情况：另一个用户保留，并获得此用户的登录方式；此用户将消失。一天内可以撤销。"),
    extra: [field(say("The user who stays: mail, phone or id", "保留的用户：邮箱、手机号或编号"), words),
      Object.assign(button(say("Show what would move", "查看将移动的内容"), look), { id: "look" }), preview],
    confirm: say("Merge", "合并"), className: "danger", done: say("The users are merged.", "用户已合并。"),
    isReady: () => (!plan ? say("First choose the other user, and look at what would move.", "请先选择另一个用户，并查看将移动的内容。")
      : plan.conflicts.length === 0 || say("They cannot be merged, see above.", "无法合并，见上文。")),
    act: async (reason) => {
      await change(found, "POST", "/merge")(reason, { into: plan.into.id, dryRun: false });
      return `#/user/${idPath(plan.into.id)}`;
    },
  });
}

const choices = (users, words, look) => [
  element("p", {}, say("Several users were found. Choose one:", "找到多个用户，请选择：")),
  element("div", { className: "acts" }, users.slice(0, 8).map((user) => button([foreign(nameOf(user)),
    ` ${user.id.slice(-6)}`], () => {
    words.value = user.id;
    look();
  }))),
];

const conflictText = ({ conflict, provider }) => ({
  account: say(`Both have an account by ${providerName(provider)}. Remove one of them first.`,
    `两者都有${providerName(provider)}账号，请先移除其一。`),
  status: say("One of them is not active.", "其中一个不是正常状态。"),
  guest: say("The one who would stay is a guest. Merge the guest into the other one.", "保留方是访客，请将访客合并到另一个用户。"),
  role: say("One of them is an administrator. Take that role away first.", "其中一个是管理员，请先取消该角色。"),
})[conflict] ?? conflict;

function planned({ into, moves, conflicts, sessionsEnded }) {
  const gets = [
    ...moves.accounts.map((provider) => say(`the way to sign in by ${providerName(provider)}`,
      `登录方式：${providerName(provider)}`)),
    ...["email", "phone", "nickname", "avatarUrl"].filter((name) => moves[name]).map((name) => foreign(moves[name])),
  ];
  return [
    element("p", {}, foreign(nameOf(into)), " ", element("code", {}, into.id), say(" stays and gets:", " 保留，并获得：")),
    element("ul", {}, gets.length ? gets.map((item) => element("li", {}, item)) : element("li", {}, say("nothing", "无"))),
    element("p", {}, say(`Sessions of the user who goes away that end: ${sessionsEnded}.`, `消失的用户的 ${sessionsEnded} 个会话将结束。`)),
    conflicts.map((conflict) => element("p", { className: "fault" }, conflictText(conflict))),
  ];
}

function unmerge(found) {
  ask({
    title: [say("Undo the merge of ", "撤销合并："), nameIn(found)],
    text: say("The user comes back with the ways to sign in that moved. Sessions that ended stay ended.",
      "用户将恢复，并取回已移动的登录方式。已结束的会话不会恢复。"),
    confirm: say("Undo the merge", "撤销合并"), done: say("The merge is undone.", "合并已撤销。"),
    act: async (reason) => { await change(found, "POST", "/unmerge")(reason); },
  });
}
