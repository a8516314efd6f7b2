// The page's keys, and their list in the help.

import { $, h } from "./dom";

const listed: readonly (readonly [string, string])[] = [
  ["← → ↑ ↓", "move the map; with Shift farther"],
  ["+ -", "zoom"],
  ["0 9", "show all points; 99 % of them"],
  ["Enter", "choose the point nearest to the middle"],
  ["/", "search"],
  ["C", "choose the column that colours"],
  ["F", "filters: histograms of columns with a brush"],
  ["K", "clusters: how large they are, and what became of them"],
  ["S", "select the points in view"],
  ["V L R", "move, lasso, rectangle; Shift and dragging is a lasso, too"],
  ["Space", "pause a live map, and play on"],
  ["W", "where would this go? Place a record"],
  ["N", "names on the map"],
  ["O", "outlines of classes"],
  ["B", "compare with another map or an earlier version; again ends it"],
  ["T", "the ways of classes through the versions of a live map"],
  ["P", "save a picture, PNG or SVG"],
  ["D", "light or dark"],
  ["Esc", "end a selection or a search"],
];

/** The actions of keys: always, and only while no element of the page has the focus. */
export interface Bindings {
  page: Readonly<Record<string, () => void>>;
  map: Readonly<Record<string, (far: boolean) => void>>;
}

/** names returns the names of a pressed key, the best first. Letters count as small. On a keyboard of another alphabet the place of a key counts. */
export function names({ key, code }: Pick<KeyboardEvent, "key" | "code">): string[] {
  if (key.length > 1) return [key];
  const place = /^Key([A-Z])$/.exec(code);
  return [key.toLowerCase(), ...(place && !/[a-z]/i.test(key) ? [place[1]!.toLowerCase()] : [])];
}

/** listen handles keys, except in text fields and open dialogs, and reports each handled one. */
export function listen(keys: Bindings, done: () => void): void {
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
    const target = e.target as HTMLElement;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && e.key !== "Escape") return;
    if (e.key === " " && target.closest("button, summary, a")) return; // it presses them
    const free = target.classList.contains("over") || target === document.body;
    const act = names(e).map((name) => (free ? keys.map[name] : undefined) ?? keys.page[name]).find(Boolean);
    if (!act) return;
    e.preventDefault();
    act(e.shiftKey);
    done();
  });
}

/** help lists the keys. */
export function help(): void {
  const list = h("dl");
  for (const [key, what] of listed) list.append(h("dt", {}, ...key.split(" ").map((k) => h("kbd", {}, k))), h("dd", {}, what));
  const dialog = $<HTMLDialogElement>("help");
  dialog.replaceChildren(h("h2", {}, "Keys"), list, h("div", { class: "acts" }, h("button", { class: "primary", on: { click: () => dialog.close() } }, "Close")));
  dialog.showModal();
}
