// The page. The server's messages change the store, a person's actions change the view, and both are drawn.

import { Address } from "./address";
import { Asking, type Answer } from "./asking";
import { bindings } from "./bindings";
import { Camera } from "./camera";
import { Chosen } from "./chosen";
import { ClusterList } from "./clusters";
import { Compare } from "./compare";
import { dark, light, nameOf, type Theme } from "./color";
import { Detail } from "./detail";
import { Filters } from "./filters";
import { $ } from "./dom";
import type { Scene } from "./draw";
import { arrange, followPanels, isNarrow, outside, wholeBox } from "./framing";
import { Drawer } from "./drawer";
import { Frames, type Page, type Stale } from "./frames";
import { firstColumn } from "./first";
import { attach } from "./input";
import { help, listen } from "./keys";
import { Legend } from "./legend";
import { Link } from "./link";
import { Mask } from "./mask";
import { measure, type Measured } from "./measure";
import { Moves } from "./moves";
import { Names } from "./names";
import { Overlay, type Marks } from "./overlay";
import { Painting } from "./painting";
import { Pictures } from "./pictures";
import { Pulse, Timeline } from "./pulse";
import { Saving } from "./saving";
import { Search } from "./search";
import type { XY } from "./select";
import { Selection } from "./selection";
import { read, type State } from "./state";
import { changedName, Store } from "./store";
import { Strange } from "./strange";
import { Surface } from "./surface";
import { Tabs } from "./tabs";
import { follow, remember, themeName, themeOf } from "./theme";
import { Toolbar } from "./toolbar";
import { UncertainList } from "./uncertain";
import { Ways } from "./ways";
import { Welcome } from "./welcome";
import { Change, connect, decode, type Hello, type Listener, unpack, type MapState, type Said } from "./wire";

export class App implements Listener {
  readonly store = new Store();
  readonly camera = new Camera();
  readonly painting: Painting;
  private readonly surface = new Surface(new URLSearchParams(location.search).get("renderer"), $<HTMLCanvasElement>("map"), $<HTMLCanvasElement>("over"));
  readonly renderer = this.surface.renderer;
  private readonly overlay: Overlay;
  private readonly legend: Legend;
  private readonly selection: Selection;
  private readonly drawer: Drawer;
  private readonly search: Search;
  private readonly pulse: Pulse;
  private readonly link = new Link();
  private readonly pictures = new Pictures(this.store);
  private readonly saving: Saving;
  private readonly welcome = new Welcome();
  private readonly timeline: Timeline;
  private readonly strange: Strange;
  private readonly uncertain: UncertainList;
  private readonly clusters: ClusterList;
  private readonly toolbar: Toolbar;
  private readonly mask = new Mask(this.store);
  private readonly filters: Filters;
  readonly names: Names;
  readonly chosen: Chosen;
  readonly frames = new Frames(this.page());
  readonly moves = new Moves(this.store, this.camera, this.frames);
  private readonly address: Address = new Address(this);
  private theme: Theme;
  private readonly asking: Asking;
  readonly compare: Compare;
  private readonly ways: Ways;
  private wanted: State;
  private map: MapState = {};
  private live = false;
  /** The name of the column that the user chose, "" for none. */
  private preferred: string | undefined;
  whole = false;
  /** Whether the points are the first ones, which are in the page itself: the server has not answered yet. */
  private early = false;
  /** The announced number of points, and the number of rows without a place. */
  private announced = 0;
  private unplaced = 0;
  private shape: readonly XY[] = [];
  again: () => void = () => {};
  /** The page's own measurements in ms: of its pictures, and the delays of the last and of the latest event. */
  readonly times = Object.assign(this.frames.times, { late: 0, latest: 0 });

