// Faults that can be switched on, of the API and of the fake Apple.

import { control } from "./exchange.js";
import { $, announce, copies, element, fail, replace } from "./dom.js";
import { changed, state } from "./state.js";

const sides = [
  {
    id: "api", name: "Gatehouse’s API", path: "faults", key: "apiFaults",
    kinds: {
      lost: ["Lost answer", { fault: "lost" }],
      delay: ["Delay of 3 s", { fault: "delay", seconds: 3 }],
      unavailable: ["503", { fault: "unavailable" }],
    },
  },
  {
    id: "apple", name: "Apple", path: "apple/faults", key: "appleFaults",
    kinds: {
      close: ["Apple down", { fault: "close" }],
      delay: ["Delay of 3 s", { fault: "delay", seconds: 3 }],
      status: ["503", { fault: "status", status: 503 }],
      garbage: ["Answer that is not JSON", { fault: "garbage" }],
    },
  },
];

const visibleSides = () => sides.filter((side) => side.id !== "apple" || state.settings.fakeApple);

export async function readFaults() {
  for (const side of visibleSides()) state[side.key] = (await control("GET", side.path)).faults;
  show();
  changed();
}

export function buildFaults() {
  replace($("faults"), visibleSides().map(fieldset));
  const url = `${state.settings.origin}/console/faulty`;
  $("faulty-url").textContent = url;
  copies($("copy-faulty"), url);
  show();
}

function fieldset(side) {
  const kinds = Object.entries(side.kinds).map(([value, [name]]) => element("option", { value }, name));
  return element(
    "fieldset", {}, element("legend", {}, side.name),
    element("div", { className: "fields" },
      element("label", { for: `${side.id}-fault` }, "Fault"),
      element("select", { id: `${side.id}-fault`, onchange: () => apply(side).catch(fail) },
        element("option", { value: "" }, "none"), kinds),
      element("label", { for: `${side.id}-times` }, "How often"),
      element("select", { id: `${side.id}-times`, onchange: () => apply(side).catch(fail) },
        element("option", { value: "1" }, "once"), element("option", { value: "" }, "until switched off"))),
    side.id === "apple" ? rotation() : null,
    element("p", { id: `${side.id}-state`, className: "hint" }),
  );
}

// Makes Gatehouse fetch the key set, so that a fault of Apple takes effect.
function rotation() {
  return element("button", {
    type: "button", id: "rotate",
    onclick: () => changeKey().catch(fail),
  }, "Change Apple’s key");
}

async function changeKey() {
  await control("POST", "apple/keys/rotate");
  $("apple-state").textContent = "Apple signs with a new key: the next login makes Gatehouse fetch the key set.";
  announce($("apple-state").textContent);
}

async function apply(side) {
  const kind = $(`${side.id}-fault`).value;
  const times = $(`${side.id}-times`).value;
  await control("DELETE", side.path);
  if (kind) await control("POST", side.path, { ...side.kinds[kind][1], ...(times ? { times: 1 } : {}) });
  await readFaults();
  announce(kind ? `${side.name}: ${side.kinds[kind][0]}, switched on` : `${side.name}: no fault`);
}

// A fault that was used up is switched off.
function show() {
  for (const side of visibleSides()) {
    const select = $(`${side.id}-fault`);
    if (!select) continue;
    const fault = state[side.key].at(-1);
    select.value = fault?.fault ?? "";
    if (fault) $(`${side.id}-times`).value = fault.times ? "1" : "";
    select.closest("fieldset").classList.toggle("on", Boolean(fault));
    $(`${side.id}-state`).textContent = fault ? `On: ${side.kinds[fault.fault]?.[0] ?? fault.fault}` : "Off";
  }
}
