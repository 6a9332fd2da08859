// The view for signing in, by the ways that the server has.

import { announce, button, element, field, heading, replace } from "./dom.js";
import { explain, gatehouse } from "./api.js";
import { providerName, say } from "./words.js";

const reasons = {
  "sign-in": () => null,
  login_too_old: () => say("You signed in more than an hour ago. Sign in again to go on: this page accepts fresh sign-ins alone.",
    "您的登录已超过一小时。请重新登录以继续：本页面只接受新的登录。"),
  insufficient_authentication: () => say("This server lets administrators in by a passkey alone, with a check of who holds the device "
    + "(fingerprint, face or PIN). Sign in with your passkey. If you have none, add one where your product lets you.",
    "本服务器只允许管理员使用通行密钥登录，并须由设备验证使用者（指纹、面容或 PIN）。请使用通行密钥登录；如果没有，请在您的产品中添加。"),
};

// Calls `done` when the user has signed in without leaving the page.
export async function signInView(need, done) {
  const fault = element("p", { className: "fault", role: "alert", hidden: true });
  const ways = element("div", { className: "ways" });
  replace(ways, element("p", { className: "hint" }, say("Asking the server how one can sign in…", "正在查询登录方式…")));
  const attempt = async (action) => {
    fault.hidden = true;
    try {
      await action();
    } catch (error) {
      fault.textContent = explain(error);
      fault.hidden = false;
    }
  };
  attempt(async () => replace(ways, waysOf(await gatehouse.ways(), need, attempt, done)));
  const reason = reasons[need]();
  return [
    heading(say("Sign in", "登录")),
    reason && element("p", { className: "notice" }, reason),
    element("p", { className: "hint" }, say("Sign in as in your product. What this page shows and does is for administrators.",
      "请按您产品的方式登录。本页面供管理员使用。")),
    fault, ways,
  ];
}

function waysOf({ web, codes, passkey, development }, need, attempt, done) {
  const hasPasskey = passkey && typeof gatehouse.signInWithPasskey === "function";
  const key = hasPasskey && button(say("Sign in with a passkey", "使用通行密钥登录"),
    () => attempt(async () => {
      await gatehouse.signInWithPasskey();
      done();
    }), "primary");
  if (key) key.dataset.provider = "passkey";
  if (need === "insufficient_authentication" && hasPasskey) return [key];
  return [
    key,
    web.map((provider) => {
      const node = button(say(`Continue with ${providerName(provider)}`, `使用 ${providerName(provider)} 登录`),
        () => attempt(() => gatehouse.signIn(provider, { returnTo: location.href })));
      node.dataset.provider = provider;
      return node;
    }),
    codes.length > 0 && codeForms(codes, attempt, done),
    development && codes.length > 0 && element("p", { className: "hint" },
      say("On this development system, codes arrive in the inbox of ",
      "在此开发系统中，验证码会出现在收件箱："), element("a", { href: "/console/" }, say("the console", "控制台"))),
  ];
}

function codeForms(codes, attempt, done) {
  let sent; // {codeId, to} of the code that was sent last
  const to = element("input", { id: "to", required: true, autocomplete: "username", spellcheck: false });
  const code = element("input", { id: "code", inputMode: "numeric", autocomplete: "one-time-code", maxLength: 12,
    required: true });
  const both = codes.length > 1;
  const text = both ? say("Phone number (+86…) or mail address", "手机号（+86…）或邮箱")
    : codes[0] === "phone" ? say("Phone number (+86…)", "手机号（+86…）") : say("Mail address", "邮箱");
  const login = element("form", { id: "code-login", hidden: true },
    field(say("The six digits that were sent", "收到的六位数字"), code),
    element("button", { className: "primary" }, say("Sign in", "登录")));
  const request = element("form", { id: "code-request" }, field(text, to),
    element("button", {}, say("Send a code", "发送验证码")));
  request.onsubmit = (event) => {
    event.preventDefault();
    attempt(async () => {
      const address = to.value.trim();
      const channel = both ? (address.includes("@") ? "email" : "phone") : codes[0];
      const { codeId } = await gatehouse.sendCode(channel, address, sent?.to === address ? sent.codeId : undefined);
      sent = { codeId, to: address };
      login.hidden = false;
      code.value = "";
      code.focus();
      announce(say("The code was sent.", "验证码已发送。"));
    });
  };
  login.onsubmit = (event) => {
    event.preventDefault();
    attempt(async () => {
      await gatehouse.signInWithCode(sent.codeId, code.value.trim());
      done();
    });
  };
  return [request, login];
}

// For a signed-in user who may not. It says the same in each case, so that it tells nothing about this server.
export function refusedView(user) {
  const command = `gatehouse users role ${user.id} SUPER_ADMIN`;
  return [
    heading(say("This page is not for this user", "此用户无权使用本页面")),
    element("p", {}, say("It is for users with the role ADMIN or SUPER_ADMIN, where the operator of the server has turned it on.",
      "本页面供角色为 ADMIN 或 SUPER_ADMIN 的用户使用，并须由服务器运维人员启用。")),
    element("p", {}, say("On the server, the operator can do this:", "运维人员可在服务器上执行：")),
    element("ol", {},
      element("li", {}, say("Set ", "在 gatehouse.conf 中设置 "), element("code", {}, "ADMIN_API=on"),
        say(" in gatehouse.conf, then ", "，然后执行 "), element("code", {}, "systemctl reload gatehouse")),
      element("li", {}, say("Make this user an administrator: ", "将此用户设为管理员："), element("code", { id: "command" }, command))),
    element("p", {}, say("Then load this page again.", "然后重新加载本页面。")),
    button(say("Try again", "重试"), () => location.reload()),
  ];
}