  constructor() {
    this.wanted = read(location.hash);
    this.theme = themeOf(this.wanted.theme);
    this.painting = new Painting(this.store, this.theme);
    this.overlay = new Overlay(this.surface.over);
    this.saving = new Saving({
      scene: () => this.scene(performance.now(), false), marks: () => this.marks(), painting: this.painting, title: () => $("title").textContent ?? "",
      overlay: (canvas) => new Overlay(canvas), tell: (text) => this.tell(text), compare: () => this.compare,
      times: () => (this.live ? this.timeline.times : null), until: (upto) => this.timeline.set(upto),
    });
    this.legend = new Legend(this.store, this.painting, () => this.live, { column: (i) => this.colorBy(i), only: () => this.filtered() });
    const on = { fly: (s: number) => this.fly(s), hover: (s: number) => this.chosen.hoverSlot(s), close: () => this.pin(-1) };
    this.chosen = new Chosen(this.store, this.camera, this.painting, new Detail(this.store, this.pictures, on), this.frames);
    const drawer = (this.drawer = new Drawer(this.store, this.painting, this.pictures, { ...on, close: () => this.select(null) }));
    this.selection = new Selection(this.store, this.camera, this.painting, drawer, this.moves, (n) => this.selected(n));
    this.painting.mask = this.mask;
    this.filters = new Filters(this.store, this.painting, this.mask, () => this.live, {
      changed: () => this.filtered(), select: () => this.selectShown(), tell: (text) => this.tell(text),
    });
    this.search = new Search(this.store, { hits: () => this.ask({ over: true }), fly: (s) => this.fly(s), select: (slots, find) => this.selection.take(slots, { find }), takes: (text) => this.asking.takes(text), problem: (text) => this.asking.problem(text), tell: (text) => this.tell(text), learn: () => this.asking.learn(), place: (text) => this.asking.place(text) });
    this.pulse = new Pulse(() => (this.theme.dark ? "#6db6f2" : "#0b69b7"), (text) => this.tell(text));
    this.timeline = new Timeline(this.store, { on: () => this.mask.filters.length > 0, passes: (s) => !this.mask.bits[s] }, (upto) => this.until(upto));
    this.timeline.mount($("timeline"), this.pulse.element);
    this.strange = new Strange(this.store, on);
    this.uncertain = new UncertainList(this.store, on);
    this.clusters = new ClusterList(this.store, this.painting, { fly: (id) => this.flyCluster(id) });
    this.names = new Names(this.store, this.camera, this.painting, this.clusters);
    this.asking = new Asking(this.store, { answered: (a) => this.answered(a), moved: (a) => this.reasked(a) });
    this.compare = new Compare(this.store, this.painting, {
      frames: this.frames, camera: this.camera, moves: this.moves, tool: () => this.toolbar.tool, arrange: () => this.resize(), columns: () => this.columns(),
      colorBy: (i) => this.colorBy(i), hover: (s, x, y) => this.chosen.hoverBeside(s, x, y), pin: (s) => this.pin(s), select: (slots) => this.select(slots),
      tell: (text) => this.tell(text),
    });
    this.store.replaced = this.compare.replaced;
    this.ways = new Ways(this.store, this.painting, { changed: () => this.ask({ over: true }), tell: (text) => this.tell(text) });
    this.toolbar = new Toolbar(this.surface.over, {
      home: () => this.home(0), compare: () => void this.compare.choose(), ways: () => void this.ways.toggle(), question: () => this.question(), names: () => this.nameClasses(), outlines: () => this.outline(),
      picture: () => this.saving.open(), theme: () => this.switchTheme(), help,
    });
    $("far").addEventListener("click", () => this.home(0));
    new Tabs();
    followPanels();
    setInterval(() => this.second(), 1000);
    this.listen();
    this.applyTheme();
    this.resize();
  }

  /** begun shows the first points, which are in the page, until the server sends all. */
  async begun(text: string): Promise<void> {
    this.early = true;
    await unpack(text, this).catch(() => {}); // an old browser waits for the server
    this.early = false;
  }

