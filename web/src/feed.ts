// The server's messages, and what they change on the page.

import type { App } from "./app";
import { $ } from "./dom";
import { firstColumn } from "./first";
import { isFast } from "./line";
import { read, type State } from "./state";
import { changedName } from "./store";
import { Change, decode, type Hello, type Listener, type MapState, type Said, unpack } from "./wire";

/** The page waits that many ms for the server if the line is fast. */
const patience = 250;

const noState: State = { only: [], filters: [] };

export class Feed implements Listener {
  map: MapState = {};
  /** Whether points come and leave. */
  live = false;
  /** Whether all points have arrived. */
  whole = false;
  /** Whether the messages are the first ones, which are in the page itself, and whether the server has answered. */
  private early = false;
  private answered = false;
  /** The state to show when all points have arrived. */
  private wanted: State = read(location.hash);
  /** The name of the column that the user chose, "" for none. */
  preferred: string | undefined;

  constructor(private readonly app: App) {}

  /** begun shows the first points, which are in the page, until the server sends all. A fast line brings all of them as soon. */
  async begun(text: string): Promise<void> {
    if (isFast()) await new Promise((done) => setTimeout(done, patience));
    if (this.answered) return;
    const first = await unpack(text).catch(() => null); // an old browser waits for the server
    if (!first || this.answered) return;
    this.early = true;
    first(this);
    this.early = false;
  }

  said(m: Said): void {
    const { app } = this;
    switch (m.type) {
      case "hello":
        this.begin(m);
        break;
      case "values": {
        const c = app.store.columns[m.column];
        if (c) c.values.splice(m.from - 1, c.values.length, ...m.values);
        app.painting.extend();
        app.renderer.changed({ places: false, paint: true });
        app.ask({ legend: true, base: true });
        break;
      }
      case "clusters": {
        const said = app.clusters.take(m);
        if (said) app.tell(said);
        app.ask({ legend: true, labels: true });
        break;
      }
      case "unplaced":
        app.head.unplaced = m.rows;
        this.head();
        break;
      case "whole":
        this.arrived();
        break;
      case "map":
        this.map = m.map;
        app.strange.clear(m.map);
        app.tell(`The map was refreshed: version ${m.map.version ?? ""}`);
        this.head();
        app.asking.follow();
        void app.ways.follow();
        break;
      case "status":
        app.pulse.take(m.status);
        app.link.stage(this.live, m.status.phase ?? "", m.status.quiet);
        break;
    }
  }

  frame(data: ArrayBuffer): void {
    const { app, whole } = this;
    const now = performance.now();
    const f = decode(data, app.store.columns);
    app.store.apply(f, whole ? now : 0);
    app.selection.settle();
    if (whole && f.change === Change.Put && f.at.length > 0) {
      app.times.late = Date.now() - f.at[f.at.length - 1]!;
      app.times.latest = Math.max(app.times.latest, app.times.late);
    }
    if (!app.moves.framed && f.change === Change.Put) app.painting.refresh(); // until all points have arrived, colours have the scale of the first
    app.mask.some(f.slot);
    app.painting.some(f.slot);
    app.renderer.changed({ places: f.change !== Change.Remove, paint: true });
    if (!app.moves.framed && f.change !== Change.Remove) app.moves.home(false);
    app.frames.came();
    this.head();
    if (whole && app.store.rows.wasteful(app.store.n)) app.again();
  }

  connected(there: boolean, retry: number): void {
    this.app.link.connected(there, retry);
    this.app.pulse.connected(there, retry);
  }

  silent(since: number): void {
    this.app.link.silent(since);
    if (since) this.app.tell("Nothing comes from the server any more.");
  }

  /** begin starts with the state of the server. */
  private begin(m: Hello): void {
    const { app } = this;
    if (this.whole) {
      this.wanted = this.lasting(m.map);
      app.selection.keep();
    }
    this.whole = false;
    app.mask.clear();
    app.actions.select(null);
    app.actions.pin(-1);
    app.clusters.clear();
    const { name } = app.compare;
    app.compare.close();
    this.wanted.compare ??= name || undefined;
    $("ways").hidden = !m.live;
    app.drawer.clear();
    app.store.clear(m.columns, m.slots, m.base);
    $("timeline").hidden = !m.live;
    app.painting.column = -1;
    app.painting.settled = false;
    this.map = m.map;
    app.pictures.clear(m);
    this.live = m.live;
    app.link.stage(m.live && !this.early, "");
    app.chosen.asks = app.search.asks = app.strange.asks = m.asks;
    app.strange.clear(m.map);
    app.search.timed = m.live;
    $("question").hidden = !m.asks;
    app.head.begin(m);
    if (!this.early) this.connected(true, 0);
    this.answered ||= !this.early;
    const asked = this.wanted.by ?? this.preferred;
    app.actions.colorBy(asked === "" ? -1 : firstColumn(app.store, m.live, [this.wanted.by, this.preferred], m.label), false);
    app.filters.columns();
    app.welcome.show(m.point ?? "", m.asks);
  }

  /** lasting returns the part of the state that stays when all points are loaded again, of the given map: all but slots, and places of another map. */
  private lasting({ id, epoch }: MapState): State {
    const { x, y, zoom, only, filters, upto, point } = this.app.state();
    const same = (id || undefined) === (this.map.id || undefined) && epoch === this.map.epoch;
    return { ...noState, only, filters, upto, point, ...(same ? { x, y, zoom } : {}) };
  }

  /** arrived completes the page when all points are there. */
  private arrived(): void {
    const { app } = this;
    this.whole = true;
    app.painting.settled = true;
    app.painting.refresh();
    app.renderer.changed({ places: true, paint: true });
    const { compare, by } = this.wanted;
    void app.address.restore(this.wanted);
    this.preferred ??= this.wanted.by;
    this.wanted = noState;
    this.head();
    app.tell(`${app.store.n} points are there.`);
    app.filters.columns();
    app.ask({ base: true, over: true, grid: true, legend: true, labels: true });
    setTimeout(() => app.lists()); // after the first picture
    void app.compare.start(compare).then(() => {
      const i = app.store.columnOf(by ?? "", false);
      if (app.compare.pane && by === changedName && i >= 0) app.actions.colorBy(i);
    });
    document.body.dataset.ready = "yes";
  }

  private head(): void {
    this.app.head.draw(this.whole, this.map.version);
  }
}
