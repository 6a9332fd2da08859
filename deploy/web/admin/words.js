// The language of the page, and how it writes times and names. Each text stands in both languages where it is used.

const stored = "gatehouse-admin-language";
const preferred = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag === "en" || tag === "zh");

export const language = ["en", "zh"].find((tag) => tag === localStorage.getItem(stored)) ?? preferred ?? "en";

export const say = (english, chinese) => (language === "zh" ? chinese : english);

export function switchLanguage() {
  localStorage.setItem(stored, say("zh", "en"));
  location.reload();
}

const locale = say(navigator.languages.find((tag) => tag.startsWith("en")) ?? "en-GB", "zh-CN");
const format = (options) => new Intl.DateTimeFormat(locale, { hourCycle: "h23", ...options });
const clock = format({ hour: "2-digit", minute: "2-digit" });
const dayAndClock = format({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const wholeDay = format({ day: "numeric", month: "short", year: "numeric" });
const everything = format({ dateStyle: "full", timeStyle: "long" });
const shortDay = format({ day: "numeric", month: "numeric" });
const count = new Intl.NumberFormat(locale);

export const number = (value) => count.format(value);
export const hour = (date) => clock.format(date);
export const day = (date) => shortDay.format(date);

// As short as it can be: 14:02 of today, 3 May, 14:02 of this year.
function moment(date) {
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return say(`today, ${clock.format(date)}`, `今天 ${clock.format(date)}`);
  return (date.getFullYear() === now.getFullYear() ? dayAndClock : wholeDay).format(date);
}

export function time(text) {
  if (!text) return say("never", "从未");
  const date = new Date(text);
  return Object.assign(document.createElement("time"), {
    dateTime: text, title: everything.format(date), textContent: moment(date),
  });
}

const providers = {
  APPLE: "Apple", GOOGLE: "Google", QQ: "QQ", WECHAT: say("WeChat", "微信"), PHONE: say("phone number", "手机号"),
  EMAIL: say("mail address", "邮箱"), PASSKEY: say("passkey", "通行密钥"), DEV: say("development login", "开发登录"),
  GUEST: say("guest", "访客"),
};

export const providerName = (name) => providers[name?.toUpperCase()] ?? name ?? say("unknown", "未知");

// As the beginning of a line.
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const roleName = (role) => ({
  USER: say("user", "用户"), ADMIN: say("administrator", "管理员"), SUPER_ADMIN: say("super administrator", "超级管理员"),
})[role] ?? role;

export const statusName = (status) => ({
  ACTIVE: say("active", "正常"), DISABLED: say("disabled", "已停用"), DELETED: say("deleted", "已删除"),
})[status] ?? status;

// What to call a user.
export const nameOf = ({ nickname, email, phone, id }) => nickname || email || phone || id;

// Such as "Chrome on Linux". The first name that fits counts, because each browser also gives the names of older ones.
export function deviceOf(userAgent) {
  const first = (names) => Object.keys(names).find((name) => names[name].test(userAgent));
  const browser = first({ Edge: /Edg(e|A|iOS)?\//, Opera: /OPR\//, WeChat: /MicroMessenger\//, Firefox: /(Firefox|FxiOS)\//,
    Chrome: /(Chrome|CriOS)\//, Safari: /Safari\//, curl: /^curl\// });
  const system = first({ iPhone: /iPhone/, iPad: /iPad/, Android: /Android/, Windows: /Windows/, macOS: /Macintosh/,
    ChromeOS: /CrOS/, Linux: /Linux/ });
  const name = browser ?? (userAgent ?? "").split("/")[0].trim().slice(0, 60);
  if (!name) return say("unknown device", "未知设备");
  return system ? say(`${name} on ${system}`, `${system} 上的 ${name}`) : name;
}
