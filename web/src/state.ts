// The part of the page's state in its address, so that a link shows the same view.

/** A filter of a column: a range of numbers or times, or some of the categories. */
export type Filter = { name: string; from: number; to: number } | { name: string; values: string[] };

export interface State {
  x?: number;
  y?: number;
  zoom?: number;
  by?: string;
  only: string[];
  theme?: string;
  /** The chosen point's id, or its slot if it has none. */
  point?: string;
  slot?: number;
  upto?: number;
  /** A selection: the corners of a polygon on the map (x and y alternate), ids, or a searched text. */
  within?: number[];
  ids?: string[];
  find?: string;
  filters: Filter[];
  /** The map beside this one: a version, "other" for the one that the server was started with, "off" for none although there is one. */
  compare?: string;
}

/** Bounds of a selection in an address. */
export const mostCorners = 2000;
export const mostIds = 500;

export function read(hash: string): State {
  const p = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name: string): number | undefined => {
    const text = p.get(name);
    const v = text === null || text === "" ? NaN : Number(text);
    return Number.isFinite(v) ? v : undefined;
  };
  const text = (name: string): string | undefined => p.get(name) ?? undefined;
  const ids = p.getAll("id").slice(0, mostIds);
  return {
    x: number("x"), y: number("y"), zoom: number("zoom"), upto: number("upto"), slot: number("slot"),
    by: text("by"), only: p.getAll("only"), theme: text("theme"), point: text("point"), find: text("find"),
    compare: text("compare"),
    within: corners(p.get("within")), ids: ids.length > 0 ? ids : undefined,
    filters: p.getAll("filter").flatMap((f) => filter(f) ?? []),
  };
}

/** write returns the state as the part of an address from "#" on. Without places it omits the view, the time and the theme. */
export function write(s: State, places = true): string {
  const p = new URLSearchParams();
  const number = (name: string, v: number | undefined): void => {
    if (v !== undefined && Number.isFinite(v)) p.set(name, String(Number(v.toPrecision(9))));
  };
  if (places) {
    number("x", s.x);
    number("y", s.y);
    number("zoom", s.zoom);
    if (s.theme) p.set("theme", s.theme);
  }
  if (s.by !== undefined) p.set("by", s.by);
  for (const o of s.only.slice(0, 50)) p.append("only", o);
  for (const f of s.filters) p.append("filter", JSON.stringify("values" in f ? [f.name, f.values] : [f.name, f.from, f.to]));
  if (s.point) p.set("point", s.point);
  else if (s.slot !== undefined) p.set("slot", String(s.slot));
  if (places && s.upto !== undefined && Number.isFinite(s.upto)) p.set("upto", String(Math.round(s.upto)));
  if (s.within) p.set("within", s.within.join("_"));
  for (const id of s.ids ?? []) p.append("id", id);
  if (s.find) p.set("find", s.find);
  if (s.compare) p.set("compare", s.compare);
  const text = p.toString();
  return text === "" ? "" : "#" + text;
}

function corners(text: string | null): number[] | undefined {
  const all = (text ?? "").split("_").map(Number);
  return text && all.length >= 6 && all.length % 2 === 0 && all.length <= 2 * mostCorners && all.every(Number.isFinite) ? all : undefined;
}

function filter(text: string): Filter | undefined {
  let v: unknown;
  try {
    v = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(v) || typeof v[0] !== "string") return undefined;
  if (v.length === 3 && Number.isFinite(v[1]) && Number.isFinite(v[2])) return { name: v[0], from: v[1] as number, to: v[2] as number };
  if (v.length === 2 && Array.isArray(v[1]) && v[1].every((t) => typeof t === "string")) return { name: v[0], values: v[1] as string[] };
  return undefined;
}
