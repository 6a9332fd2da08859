// The page for those who support users. It has no script or style in its HTML, so a strict security policy holds for it.

import { gatehouse } from "./api.js";
import { auditView } from "./audit.js";
import { deliveriesView } from "./deliveries.js";
import { $ } from "./dom.js";
import { overviewView } from "./overview.js";
import { fail, show, showTop, views } from "./page.js";
import { userView } from "./user.js";
import { usersView } from "./users.js";
import { language, say } from "./words.js";

let isStarted = false; // until then, the address may be that of a sign-in
let shownFor; // the user for whom the views are

Object.assign(views, { "": overviewView, users: usersView, user: userView, deliveries: deliveriesView, audit: auditView });
document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
$("skip").textContent = say("Skip to the content", "跳到正文");
$("skip").onclick = (event) => {
  event.preventDefault();
  $("main").focus();
};
showTop();
addEventListener("hashchange", () => show());
gatehouse.onChange(({ state, user }) => {
  if (!isStarted || (state === "signed-in" && user.id === shownFor)) return;
  shownFor = user?.id;
  show();
});
const failure = await gatehouse.start().then(() => null, (error) => error);
isStarted = true;
shownFor = gatehouse.user?.id;
await show();
if (failure) fail(failure);
