// What an entry of the audit trail says, in plain words.

import { providerName, roleName, say } from "./words.js";

// Why a sign-in or a refresh was refused: the `detail` of the entry, and the `reason` of a passkey.
const refusals = {
  malformed: ["the identity token or the passkey's answer cannot be read", "身份令牌或通行密钥的回应无法读取"],
  algorithm: ["the identity token is signed by an algorithm that is not accepted", "身份令牌的签名算法不被接受"],
  unknown_key: ["the identity token is signed with a key that the provider does not publish", "身份令牌的签名密钥不是该平台公布的"],
  signature: ["the signature is wrong", "签名不正确"],
  issuer: ["the identity token was not issued by this provider", "身份令牌不是由该平台签发的"],
  audience: ["the identity token was issued for another app", "身份令牌是为另一个应用签发的"],
  client: ["the credential was issued for another app", "凭证是为另一个应用签发的"],
  expired: ["the identity token had expired", "身份令牌已过期"],
  not_yet_valid: ["the identity token was issued in the future: a clock is wrong", "身份令牌的签发时间在未来：时钟不正确"],
  nonce: ["the identity token belongs to another sign-in (nonce)", "身份令牌属于另一次登录（nonce）"],
  code: ["the code was wrong, used or expired", "验证码错误、已使用或已过期"],
  user: ["the credential belongs to another person than the app said", "凭证与应用所说的用户不符"],
  replayed: ["the credential had been used before", "凭证已被使用过"],
  user_disabled: ["the user is disabled", "用户已停用"],
  stale_number: ["the number was not used for a long time, and may have a new owner", "号码长期未使用，可能已换主人"],
  dev_secret: ["the secret of the development login was wrong", "开发登录的密钥错误"],
  unknown_token: ["the refresh token is not one of this server", "刷新令牌不属于本服务器"],
  expired_token: ["the session had expired", "会话已过期"],
  revoked_token: ["the session had ended", "会话已结束"],
  reused_token: ["an old refresh token was used again", "旧的刷新令牌被再次使用"],
  dpop_proof: ["the proof of the app's key was missing or wrong", "应用密钥的证明缺失或错误"],
  unknown: ["this server does not know the passkey", "本服务器不认识该通行密钥"],
  challenge: ["the passkey answered another challenge, or too late", "通行密钥回应的挑战不符或已超时"],
  origin: ["the passkey was used at a page or an app that is not ours", "通行密钥在不属于我们的页面或应用上使用"],
  rp: ["the passkey is for another site", "通行密钥属于另一个网站"],
  user_verification: ["the device did not check who holds it", "设备未验证使用者"],
  counter: ["the passkey may have been copied: its counter went back", "通行密钥可能被复制：计数器倒退"],
  invalid_code: ["the code was wrong, used or expired", "验证码错误、已使用或已过期"],
  login_too_old: ["the sign-in was too old", "登录时间过久"],
  insufficient_authentication: ["the sign-in was not by a passkey", "未使用通行密钥登录"],
  insufficient_role: ["a higher role is needed", "需要更高的角色"],
  too_many_guests: ["too many guests from this network", "此网络创建的访客过多"],
  own_account: ["it was the own account", "对象是管理员自己"],
  address: ["too many codes to one mail address or number: wait, then ask once", "发往同一邮箱或号码的验证码过多：请稍候再试一次"],
  address_from_network: ["too many codes to one mail address or number from one network", "同一网络发往同一邮箱或号码的验证码过多"],
  network: ["too many codes from this network", "此网络请求的验证码过多"],
  prefix: ["too many codes to numbers like this one", "发往相近号码的验证码过多"],
  prefix_from_network: ["too many codes to numbers like this one from one network", "同一网络发往相近号码的验证码过多"],
  country: ["too many codes to this country", "发往此国家的验证码过多"],
  channel: ["too many codes in all", "验证码总量过多"],
  unused: ["too few codes of this kind are used: someone may earn with them", "此类验证码的使用率过低：可能有人借此牟利"],
};

// `client` is a limit here.
const limitOfClient = ["too many codes from this device", "此设备请求的验证码过多"];

export const refusalReason = (reason, isLimit) => {
  const found = isLimit && reason === "client" ? limitOfClient : Object.hasOwn(refusals, reason ?? "") && refusals[reason];
  return found ? say(...found) : reason ?? say("no reason is recorded", "未记录原因");
};

const reports = {
  email_disabled: ["the user's mail is no longer forwarded", "用户的邮件不再转发"],
  email_enabled: ["the user's mail is forwarded again", "用户的邮件恢复转发"],
  consent_revoked: ["the user has withdrawn the app's access", "用户撤回了应用的授权"],
  tokens_revoked: ["the user has withdrawn the app's access", "用户撤回了应用的授权"],
  account_deleted: ["the user has deleted the account there", "用户删除了在该平台的账号"],
  sessions_revoked: ["the user's sessions have to end", "用户的会话必须结束"],
  account_hijacked: ["an attacker has the account there", "用户在该平台的账号被盗"],
  account_disabled: ["the account there is disabled", "用户在该平台的账号已停用"],
  account_enabled: ["the account there is enabled again", "用户在该平台的账号已恢复"],
  credential_change_required: ["the user has to change the password there", "用户须在该平台更改密码"],
};

const report = (detail) => (Object.hasOwn(reports, detail ?? "") ? say(...reports[detail]) : detail ?? "");

