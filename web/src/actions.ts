// What a person does on the page.

import type { App } from "./app";
import type { Answer } from "./asking";
import { nameOf } from "./color";
import { $ } from "./dom";
import { wholeBox } from "./framing";

export class Actions {
  constructor(private readonly app: App) {}

  /** colorBy colours points by a column, -1 for none. known is set if the user chose it. */
  colorBy(i: number, known = true): void {
    const { app } = this;
    if (known) app.feed.preferred = app.store.field(i)?.name ?? "";
    app.painting.choose(i);
    app.compare.pane?.regrid();
    void app.ways.follow();
    app.renderer.changed({ places: false, paint: true });
    app.legend.columns();
    app.frames.chosen();
    app.ask({ base: true, over: true, grid: true, legend: true, labels: true, address: known });
  }

  /** home shows all points, except a share of the outermost, on both maps. */
  home(share: number): void {
    this.app.moves.home(true, share);
    this.app.compare.home(share);
  }

  /** filtered is called when other points are shown. */
  filtered(): void {
    const { app } = this;
    app.compare.pane?.regrid();
    app.painting.all();
    app.timeline.draw();
    app.renderer.changed({ places: false, paint: true });
    app.ask({ base: true, over: true, grid: true, legend: true, labels: true, address: true });
  }

  /** until hides points that arrived later. */
  until(upto: number): void {
    this.app.painting.upto = upto;
    this.filtered();
  }

  /** selectShown selects all points that pass the filters, the legend and the time. */
  selectShown(): void {
    const box = wholeBox(this.app.store, 0);
    if (!box) return;
    const { x0, y0, x1, y1 } = box;
    const [w, t] = [x1 - x0 + 1, y1 - y0 + 1];
    this.app.selection.inside([[x0 - w, y0 - t], [x1 + w, y0 - t], [x1 + w, y1 + t], [x0 - w, y1 + t]]);
  }

  /** uncover moves the maps so that the drawer does not hide the selected points. */
  uncover(slots: Uint32Array, covered: number): void {
    this.app.moves.uncover(slots, covered);
    this.app.compare.uncover(slots, covered);
  }

  select(slots: Uint32Array | null): void {
    this.app.selection.take(slots);
  }

  /** pin chooses a point, -1 for none. */
  pin(s: number): void {
    const { app } = this;
    app.asking.forget();
    app.chosen.pin(s);
    if (s < 0) return;
    app.welcome.end();
    app.tell(this.described(s));
  }

  /** described returns a point's name, and its value of the colouring column. */
  private described(s: number): string {
    const { store, painting } = this.app;
    const { column } = painting;
    const c = store.field(column);
    const value = !c ? "" : c.kind === "category" ? nameOf(c, store.number(s, column)) : store.brief(column, store.number(s, column));
    return `Point ${store.id(s) || s}${c && value !== "" ? `, ${c.name}: ${value}` : ""}`;
  }

  /** answered shows the place of a record. */
  answered(a: Answer): void {
    const { app } = this;
    app.chosen.answered(a);
    app.moves.to([a.x, a.y], 2.5);
    app.tell(`${a.title} would go to ${a.x}, ${a.y}`);
    this.agree(a);
  }

  /** reasked shows the place of the record on the present map. */
  reasked(a: Answer): void {
    this.app.chosen.reasked(a);
    this.agree(a);
  }

  /** agree asks again for a record that was placed on another map than the present one. */
  private agree(a: Answer): void {
    const { live, map } = this.app.feed;
    if (live && (a.map.version !== map.version || a.map.epoch !== map.epoch || (a.map.id || undefined) !== (map.id || undefined))) this.app.asking.later();
  }

  question(): void {
    if (this.app.chosen.asks) this.app.asking.open();
  }

  /** fly moves the view to a point and chooses it. */
  fly(s: number): void {
    if (s < 0) return;
    // On a map of few points the neighbours are far away.
    const { x, y, n } = this.app.store;
    this.app.moves.to([x[s]!, y[s]!], Math.min(Math.max(Math.sqrt(n) / 8, 1), 4));
    this.pin(s);
  }

  /** flyCluster moves the view to a cluster: to its points, or to its last centre. */
  flyCluster(id: string): void {
    const { clusters, store, moves } = this.app;
    const { column } = clusters;
    const code = (store.columns[column]?.values.indexOf(id) ?? -1) + 1;
    const slots: number[] = [];
    if (code > 0) store.eachNumber(column, (s, v) => void (v === code && slots.push(s)));
    const centre = clusters.centre(id);
    if (slots.length > 0) moves.toAll(slots);
    else if (centre) moves.to(centre, 2);
    else this.app.tell(`Cluster ${id} is not on the map any more.`);
  }

  nameClasses(): void {
    this.app.names.naming = !this.app.names.naming;
    this.app.ask({ labels: true, over: true });
  }

  outline(): void {
    this.app.names.outlining = !this.app.names.outlining;
    this.app.ask({ labels: true, over: true });
  }

  /** escape ends the selection, else the choice of a point, else the tool, and the search. */
  escape(): void {
    const { selection, chosen, toolbar, search } = this.app;
    if (selection.slots) this.select(null);
    else if (chosen.pinned >= 0 || !$("detail").hidden) this.pin(-1);
    else toolbar.take("pan");
    search.clear();
  }
}
