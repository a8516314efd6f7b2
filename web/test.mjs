// Bundles the unit tests of the page's modules into a folder and runs them by node's own runner: node test.mjs FOLDER.
import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { build } from "esbuild";

const out = process.argv[2] ?? "../out/page-tests";
await rm(out, { recursive: true, force: true });
const tests = (await readdir("test")).filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: tests.map((name) => `test/${name}`),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  sourcemap: "inline",
  logLevel: "warning",
});
const files = tests.map((name) => `${out}/${name.replace(/ts$/, "mjs")}`);
process.exit(spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], { stdio: "inherit" }).status ?? 1);
