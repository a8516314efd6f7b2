// The input of "Where would this go?": a record in JSON, values separated by commas, or a text, as the model can read them.

/** What the model reads, see GET /model. */
export interface Reads {
  /** The number of values of a vector. */
  dim: number;
  /** The columns that form a vector, in order; none if rows have vectors. */
  columns?: readonly string[];
  vector?: string;
}

const listed = 12;

/** isJSON reports whether an input begins as JSON. */
export function isJSON(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/** isRecord reports whether an input is a record rather than a text to search for: JSON, or as many values as the model reads. */
export function isRecord(text: string, reads: Reads | null): boolean {
  if (isJSON(text)) return true;
  const rows = split(text);
  const n = rows[0]?.length ?? 0;
  return reads !== null && n > 1 && (rows.length === 2 ? rows[1]!.length === n : rows.length === 1 && n === (reads.columns?.length ?? reads.dim));
}

/**
 * recordOf returns an input as the JSON that the server places: JSON as it is, except that a list of numbers becomes a vector; values in the order of
 * the model's columns or below a line with their names; or a text if the model reads a single column. It throws an error that says what the model reads.
 */
export function recordOf(text: string, reads: Reads | null): string {
  if (isJSON(text)) {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && typeof value[0] === "number" ? JSON.stringify({ vectors: [value] }) : text;
  }
  if (!reads) throw new Error('It is no JSON. Write a record as {"name": value, …}.');
  const rows = split(text);
  const columns = reads.columns ?? [];
  const [first = [], second] = rows;
  if (rows.length === 2 && second!.length === first.length) return JSON.stringify(Object.fromEntries(first.map((name, i) => [name, valueOf(second![i]!)])));
  if (columns.length === 1) return JSON.stringify({ [columns[0]!]: valueOf(text.trim()) });
  if (rows.length === 1 && columns.length > 1 && first.length === columns.length) return JSON.stringify(Object.fromEntries(columns.map((name, i) => [name, valueOf(first[i]!)])));
  const numbers = first.map(Number);
  if (rows.length === 1 && columns.length === 0 && numbers.length === reads.dim && numbers.every(Number.isFinite)) return JSON.stringify({ vectors: [numbers] });
  throw new Error(problem(first, columns, reads.dim));
}

function problem(values: readonly string[], columns: readonly string[], dim: number): string {
  const names = columns.slice(0, listed).join(", ") + (columns.length > listed ? ", …" : "");
  const wanted = columns.length > 0 ? `${columns.length} columns: ${names}` : `vectors of ${dim} numbers`;
  if (values.length > 1) return `This has ${values.length} values; the model reads ${wanted}.`;
  const how = columns.length > 0 ? "Write a record in JSON, or the values in this order." : "Encode the text as the rows of the map were, and paste the numbers.";
  return `The model cannot place a text by itself: it reads ${wanted}. ${how}`;
}

/** valueOf returns a number as a number, other values as text, and nothing as null. */
function valueOf(text: string): number | string | null {
  if (text === "") return null;
  return /^-?(0|[1-9]\d{0,14})(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

/** split divides lines into values, at commas, semicolons or tabs, whichever the first line has most. Quotation marks surround values that contain one. */
function split(text: string): string[][] {
  const lines = text.trim().split(/\r?\n/);
  const head = lines[0]!;
  const count = (c: string): number => head.split(c).length;
  const by = [",", ";", "\t"].sort((a, b) => count(b) - count(a))[0]!;
  return lines.map((line) => {
    const out = [""];
    let quoted = false;
    for (const c of line) {
      if (c === '"') quoted = !quoted;
      else if (c === by && !quoted) out.push("");
      else out[out.length - 1] += c;
    }
    return out.map((v) => v.trim());
  });
}
