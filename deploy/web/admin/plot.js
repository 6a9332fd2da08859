// A plot of counts: bars, a legend with the sums, and the numbers as a table.

import { drawing, element } from "./dom.js";
import { number, say } from "./words.js";

const colours = 6; // .c1 to .c6 of the style
const sum = (counts) => counts.reduce((total, count) => total + count, 0);

// `series` are {name, counts}, `labels` the beginning of each bucket. Stacked, or side by side.
export function plot(title, series, labels, { isStacked = true } = {}) {
  const shown = withoutRest(series);
  const totals = labels.map((_, index) => sum(shown.map(({ counts }) => counts[index])));
  const highest = Math.max(1, ...(isStacked ? totals : shown.flatMap(({ counts }) => counts)));
  const all = sum(shown.map(({ counts }) => sum(counts)));
  const best = totals.indexOf(Math.max(...totals));
  const summary = all === 0 ? say("none", "无") : isStacked ? number(all) : "";
  const bars = labels.flatMap((label, index) => bar(shown.map(({ counts }) => counts[index]), index, highest, isStacked,
    `${label}: ${shown.map(({ name, counts }) => `${name} ${number(counts[index])}`).join(", ")}`));
  const image = drawing("svg", {
    viewBox: `0 0 ${labels.length} 100`, preserveAspectRatio: "none", role: "img",
    "aria-label": all === 0 ? `${title}: ${summary}` : say(`${title}: ${number(all)} in all, most at ${labels[best]}`,
      `${title}：共 ${number(all)}，${labels[best]} 最多`),
  }, bars);
  return element("figure", {},
    element("figcaption", {}, element("h3", {}, title), element("span", { className: "sum" }, summary)),
    all > 0 && [
      element("div", { className: "plot" }, element("span", { className: "highest" }, number(highest)), image),
      element("div", { className: "axis", "aria-hidden": "true" },
        [0, Math.floor(labels.length / 2), labels.length - 1].map((index) => element("span", {}, labels[index]))),
      element("ul", { className: "legend" }, shown.map(({ name, counts }, index) => element("li", {},
        drawing("svg", { viewBox: "0 0 10 10", width: 10, height: 10, "aria-hidden": "true" },
          drawing("rect", { width: 10, height: 10, class: `c${index + 1}` })), `${name} `,
            element("b", {}, number(sum(counts)))))),
      table(title, shown, labels),
    ]);
}

// The smallest ones are added up, so that each has a colour of its own.
function withoutRest(series) {
  if (series.length <= colours) return series;
  const rest = series.slice(colours - 1).map(({ counts }) => counts);
  return [...series.slice(0, colours - 1),
    { name: say("others", "其他"), counts: rest[0].map((_, index) => sum(rest.map((counts) => counts[index]))) }];
}

function bar(counts, index, highest, isStacked, title) {
  let top = 100;
  return counts.map((count, which) => {
    const height = (count / highest) * 100;
    top = isStacked ? top - height : 100 - height;
    const width = isStacked ? 0.8 : 0.8 / counts.length;
    const x = index + 0.1 + (isStacked ? 0 : which * width);
    return height > 0 && drawing("rect", { x, y: top, width, height, class: `c${which + 1}` }, drawing("title", {}, title));
  });
}

function table(title, series, labels) {
  return element("details", {}, element("summary", {}, say("As a table", "表格")),
    element("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": title },
      element("table", {}, element("thead", {}, element("tr", {}, element("th", { scope: "col" }, say("Time", "时间")),
        series.map(({ name }) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, labels.map((label, index) => element("tr", {}, element("th", { scope: "row" }, label),
        series.map(({ counts }) => element("td", {}, number(counts[index])))))))));
}
