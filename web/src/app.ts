// The page: what comes from the server goes into the store, what a person does goes into the view, and both are drawn.

import { nearOf, reasonsOf, why } from "./answer";
import { Asking, type Answer } from "./asking";
import { Camera, type Box } from "./camera";
import { ClusterList } from "./clusters";
import { dark, light, type Theme } from "./color";
import { contours, type Contour } from "./contours";
import { Detail, type Near, type Why } from "./detail";
import { $, h, icon } from "./dom";
import { Drawer } from "./drawer";
import { type Renderer, type Scene } from "./draw";
import { WebGL } from "./gl";
import { Grid } from "./grid";
import { attach, type Tool } from "./input";
import { keys } from "./keys";
import { place, type Label } from "./labels";
import { Legend } from "./legend";
import { Overlay } from "./overlay";
import { Painting } from "./painting";
import { Pulse, Timeline } from "./pulse";
import { Raster } from "./raster";
import { Search } from "./search";
import { inside, type XY } from "./select";
import { mostCorners, read, write, type State } from "./state";
import { arrival, Store } from "./store";
import { Strange } from "./strange";
import { Change, connect, decode, type Hello, type Listener, unpack, type MapState, type Said } from "./wire";

/** A view rests when it has not moved for so many ms; a picture is slow that takes so many. */
const resting = 180;
const slow = 40;
/** So many points make pictures slow where a program draws them. */
const many = 300_000;

export class App implements Listener {
  readonly store = new Store();
  readonly camera = new Camera();
  readonly painting: Painting;
  readonly renderer: Renderer;
  private readonly overlay: Overlay;
  private readonly grid = new Grid();
  private readonly legend: Legend;
  private readonly detail: Detail;
  private readonly drawer: Drawer;
  private readonly search: Search;
  private readonly pulse: Pulse;
  private readonly timeline: Timeline;
  private readonly strange: Strange;
  private readonly clusters: ClusterList;
  private canvas = $<HTMLCanvasElement>("map");
  private readonly over = $<HTMLCanvasElement>("over");
  private theme: Theme;
  private wanted: State;
  private map: MapState = {};
  private live = false;
  /** The name of the column that a person chose, "" for none. */
  private preferred: string | undefined;
  private whole = false;
  private framed = false;
  private tool: Tool = "pan";
  private naming = true;
  private labels: readonly Label[] = [];
  private outlining = false;
  private contours: readonly Contour[] = [];
  private hovered = -1;
  private pinned = -1;
  private pointer: XY = [-1, -1];
  private near: readonly Near[] = [];
  /** Neighbours by their vectors, where these are known. */
  private alike: readonly Near[] = [];
  private why = new AbortController();
  private asked: XY | null = null;
  private asks = false;
  private readonly asking: Asking;
  private shape: readonly XY[] = [];
  private selected: Uint32Array | null = null;
  /** The polygon of the map that it was made by. */
  private within: readonly XY[] = [];
  /** Until when the view is taken to be on its way, by the page's clock. */
  private moving = 0;
  private stale = { base: true, over: true, grid: true, legend: true, labels: true, address: false };
  private legendAt = 0;
  private labelsAt = 0;
  private addressAt = 0;
  private progress = 0;
  private waiting = 0;
  private rest = 0;
  /** When the next picture may be drawn that nobody has asked for by moving the view. */
  private drawAgain = 0;
  private drawn = 0;
  again: () => void = () => {};
  /** What the page measures of itself, in ms: when the first whole picture was drawn, how long the last drawing took and the last fine one, and how late the latest frame came. */
  readonly times = { first: 0, draw: 0, fine: 0, late: 0, latest: 0 };

