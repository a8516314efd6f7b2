// Pointer and keys: pan, zoom, hover, click, and the shapes that select.

import type { XY } from "./select";

export type Tool = "pan" | "lasso" | "rectangle";

export interface Acts {
  tool(): Tool;
  pan(dx: number, dy: number): void;
  zoom(x: number, y: number, factor: number): void;
  hover(x: number, y: number): void;
  click(x: number, y: number): void;
  /** A selection shape grows, or is complete. */
  shape(points: readonly XY[], done: boolean): void;
  settle(): void;
}

/** attach adds the listeners to a canvas. */
export function attach(canvas: HTMLElement, acts: Acts): void {
  const pointers = new Map<number, XY>();
  let drawn: XY[] = [];
  let from: XY = [0, 0];
  let moved = false;
  let tool: Tool = "pan";
  let pinch = 0;

  const here = (e: PointerEvent | WheelEvent | MouseEvent): XY => {
    const r = canvas.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };

  canvas.addEventListener("pointerdown", (e) => {
    if (e.button > 1) return;
    canvas.setPointerCapture(e.pointerId);
    canvas.focus({ preventScroll: true });
    pointers.set(e.pointerId, here(e));
    if (pointers.size > 1) {
      drawn = [];
      acts.shape([], false);
      pinch = spread(pointers);
      return;
    }
    from = here(e);
    moved = false;
    tool = e.shiftKey && acts.tool() === "pan" ? "lasso" : e.button === 1 ? "pan" : acts.tool();
    drawn = tool === "pan" ? [] : [from];
  });

  canvas.addEventListener("pointermove", (e) => {
    const at = here(e);
    const was = pointers.get(e.pointerId);
    if (!was) {
      acts.hover(...at);
      return;
    }
    pointers.set(e.pointerId, at);
    if (pointers.size > 1) {
      const [a, b] = [...pointers.values()] as [XY, XY];
      const now = spread(pointers);
      if (pinch > 0) acts.zoom((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, now / pinch);
      acts.pan((at[0] - was[0]) / 2, (at[1] - was[1]) / 2);
      pinch = now;
      return;
    }
    if (Math.hypot(at[0] - from[0], at[1] - from[1]) > 4) moved = true;
    if (!moved) return;
    if (tool === "pan") {
      canvas.classList.add("dragging");
      acts.pan(at[0] - was[0], at[1] - was[1]);
      return;
    }
    if (tool === "rectangle") drawn = [from, [at[0], from[1]], at, [from[0], at[1]]];
    else {
      const last = drawn[drawn.length - 1]!;
      if (Math.hypot(at[0] - last[0], at[1] - last[1]) >= 3) drawn.push(at);
    }
    acts.shape(drawn, false);
  });

  const end = (e: PointerEvent): void => {
    if (!pointers.delete(e.pointerId)) return;
    canvas.classList.remove("dragging");
    if (pointers.size > 0) return;
    if (drawn.length > 2 && moved) acts.shape(drawn, true);
    else if (!moved && e.type === "pointerup") acts.click(...here(e));
    drawn = [];
    acts.settle();
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => acts.hover(-1, -1));
  canvas.addEventListener("dblclick", (e) => acts.zoom(...here(e), 2));

  let timer = 0;
  canvas.addEventListener(
    "wheel",
    (e) => {
      e.preventDefault();
      const lines = e.deltaMode === 1 ? 24 : e.deltaMode === 2 ? 240 : 1;
      acts.zoom(...here(e), Math.exp(-Math.max(-300, Math.min(300, e.deltaY * lines)) * (e.ctrlKey ? 0.008 : 0.0022)));
      clearTimeout(timer);
      timer = window.setTimeout(acts.settle, 160);
    },
    { passive: false },
  );
}

function spread(pointers: Map<number, XY>): number {
  const [a, b] = [...pointers.values()] as [XY, XY];
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}
