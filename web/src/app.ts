// The page's parts, and how they are connected. Feed has the server's messages, Actions what a person does, Drawing what is drawn.

import { Actions } from "./actions";
import { Address } from "./address";
import { Asking } from "./asking";
import { bindings } from "./bindings";
import { Camera } from "./camera";
import { Chosen } from "./chosen";
import { ClusterList } from "./clusters";
import { dark, light, type Theme } from "./color";
import { Compare } from "./compare";
import { Detail } from "./detail";
import { $ } from "./dom";
import { Drawer } from "./drawer";
import { Drawing } from "./drawing";
import { Feed } from "./feed";
import { Filters } from "./filters";
import { Frames, type Stale } from "./frames";
import { followPanels } from "./framing";
import { Head } from "./head";
import { attach } from "./input";
import { help, listen } from "./keys";
import { resize } from "./layout";
import { Legend } from "./legend";
import { Link } from "./link";
import { Mask } from "./mask";
import { measure, type Measured } from "./measure";
import { Moves } from "./moves";
import { Names } from "./names";
import { Overlay } from "./overlay";
import { Painting } from "./painting";
import { Pictures } from "./pictures";
import { Pulse, Timeline } from "./pulse";
import { restore, stateOf } from "./restore";
import { Saving } from "./saving";
import { Search } from "./search";
import { Selection } from "./selection";
import { read, type State } from "./state";
import { Store } from "./store";
import { StrangeList } from "./strange";
import { Surface } from "./surface";
import { Tabs } from "./tabs";
import { follow, remember, themeName, themeOf } from "./theme";
import { Toolbar } from "./toolbar";
import { UncertainList } from "./uncertain";
import { Ways } from "./ways";
import { Welcome } from "./welcome";
import { connect, unpack } from "./wire";

export class App {
  readonly store = new Store();
  readonly camera = new Camera();
  readonly surface = new Surface(new URLSearchParams(location.search).get("renderer"), $<HTMLCanvasElement>("map"), $<HTMLCanvasElement>("over"));
  readonly renderer = this.surface.renderer;
  readonly feed = new Feed(this);
  readonly actions = new Actions(this);
  readonly drawing = new Drawing(this);
  readonly frames = new Frames(this.drawing.page());
  readonly moves = new Moves(this.store, this.camera, this.frames);
  readonly address: Address = new Address(this);
  readonly head = new Head(this.store, this.camera);
  readonly link = new Link();
  readonly pictures = new Pictures(this.store);
  readonly welcome = new Welcome();
  readonly mask = new Mask(this.store);
  theme: Theme = themeOf(read(location.hash).theme);
  readonly painting = new Painting(this.store, this.theme);
  readonly overlay = new Overlay(this.surface.over);
  readonly saving: Saving;
  readonly legend: Legend;
  readonly chosen: Chosen;
  readonly drawer: Drawer;
  readonly selection: Selection;
  readonly filters: Filters;
  readonly search: Search;
  readonly pulse: Pulse;
  readonly timeline: Timeline;
  readonly strange: StrangeList;
  readonly uncertain: UncertainList;
  readonly clusters: ClusterList;
  readonly names: Names;
  readonly asking: Asking;
  readonly compare: Compare;
  readonly ways: Ways;
  readonly toolbar: Toolbar;
  readonly tabs = new Tabs();
  /** again loads all points again. */
  again: () => void = () => {};
  /** The page's own measurements in ms: of its pictures, and the delays of the last and of the latest event. */
  readonly times = Object.assign(this.frames.times, { late: 0, latest: 0 });

  constructor() {
    const { actions, drawing, store, painting, camera, frames, moves, mask, feed } = this;
    const tell = (text: string): void => this.tell(text);
    this.saving = new Saving({
      scene: () => drawing.scene(performance.now(), false), marks: () => drawing.marks(), painting, title: () => this.head.title,
      overlay: (canvas) => new Overlay(canvas), tell, compare: () => this.compare,
      times: () => (feed.live ? this.timeline.times : null), until: (upto) => this.timeline.set(upto),
    });
    this.legend = new Legend(store, painting, () => feed.live, { column: (i) => actions.colorBy(i), only: () => (frames.chosen(), actions.filtered()) });
    const on = { fly: (s: number) => actions.fly(s), hover: (s: number) => this.chosen.hoverSlot(s), close: () => actions.pin(-1) };
    this.chosen = new Chosen(store, camera, painting, new Detail(store, this.pictures, on), frames);
    this.drawer = new Drawer(store, painting, this.pictures, { ...on, close: () => actions.select(null) });
    this.selection = new Selection(store, camera, painting, this.drawer, { uncover: (slots, covered) => actions.uncover(slots, covered), changed: (n) => this.selected(n) });
    painting.mask = mask;
    this.filters = new Filters(store, painting, mask, () => feed.live, { changed: () => actions.filtered(), select: () => actions.selectShown(), tell });
    this.search = new Search(store, {
      hits: () => this.ask({ over: true }), fly: on.fly, select: (slots, find) => this.selection.take(slots, { find }), takes: (text) => this.asking.takes(text),
      problem: (text) => this.asking.problem(text), tell, learn: () => this.asking.learn(), place: (text) => this.asking.place(text),
    });
    this.pulse = new Pulse(() => (this.theme.dark ? "#6db6f2" : "#0b69b7"), tell);
    this.timeline = new Timeline(store, { on: () => mask.filters.length > 0, passes: (s) => !mask.bits[s] }, (upto) => actions.until(upto));
    this.timeline.mount($("timeline"), this.pulse.element);
    this.strange = new StrangeList(store, on);
    this.uncertain = new UncertainList(store, on);
    this.clusters = new ClusterList(store, painting, { fly: (id) => actions.flyCluster(id) });
    this.names = new Names(store, camera, painting, this.clusters);
    this.asking = new Asking(store, { answered: (a) => actions.answered(a), moved: (a) => actions.reasked(a) });
    this.compare = new Compare(store, painting, {
      frames, camera, moves, tool: () => this.toolbar.tool, arrange: () => this.resize(), columns: () => this.columns(),
      colorBy: (i) => actions.colorBy(i), hover: (s, x, y) => this.chosen.hoverBeside(s, x, y), pin: (s) => actions.pin(s), select: (slots) => actions.select(slots), tell,
    });
    store.replaced = (slot) => {
      this.compare.replaced(slot);
      this.selection.left(slot);
      this.chosen.left(slot);
    };
    this.ways = new Ways(store, painting, { changed: () => this.ask({ over: true }), tell });
    this.toolbar = new Toolbar(this.surface.over, {
      home: () => actions.home(0), compare: () => void this.compare.choose(), ways: () => void this.ways.toggle(), question: () => actions.question(), names: () => actions.nameClasses(),
      outlines: () => actions.outline(), picture: () => this.saving.open(), theme: () => this.switchTheme(), help,
    });
    $("far").addEventListener("click", () => actions.home(0));
    followPanels();
    setInterval(() => this.second(), 1000);
    this.listen();
    this.applyTheme();
    this.resize();
  }