  constructor() {
    this.wanted = read(location.hash);
    this.theme = this.themeOf(this.wanted.theme);
    this.painting = new Painting(this.store, this.theme);
    const want = new URLSearchParams(location.search).get("renderer");
    this.renderer = (want === "software" ? null : WebGL.open(this.canvas, want === "webgl2")) ?? this.software();
    this.overlay = new Overlay(this.over);
    this.legend = new Legend(this.store, this.painting, () => this.live, { column: (i) => this.colorBy(i), only: () => this.filtered() });
    const on = { fly: (s: number) => this.fly(s), hover: (s: number) => this.hoverSlot(s), close: () => this.pin(-1) };
    this.detail = new Detail(this.store, on);
    this.drawer = new Drawer(this.store, { ...on, close: () => this.select(null) });
    this.search = new Search(this.store, { hits: () => this.ask({ over: true }), fly: (s) => this.fly(s), select: (slots) => this.select(slots) });
    this.pulse = new Pulse(() => (this.theme.dark ? "#6db6f2" : "#0b69b7"));
    this.timeline = new Timeline(this.store, (upto) => this.until(upto));
    this.timeline.mount($("timeline"), this.pulse.element);
    this.strange = new Strange(this.store, on);
    this.clusters = new ClusterList(this.store, this.painting, { fly: (id) => this.flyCluster(id) });
    this.asking = new Asking(this.store, (a) => this.answered(a));
    setInterval(() => this.second(), 1000);
    this.tools();
    this.listen();
    this.applyTheme();
    this.resize();
  }

  /** software draws on a new canvas: the old one may have a context of WebGL, and none beside it. */
  private software(): Renderer {
    const canvas = this.canvas.cloneNode() as HTMLCanvasElement;
    this.canvas.replaceWith(canvas);
    this.canvas = canvas;
    return new Raster(canvas);
  }

  // What comes from the server.

  said(m: Said): void {
    switch (m.type) {
      case "hello":
        this.begin(m);
        break;
      case "values": {
        const c = this.store.columns[m.column];
        if (c) c.values.splice(m.from - 1, c.values.length, ...m.values);
        this.painting.extend();
        this.renderer.changed({ places: false, paint: true });
        this.ask({ legend: true, base: true });
        break;
      }
      case "clusters": {
        const said = this.clusters.take(m);
        if (said) this.tell(said);
        this.ask({ legend: true, labels: true });
        break;
      }
      case "whole":
        this.arrived();
        break;
      case "map":
        this.map = m.map;
        this.tell(`The map was refreshed: version ${m.map.version ?? ""}`);
        this.head();
        break;
      case "status":
        this.pulse.take(m.status);
        break;
    }
  }

  frame(data: ArrayBuffer): void {
    const now = performance.now();
    const f = decode(data, this.store.columns.map((c) => c.kind));
    this.store.apply(f, this.whole ? now : 0);
    if (this.whole && f.change === Change.Put && f.at.length > 0) {
      this.times.late = Date.now() - f.at[f.at.length - 1]!;
      this.times.latest = Math.max(this.times.latest, this.times.late);
    }
    this.painting.some(f.slot);
    this.renderer.changed({ places: f.change !== Change.Remove, paint: true });
    if (!this.framed && f.change !== Change.Remove) this.home(false);
    Object.assign(this.stale, { base: true, over: true, grid: true, legend: true, labels: true });
    // While the whole comes a few pictures on the way are enough.
    if (this.whole || now - this.progress > Math.max(300, 8 * this.times.draw)) {
      this.progress = now;
      this.ask({});
    }
    this.head();
    if (this.whole && this.store.wasteful()) this.again();
  }

  connected(there: boolean, retry: number): void {
    const chip = $("link");
    chip.hidden = !this.live && there;
    chip.textContent = there ? "live" : `away, again in ${Math.max(1, Math.round(retry / 1000))} s`;
    chip.classList.toggle("away", !there);
    this.pulse.connected(there, retry);
    if (!there) this.tell("The connection is lost; it is tried again.");
  }

  private begin(m: Hello): void {
    // What is singled out stays so when the server begins again.
    const only = [...this.painting.only].map((c) => this.store.columns[this.painting.column]?.values[c - 1] ?? "");
    if (this.whole) this.wanted = { only };
    this.select(null);
    this.pin(-1);
    this.clusters.clear();
    this.store.clear(m.columns, m.slots, m.base);
    $("timeline").hidden = !m.live;
    this.painting.column = -1;
    this.map = m.map;
    this.live = m.live;
    this.asks = m.asks;
    $("question").hidden = !m.asks;
    this.whole = false;
    $("title").textContent = m.title || "unfold";
    document.title = m.title ? `${m.title} – unfold` : "unfold";
    this.connected(true, 0);
    this.colorBy(this.firstColumn(), false);
  }

