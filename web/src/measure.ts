// Measures the page's speed in a browser: for docs/page.md, or from the console.

import type { App } from "./app";

/** Frames per second; in ms, the median times of finding the point under the pointer and of drawing, and the least and the last time of a fine picture. */
export interface Measured {
  frames: number;
  hover: number;
  draw: number;
  least: number;
  fine: number;
  renderer: string;
}

/** measure pans and zooms for some ms. */
export async function measure(app: App, ms: number): Promise<Measured> {
  const { camera, frames, times } = app;
  const begun = performance.now();
  const before = frames.drawn;
  let n = 0;
  const draws: number[] = [];
  while (performance.now() - begun < ms) {
    if (n++ % 2) app.moves.zoom(camera.width / 2, camera.height / 2, n % 4 < 2 ? 1.03 : 1 / 1.03);
    else app.moves.pan(n % 8 < 4 ? 5 : -5, 0);
    await new Promise(requestAnimationFrame);
    draws.push(times.draw);
  }
  const rate = (frames.drawn - before) / ((performance.now() - begun) / 1000);
  const hovers: number[] = [];
  for (let i = 0; i < 41; i++) {
    const t = performance.now();
    app.chosen.pick((camera.width * (i + 1)) / 42, camera.height / 2);
    hovers.push(performance.now() - t);
  }
  draws.sort((a, b) => a - b);
  hovers.sort((a, b) => a - b);
  return { frames: rate, hover: hovers[20]!, draw: draws[Math.floor(draws.length / 2)] ?? 0, least: draws[0] ?? 0, fine: times.fine, renderer: app.renderer.name };
}
