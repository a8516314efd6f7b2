// The actions of the keys.

import type { Camera } from "./camera";
import type { Chosen } from "./chosen";
import type { Tool } from "./input";
import { middleOf } from "./framing";
import { help, type Bindings } from "./keys";
import type { Moves } from "./moves";
import type { XY } from "./select";

/** The parts of the page and the actions that keys need. */
export interface Keyed {
  readonly camera: Camera;
  readonly moves: Moves;
  readonly chosen: Chosen;
  tool(t: Tool): void;
  home(share: number): void;
  search(): void;
  names(): void;
  outlines(): void;
  compare(): void;
  ways(): void;
  picture(): void;
  theme(): void;
  colors(): void;
  clusters(): void;
  filters(): void;
  selectView(): void;
  question(): void;
  pause(): void;
  escape(): void;
  pin(s: number): void;
}

/** bindings returns the action of each key that the help lists. */
export function bindings(on: Keyed): Bindings {
  const { camera, moves } = on;
  const middle = (): XY => middleOf(camera);
  const step = (far: boolean): number => (far ? 240 : 60);
  const closer = (): void => moves.zoom(...middle(), 1.4);
  return {
    page: {
      "+": closer, "=": closer, "-": () => moves.zoom(...middle(), 1 / 1.4), "0": () => on.home(0), "9": () => on.home(0.005),
      v: () => on.tool("pan"), l: () => on.tool("lasso"), r: () => on.tool("rectangle"), s: on.selectView,
      "/": on.search, "?": help, c: on.colors, k: on.clusters, f: on.filters, n: on.names, o: on.outlines,
      b: on.compare, t: on.ways,
      p: on.picture, d: on.theme, w: on.question, " ": on.pause, Escape: on.escape,
    },
    map: {
      ArrowLeft: (far) => moves.pan(step(far), 0), ArrowRight: (far) => moves.pan(-step(far), 0),
      ArrowUp: (far) => moves.pan(0, step(far)), ArrowDown: (far) => moves.pan(0, -step(far)),
      Enter: () => on.pin(on.chosen.pick(...middle(), Math.max(camera.width, camera.height))),
    },
  };
}