  /** firstColumn is the one that the address names, or what most people would look at first. */
  private firstColumn(): number {
    const { columns } = this.store;
    const named = (name: string): number => columns.findIndex((c) => c.name === name && c.kind !== "text");
    const chosen = this.wanted.by ?? this.preferred;
    if (chosen === "") return -1;
    if (chosen === "arrival" && this.live) return arrival;
    for (const name of [this.wanted.by, this.preferred, "cluster_name", "cluster", "label", "class", "category"]) {
      const i = name === undefined ? -1 : named(name);
      if (i >= 0) return i;
    }
    const i = columns.findIndex((c) => c.kind === "category");
    return i >= 0 ? i : columns.findIndex((c) => c.kind === "number");
  }

  private arrived(): void {
    this.whole = true;
    this.painting.refresh();
    const values = this.store.columns[this.painting.column]?.values ?? [];
    for (const name of this.wanted.only) {
      const i = values.indexOf(name);
      if (i >= 0) this.painting.only.add(i + 1);
    }
    if (this.painting.only.size > 0) this.painting.all();
    this.renderer.changed({ places: true, paint: true });
    if (this.store.n > 0) this.home(false);
    const { x, y, zoom, point, within, upto } = this.wanted;
    if (x !== undefined && y !== undefined && zoom !== undefined) {
      this.camera.set([x, y, zoom * this.camera.home]);
    }
    if (point) {
      let found = -1;
      this.store.each((s) => {
        if (found < 0 && this.store.id(s) === point) found = s;
      });
      if (found >= 0) this.pin(found);
    }
    if (upto !== undefined && this.live) {
      this.timeline.follow();
      this.timeline.set(upto);
    }
    if (within) this.selectWithin(Array.from({ length: within.length / 2 }, (_, i): XY => [within[2 * i]!, within[2 * i + 1]!]));
    this.preferred ??= this.wanted.by;
    this.wanted = { only: [] };
    this.head();
    this.tell(`${this.store.n} points are there.`);
    this.ask({ base: true, over: true, grid: true, legend: true, labels: true });
    setTimeout(() => this.strange.draw()); // after the first picture
    document.body.dataset.ready = "yes";
  }

  private head(): void {
    const n = this.store.n;
    if (!this.whole) return;
    const version = this.map.version ? ` · version ${this.map.version}` : "";
    const below = this.store.under > 0 ? ` · ${this.store.under.toLocaleString("en")} learnt from` : "";
    $("count").textContent = `${n.toLocaleString("en")} ${n === 1 ? "point" : "points"}${below}${version}`;
  }

  // What a person does.

  colorBy(i: number, known = true): void {
    if (known) this.preferred = this.store.field(i)?.name ?? "";
    this.painting.choose(i);
    this.renderer.changed({ places: false, paint: true });
    this.legend.columns();
    this.ask({ base: true, over: true, grid: true, legend: true, labels: true, address: known });
  }

  private filtered(): void {
    this.painting.all();
    this.renderer.changed({ places: false, paint: true });
    this.ask({ base: true, over: true, grid: true, legend: true, labels: true, address: true });
  }

  /** until hides the points that came later. */
  private until(upto: number): void {
    this.painting.upto = upto;
    this.filtered();
  }

  /** second is what is looked at once a second. */
  private second(): void {
    if (!this.whole || !this.live) return;
    this.strange.draw();
    this.timeline.follow();
  }

  select(slots: Uint32Array | null): void {
    this.selected = slots && slots.length > 0 ? slots : null;
    this.within = [];
    this.moving = performance.now() + resting;
    this.painting.select(this.selected);
    if (this.selected) {
      this.drawer.show(this.selected);
      this.uncover(this.selected);
    } else this.drawer.hide();
    if (slots) this.tell(`${slots.length} points are selected.`);
    this.renderer.changed({ places: false, paint: true });
    this.ask({ base: true, over: true, address: this.whole });
  }

