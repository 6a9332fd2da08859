// Providers, gateways and receivers of events, and the events that were not delivered.

import { ask } from "./acts.js";
import { api, idPath, query } from "./api.js";
import { button, element, foreign, heading, replace, section } from "./dom.js";
import { react } from "./page.js";
import { userLink } from "./users.js";
import { capital, number, providerName, say, time } from "./words.js";

export async function deliveriesView() {
  const { receivers, letters, next, providers, gateways } = await api("GET", "deliveries");
  return [
    heading(say("Deliveries", "投递")),
    section(say("Events that were not delivered", "未能投递的事件"), lettersList(letters, next)),
    element("div", { className: "columns" },
      section(say("Receivers of events", "事件接收方"), rows(receivers.map(receiver),
        say("No receiver is configured.", "未配置接收方。"))),
      element("div", {},
        section(say("Providers", "登录平台"), rows(providers.map(provider), say("No provider is configured.", "未配置登录平台。"))),
        section(say("Gateways for codes", "验证码网关"), rows(gateways.map(gateway), say("None is configured.", "未配置。"))))),
  ];
}

const rows = (items, none) => (items.length ? element("ul", { className: "rows" }, items) : element("p",
  { className: "hint" }, none));

const state = (isGood, text) => element("span", { className: isGood ? "mark good" : "mark bad" }, text);

const row = (name, mark, ...hints) => element("li", {}, element("strong", {}, name), mark,
  element("span", { className: "hint" }, hints));

const receiver = ({ name, waiting, oldest, dead, stoppedAt }) => row(foreign(name),
  stoppedAt ? state(false, say("stopped", "已停止")) : state(dead === 0,
    dead === 0 ? say("works", "正常") : say("has failed", "有失败")),
  say(`${number(waiting)} waiting, ${number(dead)} not delivered`, `${number(waiting)} 个等待，${number(dead)} 个未送达`),
  oldest && [say("; the oldest of ", "；最早的 "), time(oldest)], stoppedAt && [say("; since ", "；自 "), time(stoppedAt)]);

const states = { ok: [true, say("works", "正常")], stale: [false, say("old keys", "密钥过旧")],
  unavailable: [false, say("does not answer", "没有响应")] };

function provider({ name, state: word, keysAgeSeconds }) {
  const mark = states[word] ? state(...states[word]) : element("span", { className: "mark" }, say("not asked yet", "尚未请求"));
  const keys = keysAgeSeconds !== null && time(new Date(Date.now() - keysAgeSeconds * 1000).toISOString());
  return row(capital(providerName(name)), mark, keys && [say("keys of ", "密钥获取于 "), keys]);
}

function gateway({ channel, configured, failuresSinceSuccess, waiting }) {
  if (!configured) return row(capital(providerName(channel)), element("span", { className: "mark" }, say("off", "未启用")));
  const isGood = failuresSinceSuccess === 0;
  return row(capital(providerName(channel)), state(isGood, isGood ? say("works",
    "正常") : say(`failures: ${number(failuresSinceSuccess)}`,
    `${number(failuresSinceSuccess)} 次失败`)), waiting > 0 && say(`${number(waiting)} waiting`, `${number(waiting)} 个等待`));
}

function lettersList(letters, cursor) {
  if (letters.length === 0) return element("p", { className: "hint" }, say("None: every event has arrived.", "没有：所有事件均已送达。"));
  const list = element("ul", { className: "rows", id: "letters" }, letters.map(letter));
  let next = cursor;
  const more = button(say("Show more", "显示更多"), async () => {
    try {
      const answer = await api("GET", `deliveries${query({ cursor: next })}`);
      next = answer.next;
      more.hidden = !next;
      list.append(...answer.letters.map(letter));
    } catch (error) {
      react(error);
    }
  });
  more.hidden = !next;
  return [list, more];
}

const letter = ({ id, receiver: name, type, userId, time: moment, attempts, fault }) => element("li", {},
  element("strong", {}, type),
  button(say("Send again", "重新发送"), () => ask({
    title: [say("Send again: ", "重新发送："), type],
      text: say("It is sent at once. If the receiver fails again, it comes back to this list "
      + "after some days.", "将立即发送。如果接收方再次失败，几天后会回到此列表。"), confirm: say("Send again", "重新发送"),
    done: say("The event is on its way.", "事件正在发送。"), act: async (reason) => { await api("POST",
      `deliveries/${idPath(id)}/retry`, { reason }); },
  })),
  element("span", { className: "hint" }, say("to ", "发往 "), foreign(name), ", ", time(moment),
    userId && [say(", user ", "，用户 "), userLink(userId)],
    say(`; attempts: ${attempts}`, `；尝试 ${attempts} 次`), fault && [say(", the last one: ", "，最后一次："), foreign(fault)]));
