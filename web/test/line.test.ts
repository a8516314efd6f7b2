import assert from "node:assert/strict";
import { test } from "node:test";
import { isFast, openEarly } from "../src/line";
import { connect, type Listener } from "../src/wire";

/** A socket that opens and receives when the test says so. */
class Socket {
  static readonly OPEN = 1;
  static all: Socket[] = [];
  readyState = 0;
  binaryType = "";
  onopen: (() => void) | null = null;
  onmessage: ((e: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;

  constructor(readonly url: string) {
    Socket.all.push(this);
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  close(): void {
    this.readyState = 3;
    this.onclose?.();
  }
}

const page = { requestStart: 10, responseStart: 20 };
Object.assign(globalThis, {
  WebSocket: Socket, window: globalThis, location: { href: "https://maps.example/a/?renderer=software#z=1" }, setInterval: () => 0,
  performance: { getEntriesByType: () => [page], now: () => 0 },
});

const said: string[] = [];
const listener: Listener = {
  said: (m) => void said.push(m.type),
  frame: () => void said.push("frame"),
  connected: (there) => void said.push(there ? "connected" : "lost"),
  silent: () => {},
};
const send = (s: Socket, type: string): void => s.onmessage?.({ data: JSON.stringify({ type }) });

test("a slow line waits for the script", () => {
  page.responseStart = 500;
  assert.equal(isFast(), false);
  openEarly();
  assert.equal(Socket.all.length, 0);
  page.responseStart = 20;
});

test("the page takes over the socket that was opened before, and all its messages", async () => {
  openEarly();
  const [early] = Socket.all;
  assert.equal(early!.url, "wss://maps.example/a/live");
  early!.open();
  send(early!, "hello");
  connect(() => listener);
  assert.deepEqual(said, [], "the page is not yet made");
  send(early!, "whole");
  await Promise.resolve();
  send(early!, "map");
  assert.deepEqual(said, ["connected", "hello", "whole", "map"]);
  assert.equal(Socket.all.length, 1);
  openEarly();
  assert.equal(Socket.all.length, 1, "the page has a socket");
});

test("the next socket is the page's own", async () => {
  said.length = 0;
  Socket.all[0]!.close();
  assert.deepEqual(said, ["lost"]);
  await new Promise((done) => setTimeout(done, 600));
  assert.equal(Socket.all.length, 2);
  Socket.all[1]!.open();
  send(Socket.all[1]!, "unplaced");
  assert.deepEqual(said, ["lost", "connected", "unplaced"]);
});