  /** uncover moves the map up if a selection would lie below the drawer. */
  private uncover(slots: Uint32Array): void {
    let y = 0;
    for (const s of slots) y += this.store.y[s]! / slots.length;
    const free = innerHeight - $("drawer").offsetHeight - 14;
    const at = this.camera.toScreen(this.camera.x, y)[1];
    if (at < free * 0.9) return;
    this.camera.fly([this.camera.x, this.camera.y - (at - free * 0.55) / this.camera.scale, this.camera.scale], performance.now());
    this.settle();
  }

  pin(s: number): void {
    this.pinned = s;
    this.asked = null;
    this.near = this.alike = [];
    this.why.abort();
    if (s < 0) this.detail.close();
    else {
      this.regrid();
      this.near = this.grid.neighbors(this.store, s, 8).map((n) => ({ ...n, id: this.store.id(n.slot) }));
      void this.explain(s);
      this.tell(`Point ${this.store.id(s) || s}`);
    }
    this.ask({ over: true, address: true });
  }

  /** explain asks the server why a point is novel, and shows what it says. */
  private async explain(s: number): Promise<void> {
    const show = (w: Partial<Why>): void => this.detail.show(s, this.near, { reasons: [], near: [], facts: [], note: "", ...w });
    const id = this.store.id(s);
    if (!this.asks) {
      show({ note: "There is no model beside this map that could say why. Open the model itself: unfold view MODEL." });
      return;
    }
    if (id === "") {
      show({ note: "Only a point with an id can be asked about." });
      return;
    }
    const mine = (this.why = new AbortController());
    show({ note: "…" });
    try {
      const p = await why(id, mine.signal);
      if (mine.signal.aborted || this.pinned !== s) return;
      this.alike = nearOf(p, this.store);
      const reasons = reasonsOf(p);
      show({ reasons, near: this.alike, note: reasons.length > 0 ? "" : "No column stands out: values are missing, or it equals its neighbours." });
      this.ask({ over: true });
    } catch (e) {
      if (!mine.signal.aborted && this.pinned === s) show({ note: e instanceof Error ? e.message : String(e) });
    }
  }

  /** answered shows where a record would go. */
  private answered(a: Answer): void {
    this.pin(-1);
    this.asked = [a.x, a.y];
    this.alike = a.near;
    this.detail.asked(a.title, { reasons: a.reasons, near: a.near, facts: a.facts, note: "" });
    this.camera.fly([a.x, a.y, Math.max(this.camera.scale, this.camera.home * 2.5)], performance.now());
    this.tell(`${a.title} would go to ${a.x}, ${a.y}`);
    this.ask({ base: true, over: true });
  }

  private question(): void {
    if (this.asks) this.asking.open();
  }

  fly(s: number): void {
    if (s < 0) return;
    const scale = Math.max(this.camera.scale, this.camera.home * 4);
    this.camera.fly([this.store.x[s]!, this.store.y[s]!, scale], performance.now());
    this.pin(s);
    this.ask({ base: true, over: true });
  }

  /** flyCluster shows a cluster: where its points are, or where it was. */
  private flyCluster(id: string): void {
    const column = this.clusters.column;
    const code = (this.store.columns[column]?.values.indexOf(id) ?? -1) + 1;
    const slots: number[] = [];
    if (code > 0) this.store.eachNumber(column, (s, v) => void (v === code && slots.push(s)));
    const box = this.boxOf(slots, 0.03);
    const centre = this.clusters.centre(id);
    if (box) {
      const narrow = innerWidth <= 760;
      const [x, y, scale] = this.camera.fitting(box, narrow ? 0 : 300, narrow ? 108 : 76, narrow ? innerHeight * 0.28 : 0);
      this.camera.fly([x, y, Math.min(scale * 0.6, this.camera.home * 60)], performance.now());
    } else if (centre) this.camera.fly([...centre, Math.max(this.camera.scale, this.camera.home * 2)], performance.now());
    else this.tell(`Cluster ${id} is not on the map any more.`);
    this.ask({ base: true, over: true, labels: true, address: true });
  }

  private hoverSlot(s: number): void {
    this.hovered = s;
    this.ask({ over: true });
  }

  private hover(x: number, y: number): void {
    this.pointer = [x, y];
    this.ask({ over: true });
  }

