// The parts of node that the tests use; there are no other types of it.

declare module "node:test" {
  export function test(name: string, f: () => void | Promise<void>): void;
}

declare module "node:assert/strict" {
  const assert: {
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    throws(f: () => unknown, error: RegExp | (new (...given: never[]) => Error)): void;
    ok(value: unknown, message?: string): void;
  };
  export default assert;
}
