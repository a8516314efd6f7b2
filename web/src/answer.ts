// The server's answers about an event: its place, and why it is novel.

import type { Near, Reason } from "./detail";
import { figure } from "./numbers";
import type { Store } from "./store";
import type { Reads } from "./record";
import type { MapState } from "./wire";

/** A row's place in the answers of POST /api/place and GET /api/reasons/ID. */
export interface Placed {
  id?: string | number;
  x?: number;
  y?: number;
  novelty_local?: number;
  novelty_global?: number;
  class?: string;
  class_probability?: number;
  cluster?: number;
  reasons?: {
    column: string;
    share: number;
    direction?: string;
    value?: number;
    expected_low?: number;
    expected_high?: number;
    category?: string;
    expected_category?: string;
  }[];
  neighbors?: { id: string; distance: number }[];
  error?: string;
  /** The map of the place. */
  map: MapState;
}

/** place asks the server for the place of a record in JSON. */
export function place(record: string): Promise<Placed> {
  return first("api/place?reasons=5&neighbors=8", { method: "POST", headers: { "Content-Type": "application/json" }, body: record });
}

/** reads asks the server what its model reads, null if it does not say. */
export async function reads(): Promise<Reads | null> {
  try {
    const r = await fetch("api/model");
    return r.ok ? ((await r.json()) as Reads) : null;
  } catch {
    return null;
  }
}

/** why asks the server why the event with the given id is novel. */
export function why(id: string, signal: AbortSignal): Promise<Placed> {
  return first(`api/reasons/${id.split("/").map(encodeURIComponent).join("/")}?reasons=6`, { signal });
}

/** exact parses an answer, {} if it is not JSON. Ids beyond 2^53, which are numbers in the answer, become text, because a number cannot represent them exactly. */
function exact(text: string): unknown {
  try {
    return JSON.parse(text.replace(/("id":\s*)(-?\d{16,})(?=\s*[,}])/g, '$1"$2"'));
  } catch {
    return {};
  }
}

/** first returns the only place of an answer. It throws the server's error message. */
async function first(url: string, how: RequestInit): Promise<Placed> {
  const r = await fetch(url, how);
  const answer = exact(await r.text()) as { places?: Placed[]; map_id?: string; map_epoch?: number; model_version?: number; detail?: string; title?: string };
  const p = answer.places?.[0];
  if (!r.ok || !p) throw new Error(answer.detail ?? answer.title ?? `the server answers ${r.status}`);
  if (p.error) throw new Error(p.error);
  return { ...p, map: { id: answer.map_id, epoch: answer.map_epoch, version: answer.model_version } };
}

/** reasonsOf returns the columns that make an event novel, in descending order of their share. */
export function reasonsOf(p: Placed): Reason[] {
  return (p.reasons ?? []).map((r) => {
    const { expected_low: low, expected_high: high } = r;
    const range = low === undefined || high === undefined ? undefined : low === high ? figure(low) : `${figure(low)} to ${figure(high)}`;
    return {
      column: r.column, share: r.share, direction: r.direction ?? "",
      value: r.category ?? (r.value === undefined ? undefined : figure(r.value)), expected: r.expected_category ?? range,
    };
  });
}

/** nearOf returns an event's neighbours by their vectors. Neighbours that the page does not show have slot -1. */
export function nearOf(p: Placed, store: Store): Near[] {
  const near = (p.neighbors ?? []).slice(0, 8);
  const slots = new Map<string, number>();
  const wanted = new Set(near.map((n) => n.id));
  if (wanted.size > 0)
    store.each((s) => {
      const id = store.id(s);
      if (wanted.has(id)) slots.set(id, s);
    });
  return near.map((n) => ({ slot: slots.get(n.id) ?? -1, id: n.id, distance: n.distance }));
}

/** factsOf returns the predictions for an event. */
export function factsOf(p: Placed): [string, string][] {
  const share = (v: number | undefined): string => (v === undefined ? "" : v.toFixed(3));
  const cluster = p.cluster === undefined || p.cluster < 0 ? "" : String(p.cluster);
  const all: [string, string][] = [["novelty, local", share(p.novelty_local)], ["novelty, global", share(p.novelty_global)], ["class", p.class ?? ""], ["its probability", share(p.class_probability)], ["cluster", cluster]];
  return all.filter(([, v]) => v !== "");
}
