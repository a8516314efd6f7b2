// The page's state, as it is in the address, and how the page takes one.

import type { App } from "./app";
import { isEmpty } from "./framing";
import type { XY } from "./select";
import type { State } from "./state";
import { themeName, themeOf } from "./theme";

/** stateOf returns the present state. */
export function stateOf(app: App): State {
  const { painting, camera, store, chosen } = app;
  const { pinned } = chosen;
  const column = store.field(painting.column);
  const id = pinned >= 0 ? store.id(pinned) : "";
  return {
    x: camera.x, y: camera.y, zoom: camera.zoom, by: column?.name ?? "", only: [...painting.only].map((c) => column?.values[c - 1] ?? ""),
    theme: themeName(app.theme), point: id || undefined, slot: pinned >= 0 && id === "" ? pinned : undefined, upto: painting.upto,
    filters: app.mask.filters, compare: app.compare.name || undefined, ...app.selection.state(),
  };
}

/** restore shows the state of the address: at first, after "back" and after a pasted link. */
export async function restore(app: App, s: State): Promise<void> {
  const { store, painting, chosen, selection, actions } = app;
  const { live } = app.feed;
  if (s.theme && s.theme !== themeName(app.theme)) app.setTheme(themeOf(s.theme));
  const by = s.by === undefined ? painting.column : s.by === "" ? -1 : store.columnOf(s.by, live);
  if (by !== painting.column) actions.colorBy(by, false);
  const values = store.columns[painting.column]?.values ?? [];
  painting.only = new Set(s.only.flatMap((name) => (values.includes(name) ? [values.indexOf(name) + 1] : [])));
  await app.compare.restore(s.compare);
  app.filters.restore(s.filters);
  if (live) {
    app.timeline.follow();
    app.timeline.set(s.upto ?? Infinity);
  } else actions.filtered();
  if (store.n > 0) {
    app.moves.home(false);
    if (s.x !== undefined && s.y !== undefined && s.zoom !== undefined) app.camera.set([s.x, s.y, s.zoom * app.camera.home]);
    if (isEmpty(store, app.camera)) app.moves.home(false); // what was there has left
  }
  actions.pin(s.slot !== undefined && store.alive[s.slot] ? s.slot : s.point ? chosen.find(s.point) : -1);
  if (s.within) selection.inside(Array.from({ length: s.within.length / 2 }, (_, i): XY => [s.within![2 * i]!, s.within![2 * i + 1]!]), false);
  else if (s.ids) selection.take(store.named(s.ids), null, false);
  else if (s.find) {
    await app.search.find(s.find);
    selection.take(Uint32Array.from(app.search.hits), { find: s.find }, false);
    app.search.clear();
  } else if (selection.slots) selection.take(null);
  selection.again();
  app.ask({ base: true, over: true, grid: true, legend: true, labels: true, address: true });
}
