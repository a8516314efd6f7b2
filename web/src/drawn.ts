// Samples of points. A regular step would miss whole classes where rows alternate between them, so a random one of each step is drawn.

/** drawnSlots returns most of the numbers from..to-1, or all if there are fewer, in ascending order: always the same ones. */
export function drawnSlots(from: number, to: number, most: number): Uint32Array {
  const n = Math.max(to - from, 0);
  const out = new Uint32Array(Math.min(n, most));
  let seed = 1;
  let begin = 0;
  for (let i = 0; i < out.length; i++) {
    const end = Math.floor(((i + 1) * n) / out.length);
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    out[i] = from + begin + Math.floor((seed / 2 ** 32) * (end - begin));
    begin = end;
  }
  return out;
}

/** drawn returns at most that number of points. */
export function drawn(slots: Uint32Array, most: number): Uint32Array {
  return slots.length <= most ? slots : drawnSlots(0, slots.length, most).map((i) => slots[i]!);
}
