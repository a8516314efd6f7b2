// The canvases that the map is drawn on: its points below, and above them what changes with the pointer.

import type { Camera } from "./camera";
import { $ } from "./dom";
import { many, type Renderer } from "./draw";
import { WebGL } from "./gl";
import { Raster } from "./raster";

export class Surface {
  readonly over = $<HTMLCanvasElement>("over");
  readonly renderer: Renderer;
  private canvas = $<HTMLCanvasElement>("map");

  /** A renderer can be wanted by name: software, or webgl2 also where that is slow. */
  constructor(want: string | null) {
    this.renderer = (want === "software" ? null : WebGL.open(this.canvas, want === "webgl2")) ?? this.software();
  }

  /** software draws on a new canvas: the old one may have a context of WebGL, and none beside it. */
  private software(): Renderer {
    const canvas = this.canvas.cloneNode() as HTMLCanvasElement;
    this.canvas.replaceWith(canvas);
    this.canvas = canvas;
    return new Raster(canvas);
  }

  /** ratio is that of the screen, less where a program has to paint every pixel of many points. */
  ratio(n: number): number {
    return Math.min(devicePixelRatio || 1, this.renderer.name === "software" && n > many ? 1 : 2);
  }

  /** resize takes the window's size, for so many points. */
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
