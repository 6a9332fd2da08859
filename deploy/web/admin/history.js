// A list of entries of the audit trail.

import { api, gatehouse, query } from "./api.js";
import { button, element, foreign, replace } from "./dom.js";
import { react } from "./page.js";
import { isBad, sentence } from "./sentences.js";
import { userLink } from "./users.js";
import { deviceOf, say, time } from "./words.js";

// `first` is the first page, {entries, next}; `parameters` ask for the others. `ofUser` is the user whose history it is.
export function historyList(first, parameters, ofUser) {
  const list = element("ol", { className: "history" });
  let { next } = first;
  // Who looked at the user is in the audit trail, and would hide here what happened.
  const rowsOf = ({ entries }) => entries.filter(({ type }) => !ofUser || !["user_viewed", "audit_viewed"].includes(type)).map((entry) => row(entry,
    parameters.user));
  list.append(...rowsOf(first));
  const more = button(say("Show earlier ones", "显示更早的记录"), () => load().catch(react));
  more.hidden = !next;
  const load = async () => {
    const answer = await api("GET", `audit${query({ ...parameters, cursor: next })}`);
    next = answer.next;
    more.hidden = !next;
    const rows = rowsOf(answer);
    list.append(...rows);
    rows[0]?.focus();
  };
  return list.children.length || next ? [list, more] : element("p", { className: "hint" },
    say("Nothing is recorded.", "没有记录。"));
}

function row(entry, ofUser) {
  const { reason, device, address, userId } = entry;
  return element("li", { tabIndex: -1, className: isBad(entry) ? "bad" : "" },
    time(entry.time), element("div", {},
      element("span", { className: "what" }, sentence(entry)),
      reason && element("span", { className: "hint" }, say("Reason: ", "原因："), foreign(reason)),
      element("span", { className: "hint" }, [
        userId && userId !== ofUser && [say("user ", "用户 "), userLink(userId)],
        otherOf(entry),
        actor(entry),
        (device || address) && [foreign(deviceOf(device)), address && [say(" at ", "，地址 "), foreign(address)]],
      ].filter(Boolean).flatMap((part, index) => (index ? [say("; ", "；"), part] : [part])))));
}

// The page of the one who went away undoes a merge.
function otherOf({ type, detail }) {
  const other = /^users_(un)?merged$/.test(type) && /user_\w+/.exec(detail ?? "");
  return other && [say("the other one: ", "另一个用户："), userLink(other[0])];
}

function actor({ actor, by }) {
  if (by && by === gatehouse.user?.id) return say("by you", "由您操作");
  if (actor === "service") return [say("by service ", "由服务 "), foreign(by)];
  if (actor === "administrator") return [say("by administrator ", "管理员 "), userLink(by)];
  if (actor === "operator") return [say("by an operator on the server", "由服务器运维人员"), by && [": ", foreign(by)]];
  return null;
}