const by = ({ provider }) => (provider ? say(` by ${providerName(provider)}`, `（${providerName(provider)}）`) : "");

// By the type of the entry. Each is [English, Chinese].
const sentences = {
  login: (e) => [`Signed in${by(e)}`, `登录${by(e)}`],
  login_refused: (e) => [`Sign-in${by(e)} refused: ${refusalReason(e.detail)}`, `登录${by(e)}被拒绝：${refusalReason(e.detail)}`],
  code_refused: (e) => [`No code was sent: ${refusalReason(e.detail, true)}`, `未发送验证码：${refusalReason(e.detail, true)}`],
  refresh_refused: (e) => [`Refresh refused: ${refusalReason(e.detail)}`, `刷新被拒绝：${refusalReason(e.detail)}`],
  stale_number_used: () => ["Signed in by a number that was not used for a long time", "使用长期未用的号码登录"],
  refresh_token_reused: () => ["An old refresh token was used again: the session was ended, it may be stolen",
    "旧的刷新令牌被再次使用：会话已结束，可能被盗"],
  authorization_code_reused: () => ["The code of a sign-in was used again: the session was ended", "登录的授权码被再次使用：会话已结束"],
  session_key_mismatch: () => ["A stolen session was refused: the proof was by another key", "会话可能被盗，已拒绝：证明使用了另一个密钥"],
  refresh_repeated_elsewhere: () => ["A refresh was repeated from another device", "刷新在另一台设备上重复"],
  refresh_repeated_often: () => ["A refresh was repeated three times in a row", "刷新连续重复三次"],
  logout: () => ["Signed out", "退出登录"],
  logout_all: () => ["Signed out on all devices", "在所有设备上退出登录"],
  session_removed: () => ["Ended a session in the list of devices", "在设备列表中结束了一个会话"],
  sessions_revoked: (e) => (e.sessionId ? ["A session was ended", "一个会话被结束"] : ["Signed out on all devices", "在所有设备上被退出登录"]),
  session_limit: () => ["The oldest session was ended: too many devices", "设备过多，最早的会话被结束"],
  user_disabled: () => ["Disabled", "被停用"],
  user_enabled: () => ["Enabled", "被启用"],
  role_changed: (e) => [`Role changed: ${roleName(e.detail)}`, `角色变更：${roleName(e.detail)}`],
  attributes_changed: (e) => [`Attributes changed: ${e.detail}`, `属性变更：${e.detail}`],
  user_deleted: (e) => (e.detail === "joined" ? ["Joined to an older user of the same person", "并入同一人的旧用户"] : ["Deleted",
    "被删除"]),
  users_imported: (e) => [`Users were imported: ${e.count}`, `导入了用户：${e.count}`],
  account_linked: (e) => [`Way to sign in added${by(e)}`, `添加了登录方式${by(e)}`],
  account_unlinked: (e) => [`Way to sign in removed${by(e)}`, `移除了登录方式${by(e)}`],
  passkey_added: () => ["Passkey added", "添加了通行密钥"],
  passkey_removed: () => ["Passkey removed", "移除了通行密钥"],
  apple_notification: (e) => [`Apple reports: ${report(e.detail)}`, `Apple 通知：${report(e.detail)}`],
  apple_account_moved: () => ["The account at Apple moved with the app to another team", "Apple 账号随应用转移到另一个团队"],
  apple_transfer_exported: (e) => [`Ids for the app's transfer were exported: ${e.count}`, `导出了应用转移所用的标识：${e.count}`],
  security_event: (e) => [`Report${by(e)}: ${report(e.detail)}`, `平台通知${by(e)}：${report(e.detail)}`],
  database_restored: () => ["A backup was restored", "恢复了备份"],
  user_viewed: () => ["An administrator looked at this user", "管理员查看了此用户"],
  users_searched: (e) => [`An administrator searched for users: ${e.count} found`, `管理员查找了用户：找到 ${e.count} 个`],
  audit_viewed: () => ["An administrator looked at the audit trail", "管理员查看了审计记录"],
  users_merged: (e) => (/^into/.test(e.detail) ? ["Merge: this user went into another one", "合并：此用户并入另一个用户"]
    : ["Merge: another user went into this one", "合并：另一个用户并入此用户"]),
  users_unmerged: () => ["A merge was undone", "合并已撤销"],
  events_retried: () => ["An event was sent again", "重新发送了事件"],
  administrator_refused: (e) => [`An administrator's act was refused: ${refusalReason(e.detail)}`,
    `管理员的操作被拒绝：${refusalReason(e.detail)}`],
};

export const types = Object.keys(sentences);

// Their count is part of the sentence. That of others is how often it happened.
const isCounted = new Set(["users_imported", "users_searched", "apple_transfer_exported"]);

export function sentence(entry) {
  const { type, count } = entry;
  const text = Object.hasOwn(sentences, type) ? say(...sentences[type](entry)) : type;
  return count > 1 && !isCounted.has(type) ? text + say(`, ${count} times`, `，共 ${count} 次`) : text;
}

// A name of the type for a list: its sentence without what an entry adds.
export const typeName = (type) => say(...sentences[type]({})).split(/[:：]/)[0];

// Whether the entry is a refusal or a danger, which the page marks.
export const isBad = ({ type, isGuess }) => !isGuess && /refused|reused|mismatch|repeated|stale/.test(type);
