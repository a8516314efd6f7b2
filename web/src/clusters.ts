// The clusters of the map: their names, sizes and events.

import { clusterName, css, isNoise, nameOf } from "./color";
import { $, h } from "./dom";
import { keepFocus } from "./focus";
import { grouped, when } from "./numbers";
import type { Painting } from "./painting";
import type { Store } from "./store";
import type { ClusterEvent, Clusters } from "./wire";

const listed = 200;
const events = 60;

/** The descriptions of clusters' events. */
const words: Readonly<Record<string, (e: ClusterEvent) => string>> = {
  born: (e) => `is new, with ${count(e.size)}`,
  split: (e) => `split from cluster ${e.other}, with ${count(e.size)}`,
  merged: (e) => `went into cluster ${e.other}`,
  died: () => "ended",
  grew: (e) => `grew from ${grouped(e.before ?? 0)} to ${count(e.size)}`,
  shrank: (e) => `shrank from ${grouped(e.before ?? 0)} to ${count(e.size)}`,
};

function count(n: number): string {
  return `${grouped(n)} ${n === 1 ? "point" : "points"}`;
}

export class ClusterList {
  private readonly box = $("clusters");
  private readonly details = h("details");
  private known: Clusters | null = null;
  /** The newest version whose events are known. */
  private version = 0;

  constructor(private readonly store: Store, private readonly painting: Painting, private readonly on: { fly(id: string): void }) {
    this.details.addEventListener("toggle", () => this.draw());
    this.box.append(this.details);
  }

  clear(): void {
    this.known = null;
    this.draw();
  }

  /** take stores the server's message and returns descriptions of the new events. */
  take(c: Clusters): string {
    const newest = c.events.reduce((v, e) => Math.max(v, e.version ?? 0), 0);
    const fresh = this.version > 0 ? c.events.filter((e) => (e.version ?? 0) > this.version) : [];
    this.version = newest;
    this.known = c;
    this.name();
    this.draw();
    return fresh.map((e) => `Cluster ${this.title(e.id)} ${sentence(e)}.`).join(" ");
  }

  /** column returns the index of the column of clusters, -1 if there is none. */
  get column(): number {
    return this.known ? this.store.columns.findIndex((c) => c.name === this.known!.column && c.kind === "category") : -1;
  }

  /** name sets the names of the column of clusters. */
  name(): void {
    const c = this.store.columns[this.column];
    if (c && this.known) c.names = new Map(this.known.clusters.flatMap((k) => (k.name ? [[k.id, k.name] as const] : [])));
  }

  /** label returns a cluster's name on the map, without its number if the name is unique. */
  label(id: string): string {
    const name = this.known?.clusters.find((k) => k.id === id)?.name;
    if (!name) return clusterName(id);
    return this.known!.clusters.some((k) => k.id !== id && k.name === name) ? `${name} (${id})` : name;
  }

  /** centre returns the last centre of the cluster with the given id. */
  centre(id: string): readonly [number, number] | null {
    const k = this.known?.clusters.find((c) => c.id === id);
    return k ? [k.x, k.y] : null;
  }

  /** open shows the list and returns false if there is none. */
  open(must: boolean): boolean {
    if (this.box.hidden) return false;
    this.details.open = must || !this.details.open;
    this.draw();
    if (this.details.open) this.details.querySelector<HTMLElement>("button")?.focus();
    return true;
  }

  private title(id: string): string {
    return clusterName(id, this.known?.clusters.find((k) => k.id === id)?.name);
  }

  private draw(): void {
    const { known, details } = this;
    this.box.hidden = !known || (known.clusters.length === 0 && known.events.length === 0);
    if (!known || this.box.hidden) return;
    const births = known.events.filter((e) => e.kind === "born" || e.kind === "split").length;
    const ends = known.events.filter((e) => e.kind === "merged" || e.kind === "died").length;
    const living = known.clusters.filter((k) => !k.missing).length;
    const course = known.events.length > 0 ? ` · ${births} new, ${ends} ended` : "";
    const summary = h("summary", {}, h("h2", {}, `${living} ${living === 1 ? "cluster" : "clusters"}${course}`));
    const parts = details.open ? this.lists(known) : [];
    keepFocus(details, "key", () => details.replaceChildren(summary, ...parts), () => summary);
  }

  /** lists returns the list of clusters and that of their events. */
  private lists(known: Clusters): HTMLElement[] {
    const list = h("div", { class: "near clusterlist" });
    const order = known.clusters.slice().sort((a, b) => Number(a.missing ?? false) - Number(b.missing ?? false) || b.size - a.size);
    for (const k of order.slice(0, listed)) {
      const dot = h("i");
      dot.style.background = this.color(k.id);
      const since = k.since ? `since ${when(k.since)}` : "";
      const b = h("button", { class: k.missing ? "off" : "", title: [this.title(k.id), since, k.missing ? "not on the newest map" : ""].filter(Boolean).join(", "), on: { click: () => this.on.fly(k.id) } },
        dot, h("span", {}, this.title(k.id)), h("b", {}, grouped(k.size)), k.since ? h("time", {}, clock(k.since)) : null);
      b.dataset.key = k.id;
      list.append(b);
    }
    if (order.length > listed) list.append(h("p", { class: "hint" }, `and ${order.length - listed} more`));
    const happened = h("div", { class: "near course" });
    for (const e of known.events.slice(-events).reverse())
      happened.append(
        h("button", { title: e.at ? `${when(e.at)}, map version ${e.version ?? ""}` : "", on: { click: () => this.on.fly(e.id) } },
          h("time", {}, e.at ? clock(e.at) : ""), h("span", {}, `${clusterName(e.id, e.name)} ${sentence(e)}`)),
      );
    return [list, ...(known.events.length > 0 ? [h("h3", {}, "What became of them"), happened] : [])];
  }

  private color(id: string): string {
    const { painting, store, column } = this;
    const code = (store.columns[column]?.values.indexOf(id) ?? -1) + 1;
    return css(column >= 0 && painting.column === column && code > 0 ? (painting.colors[code] ?? painting.theme.missing) : painting.theme.missing);
  }

  /** recolor updates the colours of the list after a change of those of the map. */
  recolor(): void {
    for (const b of this.details.querySelectorAll<HTMLElement>("button[data-key]")) b.querySelector<HTMLElement>("i")!.style.background = this.color(b.dataset.key!);
  }

  /** code returns each shown slot's cluster, 0 for none, for names on a map with another colouring column. */
  readonly code = (s: number): number => {
    const column = this.column;
    const v = column >= 0 && this.painting.shown(s) ? this.store.number(s, column) : 0;
    return v > 0 && !isNoise(this.store.columns[column]!, v) ? v : 0;
  };

  /** named returns the name of a category on the map. */
  named(column: number, code: number): string {
    const c = this.store.columns[column]!;
    return column === this.column ? this.label(c.values[code - 1] ?? "") : nameOf(c, code);
  }
}

function sentence(e: ClusterEvent): string {
  return words[e.kind]?.(e) ?? e.kind;
}

/** clock formats a time of day. */
function clock(ms: number): string {
  return when(ms).slice(11, 19);
}
