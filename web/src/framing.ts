// The region of points on the map, and the view that shows it next to the page's panels.

import { grow, noBox, type Box, type Camera, type View } from "./camera";
import { drawnSlots } from "./drawn";
import type { Store } from "./store";

/** usually is the share of the outermost points on each side that may be outside the usual view. */
export const usually = 0.001;

/** wholeBox returns the box of all points except a share of the outermost. With a share of 0 it is exact; otherwise a sample represents many points. */
export function wholeBox(store: Store, share = usually): Box | null {
  if (share === 0) return exactBox(store);
  return boxOf(store, drawnSlots(0, store.slots, 50_000).filter((s) => store.alive[s]), share);
}

function exactBox(store: Store): Box | null {
  const { x, y, alive, slots } = store;
  const b = noBox();
  for (let s = 0; s < slots; s++) if (alive[s]) grow(b, x[s]!, y[s]!);
  return b.x0 <= b.x1 ? b : null;
}

/** outside counts the points that a view does not show. */
export function outside(store: Store, camera: Camera): number {
  const [x0, y1] = camera.toMap(0, 0);
  const [x1, y0] = camera.toMap(camera.width, camera.height);
  const { x, y, alive, slots } = store;
  let n = 0;
  for (let s = store.base; s < slots; s++) if (alive[s] && !(x[s]! >= x0 && x[s]! <= x1 && y[s]! >= y0 && y[s]! <= y1)) n++;
  return n;
}

/** isEmpty reports whether a view shows no point. */
export function isEmpty(store: Store, camera: Camera): boolean {
  const [x0, y1] = camera.toMap(0, 0);
  const [x1, y0] = camera.toMap(camera.width, camera.height);
  const { x, y, alive, slots } = store;
  for (let s = 0; s < slots; s++) if (alive[s] && x[s]! >= x0 && x[s]! <= x1 && y[s]! >= y0 && y[s]! <= y1) return false;
  return true;
}

/** The share of the outermost is at least one point of this number. A single one would make a dot of all others. */
const several = 20;

/** boxOf returns the box of points without a share of the outermost on each side, null for none. */
export function boxOf(store: Store, slots: ArrayLike<number>, share: number): Box | null {
  if (slots.length === 0) return null;
  const cut = Math.max(Math.floor(slots.length * share), slots.length >= several ? 1 : 0);
  const span = (of: Float32Array): [number, number] => {
    const v = Float32Array.from(slots, (s) => of[s]!).sort();
    return [v[cut]!, v[v.length - 1 - cut]!];
  };
  const [x0, x1] = span(store.x);
  const [y0, y1] = span(store.y);
  return { x0, y0, x1, y1 };
}

/** viewOf returns the view that shows a box in the area that the panels leave free: panels are at the side of a wide page, and above and below on a narrow one. */
export function viewOf(camera: Camera, box: Box): View {
  const { right, top, bottom } = panels(camera);
  return camera.fitting(box, right, top, bottom);
}

/** middleOf returns the middle of the area of a map that the panels leave free. */
export function middleOf(camera: Camera): [number, number] {
  const { right, top, bottom } = panels(camera);
  return [(camera.width - right) / 2, (camera.height + top - bottom) / 2];
}

const boxOn = (selector: string): DOMRect => document.querySelector(selector)!.getBoundingClientRect();

/** isNarrow reports whether the panels are at the bottom of the page. */
export function isNarrow(): boolean {
  return boxOn("aside").left < innerWidth / 3;
}

/** panels returns the widths, in CSS pixels, of the margins of a map that panels cover. */
function panels(camera: Camera): { right: number; top: number; bottom: number } {
  const aside = boxOn("aside");
  const sheet = isNarrow();
  const low = [boxOn("footer"), boxOn("#welcome"), ...(sheet ? [aside] : [])].filter((r) => r.height > 0).map((r) => camera.top + camera.height - r.top);
  const right = sheet ? 0 : camera.left + camera.width - aside.left + 10;
  return { right: Math.max(0, right), top: Math.max(0, boxOn("header").bottom + 8 - camera.top, camera.above), bottom: Math.max(0, ...low) };
}

/** followPanels keeps the lower end of the header and the height of the sheet as lengths of the style, for the panels that lie next to them. */
export function followPanels(): void {
  const [header, sheet] = [document.querySelector("header")!, document.querySelector("aside")!];
  const { style } = document.documentElement;
  const seen = new ResizeObserver(() => {
    style.setProperty("--head", `${header.getBoundingClientRect().bottom}px`);
    style.setProperty("--sheet", `${sheet.offsetHeight}px`);
  });
  seen.observe(header);
  seen.observe(sheet);
}

/** covering returns the boxes of the page's panels, in CSS pixels. */
export function covering(): Box[] {
  return [...document.querySelectorAll<HTMLElement>("header, aside > section, #drawer, footer, #panehead, #welcome")]
    .filter((e) => !e.hidden && e.parentElement?.id !== "detail")
    .map((e) => e.getBoundingClientRect())
    .map((r) => ({ x0: r.left, y0: r.top, x1: r.right, y1: r.bottom }));
}

/** arrange gives a map, or two of them, their parts of the page. */
export function arrange(main: Camera, other: Camera | null): void {
  main.width = innerWidth;
  main.height = innerHeight;
  if (!other) return;
  const aside = boxOn("aside");
  const top = boxOn("header").bottom;
  const below = isNarrow();
  const middle = Math.round(below ? (top + aside.top) / 2 : aside.left / 2);
  if (below) main.height = middle;
  else main.width = middle;
  [other.left, other.top] = below ? [0, middle] : [middle, 0];
  other.width = innerWidth - other.left;
  other.height = innerHeight - other.top;
}
