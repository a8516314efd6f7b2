// Numbers and times as texts.

/** shortest returns a single-precision number with the fewest digits that identify it. */
export function shortest(v: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(v.toPrecision(digits));
    if (Math.fround(short) === v) return String(short);
  }
  return String(Number(v.toPrecision(9)));
}

/** plain returns a double-precision number without loss. 64-bit integers have all their digits, although fewer would identify them. */
export function plain(v: number): string {
  return Number.isInteger(v) && Math.abs(v) < 2 ** 64 ? String(BigInt(v)) : String(v);
}

/** figure formats a number. */
export function figure(v: number): string {
  if (Number.isInteger(v) && Math.abs(v) < 1e15) return grouped(v);
  const a = Math.abs(v);
  return a !== 0 && (a < 1e-3 || a >= 1e7) ? v.toExponential(3) : String(Number(v.toPrecision(5)));
}

/** when formats a time in milliseconds since 1970. */
export function when(ms: number): string {
  const d = new Date(ms);
  if (Number.isNaN(d.getTime())) return "";
  return d.toISOString().replace("T", " ").replace(/\.000Z$|Z$/, "");
}

/** grouped formats an integer below 1e21, with a comma before every three digits. toLocaleString would load tables of languages before the first picture. */
export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}