  /** listen follows the pointer, the keys, the page's size and the system's theme. */
  private listen(): void {
    const { actions, moves, chosen, drawing } = this;
    attach(this.surface.over, {
      tool: () => this.toolbar.tool,
      pan: (dx, dy) => moves.pan(dx, dy),
      zoom: (x, y, f) => moves.zoom(x, y, f),
      hover: (x, y) => chosen.hover(x, y),
      click: (x, y) => actions.pin(chosen.pick(x, y)),
      shape: (points, done) => {
        drawing.shape = done ? [] : points;
        if (done) this.selection.drawn(points);
        this.ask({ over: true });
      },
      settle: () => moves.settle(),
    });
    const keys = bindings({
      camera: this.camera, moves, chosen, tool: (t) => this.toolbar.take(t), search: () => this.search.focus(),
      names: () => actions.nameClasses(), outlines: () => actions.outline(), picture: () => this.saving.open(), theme: () => this.switchTheme(),
      home: (share) => actions.home(share), compare: () => void this.compare.choose(), ways: () => void this.ways.toggle(), colors: () => (this.tabs.show("colors"), $("by").focus()),
      clusters: () => void this.clusters.open(this.tabs.show("clusters")), filters: () => this.filters.open(this.tabs.show("filters")),
      selectView: () => this.selection.view(), question: () => actions.question(), pause: () => this.timeline.toggle(), escape: () => actions.escape(), pin: (s) => actions.pin(s),
    });
    listen(keys, () => moves.settle());
    new ResizeObserver(() => this.resize()).observe(document.body);
    follow((t) => this.setTheme(t));
  }

  private resize(): void {
    resize(this.camera, this.surface, this.store.n, this.compare.pane);
    this.ask({ base: true, over: true, labels: true });
  }

  /** Whether all points have arrived. */
  get whole(): boolean {
    return this.feed.whole;
  }

  state(): State {
    return stateOf(this);
  }

  restore(s: State): Promise<void> {
    return restore(this, s);
  }

  /** columns is called when the page's own columns have changed. */
  private columns(): void {
    this.legend.columns();
    this.filters.columns();
    this.ask({ base: true, over: true, legend: true, address: this.whole });
  }

  /** selected is called after a selection of n points, or after its end. */
  private selected(count: number | null): void {
    if (count !== null) this.tell(`${count} points are selected.`);
    this.frames.moved();
    this.renderer.changed({ places: false, paint: true });
    this.ask({ base: true, over: true, address: this.whole });
  }

  /** lists draws the lists of strange and of uncertain points. */
  lists(): void {
    this.strange.draw();
    this.uncertain.draw();
  }

  /** second runs once a second. */
  private second(): void {
    if (!this.whole || !this.feed.live) return;
    this.filters.later();
    this.lists();
    this.timeline.follow();
  }

  private switchTheme(): void {
    const t = this.theme.dark ? light : dark;
    remember(t);
    this.setTheme(t);
    this.ask({ address: true });
  }

  setTheme(t: Theme): void {
    this.theme = this.painting.theme = t;
    this.applyTheme();
    this.painting.refresh();
    this.renderer.changed({ places: false, paint: true });
    this.ask({ base: true, over: true, legend: true });
  }

  private applyTheme(): void {
    document.documentElement.dataset.theme = themeName(this.theme);
  }

  ask(what: Partial<Stale>): void {
    this.frames.ask(what);
  }

  /** tell has screen readers speak. */
  tell(text: string): void {
    $("said").textContent = text;
  }

  /** measure measures the page's speed: call unfold.measure(5000) in a browser's console. */
  measure(ms: number): Promise<Measured> {
    return measure(this, ms);
  }
}

/** start makes the page and fills it: from its own data, or from the server, which answers while the page is made. */
function start(): App {
  const data = document.getElementById("data");
  if (data) {
    const app = new App();
    void unpack(data.textContent ?? "").then((all) => all(app.feed));
    return app;
  }
  const { again } = connect(() => app.feed);
  const app = new App();
  app.again = again;
  const first = document.getElementById("first");
  if (first) void app.feed.begun(first.textContent ?? "");
  return app;
}

Object.assign(globalThis, { unfold: start() });
