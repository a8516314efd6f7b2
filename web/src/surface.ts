// The canvases of a map: its points, and above them the overlay that changes with the pointer.

import type { Camera } from "./camera";
import { many, type Renderer, type Scene } from "./draw";
import { WebGL } from "./gl";
import { Raster } from "./raster";

export class Surface {
  readonly renderer: Renderer;

  /** want is the requested renderer: software, or webgl2 even if that is slow. */
  constructor(want: string | null, private canvas: HTMLCanvasElement, readonly over: HTMLCanvasElement) {
    this.renderer = (want === "software" ? null : WebGL.open(this.canvas, want === "webgl2")) ?? this.software();
    this.canvas.style.visibility = "hidden";
  }

  /** software draws on a new canvas, because the old one may have a WebGL context, which excludes others. */
  private software(): Renderer {
    const canvas = this.canvas.cloneNode() as HTMLCanvasElement;
    this.canvas.replaceWith(canvas);
    this.canvas = canvas;
    return new Raster(canvas);
  }

  /** draw draws the points. They are hidden until then, since an empty canvas is black. */
  draw(s: Scene): void {
    this.renderer.draw(s);
    this.canvas.style.visibility = "visible";
  }

  /** ratio is that of the screen, or less if the software renderer draws many points. */
  ratio(n: number): number {
    return Math.min(devicePixelRatio || 1, this.renderer.name === "software" && n > many ? 1 : 2);
  }

  /** resize adapts to the camera's part of the page, for n points. */
  resize(camera: Camera, n: number): void {
    const ratio = this.ratio(n);
    for (const c of [this.canvas, this.over]) {
      c.width = Math.round(camera.width * ratio);
      c.height = Math.round(camera.height * ratio);
      c.style.width = `${camera.width}px`;
      c.style.height = `${camera.height}px`;
    }
  }
}
