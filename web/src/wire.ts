// The connection with the server: JSON messages and Arrow frames, over a WebSocket or from a file.

import { tableFromIPC, type Column as ArrowColumn } from "@uwdata/flechette";
import { liveURL, takeEarly, type Received } from "./line";

export type Kind = "number" | "time" | "category" | "text";

export interface Field {
  name: string;
  kind: Kind;
  /** Whether frames have the exact text of values that a number would round. */
  exact?: boolean;
  /** Whether times are instants. Others have no time zone. */
  zoned?: boolean;
}

export interface MapState {
  id?: string;
  epoch?: number;
  version?: number;
}

export interface Hello {
  type: "hello";
  title: string;
  live: boolean;
  /** Whether the server places records. */
  asks: boolean;
  size: number;
  /** Slots below this contain reference points, which have only places. */
  base: number;
  points: number;
  slots: number;
  map: MapState;
  columns: Field[];
  /** The number of rows without a place. */
  unplaced?: number;
  /** The name of one point, such as "connection". */
  point?: string;
  /** The size of pictures, if it is given and vectors are the pixels of pictures. */
  image?: Size;
  /** Whether the server has files of pictures, and the origins from which values of points may be shown as pictures. */
  pictures?: boolean;
  pictures_from?: readonly string[];
  /** The column with the known classes. */
  label?: string;
}

/** The size of a picture in pixels. */
export interface Size {
  width: number;
  height: number;
}

export interface Values {
  type: "values";
  column: number;
  from: number;
  values: string[];
}

/** A cluster on the map. id is its value in the column of clusters. */
export interface Cluster {
  id: string;
  name?: string;
  size: number;
  x: number;
  y: number;
  /** The time when it was first found, in ms since 1970. */
  since?: number;
  missing?: boolean;
}

/** The event of a cluster in a version of the map. */
export interface ClusterEvent {
  kind: string;
  id: string;
  name?: string;
  other?: string;
  size: number;
  before?: number;
  version?: number;
  at?: number;
}

export interface Clusters {
  type: "clusters";
  column: string;
  clusters: Cluster[];
  events: ClusterEvent[];
}

export type Said =
  | Hello
  | Clusters
  | Values
  | { type: "whole" }
  | { type: "unplaced"; rows: number }
  | { type: "beat"; bytes: number }
  | { type: "map"; map: MapState }
  | { type: "status"; status: Status };

/** The status of a stage. */
export interface Status {
  phase?: string;
  detail?: string;
  progress?: number;
  /** The number of seconds since the stage last read events. */
  quiet?: number;
  figures?: Record<string, number>;
}

export const enum Change {
  Put = 1,
  Move,
  Remove,
  Under,
}

/** Values of a column, by row. */
export type Values32 = Float64Array | Float32Array | Uint32Array | ArrowColumn<string>;

export interface Frame {
  change: Change;
  slot: Uint32Array;
  x: Float32Array;
  y: Float32Array;
  at: Float64Array;
  id: ArrowColumn<string>;
  ids: Ids;
  columns: Values32[];
  /** The exact texts of columns that have some, "" where the number is exact. */
  exact: (ArrowColumn<string> | undefined)[];
}

/** The bytes of ids. Those of row i are between offsets i and i + 1. */
export interface Ids {
  offsets: ArrayLike<number>;
  bytes: ArrayLike<number>;
}

/** alike reports whether two rows have the same nonempty id. */
export function alike(a: Ids, i: number, b: Ids, j: number): boolean {
  let at = a.offsets[i]!;
  const end = a.offsets[i + 1]!;
  let other = b.offsets[j]!;
  if (!(end > at) || end - at !== b.offsets[j + 1]! - other) return false;
  while (at < end) if (a.bytes[at++] !== b.bytes[other++]) return false;
  return true;
}

/** nameless reports whether a row has no id. */
export function nameless(a: Ids, i: number): boolean {
  return a.offsets[i + 1] === a.offsets[i];
}

const headBytes = 8;
const nothing = new Float32Array(0);

