// The part of the page's state in its address, so that a link shows the same view.

export interface State {
  x?: number;
  y?: number;
  zoom?: number;
  by?: string;
  only: string[];
  theme?: string;
  point?: string;
  upto?: number;
  /** A selection: corners of a polygon on the map, x and y in turn. */
  within?: number[];
}

export function read(hash: string): State {
  const p = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name: string): number | undefined => {
    const v = Number(p.get(name) ?? NaN);
    return Number.isFinite(v) ? v : undefined;
  };
  return {
    x: number("x"), y: number("y"), zoom: number("zoom"), upto: number("upto"),
    by: p.get("by") ?? undefined, only: p.getAll("only"), theme: p.get("theme") ?? undefined, point: p.get("point") ?? undefined,
    within: corners(p.get("within")),
  };
}

export function write(s: State): string {
  const p = new URLSearchParams();
  const number = (name: string, v: number | undefined): void => {
    if (v !== undefined && Number.isFinite(v)) p.set(name, String(Number(v.toPrecision(7))));
  };
  number("x", s.x);
  number("y", s.y);
  number("zoom", s.zoom);
  if (s.by !== undefined) p.set("by", s.by);
  for (const o of s.only.slice(0, 50)) p.append("only", o);
  if (s.theme) p.set("theme", s.theme);
  if (s.point) p.set("point", s.point);
  if (s.upto !== undefined && Number.isFinite(s.upto)) p.set("upto", String(Math.round(s.upto)));
  if (s.within) p.set("within", s.within.map((v) => String(Number(v.toPrecision(5)))).join("_"));
  const text = p.toString();
  return text === "" ? "" : "#" + text;
}

/** mostCorners bounds the length of a selection in an address. */
export const mostCorners = 48;

function corners(text: string | null): number[] | undefined {
  const all = (text ?? "").split("_").map(Number);
  return text && all.length >= 6 && all.length % 2 === 0 && all.length <= 2 * mostCorners && all.every(Number.isFinite) ? all : undefined;
}
