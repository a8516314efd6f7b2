// Two maps of the same points side by side: the choice of the other map, its request, and the link between both.

import { grouped, when } from "./numbers";
import { tableFromIPC } from "@uwdata/flechette";
import type { Camera } from "./camera";
import type { Theme } from "./color";
import { $, h } from "./dom";
import { covering, middleOf } from "./framing";
import type { Frames } from "./frames";
import { attach, type Tool } from "./input";
import { Moves } from "./moves";
import type { Marks } from "./overlay";
import type { Painting } from "./painting";
import { none, Pane, type Others } from "./pane";
import type { Parts } from "./parts";
import type { XY } from "./select";
import { changedName, type Store } from "./store";

/** An earlier version of the map, as the server lists it. */
interface Version {
  map: { version?: number };
  at: number;
  points: number;
}

interface Offer {
  /** The name of the other map that the server was started with. */
  other?: string;
  versions: Version[];
}

/** The name of the other map in requests and addresses. */
const other = "other";
/** The number of nearest points that the server compares. */
const nearest = 15;

export interface Compared {
  frames: Frames;
  camera: Camera;
  /** The moves of the first map. */
  moves: Moves;
  tool(): Tool;
  /** arrange gives both maps their parts of the page. */
  arrange(): void;
  /** columns is called when a column comes or goes. */
  columns(): void;
  colorBy(column: number): void;
  hover(slot: number, x: number, y: number): void;
  pin(slot: number): void;
  select(slots: Uint32Array): void;
  tell(text: string): void;
}

export class Compare {
  pane: Pane | null = null;
  /** The compared map: "other" or a version; "" for none, "off" if the user has closed the other one. */
  name = "";
  /** The title of the compared map. */
  title = "";
  private readonly box = $("pane");
  private readonly head = $("panehead");
  private readonly dialog = $<HTMLDialogElement>("choose");
  private moves: Moves | null = null;
  /** Whether both maps show the same part. */
  private together = false;
  private run = 0;
  private started = false;

  constructor(private readonly store: Store, private readonly painting: Painting, private readonly on: Compared) {}

  /** start opens the map in the address, or the one that the server was started with. */
  async start(wanted: string | undefined): Promise<void> {
    this.started = true;
    this.name = wanted === "off" ? wanted : "";
    if (document.getElementById("data")) return;
    if (wanted && wanted !== "off") return this.open(wanted);
    if (wanted === undefined && (await this.offer()).other) await this.open(other);
  }

  /** restore shows what a later address has. */
  async restore(wanted = ""): Promise<void> {
    if (!this.started || wanted === this.name) return;
    if (wanted && wanted !== "off") await this.open(wanted);
    else this.close();
  }

  private async offer(): Promise<Offer> {
    try {
      const r = await fetch("api/compare");
      if (r.ok) return (await r.json()) as Offer;
    } catch {
      // the server has ended
    }
    return { versions: [] };
  }

  /** choose lets the user choose another map, or ends the comparison. */
  async choose(): Promise<void> {
    if (this.pane) return this.close();
    const { other: file, versions } = await this.offer();
    if (file && versions.length === 0) return this.open(other);
    const entry = (text: string, name: string): HTMLElement =>
      h("button", { on: { click: () => {
        this.dialog.close();
        void this.open(name);
      } } }, text);
    const list = [
      ...(file ? [entry(file, other)] : []),
      ...versions.map((v) => entry(`version ${v.map.version}, until ${when(v.at).slice(0, 19)}, ${grouped(v.points)} points`, String(v.map.version))),
    ];
    const live = document.getElementById("data") === null;
    const hint = live ? "There is no other map of these points yet. A stage keeps some earlier versions of its map; unfold view --compare FILE shows another map." : "A saved page has one map. unfold view MAP --compare FILE shows two.";
    this.dialog.replaceChildren(
      h("h2", {}, "Compare with"), list.length > 0 ? h("div", { class: "acts stacked" }, ...list) : h("p", { class: "faint" }, hint),
      h("div", { class: "acts" }, h("button", { on: { click: () => this.dialog.close() } }, "Cancel")),
    );
    this.dialog.showModal();
  }

  /** open shows another map beside this one. */
  async open(name: string): Promise<void> {
    const run = ++this.run;
    this.on.tell("The maps are compared.");
    try {
      const r = await fetch(`api/compare/${encodeURIComponent(name)}`);
      if (run !== this.run) return;
      if (!r.ok) throw new Error((await r.text()).trim() || `the server answers ${r.status}`);
      const table = tableFromIPC(new Uint8Array(await r.arrayBuffer()));
      if (run !== this.run) return;
      const column = <T>(of: string): T => table.getChild(of).toArray() as T;
      const ids = table.getChild("id") as unknown as { at(i: number): string };
      const slot = column<Uint32Array>("slot").slice();
      // A slot may have got another point since the server looked.
      for (let i = 0; i < slot.length; i++) if (slot[i] !== none && this.store.id(slot[i]!) !== ids.at(i)) slot[i] = none;
      this.show(name, { slot, x: column("x"), y: column("y") }, column("changed"), name === other ? ((await this.offer()).other ?? other) : `version ${name}`);
    } catch (e) {
      if (run === this.run) this.on.tell(e instanceof Error ? e.message : String(e));
    }
  }

