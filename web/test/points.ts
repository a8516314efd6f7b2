// Stores of points for tests.

import { Store } from "../src/store";
import { Change, type Frame, type Kind, type Values32 } from "../src/wire";

export interface Given {
  kind: Kind;
  /** Numbers, or the names of categories, "" for none. */
  values: readonly (number | string)[];
}

/** storeOf returns points at (0, 0) with the given columns. */
export function storeOf(columns: Record<string, Given>): Store {
  const store = new Store();
  const given = Object.entries(columns);
  const n = given[0]![1].values.length;
  store.clear(given.map(([name, { kind }]) => ({ name, kind })), n, 0);
  const texts = (v: readonly (number | string)[]) => ({ at: (i: number) => String(v[i]) });
  const frame: Frame = {
    change: Change.Put, slot: Uint32Array.from({ length: n }, (_, i) => i), x: new Float32Array(n), y: new Float32Array(n), at: new Float64Array(n),
    id: texts(Array.from({ length: n }, (_, i) => `p${i}`)) as unknown as Frame["id"], ids: { offsets: new Int32Array(n + 1), bytes: [] }, exact: [],
    columns: given.map(([, { kind, values }], k): Values32 => {
      if (kind === "text") return texts(values) as unknown as Values32;
      if (kind !== "category") return Float64Array.from(values as number[]);
      const codes = store.columns[k]!.values;
      return Uint32Array.from(values as string[], (v) => {
        if (v !== "" && !codes.includes(v)) codes.push(v);
        return codes.indexOf(v) + 1;
      });
    }),
  };
  store.apply(frame, 0);
  return store;
}
