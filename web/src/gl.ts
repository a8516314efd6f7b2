// The WebGL2 renderer: a point sprite per slot, with its old and new place in two buffers between which the GPU
// interpolates.

import { dotOf, type Renderer, type Scene } from "./draw";

const vertex = `#version 300 es
in float x, y, px, py, moved;
in vec4 paint;
uniform vec4 view; // centre, and clip units for a unit of the map, across and up
uniform float now, size;
out vec4 color;
void main() {
  color = paint;
  vec2 at = mix(vec2(px, py), vec2(x, y), smoothstep(0.0, 0.9, now - moved));
  gl_Position = paint.a == 0.0 ? vec4(2.0, 2.0, 0.0, 1.0) : vec4((at - view.xy) * view.zw, 0.0, 1.0);
  gl_PointSize = size;
}`;

const fragment = `#version 300 es
precision highp float;
in vec4 color;
uniform float radius, size, opacity;
out vec4 pixel;
void main() {
  float d = length((gl_PointCoord - 0.5) * size);
  float cover = clamp(radius + 0.5 - d, 0.0, 1.0);
  float a = color.a * opacity * cover;
  if (a <= 0.0) discard;
  pixel = vec4(color.rgb * a, a);
}`;

const attributes = ["x", "y", "px", "py", "moved", "paint"] as const;
const uniforms = ["view", "now", "size", "radius", "opacity"] as const;

/** Names of software drivers. The page's own rasteriser is far faster. */
const emulated = /swiftshader|llvmpipe|software|basic render/i;

export class WebGL implements Renderer {
  readonly name = "webgl2";
  private readonly buffers = new Map<string, { buffer: WebGLBuffer; bytes: number }>();
  private readonly at = new Map<string, WebGLUniformLocation>();
  private dirty = { places: true, paint: true };

  /** open returns a renderer, or null without WebGL2, or if it is emulated and not wanted. */
  static open(canvas: HTMLCanvasElement, wanted: boolean): WebGL | null {
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false, preserveDrawingBuffer: true });
    if (!gl) return null;
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const driver = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    if (emulated.test(driver) && !wanted) return null;
    try {
      return new WebGL(canvas, gl);
    } catch {
      return null;
    }
  }

  private constructor(private readonly canvas: HTMLCanvasElement, private readonly gl: WebGL2RenderingContext) {
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    attributes.forEach((name, i) => gl.bindAttribLocation(program, i, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? "shaders do not link");
    gl.useProgram(program);
    for (const name of uniforms) this.at.set(name, gl.getUniformLocation(program, name)!);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    // A lost context loses all GPU data, so the page restarts.
    canvas.addEventListener("webglcontextlost", () => location.reload());
  }

  changed(what: { places: boolean; paint: boolean }): void {
    this.dirty.places ||= what.places;
    this.dirty.paint ||= what.paint;
  }

  private upload(name: (typeof attributes)[number], values: Float32Array | Uint32Array): void {
    const gl = this.gl;
    const i = attributes.indexOf(name);
    let b = this.buffers.get(name);
    if (!b) this.buffers.set(name, (b = { buffer: gl.createBuffer(), bytes: 0 }));
    gl.bindBuffer(gl.ARRAY_BUFFER, b.buffer);
    if (b.bytes < values.byteLength) {
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
      b.bytes = values.byteLength;
    } else {
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, values);
    }
    gl.enableVertexAttribArray(i);
    if (name === "paint") gl.vertexAttribPointer(i, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    else gl.vertexAttribPointer(i, 1, gl.FLOAT, false, 0, 0);
  }

  draw(s: Scene): void {
    const gl = this.gl;
    const n = s.store.slots;
    if (this.dirty.places) {
      for (const name of ["x", "y", "px", "py", "moved"] as const) this.upload(name, s.store[name].subarray(0, n));
    }
    if (this.dirty.paint) this.upload("paint", s.paint.subarray(0, n));
    this.dirty = { places: false, paint: false };
    const { width, height } = this.canvas;
    gl.viewport(0, 0, width, height);
    const b = s.theme.background;
    gl.clearColor((b & 255) / 255, ((b >> 8) & 255) / 255, ((b >> 16) & 255) / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (n === 0) return;
    const dot = dotOf(s.store.n + s.store.under, s.camera);
    const radius = dot.radius * s.ratio;
    const k = s.camera.scale * s.ratio;
    gl.uniform4f(this.at.get("view")!, s.camera.x, s.camera.y, (2 * k) / width, (2 * k) / height);
    gl.uniform1f(this.at.get("now")!, s.now);
    gl.uniform1f(this.at.get("size")!, Math.ceil(2 * radius) + 2);
    gl.uniform1f(this.at.get("radius")!, radius);
    gl.uniform1f(this.at.get("opacity")!, dot.opacity);
    gl.drawArrays(gl.POINTS, 0, n);
  }
}
