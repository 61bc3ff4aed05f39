// Builds src/bricard/view/viewer.html: the page, its style and the program in one file, with a mark where the scene goes.
// The program is stored deflated, as the scene is: a page takes 200 kB instead of 700.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "src", "bricard", "view");

const bundled = await build({
  entryPoints: [join(here, "src", "main.js")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none", // the licence of three.js stands in the page and beside it
  write: false,
});
const style = await build({ entryPoints: [join(here, "src", "style.css")], minify: true, write: false });

const program = deflateSync(bundled.outputFiles[0].contents, { level: 9 }).toString("base64");
// A test compares this with the sources, so that nobody forgets to build.
const hash = createHash("sha256");
for (const name of ["build.mjs", "package-lock.json", ...readdirSync(join(here, "src")).sort().map((file) => join("src", file))]) hash.update(readFileSync(join(here, name)));

const page = readFileSync(join(here, "src", "page.html"), "utf8")
  .replace("@STYLE@", () => style.outputFiles[0].text.trim())
  .replace("@SOURCES@", hash.digest("hex"))
  .replace("@PROGRAM@", () => program);
writeFileSync(join(target, "viewer.html"), page);
copyFileSync(join(here, "node_modules", "three", "LICENSE"), join(target, "LICENSE-three.txt"));
console.log(`viewer.html: ${(page.length / 1e3).toFixed(0)} kB, the program unpacked: ${(bundled.outputFiles[0].contents.length / 1e3).toFixed(0)} kB`);