/** decode decodes a binary message: eight bytes, of which the first is the kind of change, then Arrow. */
export function decode(data: ArrayBuffer, fields: readonly Field[]): Frame {
  const change = new Uint8Array(data, 0, 1)[0] as Change;
  const table = tableFromIPC(new Uint8Array(data, headBytes));
  const array = <T>(name: string): T => table.getChild(name).toArray() as T;
  const frame: Frame = {
    change,
    slot: array<Uint32Array>("slot"),
    x: nothing,
    y: nothing,
    at: new Float64Array(0),
    id: table.getChild("slot") as unknown as ArrowColumn<string>,
    ids: { offsets: [], bytes: [] },
    columns: [],
    exact: [],
  };
  if (change !== Change.Remove) {
    frame.x = array<Float32Array>("x");
    frame.y = array<Float32Array>("y");
  }
  if (change === Change.Put) {
    frame.at = array<Float64Array>("at");
    frame.id = table.getChild("id") as unknown as ArrowColumn<string>;
    const bytes = frame.id.data[0] as unknown as { offsets: Int32Array; values: Uint8Array } | undefined;
    if (bytes) frame.ids = { offsets: bytes.offsets, bytes: bytes.values };
    fields.forEach(({ kind, exact }, i) => {
      // The frame may be older than a column that has just been added.
      const child = table.getChild(`c${i}`) as unknown as ArrowColumn<string> | null;
      if (exact) frame.exact[i] = (table.getChild(`e${i}`) as unknown as ArrowColumn<string> | null) ?? undefined;
      if (child) frame.columns.push(kind === "text" ? child : (child.toArray() as unknown as Values32));
    });
  }
  return frame;
}

/** unpack reads the messages in a self-contained file, or the first ones in the page: base64 of gzip, see cmd/internal/viewer. The result passes them on. */
export async function unpack(text: string): Promise<(to: Listener) => void> {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(stream).arrayBuffer();
  const view = new DataView(data);
  return (to) => {
    for (let at = 0; at < data.byteLength; ) {
      const length = view.getUint32(at, true);
      const message = data.slice(at + 5, at + 5 + length);
      if (view.getUint8(at + 4) === 1) to.said(JSON.parse(new TextDecoder().decode(message)) as Said);
      else to.frame(message);
      at += 5 + length;
    }
  };
}

export interface Listener {
  said(m: Said): void;
  frame(data: ArrayBuffer): void;
  /** The connection is established or lost. retry is the delay of the next attempt in milliseconds. */
  connected(there: boolean, retry: number): void;
  /** Nothing has come since a time, in ms since 1970; 0 when something has come again. */
  silent(since: number): void;
}

// The server sends something every second. After quiet ms without a message the page says so, after dead ms it connects again. A message
// that was announced may take a slow line longer.
const quiet = 4500;
const dead = 12_000;
const slowest = 5; // bytes a ms

/**
 * connect reads a server's messages until the page is closed. It reconnects when the connection is lost. A new state is passed on when its first points
 * have come, so that the page shows the last one until then. to returns the receiver, which is needed after the running script has ended.
 */
export function connect(to: () => Listener): { again(): void } {
  let pause = 500;
  let socket: WebSocket | undefined;
  let timer = 0;
  let heard = 0; // when the last message came
  let allowed = 0; // ms more, for the message that was announced
  let silent = false;
  let held: Said[] | null = null; // the messages before the first points of a new state
  const release = (): void => {
    const said = held ?? [];
    held = null;
    for (const m of said) to().said(m);
  };
  const hear = (): void => {
    heard = Date.now();
    allowed = 0;
    if (silent) to().silent(0);
    silent = false;
  };
  const drop = (): void => {
    const old = socket;
    socket = undefined;
    held = null;
    if (old) old.onopen = old.onmessage = old.onclose = null;
    old?.close();
    silent = false;
    to().connected(false, pause);
    timer = window.setTimeout(open, pause);
    pause = Math.min(pause * 1.6, 10_000);
  };
  const open = (): void => {
    clearTimeout(timer);
    hear();
    const early = takeEarly();
    socket = early?.socket ?? new WebSocket(liveURL());
    socket.binaryType = "arraybuffer";
    const opened = (): void => {
      pause = 500;
      hear();
      to().connected(true, 0);
    };
    const take = (e: Received): void => {
      hear();
      if (typeof e.data !== "string") {
        release();
        return to().frame(e.data);
      }
      const m = JSON.parse(e.data) as Said;
      if (m.type === "beat") return void (allowed = m.bytes / slowest);
      if (m.type === "hello") held = [];
      if (!held) return to().said(m);
      held.push(m);
      if (m.type === "whole") release();
    };
    const follow = (of: WebSocket): void => {
      if (of !== socket) return;
      if (of.readyState === WebSocket.OPEN) opened();
      early?.kept.forEach(take);
      [of.onopen, of.onmessage, of.onclose] = [opened, take, drop];
      if (of.readyState > WebSocket.OPEN) drop();
    };
    if (early) queueMicrotask(() => follow(early.socket)); // after the script has made the page
    else follow(socket);
  };
  open();
  // A sleeping computer runs no timers: the first one after it finds that nothing has come for long.
  setInterval(() => {
    if (!socket) return;
    const since = Date.now() - heard - allowed;
    if (since > dead) drop();
    else if (since > quiet && !silent && socket.readyState === WebSocket.OPEN) {
      silent = true;
      to().silent(heard);
    }
  }, 500);
  return {
    again: () => {
      if (socket?.readyState === WebSocket.OPEN) drop();
    },
  };
}
