// The colours that this tab has given to classes. They stay when the page is loaded again, also if there are more classes then.

import { isShade, type Shade } from "./shades";

const key = (column: string): string => `shades ${column}`;

/** recall returns the shades of a column's classes that the tab has kept. */
export function recall(column: string): Map<string, Shade> {
  try {
    const all: unknown = JSON.parse(sessionStorage.getItem(key(column)) ?? "[]");
    return new Map((all as [string, Shade][]).filter(([name, s]) => typeof name === "string" && isShade(s)));
  } catch {
    return new Map(); // a page in a frame may have no storage
  }
}

/** keep keeps the shades of a column's classes. */
export function keep(column: string, shades: ReadonlyMap<string, Shade>): void {
  try {
    sessionStorage.setItem(key(column), JSON.stringify([...shades]));
  } catch {
    // The colours then last only as long as the page.
  }
}
