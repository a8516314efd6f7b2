// The schedule of drawing: at most once per frame, slow parts less often, and nothing if nothing changes.

import { many, type Scene } from "./draw";
import { isFast } from "./line";

/** A view is at rest if it has not moved for the first number of ms. A picture is slow if it takes the second. */
const resting = 180;
const slow = 40;

/** On a fast line, the points of a small map come within this number of ms. Until then, no picture of some of them is drawn. */
const patience = 150;

/** The parts that must be updated: points, overlay, the grid for the pointer, legend, names, address. */
export interface Stale {
  base: boolean;
  over: boolean;
  grid: boolean;
  legend: boolean;
  labels: boolean;
  address: boolean;
}

/** The part of the page that frames need. */
export interface Page {
  /** Whether all points have arrived. */
  readonly whole: boolean;
  /** Whether they change without an action of the user. */
  readonly live: boolean;
  readonly n: number;
  /** The time until which points move, in seconds of the page's clock. */
  readonly still: number;
  /** Whether there are names on the map. */
  readonly named: boolean;
  /** step advances an animation of the view, and reports whether it continues. */
  step(now: number): boolean;
  scene(now: number, draft: boolean): Scene;
  base(s: Scene): void;
  /** over draws the overlay and reports whether something in it still moves. */
  over(s: Scene, now: number): boolean;
  legend(): void;
  names(): void;
  address(): void;
}

export class Frames {
  readonly stale: Stale = { base: true, over: true, grid: true, legend: true, labels: true, address: false };
  /** In ms: the time of the first complete picture, and the durations of the last drawing and of the last fine one. */
  readonly times = { first: 0, draw: 0, fine: 0 };
  /** The number of pictures drawn. */
  drawn = 0;
  /** The time until which the view counts as moving, by the page's clock. */
  private moving = 0;
  private waiting = 0;
  private rest = 0;
  /** The earliest time of the next picture that is not caused by moving the view. */
  private drawAgain = 0;
  private legendAt = 0;
  private labelsAt = 0;
  private addressAt = 0;
  private progress = 0;
  /** The time until which the rest of the first points is awaited, -1 before the first have come. */
  private awaited = -1;

  constructor(private readonly page: Page) {}

  /** ask marks stale parts and requests a frame. */
  ask(what: Partial<Stale>): void {
    Object.assign(this.stale, what);
    if (this.waiting === 0) this.waiting = requestAnimationFrame((t) => this.tick(t));
  }

  /** chosen records that the user chose other colours or classes: the legend follows at once, not only twice a second. */
  chosen(): void {
    this.legendAt = -Infinity;
  }

  /** moved records that the user moves the view. */
  moved(): void {
    this.moving = performance.now() + resting;
  }

  /** came records that points have arrived. During the initial load, a few pictures suffice. */
  came(): void {
    Object.assign(this.stale, { base: true, over: true, grid: true, legend: true, labels: true });
    const now = performance.now();
    if (this.awaited < 0) {
      this.awaited = isFast() ? now + patience : 0;
      setTimeout(() => this.ask({}), Math.max(this.awaited - now, 0));
    }
    if (!this.page.whole && now - this.progress <= Math.max(300, 8 * this.times.draw)) return;
    this.progress = now;
    this.ask({});
  }

  private tick(now: number): void {
    this.waiting = 0;
    const { stale, page } = this;
    if (!page.whole && (page.n === 0 || performance.now() < this.awaited)) return;
    const opening = this.drawn === 0;
    const flying = page.step(now);
    const moving = now / 1000 < page.still;
    // A slow picture waits until the view is at rest; meanwhile faster ones are drawn.
    const big = page.n > many;
    const hasty = this.times.fine > slow && (flying || performance.now() < this.moving || (moving && big));
    const scene = page.scene(now, page.whole ? hasty : big);
    // Pictures of arriving points take at most half of the time, so that the user's actions are not delayed.
    const onWay = flying || performance.now() < this.moving || !page.whole;
    const rests = !onWay && performance.now() < this.drawAgain;
    if (flying || ((stale.base || moving) && !rests)) this.base(scene, flying, moving);
    // Browsers show the first picture before the rest is computed.
    if (opening) this.ask({});
    else this.beside(now, flying);
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

  /** beside draws the legend and finds the names, which are slow and may be late. */
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
    this.addressAt = now; // browsers limit the rate
    this.page.address();
    this.stale.address = false;
  }
}
