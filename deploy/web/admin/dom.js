// Creates elements. Text from the server becomes a text node and is never parsed as HTML.

export const $ = (id) => document.getElementById(id);

const isShown = (child) => child !== null && child !== undefined && child !== false;

// `element("button", {type: "button", onclick}, "Search")`: properties, attributes with a hyphen or a role, and children.
export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (!isShown(value)) continue;
    if (key.includes("-") || key === "role" || key === "for" || key === "list") node.setAttribute(key, value);
    else node[key] = value;
  }
  node.append(...children.flat(3).filter(isShown));
  return node;
}

export function drawing(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children.flat().filter(isShown));
  return node;
}

export function replace(node, ...children) {
  node.replaceChildren(...children.flat(3).filter(isShown));
}

// Control and format characters but line feeds and the joiners of emoji. They would hide or turn what is written.
const invisible = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}]/gu;

// Text that a user has chosen. `bdi` keeps its writing direction from changing the order of the text around it.
export const foreign = (text) => element("bdi", {}, String(text).replaceAll(invisible, "\ufffd"));

export const button = (text, onclick, className) => element("button", { type: "button", onclick, className }, text);

export const link = (text, href) => element("a", { href }, text);

// A heading that gets the focus when its view is shown, so that a screen reader reads it.
export const heading = (...children) => element("h2", { tabIndex: -1 }, ...children);

export const section = (title, ...children) => element("section", {}, element("h3", {}, title), ...children);

// Rows of a name and a value. Those without a value are left out.
export const facts = (rows) => element("dl", {}, rows.filter(([, value]) => isShown(value) && value !== "").map(
  ([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));

let labels = 0;

// A label with its control.
export function field(text, control, hint) {
  control.id ||= `field-${++labels}`;
  const note = hint && element("span", { className: "hint", id: `${control.id}-hint` }, hint);
  if (note) control.setAttribute("aria-describedby", note.id);
  return element("div", { className: "field" }, element("label", { for: control.id }, text), control, note);
}

// Tells a screen reader what has happened.
export function announce(text) {
  $("announcement").textContent = text;
}
