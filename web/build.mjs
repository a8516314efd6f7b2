// Builds the page into dist, or the folder that is named: node build.mjs [FOLDER]. The same source gives the same bytes, those of Brotli with the same version of Node.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";

const out = process.argv[2] ?? "dist";
await mkdir(out, { recursive: true });
await build({
  entryPoints: ["src/app.ts", "src/early.ts", "src/app.css"],
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["chrome110", "firefox115", "safari16.4"],
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
for (const file of ["index.html", "icon.svg"]) await copyFile(`src/${file}`, `${out}/${file}`);
// The program has no encoder of Brotli, which makes this a seventh smaller than gzip does. The style goes into the page, which the program compresses.
await writeFile(`${out}/app.js.br`, brotliCompressSync(await readFile(`${out}/app.js`)));
// The licences of what is bundled go with the program: THIRD_PARTY.txt has them.
const { dependencies } = JSON.parse(await readFile("package.json", "utf8"));
for (const name of Object.keys(dependencies)) {
  await mkdir(`licences/${name}`, { recursive: true });
  await copyFile(`node_modules/${name}/LICENSE`, `licences/${name}/LICENSE`);
}
