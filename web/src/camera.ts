// The view: its centre on the map, and its scale in pixels per unit.

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** noBox returns a box that contains no point. */
export function noBox(): Box {
  return { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
}

/** grow makes a box contain a point. */
export function grow(b: Box, x: number, y: number): void {
  if (x < b.x0) b.x0 = x;
  if (x > b.x1) b.x1 = x;
  if (y < b.y0) b.y0 = y;
  if (y > b.y1) b.y1 = y;
}

/** The centre of the view on the map, and its scale. */
export type View = readonly [number, number, number];

export class Camera {
  x = 0;
  y = 0;
  /** CSS pixels per unit of the map. y points up on the map and down on the page. */
  scale = 1;
  width = 1;
  height = 1;
  /** The position of the map's canvas on the page, and the height at its top that its caption covers. */
  left = 0;
  top = 0;
  above = 0;
  /** The scale at which the whole map fits. */
  home = 1;
  /** The last view of all or most points. */
  framed: View = [0, 0, 1];
  /** The least scale, at which all points are small. */
  least = 0.2;
  private flight: { from: View; to: View; begun: number } | null = null;

  toScreen(x: number, y: number): [number, number] {
    return [(x - this.x) * this.scale + this.width / 2, (this.y - y) * this.scale + this.height / 2];
  }

  toMap(sx: number, sy: number): [number, number] {
    return [(sx - this.width / 2) / this.scale + this.x, this.y - (sy - this.height / 2) / this.scale];
  }

  get zoom(): number {
    return this.scale / this.home;
  }

  /** atFrame reports whether the view is still that of all or most points. */
  get atFrame(): boolean {
    const [x, y, scale] = this.framed;
    return Math.max(Math.abs(this.x - x), Math.abs(this.y - y)) * this.scale < 12 && Math.abs(this.scale / scale - 1) < 0.05;
  }

  pan(dx: number, dy: number): void {
    this.flight = null;
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  /** zoomAt magnifies around a point of the page, which stays where it is. */
  zoomAt(sx: number, sy: number, factor: number): void {
    this.flight = null;
    const [x, y] = this.toMap(sx, sy);
    this.scale = Math.min(Math.max(this.scale * factor, Math.min(this.least, this.home * 0.2)), this.home * 1e5);
    this.x = x - (sx - this.width / 2) / this.scale;
    this.y = y + (sy - this.height / 2) / this.scale;
  }

  /** fitting returns the view that shows a box in the area that panels at the right, the top and the bottom leave free. */
  fitting(b: Box, covered = 0, above = 0, below = 0): View {
    const wide = Math.max(b.x1 - b.x0, 1e-9);
    const high = Math.max(b.y1 - b.y0, 1e-9);
    const free = Math.max(this.width - covered, this.width * 0.4);
    const tall = Math.max(this.height - above - below, this.height * 0.4);
    const scale = Math.min((free * 0.9) / wide, (tall * 0.92) / high);
    return [(b.x0 + b.x1) / 2 + (this.width - free) / 2 / scale, (b.y0 + b.y1) / 2 + (above - below) / 2 / scale, scale];
  }

  set(v: View): void {
    [this.x, this.y, this.scale] = v;
    this.flight = null;
  }

  fly(v: View, now: number): void {
    this.flight = { from: [this.x, this.y, this.scale], to: v, begun: now };
  }

  /** step advances an animation of the view, and reports whether it continues. */
  step(now: number, span = 450): boolean {
    const f = this.flight;
    if (!f) return false;
    const t = Math.min((now - f.begun) / span, 1);
    const e = ease(t);
    // The logarithm of the scale changes linearly, and the centre moves with it.
    this.scale = f.from[2] * Math.pow(f.to[2] / f.from[2], e);
    this.x = f.from[0] + (f.to[0] - f.from[0]) * e;
    this.y = f.from[1] + (f.to[1] - f.from[1]) * e;
    if (t >= 1) this.flight = null;
    return t < 1;
  }
}

/** ease begins and ends slowly. */
export function ease(t: number): number {
  return t < 0.5 ? 4 * t * t * t : 1 - Math.pow(-2 * t + 2, 3) / 2;
}
