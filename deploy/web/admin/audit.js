// The audit trail of all users.

import { api, query } from "./api.js";
import { element, field, heading, replace } from "./dom.js";
import { historyList } from "./history.js";
import { react } from "./page.js";
import { typeName, types } from "./sentences.js";
import { userLink } from "./users.js";
import { say } from "./words.js";

// Of one user, if `user` is given.
export async function auditView(user) {
  const type = element("select", { id: "type" }, element("option", { value: "" }, say("everything", "全部")),
    types.map((name) => element("option", { value: name }, typeName(name))));
  const actor = element("input", { id: "actor", placeholder: "user_…", spellcheck: false, autocomplete: "off" });
  const form = element("form", { className: "filter" }, field(say("What", "事件"), type),
    field(say("By administrator (id)", "管理员（编号）"), actor), element("button", {}, say("Show", "显示")));
  const result = element("div", {});
  const load = async () => {
    const parameters = { user, type: type.value, actor: actor.value.trim() };
    replace(result, historyList(await api("GET", `audit${query(parameters)}`), parameters));
  };
  form.onsubmit = (event) => {
    event.preventDefault();
    load().catch(react);
  };
  type.onchange = () => load().catch(react);
  await load();
  return [heading(say("Audit trail", "审计记录"), user && [say(" of ", "："), userLink(user)]), form, result];
}
