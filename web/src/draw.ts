// The common part of both renderers: the content of a frame, and the size and opacity of dots.

import type { Camera } from "./camera";
import type { RGBA, Theme } from "./color";
import type { Store } from "./store";

/** The number of points from which the software renderer is slow. */
export const many = 300_000;

/** A picture to draw. */
export interface Scene {
  store: Store;
  camera: Camera;
  theme: Theme;
  /** Colours by slot. Points of opacity 0 are not drawn. */
  paint: Uint32Array;
  /** The page's clock in seconds, which determines the positions of moving points. */
  now: number;
  /** Screen pixels per CSS pixel. */
  ratio: number;
  /** The view is moving, so a fast picture is better than a fine one. */
  draft: boolean;
}

export interface Renderer {
  readonly name: string;
  /** Slots or colours have changed, so caches are invalid. */
  changed(what: { places: boolean; paint: boolean }): void;
  draw(s: Scene): void;
}

/** A dot's radius in CSS pixels and its opacity, 0..1. */
export interface Dot {
  radius: number;
  opacity: number;
}

/** dotOf returns large dots if there are few, and translucent ones if there are many. */
export function dotOf(n: number, c: Camera): Dot {
  const area = c.width * c.height;
  const zoom = Math.max(c.zoom, 0.3);
  const ideal = 0.8 * Math.sqrt((area * 0.18) / (Math.PI * Math.max(n, 1)));
  const radius = Math.min(Math.max(ideal, n < 400_000 ? 1.25 : 0.7) * Math.pow(zoom, 0.38), Math.max(3.3, 2.2 * Math.pow(zoom, 0.25)), 7);
  // The average number of dots per pixel of the map's region.
  const layers = (n * Math.PI * radius * radius) / (area * 0.22 * zoom * zoom);
  return { radius, opacity: Math.min(Math.max(1.05 / Math.pow(Math.max(layers, 1), 0.42), 0.24), 0.88) };
}

/** fade multiplies a colour's opacity. */
export function fade(c: RGBA, by: number): RGBA {
  return ((Math.round((c >>> 24) * by) << 24) | (c & 0xffffff)) >>> 0;
}
