// The ways of classes through the versions of a live map.

import type { Way } from "./overlay";
import type { Painting } from "./painting";
import type { Store } from "./store";

/** The server's answer: for each value of a column its centres on the versions, null where it had no points. */
interface Answer {
  versions: unknown[];
  ways: { value: string; places: ([number, number] | null)[] }[];
}

export class Ways {
  shown = false;
  private known: readonly Way[] = [];
  private run = 0;

  constructor(private readonly store: Store, private readonly painting: Painting, private readonly on: { changed(): void; tell(text: string): void }) {}

  /** toggle shows the ways of the colouring column's classes, or hides them. */
  async toggle(): Promise<void> {
    this.shown = !this.shown;
    await this.follow();
    if (this.shown && this.known.length === 0) this.on.tell(this.painting.category ? "No class has moved through versions of the map yet." : "Colour by a column of classes to see their ways.");
  }

  /** follow asks for the ways again: the map or the colouring column has changed. */
  async follow(): Promise<void> {
    const run = ++this.run;
    const { painting, store } = this;
    const column = store.columns[painting.column];
    if (!this.shown || !painting.category || !column) {
      this.known = [];
      return this.on.changed();
    }
    try {
      const r = await fetch(`api/ways?column=${encodeURIComponent(column.name)}`);
      const { ways } = (r.ok ? await r.json() : { ways: [] }) as Answer;
      if (run !== this.run) return;
      this.known = ways.map((w) => ({ code: column.values.indexOf(w.value) + 1, places: w.places.filter((p) => p !== null) })).filter((w) => w.code > 0 && w.places.length > 1);
    } catch {
      if (run === this.run) this.known = [];
    }
    this.on.changed();
  }

  /** visible returns the ways of the classes that the legend shows. */
  get visible(): readonly Way[] {
    const { only } = this.painting;
    return this.known.filter((w) => only.size === 0 || only.has(w.code));
  }
}
