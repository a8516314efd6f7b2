// The region of points on the map, and the view that shows it next to the page's panels.

import type { Box, Camera, View } from "./camera";
import type { Store } from "./store";

/** wholeBox returns the box of all points without the outermost thousandth. If there are many it uses a sample. */
export function wholeBox(store: Store): Box | null {
  const slots: number[] = [];
  const step = Math.max(1, Math.floor(store.slots / 50_000));
  for (let s = 0; s < store.slots; s += step) if (store.alive[s]) slots.push(s);
  return boxOf(store, slots, 0.001);
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
  const narrow = innerWidth <= 760;
  return camera.fitting(box, narrow ? 0 : 300, narrow ? 108 : 76, narrow ? innerHeight * 0.28 : 0);
}
