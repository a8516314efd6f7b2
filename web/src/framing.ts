// The region of points on the map, and the view that shows it next to the page's panels.

import type { Box, Camera, View } from "./camera";
import type { Store } from "./store";

/** usually is the share of the outermost points on each side that may be outside the usual view. */
export const usually = 0.001;

/** wholeBox returns the box of all points except a share of the outermost. With a share of 0 it is exact; otherwise a sample represents many points. */
export function wholeBox(store: Store, share = usually): Box | null {
  if (share === 0) return exactBox(store);
  const slots: number[] = [];
  const step = Math.max(1, Math.floor(store.slots / 50_000));
  for (let s = 0; s < store.slots; s += step) if (store.alive[s]) slots.push(s);
  return boxOf(store, slots, share);
}

function exactBox(store: Store): Box | null {
  const { x, y, alive, slots } = store;
  const b = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (let s = 0; s < slots; s++) {
    if (!alive[s]) continue;
    b.x0 = Math.min(b.x0, x[s]!);
    b.x1 = Math.max(b.x1, x[s]!);
    b.y0 = Math.min(b.y0, y[s]!);
    b.y1 = Math.max(b.y1, y[s]!);
  }
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

/** boxOf returns the box of points without a share of the outermost on each side, null for none. */
export function boxOf(store: Store, slots: readonly number[], share: number): Box | null {
  if (slots.length === 0) return null;
  const cut = Math.floor(slots.length * share);
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
  const { right, top, bottom } = panels();
  return camera.fitting(box, right, top, bottom);
}

/** panels returns the widths, in CSS pixels, of the margins that panels cover. */
function panels(): { right: number; top: number; bottom: number } {
  const of = (selector: string): DOMRect => document.querySelector(selector)!.getBoundingClientRect();
  const aside = of("aside");
  const top = of("header").bottom + 8;
  const sheet = aside.left < innerWidth / 3; // on a narrow page the panels are at the bottom
  const low = [of("footer"), of("#welcome"), ...(sheet ? [aside] : [])].filter((r) => r.height > 0).map((r) => innerHeight - r.top);
  return { right: sheet ? 0 : innerWidth - aside.left + 10, top, bottom: Math.max(0, ...low) };
}
