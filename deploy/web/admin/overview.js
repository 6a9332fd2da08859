// What happens at the server: the last day by the hour, or the last month by the day.

import { api, query } from "./api.js";
import { button, element, heading, link } from "./dom.js";
import { show } from "./page.js";
import { plot } from "./plot.js";
import { refusalReason } from "./sentences.js";
import { capital, day, hour, number, providerName, say } from "./words.js";

let step = "hour";

export async function overviewView() {
  const [statistics, deliveries] = await Promise.all([api("GET", `statistics${query(span())}`), api("GET", "deliveries")]);
  const { admins, superAdmins, disabled } = statistics.users;
  const labels = Array.from({ length: statistics.buckets }, (_, index) => {
    const start = new Date(Date.parse(statistics.from) + index * (step === "hour" ? 3_600_000 : 86_400_000));
    return step === "hour" ? hour(start) : day(start);
  });
  const series = (name, nameOf) => statistics.series.filter((each) => each.name === name)
    .map(({ key, counts }) => ({ name: nameOf(key), counts }));
  return [
    heading(say("Overview", "概览")),
    troubles(deliveries),
    element("div", { className: "acts", role: "group", "aria-label": say("Time", "时间范围") },
      period("hour", say("Last day", "最近一天")), period("day", say("Last month", "最近一个月"))),
    element("div", { className: "plots" },
      plot(say("Sign-ins", "登录"), series("logins", (key) => capital(providerName(key))), labels),
      plot(say("Refusals", "拒绝"), series("refusals", (key) => capital(refusalReason(key))), labels),
      plot(say("New users", "新用户"), series("users", userWord), labels, { isStacked: false }),
      plot(say("Sessions", "会话"), series("sessions", sessionWord), labels, { isStacked: false }),
      plot(say("Codes", "验证码"), series("codes", codeWord), labels, { isStacked: false })),
    element("p", { className: "hint" }, say(`Administrators: ${number(admins)}, super administrators: ${number(superAdmins)}, `
      + `disabled users: ${number(disabled)}`, `管理员 ${number(admins)}，超级管理员 ${number(superAdmins)}，已停用的用户 ${number(disabled)}`)),
  ];
}

// Whole hours, the current one as well; days from local midnight on.
function span() {
  const to = new Date(Math.ceil((Date.now() + 1) / 3_600_000) * 3_600_000);
  const from = new Date(to.getTime() - 24 * 3_600_000);
  if (step === "day") {
    from.setDate(from.getDate() - 28);
    from.setHours(0, 0, 0, 0);
  }
  return { from: from.toISOString(), to: to.toISOString(), step };
}

function period(value, text) {
  const node = button(text, () => {
    step = value;
    show();
  });
  node.setAttribute("aria-pressed", String(step === value));
  return node;
}

// Guests are among the new ones.
const userWord = (key) => ({ new: say("new", "新增"), guests: say("as guests", "其中访客") })[key] ?? key;

const sessionWord = (key) => ({ opened: say("opened", "新建"), ended: say("ended", "结束") })[key] ?? key;

function codeWord(key) {
  const [channel, what] = key.split(" ");
  const words = { sent: say("sent", "已发送"), used: say("used", "已使用"), refused: say("refused", "已拒绝") };
  return `${capital(providerName(channel))}${say(": ", "：")}${words[what] ?? what}`;
}

// What an administrator should look at.
function troubles({ letters, next, providers, gateways }) {
  const texts = [
    letters.length > 0 && say(`Events that could not be delivered: ${letters.length}${next ? "+" : ""}.`,
      `${letters.length}${next ? "+" : ""} 个事件无法投递。`),
    ...providers.filter(({ state }) => state === "unavailable").map(({ name }) => say(`${providerName(name)} does not answer.`,
      `${providerName(name)} 没有响应。`)),
    ...gateways.filter(({ failuresSinceSuccess }) => failuresSinceSuccess > 0).map(({ channel }) => say(
      `Codes by ${providerName(channel)} cannot be sent.`, `无法通过${providerName(channel)}发送验证码。`)),
  ].filter(Boolean);
  return texts.length > 0 && element("p", { className: "notice" }, texts.join(" "), " ",
    link(say("Look at the deliveries", "查看投递"), "#/deliveries"));
}
