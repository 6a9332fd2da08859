// Creates elements. Text from outside becomes a text node and is never parsed as HTML.

export const $ = (id) => document.getElementById(id);

// `element("button", {type: "button", onclick}, "Me")`: properties, attributes with a hyphen or a role, and children.
export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.includes("-") || key === "role" || key === "for") node.setAttribute(key, value);
    else node[key] = value;
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export function replace(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

// Tells a screen reader what has happened.
export function announce(text) {
  $("announcement").textContent = text;
}

// Shows why the console's own process did not do what was asked of it.
export function fail(error) {
  $("failure").textContent = `The console cannot do this: ${error.message}`;
  announce($("failure").textContent);
}

export function clearFailure() {
  $("failure").textContent = "";
}

export function copyButton(text, label) {
  return copies(element("button", { type: "button", className: "copy", "aria-label": label }, "Copy"), text);
}

// Makes a button copy a text.
export function copies(button, text) {
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select the text and copy it";
    }
    announce(button.textContent);
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };
  return button;
}

export function code(text, label) {
  return element("pre", { tabIndex: 0, "aria-label": label, role: "region" }, element("code", {}, text));
}
