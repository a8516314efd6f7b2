// The line to the server: the address of the socket, whether the line is fast, and a socket that is open before the page's script has come.

/** A line is fast if the server answers the request for the page within this number of ms. */
const quick = 150;

export function isFast(): boolean {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return page !== undefined && page.responseStart - page.requestStart < quick;
}

/** liveURL returns the address of the socket. */
export function liveURL(): string {
  const url = new URL("live", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = url.search = "";
  return url.href;
}

export type Received = MessageEvent<string | ArrayBuffer>;

/** A socket whose messages are kept until the page takes it over. */
export interface Early {
  socket: WebSocket;
  kept: Received[];
}

const shared = globalThis as { early?: Early | null };

/** openEarly opens the socket, unless the page's script already has. Slow lines are left to the script. */
export function openEarly(): void {
  if (shared.early !== undefined || !isFast()) return;
  const early: Early = (shared.early = { socket: new WebSocket(liveURL()), kept: [] });
  early.socket.binaryType = "arraybuffer";
  early.socket.onmessage = (e: Received) => void early.kept.push(e);
}

/** takeEarly returns the early socket, once. There is none if it was closed. */
export function takeEarly(): Early | null {
  const early = shared.early ?? null;
  shared.early = null;
  return early && early.socket.readyState <= WebSocket.OPEN ? early : null;
}
