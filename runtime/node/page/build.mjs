// Bundles the page: node build.mjs [FOLDER]. The same sources and lock file give the same bytes.
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "built");

await mkdir(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: [{ in: "src/main.tsx", out: "app" }],
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "inline",
  banner: { js: "/*! With preact (MIT, Jason Miller) and uPlot (MIT, Leon Sorokin). */" },
  charset: "utf8",
  logLevel: "warning",
});
for (const name of ["index.html", "icon.svg"]) await copyFile(join(here, "src", name), join(out, name));
