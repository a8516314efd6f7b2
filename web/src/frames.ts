// When each part of the page is drawn: once a frame at most, what takes long less often, and nothing while all rests.

import { many, type Scene } from "./draw";

/** A view rests when it has not moved for so many ms; a picture is slow that takes so many. */
const resting = 180;
const slow = 40;

/** What must be made again: the points, what lies above them, the grid under the pointer, the legend, the names, the address. */
export interface Stale {
  base: boolean;
  over: boolean;
  grid: boolean;
  legend: boolean;
  labels: boolean;
  address: boolean;
}

/** The page, as far as its pictures go. */
export interface Page {
  /** The points are all there. */
  readonly whole: boolean;
  /** They change by themselves. */
  readonly live: boolean;
  readonly n: number;
  /** Until when points are on their way, in seconds of the page's clock. */
  readonly still: number;
  /** There are names on the map. */
  readonly named: boolean;
  /** step moves the view on, and reports whether it flies. */
  step(now: number): boolean;
  scene(now: number, draft: boolean): Scene;
  base(s: Scene): void;
  /** over reports whether something there still moves. */
  over(s: Scene, now: number): boolean;
  legend(): void;
  names(): void;
  address(): void;
}

export class Frames {
  readonly stale: Stale = { base: true, over: true, grid: true, legend: true, labels: true, address: false };
  /** In ms: when the first whole picture was drawn, how long the last drawing took and the last fine one. */
  readonly times = { first: 0, draw: 0, fine: 0 };
  /** How many pictures were drawn. */
  drawn = 0;
  /** Until when the view is taken to be on its way, by the page's clock. */
  private moving = 0;
  private waiting = 0;
  private rest = 0;
  /** When the next picture may be drawn that nobody has asked for by moving the view. */
  private drawAgain = 0;
  private legendAt = 0;
  private labelsAt = 0;
  private addressAt = 0;
  private progress = 0;

  constructor(private readonly page: Page) {}

  /** ask marks what is stale and has it drawn with the next frame. */
  ask(what: Partial<Stale>): void {
    Object.assign(this.stale, what);
    if (this.waiting === 0) this.waiting = requestAnimationFrame((t) => this.tick(t));
  }

  /** moved says that a person moves the view. */
  moved(): void {
    this.moving = performance.now() + resting;
  }

  /** came says that points have come. While the whole comes a few pictures on the way are enough. */
  came(): void {
    Object.assign(this.stale, { base: true, over: true, grid: true, legend: true, labels: true });
    const now = performance.now();
    if (!this.page.whole && now - this.progress <= Math.max(300, 8 * this.times.draw)) return;
    this.progress = now;
    this.ask({});
  }

  private tick(now: number): void {
    this.waiting = 0;
    const { stale, page } = this;
    const flying = page.step(now);
    const moving = now / 1000 < page.still;
    // A picture that takes long waits until the view rests; on the way there are quicker ones.
    const big = page.n > many;
    const hasty = this.times.fine > slow && (flying || performance.now() < this.moving || (moving && big));
    const scene = page.scene(now, page.whole ? hasty : big);
    // Pictures of what comes by itself take half of the time at most, so that frames are never left waiting.
    const onWay = flying || performance.now() < this.moving || !page.whole;
    const rests = !onWay && performance.now() < this.drawAgain;
    if (flying || ((stale.base || moving) && !rests)) this.base(scene, flying, moving);
    this.beside(now, flying);
    const glowing = stale.over && !rests && this.over(scene, now, onWay);
    this.address(now, flying);
    if (flying || moving || glowing || stale.base || stale.over) this.ask({});
    else if (page.whole && (stale.legend || stale.labels || stale.address)) setTimeout(() => this.ask({ over: true }), 250);
  }

  private base(scene: Scene, flying: boolean, moving: boolean): void {
    const { stale, page, times } = this;
    const begun = performance.now();
    page.base(scene);
    times.draw = performance.now() - begun;
    this.drawAgain = performance.now() + times.draw;
    if (!scene.draft) times.fine = times.draw;
    this.drawn++;
    if (page.whole && times.first === 0) times.first = performance.now();
    stale.base = moving;
    stale.over = true;
    if (scene.draft && (flying || moving)) stale.base = true;
    else if (scene.draft && page.whole) {
      clearTimeout(this.rest);
      this.rest = window.setTimeout(() => this.ask({ base: true }), this.moving - performance.now() + 10);
    }
  }

  /** beside draws the legend and finds the names, which take long and may be late. */
  private beside(now: number, flying: boolean): void {
    const { stale, page } = this;
    if (!page.whole) return;
    if (stale.legend && now - this.legendAt > 500) {
      page.legend();
      this.legendAt = now;
      stale.legend = false;
    }
    if (stale.labels && !flying && (now - this.labelsAt > (page.live ? 700 : 120) || !page.named)) {
      page.names();
      this.labelsAt = now;
      stale.labels = false;
      stale.over = true;
    }
  }

  private over(scene: Scene, now: number, onWay: boolean): boolean {
    const begun = performance.now();
    const glowing = this.page.over(scene, now);
    this.stale.over = glowing;
    if (!onWay) this.drawAgain = Math.max(this.drawAgain, performance.now() + performance.now() - begun);
    return glowing;
  }

  private address(now: number, flying: boolean): void {
    if (!this.stale.address || flying || now - this.addressAt <= 600) return;
    this.addressAt = now; // browsers bound how often
    this.page.address();
    this.stale.address = false;
  }
}
