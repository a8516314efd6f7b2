// The canvases of the map: its points, and above them the overlay that changes with the pointer.

import type { Camera } from "./camera";
import { $ } from "./dom";
import { many, type Renderer } from "./draw";
import { WebGL } from "./gl";
import { Raster } from "./raster";

export class Surface {
  readonly over = $<HTMLCanvasElement>("over");
  readonly renderer: Renderer;
  private canvas = $<HTMLCanvasElement>("map");

  /** The requested renderer: software, or webgl2 even if that is slow. */
  constructor(want: string | null) {
    this.renderer = (want === "software" ? null : WebGL.open(this.canvas, want === "webgl2")) ?? this.software();
  }

  /** software draws on a new canvas, because the old one may have a WebGL context, which excludes others. */
  private software(): Renderer {
    const canvas = this.canvas.cloneNode() as HTMLCanvasElement;
    this.canvas.replaceWith(canvas);
    this.canvas = canvas;
    return new Raster(canvas);
  }

  /** ratio is that of the screen, or less if the software renderer draws many points. */
  ratio(n: number): number {
    return Math.min(devicePixelRatio || 1, this.renderer.name === "software" && n > many ? 1 : 2);
  }

  /** resize adapts to the window's size, for n points. */
  resize(camera: Camera, n: number): void {
    const ratio = this.ratio(n);
    camera.width = innerWidth;
    camera.height = innerHeight;
    for (const c of [this.canvas, this.over]) {
      c.width = Math.round(innerWidth * ratio);
      c.height = Math.round(innerHeight * ratio);
    }
  }
}