  private pick(x: number, y: number): number {
    if (x < 0) return -1;
    this.regrid();
    return this.grid.nearest(this.store, ...this.camera.toMap(x, y), 9 / this.camera.scale);
  }

  private regrid(): void {
    if (!this.stale.grid) return;
    this.grid.build(this.store, this.painting.shown);
    this.stale.grid = false;
  }

  /** box is where the points are, without the outermost thousandth of them. */
  private box(): Box | null {
    const slots: number[] = [];
    const step = Math.max(1, Math.floor(this.store.slots / 50_000));
    for (let s = 0; s < this.store.slots; s += step) if (this.store.alive[s]) slots.push(s);
    return this.boxOf(slots, 0.001);
  }

  /** boxOf is where points are, without a share of the outermost on each side; null for none. */
  private boxOf(slots: readonly number[], share: number): Box | null {
    if (slots.length === 0) return null;
    const cut = Math.floor(slots.length * share);
    const span = (of: Float32Array): [number, number] => {
      const v = Float32Array.from(slots, (s) => of[s]!).sort();
      return [v[cut]!, v[v.length - 1 - cut]!];
    };
    const [x0, x1] = span(this.store.x);
    const [y0, y1] = span(this.store.y);
    return { x0, y0, x1, y1 };
  }

  home(flying: boolean): void {
    const box = this.box();
    if (!box) return;
    this.framed = true;
    const narrow = innerWidth <= 760;
    const view = this.camera.fitting(box, narrow ? 0 : 300, narrow ? 108 : 76, narrow ? innerHeight * 0.28 : 0);
    this.camera.home = view[2];
    if (flying) this.camera.fly(view, performance.now());
    else this.camera.set(view);
    this.ask({ base: true, over: true, labels: true, address: flying });
  }

  private done(shape: readonly XY[]): void {
    this.selectWithin(shape.map(([x, y]) => this.camera.toMap(x, y)));
  }

  /** selectWithin selects what lies in a polygon of the map. */
  private selectWithin(polygon: readonly XY[]): void {
    this.select(inside(this.store, polygon, this.painting.shown));
    if (this.selected) this.within = polygon;
  }

  /** selectView selects what can be seen. */
  private selectView(): void {
    const { width, height } = this.camera;
    this.done([[0, 0], [width, 0], [width, height], [0, height]]);
  }

  private setTool(t: Tool): void {
    this.tool = t;
    this.over.classList.toggle("picking", t !== "pan");
    for (const b of $("tools").querySelectorAll<HTMLElement>("[data-tool]")) b.setAttribute("aria-pressed", String(b.dataset.tool === t));
  }

  private tools(): void {
    const add = (title: string, path: string, f: () => void, tool?: Tool): void => {
      const b = h("button", { title, label: title, on: { click: f } });
      b.append(icon(path));
      if (tool) {
        b.dataset.tool = tool;
        b.setAttribute("aria-pressed", String(tool === this.tool));
      }
      $("tools").append(b);
    };
    add("Move the map (V)", "M12 3v18M3 12h18M12 3l-2.5 2.5M12 3l2.5 2.5M12 21l-2.5-2.5M12 21l2.5-2.5M3 12l2.5-2.5M3 12l2.5 2.5M21 12l-2.5-2.5M21 12l-2.5 2.5", () => this.setTool("pan"), "pan");
    add("Select with a lasso (L)", "M7 15c-3-1-4-3-4-5 0-4 4-6 9-6s9 2 9 6-4 6-9 6c-1.500 0-3-.2-4-.6M8 15.500a1.800 1.800 0 1 0-2 2.500c0 1.500-1 2.500-2 3", () => this.setTool("lasso"), "lasso");
    add("Select with a rectangle (R)", "M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M11 4h2M11 20h2M4 11v2M20 11v2", () => this.setTool("rectangle"), "rectangle");
    add("Show the whole map (0)", "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5", () => this.home(true));
    add("Where would this go? (W)", "M12 21s-6.500-6-6.500-11a6.500 6.500 0 0 1 13 0c0 5-6.500 11-6.500 11zM12 12.200a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400z", () => this.question());
    $("tools").lastElementChild!.id = "question";
    add("Names on the map (N)", "M5 7V5h14v2M12 5v14M9.500 19h5", () => this.nameClasses());
    add("Outlines of classes (O)", "M7 5c4-3 10 0 12 4s1 8-3 10-9 1-11-3 0-9 2-11zM10 9c2-1.500 4.500 0 5.500 2s.5 3.500-1.500 4.500-4 .5-5-1.500 0-4 1-5z", () => this.outline());
    add("Light or dark (D)", "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z", () => this.switchTheme());
    add("Keys (?)", "M9 9a3 3 0 1 1 4 2.800c-.7.3-1 .9-1 1.700M12 17v.1M12 3a9 9 0 1 0 .01 0z", () => this.help());
  }