  private show(name: string, points: Others, changed: Float32Array, title: string): void {
    const pane = (this.pane ??= this.make());
    this.name = name;
    this.title = title;
    this.together = name !== other;
    pane.take(points);
    const bySlot = new Float32Array(this.store.x.length).fill(NaN);
    let both = 0;
    let sum = 0;
    points.slot.forEach((s, i) => {
      if (s === none) return;
      bySlot[s] = changed[i]!;
      both++;
      sum += changed[i]!;
    });
    const column = this.store.add({ name: changedName, kind: "number", values: [] }, bySlot);
    const k = Math.min(nearest, both - 1);
    const kept = both > 0 ? Math.round(100 * (1 - sum / both)) : 0;
    let before = -1; // the column that coloured the maps
    const changedBy = (): void => {
      const lit = this.painting.column === column;
      if (!lit) before = this.painting.column;
      this.on.colorBy(lit ? before : column);
    };
    const light = h("button", { title: `Colour by the share of the ${k} nearest points that are others on the other map`, on: { click: changedBy } }, "Changed");
    const joined = h("button", { title: "Move both maps together", pressed: this.together, on: { click: () => {
      this.together = !this.together;
      joined.setAttribute("aria-pressed", String(this.together));
      this.on.frames.ask({ base: true, over: true, labels: true });
    } } }, "Together");
    const text = `${kept} % of ${k} neighbours kept`;
    const only = points.slot.length - both;
    const more = only > 0 ? `, ${grouped(only)} points only here` : "";
    this.head.replaceChildren(
      h("strong", { title }, title), h("span", { class: "faint", title: `${text}, on average over ${grouped(both)} points on both maps${more}` }, text),
      light, joined, h("button", { class: "close", label: "End the comparison", on: { click: () => this.close() } }, "✕"),
    );
    this.box.hidden = false;
    this.on.columns();
    this.on.arrange();
    this.on.moves.home(false);
    this.moves!.home(false);
    this.on.tell(`Beside this map is ${title}: ${text}.`);
  }

  private make(): Pane {
    const over = $<HTMLCanvasElement>("over2");
    const pane = new Pane(this.store, this.painting, $<HTMLCanvasElement>("map2"), over, new URLSearchParams(location.search).get("renderer"));
    this.moves = new Moves(pane.store, pane.camera, this.on.frames);
    const { on } = this;
    attach(over, {
      tool: () => on.tool(),
      pan: (dx, dy) => (this.together ? on.moves : this.moves!).pan(dx, dy),
      zoom: (x, y, f) => (this.together ? on.moves.zoom(...on.camera.toScreen(...pane.camera.toMap(x, y)), f) : this.moves!.zoom(x, y, f)),
      hover: (x, y) => on.hover(x < 0 ? -1 : pane.pick(x, y), x + pane.camera.left, y + pane.camera.top),
      click: (x, y) => on.pin(pane.pick(x, y)),
      shape: (points, done) => {
        pane.shape = done ? [] : points;
        if (done) on.select(pane.inside(points));
        on.frames.ask({ over: true });
      },
      settle: () => on.moves.settle(),
    });
    return pane;
  }

  close(): void {
    this.run++;
    this.name = this.name === other ? "off" : "";
    if (this.box.hidden) return;
    this.box.hidden = true;
    this.pane = null;
    // The canvases may have contexts of another kind, so a later comparison has new ones.
    for (const id of ["map2", "over2"]) $(id).replaceWith($(id).cloneNode());
    if (this.painting.column === this.store.discard(changedName)) this.on.colorBy(-1);
    this.on.columns();
    this.on.arrange();
    this.on.moves.home(false);
  }

  /** home shows all points of the other map. */
  home(share?: number): void {
    if (this.pane && !this.together) this.moves!.home(true, share);
  }

  /** uncover moves the other map so that the points of these slots are not hidden. */
  uncover(slots: Uint32Array, covered: number): void {
    const { pane } = this;
    if (pane && !this.together) this.moves!.uncover(Array.from(slots, (s) => pane.rowOf(s)).filter((row) => row >= 0), covered);
  }

  /** step advances an animation of the other view, and reports whether it continues. */
  step(now: number): boolean {
    return this.pane?.camera.step(now) ?? false;
  }

  base(theme: Theme, draft: boolean): void {
    const { pane, on } = this;
    if (!pane) return;
    if (this.together) follow(pane.camera, on.camera);
    pane.base(theme, draft);
  }

  over(theme: Theme, marks: Marks): void {
    this.pane?.over(theme, marks);
  }

  /** names finds the names of classes on the other map, and those of the parts of the class that has them on the first. */
  names(naming: boolean, name: (code: number) => string, code: ((s: number) => number) | null, near: Parts | null): void {
    if (this.pane && naming && code) this.pane.name(name, code, near, covering());
    else if (this.pane) this.pane.labels = [];
  }

  /** replaced is called when a slot has got another point or none. */
  readonly replaced = (slot: number): void => this.pane?.drop(slot);
}

/** follow shows the part of the map that another camera shows, in the middle of the free area. */
function follow(camera: Camera, leader: Camera): void {
  const from: XY = middleOf(leader);
  const to: XY = middleOf(camera);
  const [x, y] = leader.toMap(...from);
  const { scale } = leader;
  camera.set([x - (to[0] - camera.width / 2) / scale, y + (to[1] - camera.height / 2) / scale, scale]);
}
