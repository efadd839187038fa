// SPDX-License-Identifier: Apache-2.0
// Opens sample pages in a browser: wide, narrow, dark, printed and by keyboard.
// Usage: node pages_test.mjs SAMPLE_PAGES; with EQUINOISE_SCREENSHOTS=FOLDER pictures of the pages are written there.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {test} from "node:test";
import {pathToFileURL} from "node:url";
import {axe, launch} from "./browser.mjs";

const [samplePages] = process.argv.slice(2);
const screenshots = process.env.EQUINOISE_SCREENSHOTS;
const axeText = axe();
const browser = await launch();
const context = await browser.newContext();
const folder = mkdtempSync(join(tmpdir(), "equinoise-pages-"));
process.on("exit", () => rmSync(folder, {recursive: true}));
execFileSync(samplePages, [folder]);
const names = readdirSync(folder).sort();

/** Opens a page, gives it to `use`, and expects that it asks for nothing, complains of nothing and fits its width. */
async function withPage(name, {width = 1000, media = {}}, use) {
  const page = await context.newPage();
  page.setDefaultTimeout(30000);  // other tests may run beside
  try {
    const complaints = [];
    const url = pathToFileURL(join(folder, name)).href;
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("dialog", (dialog) => complaints.push(dialog.message()));
    page.on("request", (request) => request.url() !== url && complaints.push(`asks for ${request.url()}`));
    await page.setViewportSize({width, height: 900});
    await page.emulateMedia({media: "screen", colorScheme: "light", ...media});
    await page.goto(url);
    await use(page, complaints);
    assert.deepEqual(complaints, []);
    const content = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(content <= page.viewportSize().width, `${content} pixels wide`);
  } finally {
    await page.close();
  }
}

async function eachPage(what, options, use) {
  for (const name of names) {
    await test(`${name}: ${what}`, () => withPage(name, options, async (page) => {
      await use(page);
      if (screenshots)
        await page.screenshot({path: join(screenshots, `${what} ${name}`.replace(/\W+/g, "_") + ".png"), fullPage: true});
    }));
  }
}

const drawings = (page) => page.locator("figure svg[aria-labelledby]").filter({visible: true}).count();

await eachPage("wide", {}, async (page) => {
  const num = await drawings(page);
  assert.ok(num > 0);
  assert.equal(num, await page.locator("figure").count());
  assert.equal(await page.evaluate("window.injected"), undefined);
  // Every drawing is an image with a name, and every mark has a title.
  const nameless = await page.evaluate(() => [...document.querySelectorAll("svg[role=img]")].filter((svg) =>
    !svg.getAttribute("aria-labelledby").split(" ").every((id) => document.getElementById(id)?.textContent.trim())).length);
  assert.equal(nameless, 0);
  const untitled = await page.evaluate(() =>
    [...document.querySelectorAll("svg circle, svg polygon, svg rect")].filter((mark) => !mark.querySelector("title")?.textContent).length);
  assert.equal(untitled, 0);
});

await eachPage("dark", {media: {colorScheme: "dark"}}, async (page) => {
  const colours = await page.evaluate(() => {
    const lightness = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 765;
    const style = (selector) => getComputedStyle(document.querySelector(selector));
    return {paper: lightness(style("body").backgroundColor), ink: lightness(style("svg text").fill)};
  });
  assert.ok(colours.paper < 0.2 && colours.ink > 0.6, JSON.stringify(colours));
});

await eachPage("narrow", {width: 400}, async (page) => assert.ok(await drawings(page) > 0));

// On A4, of which the margins leave 718 pixels; the marks of what is publishable are there.
await eachPage("printed", {width: 718, media: {media: "print"}}, async (page) => {
  assert.equal(await drawings(page), await page.locator("figure").count());
  assert.equal(await page.locator(".fence").filter({visible: true}).count(), await page.locator("h2").count());
});

// Serious findings of axe-core: contrast, names, headings, tables.
for (const width of [400, 1280])
  for (const colorScheme of ["light", "dark"])
    await eachPage(`accessible ${colorScheme} ${width}`, {width, media: {colorScheme}}, async (page) => {
      await page.evaluate(axeText);
      const found = await page.evaluate(async () => (await window.axe.run(document)).violations
        .filter(({impact}) => impact === "serious" || impact === "critical")
        .map(({id, nodes}) => `${id}: ${nodes.length} such as ${nodes[0].html}`));
      assert.deepEqual(found, []);
    });

await eachPage("by keyboard", {}, async (page) => {
  const num = await page.evaluate(() => {
    const found = [...document.querySelectorAll(".scroll")].filter((one) => one.checkVisibility());
    found.forEach((one, i) => (one.dataset.number = i));
    return found.length;
  });
  for (let i = 0; i < num; ++i) {
    await page.keyboard.press("Tab");
    const [number, outline] = await page.evaluate(() =>
      [document.activeElement.dataset.number, getComputedStyle(document.activeElement).outlineStyle]);
    assert.equal(number, String(i));
    assert.equal(outline, "solid");
  }
});

await test("no script runs", async () => {
  const page = readFileSync(join(folder, "training.html"), "utf8");
  writeFileSync(join(folder, "foreign.html"), page.replace("<main>", "<main><script>window.injected = 1</script>"));
  await withPage("foreign.html", {}, async (foreign, complaints) => {
    assert.equal(await foreign.evaluate("window.injected"), undefined);
    assert.match(complaints.shift(), /Content Security Policy/);
  });
});

await browser.close();
