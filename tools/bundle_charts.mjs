// SPDX-License-Identifier: Apache-2.0
// Bundles equinoise/report/page/script, and what of Observable Plot it uses, into the one script of report pages, as a C++
// source, and writes the licences of what is in it.
// Usage: node tools/bundle_charts.mjs SOURCE_OUTPUT LICENCES_OUTPUT
import {execFileSync} from "node:child_process";
import {createHash} from "node:crypto";
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {fileURLToPath} from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const modules = join(root, "third_party/node_modules");
const [sourceOutput, licencesOutput] = process.argv.slice(2);

/** The bundle, and the paths of the files in it. */
function bundle() {
  const scratch = mkdtempSync(join(tmpdir(), "equinoise-charts-"));
  try {
    const [script, contents] = [join(scratch, "charts.js"), join(scratch, "contents.json")];
    execFileSync(
      join(modules, "@esbuild/linux-x64/bin/esbuild"),
      [join(root, "equinoise/report/page/script/main.js"), "--bundle", "--minify", "--format=iife", "--target=es2020",
        "--legal-comments=none", "--log-level=warning", `--outfile=${script}`, `--metafile=${contents}`],
      {cwd: root, env: {...process.env, NODE_PATH: modules}, stdio: "inherit"});
    const [output] = Object.values(JSON.parse(readFileSync(contents, "utf8")).outputs);
    const files = Object.entries(output.inputs).filter(([, {bytesInOutput}]) => bytesInOutput > 0);
    return {code: readFileSync(script, "utf8"), files: files.map(([path]) => path)};
  } finally {
    rmSync(scratch, {recursive: true});
  }
}

/** The packages that files are of. A built file may hold what its package depends on, as d3-array's holds internmap. */
function packagesOf(files) {
  const names = new Set();
  for (const file of files) {
    const name = file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1];
    if (!name) continue;
    names.add(name);
    if (!file.includes(`${name}/dist/`)) continue;
    const {dependencies = {}} = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
    for (const dependency of Object.keys(dependencies)) names.add(dependency);
  }
  return [...names].sort();
}

/** The licence texts, each once, below the packages that it is of. */
function licencesOf(packages) {
  const packagesByText = new Map();
  for (const name of packages) {
    const path = join(modules, name, "LICENSE");
    if (!existsSync(path)) throw new Error(`${name} has no LICENSE`);
    const text = readFileSync(path, "utf8").replaceAll("\r", "").trim();
    packagesByText.set(text, [...(packagesByText.get(text) ?? []), name]);
  }
  return [...packagesByText].map(([text, names]) => `${names.join(", ")}:\n\n${text}\n`).join("\n\n");
}

/** A C++ string literal in pieces that every compiler takes. */
function literal(text) {
  return text.match(/[^]{1,16000}/gu).map((piece) => `    R"script(${piece})script"`).join("\n");
}

const {code, files} = bundle();
const licences = licencesOf(packagesOf(files));
const script = `/* The charts of this page, under Apache-2.0, with parts of these packages.\n\n${licences}*/\n${code}`;
for (const [pattern, what] of [[/<\/script|<!--/i, "would end its element"], [/\)script"/, "would end its literal"],
  [/\r/, "browsers read as another line end"]])
  if (pattern.test(script)) throw new Error(`the script of charts holds what ${what}`);
if (licences.includes("*/")) throw new Error("a licence would end its comment");
const hash = createHash("sha256").update(script).digest("base64");

/** Leaves a file that holds the text already, so that nothing is compiled again for it. */
function write(path, text) {
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}

write(licencesOutput, licences);
write(sourceOutput, `// Made by tools/bundle_charts.mjs.
#include "equinoise/report/page/chart_script.h"

namespace equinoise {

std::string_view chart_script() {
  static constexpr char kText[] =
${literal(script)};
  return {kText, sizeof kText - 1};
}

std::string_view chart_script_hash() { return "sha256-${hash}"; }

}  // namespace equinoise
`);
