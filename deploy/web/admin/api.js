// Requests of the administrator, and what a refusal means.

import { Gatehouse, OfflineError, SignedOutError } from "/gatehouse.js";
import { say } from "./words.js";

export const gatehouse = new Gatehouse();

export class Fault extends Error {
  constructor(status, problem, retryAfter) {
    super(problem?.detail ?? `The server answered ${status}.`);
    Object.assign(this, { status, code: problem?.code ?? "unexpected_answer", problem, retryAfter });
  }
}

// `path` below /api/admin/. Returns the JSON of the answer, or null.
export async function api(method, path, body) {
  const answer = await gatehouse.fetch(`/api/admin/${path}`, {
    method, cache: "no-store", body: body && JSON.stringify(body),
    headers: body ? { "Content-Type": "application/json" } : {},
  });
  const json = await answer.json().catch(() => null);
  if (answer.ok && (json || answer.status === 204)) return json;
  throw new Fault(answer.status, json, answer.headers.get("Retry-After"));
}

export const idPath = (id) => encodeURIComponent(id);

// `{cursor: null}` is left out, and `{type: ["a", "b"]}` is type=a&type=b.
export function query(parameters) {
  const given = Object.entries(parameters).flatMap(([name, values]) => [values].flat().map((value) => [name, value]))
    .filter(([, value]) => value !== null && value !== undefined && value !== "");
  return `?${new URLSearchParams(given)}`;
}

// What the page has to do about an error, besides saying it: sign in, or explain that this user may not.
export function needs(error) {
  if (error instanceof SignedOutError) return "sign-in";
  if (["login_too_old", "insufficient_authentication"].includes(error.code)) return error.code;
  return null;
}

// One sentence for the administrator. The server's own is English.
export function explain(error) {
  if (error instanceof OfflineError) return say("The server cannot be reached. Try again when the network is back.",
    "无法连接服务器。请在网络恢复后重试。");
  if (Object.hasOwn(explanations, error.code ?? "")) return say(...explanations[error.code]);
  if (error.status === 429) return say(`Too many requests. Try again in ${error.retryAfter ?? 5} seconds.`,
    `请求过多，请在 ${error.retryAfter ?? 5} 秒后重试。`);
  return error.message;
}

const explanations = {
  access_denied: ["You have cancelled.", "您已取消。"],
  invalid_code: ["The code is wrong, used or expired. Ask for a new one.", "验证码错误、已使用或已过期，请重新获取。"],
  not_found: ["Not found: it may have been deleted meanwhile.", "未找到，可能已被删除。"],
  insufficient_role: ["Your role does not permit this: only a super administrator acts on administrators.",
    "您的角色不允许此操作：只有超级管理员可以对管理员进行操作。"],
  user_is_guest: ["A guest gets no role: let the guest link an account first.", "访客不能获得角色，须先绑定账号。"],
  own_account: ["Not to yourself: another administrator has to do it.", "不能对自己进行此操作，须由其他管理员进行。"],
  merge_conflict: ["They cannot be merged any more: something has changed. Look again at what would move.",
    "情况已变化，无法合并。请重新查看将移动的内容。"],
  not_merged: ["There is no merge to undo: it is older than a day, or was undone.", "没有可撤销的合并：已超过一天，或已撤销。"],
  user_disabled: ["Your user is disabled.", "您的用户已停用。"],
  storage_unavailable: ["The database does not answer. Nothing has changed. Try again.", "数据库没有响应，未做任何更改，请重试。"],
};