  // Messages from the server.

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
      case "unplaced":
        this.unplaced = m.rows;
        this.head();
        break;
      case "whole":
        this.arrived();
        break;
      case "map":
        this.map = m.map;
        this.tell(`The map was refreshed: version ${m.map.version ?? ""}`);
        this.head();
        this.asking.follow();
        void this.ways.follow();
        break;
      case "status":
        this.pulse.take(m.status);
        this.link.stage(this.live, m.status.phase ?? "", m.status.quiet);
        break;
    }
  }

  frame(data: ArrayBuffer): void {
    const now = performance.now();
    const f = decode(data, this.store.columns);
    this.store.apply(f, this.whole ? now : 0);
    if (this.whole && f.change === Change.Put && f.at.length > 0) {
      this.times.late = Date.now() - f.at[f.at.length - 1]!;
      this.times.latest = Math.max(this.times.latest, this.times.late);
    }
    if (!this.moves.framed && f.change === Change.Put) this.painting.refresh(); // until all points have arrived, colours have the scale of the first
    this.mask.some(f.slot);
    this.painting.some(f.slot);
    this.renderer.changed({ places: f.change !== Change.Remove, paint: true });
    if (!this.moves.framed && f.change !== Change.Remove) this.moves.home(false);
    this.frames.came();
    this.head();
    if (this.whole && this.store.wasteful()) this.again();
  }

  connected(there: boolean, retry: number): void {
    this.link.connected(there, retry);
    this.pulse.connected(there, retry);
  }

  silent(since: number): void {
    this.link.silent(since);
    if (since) this.tell("Nothing comes from the server any more.");
  }

  private begin(m: Hello): void {
    if (this.whole) {
      this.wanted = this.lasting(m.map);
      this.selection.keep();
    }
    this.whole = false;
    this.mask.clear();
    this.select(null);
    this.pin(-1);
    this.clusters.clear();
    const { name } = this.compare;
    this.compare.close();
    this.wanted.compare ??= name || undefined;
    $("ways").hidden = !m.live;
    this.drawer.clear();
    this.store.clear(m.columns, m.slots, m.base);
    $("timeline").hidden = !m.live;
    this.painting.column = -1;
    this.painting.settled = false;
    this.map = m.map;
    this.announced = m.points;
    this.unplaced = m.unplaced ?? 0;
    this.pictures.clear(m);
    this.live = m.live;
    this.link.stage(m.live && !this.early, "");
    this.chosen.asks = this.search.asks = m.asks;
    this.search.timed = m.live;
    $("question").hidden = !m.asks;
    $("title").textContent = m.title || "unfold";
    document.title = m.title ? `${m.title} – unfold` : "unfold";
    if (!this.early) this.connected(true, 0);
    const asked = this.wanted.by ?? this.preferred;
    this.colorBy(asked === "" ? -1 : firstColumn(this.store, m.live, [this.wanted.by, this.preferred], m.label), false);
    this.filters.columns();
    this.welcome.show(m.point ?? "", m.asks);
  }

  /** lasting returns the part of the state that stays when all points are loaded again, of the given map: all but slots, and places of another map. */
  private lasting({ id, epoch }: MapState): State {
    const { x, y, zoom, only, filters, upto, point } = this.state();
    const same = (id || undefined) === (this.map.id || undefined) && epoch === this.map.epoch;
    return { ...noState, only, filters, upto, point, ...(same ? { x, y, zoom } : {}) };
  }

  private arrived(): void {
    this.whole = true;
    this.painting.settled = true;
    this.painting.refresh();
    this.renderer.changed({ places: true, paint: true });
    const { compare, by } = this.wanted;
    void this.address.restore(this.wanted);
    this.preferred ??= this.wanted.by;
    this.wanted = noState;
    this.head();
    this.tell(`${this.store.n} points are there.`);
    this.filters.columns();
    this.ask({ base: true, over: true, grid: true, legend: true, labels: true });
    setTimeout(() => this.lists()); // after the first picture
    void this.compare.start(compare).then(() => {
      const i = this.store.columnOf(by ?? "", false);
      if (this.compare.pane && by === changedName && i >= 0) this.colorBy(i);
    });
    document.body.dataset.ready = "yes";
  }

  private head(): void {
    const text = (n: number): string => n.toLocaleString("en");
    const { n, under } = this.store;
    if (!this.whole) {
      if (n < this.announced) $("count").textContent = `${text(n)} of ${text(this.announced)} points`;
      return;
    }
    const parts = [`${text(n)} ${n === 1 ? "point" : "points"}`];
    if (this.unplaced > 0) parts.push(`${text(this.unplaced)} without a place`);
    if (under > 0) parts.push(`${text(under)} learnt from`);
    if (this.map.version) parts.push(`version ${this.map.version}`);
    $("count").textContent = $("count").title = parts.join(" · ");
  }

  /** far shows a button that reveals all points if some are outside the usual view. */
  private far(): void {
    const n = this.camera.atFrame ? outside(this.store, this.camera) : 0;
    $("far").hidden = n === 0;
    $("far").textContent = `${n.toLocaleString("en")} outside the view`;
  }

  // Actions of the user.

  colorBy(i: number, known = true): void {
    if (known) this.preferred = this.store.field(i)?.name ?? "";
    this.painting.choose(i);
    this.compare.pane?.regrid();
    void this.ways.follow();
    this.renderer.changed({ places: false, paint: true });
    this.legend.columns();
    this.ask({ base: true, over: true, grid: true, legend: true, labels: true, address: known });
  }

  /** columns is called when the page's own columns have changed. */
  private columns(): void {
    this.legend.columns();
    this.filters.columns();
    this.ask({ base: true, over: true, legend: true, address: this.whole });
  }

  /** home shows all points, except a share of the outermost, on both maps. */
  private home(share: number): void {
    this.moves.home(true, share);
    this.compare.home(share);
  }

  private filtered(): void {
    this.compare.pane?.regrid();
    this.painting.all();
    this.timeline.draw();
    this.renderer.changed({ places: false, paint: true });
    this.ask({ base: true, over: true, grid: true, legend: true, labels: true, address: true });
  }

  /** until hides points that arrived later. */
  private until(upto: number): void {
    this.painting.upto = upto;
    this.filtered();
  }

  /** lists draws the lists of strange and of uncertain points. */
  private lists(): void {
    this.strange.draw();
    this.uncertain.draw();
  }

  /** selectShown selects all points that pass the filters, the legend and the time. */
  private selectShown(): void {
    const box = wholeBox(this.store, 0);
    if (!box) return;
    const { x0, y0, x1, y1 } = box;
    const [w, t] = [x1 - x0 + 1, y1 - y0 + 1];
    this.selection.inside([[x0 - w, y0 - t], [x1 + w, y0 - t], [x1 + w, y1 + t], [x0 - w, y1 + t]]);
  }

  /** second runs once a second. */
  private second(): void {
    if (!this.whole || !this.live) return;
    this.filters.later();
    this.lists();
    this.timeline.follow();
  }

  select(slots: Uint32Array | null): void {
    this.selection.take(slots);
  }

  /** selected is called after a selection of n points, or after its end. */
  private selected(count: number | null): void {
    if (count !== null) this.tell(`${count} points are selected.`);
    this.frames.moved();
    this.renderer.changed({ places: false, paint: true });
    this.ask({ base: true, over: true, address: this.whole });
  }

  pin(s: number): void {
    this.asking.forget();
    this.chosen.pin(s);
    if (s >= 0) this.welcome.end();
    if (s >= 0) this.tell(this.described(s));
  }

  /** described returns a point's name, and its value of the colouring column. */
  private described(s: number): string {
    const { store } = this;
    const { column } = this.painting;
    const c = store.field(column);
    const value = !c ? "" : c.kind === "category" ? nameOf(c, store.number(s, column)) : store.brief(column, store.number(s, column));
    return `Point ${store.id(s) || s}${c && value !== "" ? `, ${c.name}: ${value}` : ""}`;
  }

  /** answered shows the place of a record. */
  private answered(a: Answer): void {
    this.chosen.answered(a);
    this.moves.to([a.x, a.y], 2.5);
    this.tell(`${a.title} would go to ${a.x}, ${a.y}`);
    this.agree(a);
  }

  /** reasked shows the place of the record on the present map. */
  private reasked(a: Answer): void {
    this.chosen.reasked(a);
    this.agree(a);
  }

  /** agree asks again for a record that was placed on another map than the present one. */
  private agree(a: Answer): void {
    const { map } = this;
    if (this.live && (a.map.version !== map.version || a.map.epoch !== map.epoch || (a.map.id || undefined) !== (map.id || undefined))) this.asking.later();
  }

  private question(): void {
    if (this.chosen.asks) this.asking.open();
  }

  fly(s: number): void {
    if (s < 0) return;
    // On a map of few points the neighbours are far away.
    const { x, y, n } = this.store;
    this.moves.to([x[s]!, y[s]!], Math.min(Math.max(Math.sqrt(n) / 8, 1), 4));
    this.pin(s);
  }

  /** flyCluster moves the view to a cluster: to its points, or to its last centre. */
  private flyCluster(id: string): void {
    const column = this.clusters.column;
    const code = (this.store.columns[column]?.values.indexOf(id) ?? -1) + 1;
    const slots: number[] = [];
    if (code > 0) this.store.eachNumber(column, (s, v) => void (v === code && slots.push(s)));
    const centre = this.clusters.centre(id);
    if (slots.length > 0) this.moves.toAll(slots);
    else if (centre) this.moves.to(centre, 2);
    else this.tell(`Cluster ${id} is not on the map any more.`);
  }

  private nameClasses(): void {
    this.names.naming = !this.names.naming;
    this.ask({ labels: true, over: true });
  }

  private outline(): void {
    this.names.outlining = !this.names.outlining;
    this.ask({ labels: true, over: true });
  }

  private escape(): void {
    if (this.selection.slots) this.select(null);
    else if (this.chosen.pinned >= 0) this.pin(-1);
    else this.toolbar.take("pan");
    this.search.clear();
  }

  private listen(): void {
    attach(this.surface.over, {
      tool: () => this.toolbar.tool,
      pan: (dx, dy) => this.moves.pan(dx, dy),
      zoom: (x, y, f) => this.moves.zoom(x, y, f),
      hover: (x, y) => this.chosen.hover(x, y),
      click: (x, y) => this.pin(this.chosen.pick(x, y)),
      shape: (points, done) => {
        this.shape = done ? [] : points;
        if (done) this.selection.drawn(points);
        this.ask({ over: true });
      },
      settle: () => this.moves.settle(),
    });
    const keys = bindings({
      camera: this.camera, moves: this.moves, chosen: this.chosen, tool: (t) => this.toolbar.take(t), search: () => this.search.focus(),
      names: () => this.nameClasses(), outlines: () => this.outline(), picture: () => this.saving.open(), theme: () => this.switchTheme(),
      home: (share) => this.home(share), compare: () => void this.compare.choose(), ways: () => void this.ways.toggle(), clusters: () => void this.clusters.open(), filters: () => this.filters.open(), selectView: () => this.selection.view(),
      question: () => this.question(), pause: () => this.timeline.toggle(), escape: () => this.escape(), pin: (s) => this.pin(s),
    });
    listen(keys, () => this.moves.settle());
    new ResizeObserver(() => this.resize()).observe(document.body);
    follow((t) => this.setTheme(t));
  }

  private resize(): void {
    const { pane } = this.compare;
    arrange(this.camera, pane?.camera ?? null);
    this.surface.resize(this.camera, this.store.n);
    if (pane) {
      const { left, top, width, height } = pane.camera;
      const box = $("pane");
      box.className = isNarrow() ? "below" : "side";
      Object.assign(box.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
      const head = $("panehead");
      head.style.top = `${isNarrow() ? 6 : document.querySelector("header")!.getBoundingClientRect().bottom + 8}px`;
      head.style.maxWidth = `${(isNarrow() ? innerWidth : document.querySelector("aside")!.getBoundingClientRect().left) - left - 16}px`;
      pane.camera.above = head.offsetTop + head.offsetHeight + 4;
      pane.surface.resize(pane.camera, pane.store.n);
    }
    this.ask({ base: true, over: true, labels: true });
  }

  private switchTheme(): void {
    const t = this.theme.dark ? light : dark;
    remember(t);
    this.setTheme(t);
    this.ask({ address: true });
  }

  private setTheme(t: Theme): void {
    this.theme = this.painting.theme = t;
    this.applyTheme();
    this.painting.refresh();
    this.renderer.changed({ places: false, paint: true });
    this.ask({ base: true, over: true, legend: true });
  }

  private applyTheme(): void {
    document.documentElement.dataset.theme = themeName(this.theme);
  }

  // Drawing.

  private ask(what: Partial<Stale>): void {
    this.frames.ask(what);
  }

  /** page is the interface that frames draw. */
  private page(): Page {
    const app = this;
    return {
      get whole() { return app.whole; },
      get live() { return app.live; },
      get n() { return app.store.n; },
      get still() { return app.store.still; },
      get named() { return app.names.labels.length > 0; },
      step: (now) => [app.camera.step(now), app.compare.step(now)].includes(true),
      scene: (now, draft) => app.scene(now, draft),
      base: (s) => {
        app.renderer.draw(s);
        app.compare.base(s.theme, s.draft);
      },
      over: (s, now) => {
        if (app.shape.length === 0) app.point();
        const marks = app.marks();
        app.compare.over(s.theme, marks);
        return app.overlay.draw(s, app.painting, marks, now);
      },
      legend: () => {
        app.legend.draw();
        app.clusters.recolor();
      },
      names: () => {
        app.names.find((t, s) => app.overlay.measure(t, s));
        const { column, code } = app.painting.category ? app.painting : app.clusters;
        app.compare.names(app.names.naming, (c) => app.clusters.named(column, c), column < 0 ? null : code, app.names.near);
        app.far();
      },
      address: () => app.address.write(),
    };
  }

  private scene(now: number, draft: boolean): Scene {
    const { store, camera, theme, painting } = this;
    return { store, camera, theme, paint: painting.paint, now: now / 1000, ratio: this.surface.ratio(store.n), draft };
  }

  /** point finds the point under the pointer. */
  private point(): void {
    this.chosen.point();
    this.surface.over.classList.toggle("on", this.chosen.hovered >= 0 && this.toolbar.tool === "pan");
  }

  private marks(): Marks {
    const { names, chosen } = this;
    return {
      labels: names.labels, contours: names.contours, ways: this.ways.visible, hover: chosen.hovered, pinned: chosen.pinned, neighbors: chosen.neighbors,
      hits: [...this.search.hits.subarray(0, 500)], shape: this.shape, rectangle: this.toolbar.tool === "rectangle", asked: chosen.asked,
    };
  }

  /** state returns the present state, for the address. */
  state(): State {
    const { painting, camera } = this;
    const { pinned } = this.chosen;
    const column = this.store.field(painting.column);
    const id = pinned >= 0 ? this.store.id(pinned) : "";
    return {
      x: camera.x, y: camera.y, zoom: camera.zoom, by: column?.name ?? "", only: [...painting.only].map((c) => column?.values[c - 1] ?? ""),
      theme: themeName(this.theme), point: id || undefined, slot: pinned >= 0 && id === "" ? pinned : undefined, upto: painting.upto,
      filters: this.mask.filters, compare: this.compare.name || undefined, ...this.selection.state(),
    };
  }

  /** restore shows the state of the address: at first, after "back" and after a pasted link. */
  async restore(s: State): Promise<void> {
    const { store, painting, chosen, selection } = this;
    if (s.theme && s.theme !== themeName(this.theme)) this.setTheme(themeOf(s.theme));
    const by = s.by === undefined ? painting.column : s.by === "" ? -1 : store.columnOf(s.by, this.live);
    if (by !== painting.column) this.colorBy(by, false);
    const values = store.columns[painting.column]?.values ?? [];
    painting.only = new Set(s.only.flatMap((name) => (values.includes(name) ? [values.indexOf(name) + 1] : [])));
    await this.compare.restore(s.compare);
    this.filters.restore(s.filters);
    if (this.live) {
      this.timeline.follow();
      this.timeline.set(s.upto ?? Infinity);
    } else this.filtered();
    if (store.n > 0) {
      this.moves.home(false);
      if (s.x !== undefined && s.y !== undefined && s.zoom !== undefined) this.camera.set([s.x, s.y, s.zoom * this.camera.home]);
    }
    this.pin(s.slot !== undefined && store.alive[s.slot] ? s.slot : s.point ? chosen.find(s.point) : -1);
    if (s.within) selection.inside(Array.from({ length: s.within.length / 2 }, (_, i): XY => [s.within![2 * i]!, s.within![2 * i + 1]!]), false);
    else if (s.ids) selection.take(store.named(s.ids), null, false);
    else if (s.find) {
      await this.search.find(s.find);
      selection.take(Uint32Array.from(this.search.hits), { find: s.find }, false);
      this.search.clear();
    } else if (selection.slots) selection.take(null);
    selection.again();
    this.ask({ base: true, over: true, grid: true, legend: true, labels: true, address: true });
  }

  private tell(text: string): void {
    $("said").textContent = text;
  }

  /** measure measures the page's speed: call unfold.measure(5000) in a browser's console. */
  measure(ms: number): Promise<Measured> {
    return measure(this, ms);
  }
}

const noState: State = { only: [], filters: [] };

const app = new App();
const data = document.getElementById("data");
if (data) {
  void unpack(data.textContent ?? "", app);
} else {
  const url = new URL("live", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = url.search = "";
  const start = (): void => void (app.again = connect(url.href, app).again);
  const first = document.getElementById("first");
  if (first) void app.begun(first.textContent ?? "").then(start);
  else start();
}
Object.assign(globalThis, { unfold: app });
