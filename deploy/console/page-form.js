// The form in a page of the fake Apple, which writes each element on one line and each attribute in double quotes.

// {action, fields: [{name, value, label, isCheckbox}], buttons}; null for a page without a form.
export function formIn(html) {
  const form = /<form method="post"(?: action="([^"]*)")?>([\s\S]*?)<\/form>/.exec(html ?? "");
  if (!form) return null;
  const fields = [...form[2].matchAll(/(?:<label>\s*([^<]*?)\s*)?<input ([^>]*)>\s*([^<]*)/g)].map(([, before, text, after]) => {
    const { name, value = "", type } = attributes(text);
    return { name, value, label: plain(type === "checkbox" ? after : before).trim(), isCheckbox: type === "checkbox" };
  });
  return { action: form[1] === undefined ? null : plain(form[1]), fields };
}

const attributes = (text) =>
  Object.fromEntries([...text.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name, value]) => [name, plain(value)]));

const entities = { "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&amp;": "&" };

const plain = (text = "") => text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]);
