// The parts of the page that a map, or two of them, take.

import type { Camera } from "./camera";
import { $ } from "./dom";
import { arrange, isNarrow } from "./framing";
import type { Pane } from "./pane";
import type { Surface } from "./surface";

/** resize gives the maps their parts of the page. */
export function resize(camera: Camera, surface: Surface, n: number, pane: Pane | null): void {
  arrange(camera, pane?.camera ?? null);
  surface.resize(camera, n);
  if (!pane) return;
  const { left, top, width, height } = pane.camera;
  const box = $("pane");
  box.className = isNarrow() ? "below" : "side";
  Object.assign(box.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  const head = $("panehead");
  head.style.top = `${isNarrow() ? 6 : document.querySelector("header")!.getBoundingClientRect().bottom + 8}px`;
  head.style.maxWidth = `${(isNarrow() ? innerWidth : document.querySelector("aside")!.getBoundingClientRect().left) - left - 16}px`;
  pane.camera.above = head.offsetTop + head.offsetHeight + 4;
  pane.surface.resize(pane.camera, pane.store.n);
}