  private nameClasses(): void {
    this.naming = !this.naming;
    this.ask({ labels: true, over: true });
  }

  private outline(): void {
    this.outlining = !this.outlining;
    this.ask({ labels: true, over: true });
  }

  private help(): void {
    const list = h("dl");
    for (const [key, what] of keys) list.append(h("dt", {}, ...key.split(" ").map((k) => h("kbd", {}, k))), h("dd", {}, what));
    const dialog = $<HTMLDialogElement>("help");
    dialog.replaceChildren(h("h2", {}, "Keys"), list, h("div", { class: "acts" }, h("button", { class: "primary", on: { click: () => dialog.close() } }, "Close")));
    dialog.showModal();
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
    const target = e.target as HTMLElement;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    const step = e.shiftKey ? 240 : 60;
    const middle: XY = [this.camera.width / 2, this.camera.height / 2];
    const acts: Record<string, () => void> = {
      "+": () => this.zoom(...middle, 1.4), "=": () => this.zoom(...middle, 1.4), "-": () => this.zoom(...middle, 1 / 1.4),
      "0": () => this.home(true), "/": () => this.search.focus(), "?": () => this.help(),
      v: () => this.setTool("pan"), l: () => this.setTool("lasso"), r: () => this.setTool("rectangle"), n: () => this.nameClasses(), d: () => this.switchTheme(),
      c: () => $("by").focus(), k: () => void this.clusters.open(), s: () => this.selectView(), o: () => this.outline(), w: () => this.question(), " ": () => this.timeline.toggle(), Escape: () => this.escape(),
    };
    if (target === this.over || target === document.body)
      Object.assign(acts, {
        ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0), ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
        Enter: () => this.pin(this.pick(...middle)),
      });
    const act = acts[e.key];
    if (!act) return;
    e.preventDefault();
    act();
    this.settle();
  }

  private escape(): void {
    if (this.selected) this.select(null);
    else if (this.pinned >= 0) this.pin(-1);
    else this.setTool("pan");
    this.search.clear();
  }

  private pan(dx: number, dy: number): void {
    this.camera.pan(dx, dy);
    this.moving = performance.now() + resting;
    this.ask({ base: true, over: true });
  }

  private zoom(x: number, y: number, factor: number): void {
    this.camera.zoomAt(x, y, factor);
    this.moving = performance.now() + resting;
    this.ask({ base: true, over: true });
  }

  private settle(): void {
    this.ask({ labels: true, address: true, over: true });
  }

  private listen(): void {
    attach(this.over, {
      tool: () => this.tool,
      pan: (dx, dy) => this.pan(dx, dy),
      zoom: (x, y, f) => this.zoom(x, y, f),
      hover: (x, y) => this.hover(x, y),
      click: (x, y) => this.pin(this.pick(x, y)),
      shape: (points, done) => {
        this.shape = done ? [] : points;
        if (done) this.done(points);
        this.ask({ over: true });
      },
      settle: () => this.settle(),
    });
    addEventListener("keydown", (e) => this.key(e));
    new ResizeObserver(() => this.resize()).observe(document.body);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      if (!remembered()) this.setTheme(this.themeOf(undefined));
    });
  }

  private resize(): void {
    const ratio = this.ratio;
    this.camera.width = innerWidth;
    this.camera.height = innerHeight;
    for (const c of [this.canvas, this.over]) {
      c.width = Math.round(innerWidth * ratio);
      c.height = Math.round(innerHeight * ratio);
    }
    this.ask({ base: true, over: true, labels: true });
  }

  /** ratio is that of the screen, less where a program has to paint every pixel. */
  private get ratio(): number {
    return Math.min(devicePixelRatio || 1, this.renderer.name === "software" && this.store.n > many ? 1 : 2);
  }

  private themeOf(name: string | undefined): Theme {
    const want = name ?? remembered() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    return want === "dark" ? dark : light;
  }

  private switchTheme(): void {
    remember(this.theme.dark ? "light" : "dark");
    this.setTheme(this.theme.dark ? light : dark);
    this.ask({ address: true });
  }

  private setTheme(t: Theme): void {
    this.theme = this.painting.theme = t;
    this.applyTheme();
    this.painting.colors = [];
    this.painting.refresh();
    this.renderer.changed({ places: false, paint: true });
    this.ask({ base: true, over: true, legend: true });
  }

  private applyTheme(): void {
    document.documentElement.dataset.theme = this.theme.dark ? "dark" : "light";
  }

  // Drawing.

  private ask(what: Partial<typeof this.stale>): void {
    Object.assign(this.stale, what);
    if (this.waiting === 0) this.waiting = requestAnimationFrame((t) => this.tick(t));
  }

  private tick(now: number): void {
    this.waiting = 0;
    const { stale } = this;
    const flying = this.camera.step(now);
    const moving = now / 1000 < this.store.still;
    // A picture that takes long waits until the view rests; on the way there are quicker ones.
    const going = flying || moving;
    const big = this.store.n > many;
    const hasty = this.times.fine > slow && (flying || performance.now() < this.moving || (moving && big));
    const draft = this.whole ? hasty : big;
    const scene: Scene = { store: this.store, camera: this.camera, theme: this.theme, paint: this.painting.paint, now: now / 1000, ratio: this.ratio, draft };
    // Pictures of what comes by itself take half of the time at most, so that frames are never left waiting.
    const onWay = flying || performance.now() < this.moving || !this.whole;
    const rests = !onWay && performance.now() < this.drawAgain;
    if (flying || ((stale.base || moving) && !rests)) {
      const begun = performance.now();
      this.renderer.draw(scene);
      this.times.draw = performance.now() - begun;
      this.drawAgain = performance.now() + this.times.draw;
      if (!draft) this.times.fine = this.times.draw;
      this.drawn++;
      if (this.whole && this.times.first === 0) this.times.first = performance.now();
      stale.base = moving;
      stale.over = true;
      if (draft && going) stale.base = true;
      else if (draft && this.whole) {
        clearTimeout(this.rest);
        this.rest = window.setTimeout(() => this.ask({ base: true }), this.moving - performance.now() + 10);
      }
    }
    if (stale.legend && this.whole && now - this.legendAt > 500) {
      this.legend.draw();
      this.clusters.recolor();
      this.legendAt = now;
      stale.legend = false;
    }
    if (stale.labels && this.whole && !flying && (now - this.labelsAt > (this.live ? 700 : 120) || this.labels.length === 0)) this.relabel(now);
    let glowing = false;
    if (stale.over && !rests) {
      this.point();
      const begun = performance.now();
      glowing = this.overlay.draw(scene, this.painting, this.marks(), now);
      stale.over = glowing;
      if (!onWay) this.drawAgain = Math.max(this.drawAgain, performance.now() + performance.now() - begun);
    }
    if (stale.address && !flying && now - this.addressAt > 600) {
      this.addressAt = now; // browsers bound how often
      this.address();
      stale.address = false;
    }
    if (going || glowing || stale.base || stale.over) this.ask({});
    else if (this.whole && (stale.legend || stale.labels || stale.address)) setTimeout(() => this.ask({ over: true }), 250);
  }

  /** point finds what is under the pointer. */
  private point(): void {
    if (this.shape.length > 0 || this.pointer[0] < 0) {
      if (this.pointer[0] < 0) this.detail.hover(-1, 0, 0, -1);
      return;
    }
    this.hovered = this.pick(...this.pointer);
    this.over.classList.toggle("on", this.hovered >= 0 && this.tool === "pan");
    this.detail.hover(this.hovered, ...this.pointer, this.painting.column);
  }

  private marks() {
    return {
      labels: this.labels, contours: this.contours, hover: this.hovered, pinned: this.pinned, neighbors: (this.alike.some((n) => n.slot >= 0) ? this.alike : this.near).map((n) => n.slot).filter((s) => s >= 0),
      hits: this.search.hits.slice(0, 500), shape: this.shape, rectangle: this.tool === "rectangle", asked: this.asked,
    };
  }

  private relabel(now: number): void {
    this.labelsAt = now;
    this.stale.labels = false;
    this.stale.over = true;
    this.labels = [];
    this.contours = [];
    // Where no classes colour the map the clusters are named and outlined.
    const own = this.painting.category;
    const column = own ? this.painting.column : this.clusters.column;
    const code = own ? this.painting.code : this.clusters.code;
    if (column < 0) return;
    if (this.outlining) this.contours = contours(this.store, this.camera, code);
    if (!this.naming) return;
    const covered = [...document.querySelectorAll("header, aside > section, #drawer, footer")]
      .filter((e) => !(e as HTMLElement).hidden && e.parentElement?.id !== "detail")
      .map((e) => e.getBoundingClientRect())
      .map((r) => ({ x0: r.left, y0: r.top, x1: r.right, y1: r.bottom }));
    this.labels = place(this.store, this.camera, code, (c) => this.clusters.named(column, c), (t, s) => this.overlay.measure(t, s), covered);
  }

  private address(): void {
    const column = this.store.field(this.painting.column);
    const s: State = {
      x: this.camera.x, y: this.camera.y, zoom: this.camera.zoom, by: column?.name ?? "",
      only: [...this.painting.only].map((c) => column?.values[c - 1] ?? ""), theme: this.theme.dark ? "dark" : "light",
      point: this.pinned >= 0 ? this.store.id(this.pinned) : undefined, upto: this.painting.upto,
      within: this.within.length > 0 ? thinned(this.within, mostCorners).flat() : undefined,
    };
    history.replaceState(null, "", location.pathname + location.search + write(s));
  }

  private tell(text: string): void {
    $("said").textContent = text;
  }

  /** measure pans and zooms for some ms and returns frames a second; the median time of a hover, in ms. */
  async measure(ms: number): Promise<{ frames: number; hover: number; draw: number; least: number; fine: number; renderer: string }> {
    const begun = performance.now();
    const before = this.drawn;
    let n = 0;
    const draws: number[] = [];
    while (performance.now() - begun < ms) {
      if (n++ % 2) this.zoom(this.camera.width / 2, this.camera.height / 2, n % 4 < 2 ? 1.03 : 1 / 1.03);
      else this.pan(n % 8 < 4 ? 5 : -5, 0);
      await new Promise(requestAnimationFrame);
      draws.push(this.times.draw);
    }
    draws.sort((a, b) => a - b);
    const frames = (this.drawn - before) / ((performance.now() - begun) / 1000);
    const times: number[] = [];
    for (let i = 0; i < 41; i++) {
      const t = performance.now();
      this.pick((this.camera.width * (i + 1)) / 42, this.camera.height / 2);
      times.push(performance.now() - t);
    }
    times.sort((a, b) => a - b);
    return { frames, hover: times[20]!, draw: draws[Math.floor(draws.length / 2)] ?? 0, least: draws[0] ?? 0, fine: this.times.fine, renderer: this.renderer.name };
  }
}

/** thinned are at most so many of the corners of a polygon. */
function thinned(corners: readonly XY[], most: number): XY[] {
  const step = Math.max(corners.length / most, 1);
  return Array.from({ length: Math.min(corners.length, most) }, (_, i) => corners[Math.floor(i * step)]!);
}

/** remembered is the theme that was chosen before; a page in a frame may have no storage. */
function remembered(): string | null {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}

function remember(theme: string): void {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // It is forgotten with the page.
  }
}

const app = new App();
const data = document.getElementById("data");
if (data) {
  void unpack(data.textContent ?? "", app);
} else {
  const url = new URL("live", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = url.search = "";
  app.again = connect(url.href, app).again;
}
Object.assign(globalThis, { unfold: app });
