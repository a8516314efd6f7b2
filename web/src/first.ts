// The column by which a page colours points when it opens.

import { aboutPlaces } from "./parts";
import type { Store } from "./store";

/** Names that columns of classes usually have, and those of clusters. */
const usual = ["label", "labels", "class", "target", "category", "cluster_name", "cluster"];

/**
 * firstColumn returns the index of the column to colour by: the first of those asked for, else the labels, else clusters, else any category or
 * number, -1 for none. A stage often has few labels but predicts the classes of all points, so its classes come first. Its partition says nothing
 * about an event, so that a stage with no other category is coloured by novelty. So is the map of a file that keeps no number of its own.
 */
export function firstColumn(store: Store, live: boolean, asked: readonly (string | undefined)[], label?: string): number {
  for (const name of [...asked, live ? "class" : undefined, label, ...usual]) {
    const i = name === undefined ? -1 : store.columnOf(name, live);
    if (i !== -1) return i;
  }
  const { columns } = store;
  const i = columns.findIndex((c) => c.kind === "category" && !(live && aboutPlaces.has(c.name)));
  if (i >= 0) return i;
  const kept = live ? -1 : columns.findIndex((c) => c.kind === "number" && !aboutPlaces.has(c.name));
  if (kept >= 0) return kept;
  const novelty = store.columnOf("novelty_global", live);
  return novelty >= 0 ? novelty : columns.findIndex((c) => c.kind === "number");
}
