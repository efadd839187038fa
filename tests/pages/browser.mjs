// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium, headless and without any service of its own.
import {existsSync, readFileSync} from "node:fs";
import {createRequire} from "node:module";

const kChromium = "/usr/bin/chromium";
const kSkipped = 77;  // SKIP_RETURN_CODE in tests/CMakeLists.txt

/**
 * Ends the process where the browser or what drives it is not installed: skipped, unless nothing may be. That is what
 * EQUINOISE_REQUIRE_SHARED says to all tests, whose name is that of what is missing most often: it is set where everything that
 * tests need is there (.ci/run), so that a machine set up wrongly cannot pass by skipping.
 */
function missing(what) {
  console.error(`pages: ${what} is missing: tools/setup.sh test installs it`);
  process.exit(process.env.EQUINOISE_REQUIRE_SHARED === undefined ? kSkipped : 1);
}

/** The text of axe-core, which finds what keeps people from reading a page. */
export function axe() {
  try {
    return readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  } catch {
    return missing("axe-core");
  }
}

export async function launch() {
  if (!existsSync(kChromium)) missing(kChromium);
  const {chromium} = await import("playwright-core").catch(() => missing("playwright-core"));
  return chromium.launch({
    executablePath: kChromium,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}
