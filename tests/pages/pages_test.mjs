// SPDX-License-Identifier: Apache-2.0
// Opens sample pages in a browser: with and without scripts, by pointer and by keyboard, narrow, dark and printed.
// Usage: node pages_test.mjs SAMPLE_PAGES; with EQUINOISE_SCREENSHOTS=FOLDER pictures of the pages are written there.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {test} from "node:test";
import {pathToFileURL} from "node:url";
import {launch} from "./browser.mjs";

const [samplePages] = process.argv.slice(2);
const screenshots = process.env.EQUINOISE_SCREENSHOTS;
const browser = await launch();
const folder = mkdtempSync(join(tmpdir(), "equinoise-pages-"));
process.on("exit", () => rmSync(folder, {recursive: true}));
execFileSync(samplePages, [folder]);
const names = readdirSync(folder).sort();

const contexts = {
  true: await browser.newContext(),
  false: await browser.newContext({javaScriptEnabled: false}),
};

/** Opens a page, gives it to `use`, and expects that it asks for nothing, complains of nothing and fits its width. */
async function withPage(name, {scripts = true, width = 1000, media = {}}, use) {
  const page = await contexts[scripts].newPage();
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
    await test(`${name}: ${what}`, () => withPage(name, options, async (page, complaints) => {
      await use(page, complaints);
      if (screenshots)
        await page.screenshot({path: join(screenshots, `${what} ${name}`.replace(/\W+/g, "_") + ".png"), fullPage: true});
    }));
  }
}

const visible = (page, selector) => page.locator(selector).filter({visible: true}).count();
const kinds = (page) => page.locator("figure[data-chart]").count();
const tipOf = (page) => page.locator(".tip text").filter({visible: true});
/** The lines of the tip in one; long ones were broken. */
const tipText = (page) => tipOf(page).evaluate(
  (text) => [...text.children].map((line) => line.textContent.replaceAll("\u200b", "")).join(" "));
const wordsOf = (text) => text.replaceAll(/[,\s]+/g, " ").trim();

/** Every drawing that is seen is an image with a name. */
async function expectNamedDrawings(page) {
  const nameless = await page.evaluate(() => [...document.querySelectorAll("svg")]
    .filter((svg) => svg.checkVisibility() && !svg.parentElement.closest("svg"))
    .filter((svg) => {
      const named = (svg.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent);
      return svg.getAttribute("role") !== "img" || !(svg.getAttribute("aria-label") || named.join("").trim());
    }).length);
  assert.equal(nameless, 0);
}

await eachPage("with scripts", {}, async (page) => {
  const num = await kinds(page);
  assert.ok(num > 0);
  assert.equal(await visible(page, ".live svg[aria-label]"), num);
  assert.equal(await visible(page, ".drawn"), 0);
  assert.equal(await page.evaluate("window.injected"), undefined);
  await expectNamedDrawings(page);
  // The page does not jump when the script begins.
  const heights = await page.locator("figure[data-chart]").evaluateAll((figures) => figures.map((figure) => {
    const live = figure.offsetHeight;
    figure.classList.remove("is-live");
    const drawn = figure.offsetHeight;
    figure.classList.add("is-live");
    return live - drawn;
  }));
  assert.deepEqual(heights, heights.map(() => 0));
});

await eachPage("without scripts", {scripts: false}, async (page) => {
  assert.equal(await visible(page, ".drawn svg[aria-labelledby]"), await kinds(page));
  assert.equal(await page.locator(".live, select").count(), 0);
  await expectNamedDrawings(page);
});

await eachPage("dark", {media: {colorScheme: "dark"}}, async (page) => {
  const colours = await page.evaluate(() => {
    const lightness = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 765;
    const style = (selector) => getComputedStyle(document.querySelector(selector));
    return {paper: lightness(style("body").backgroundColor), ink: lightness(style(".live svg text").fill)};
  });
  assert.ok(colours.paper < 0.2 && colours.ink > 0.6, JSON.stringify(colours));
  await page.locator(".stage").first().focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await tipOf(page).count(), 1);
});

await eachPage("narrow", {width: 400}, async (page) => {
  // Wherever a tip stands, it stays in the page.
  for (const stage of await page.locator(".stage").all()) {
    await stage.focus();
    const num = Math.min(Number(await stage.getAttribute("aria-valuemax")), 12);
    for (let i = 0; i < num; ++i) {
      await page.keyboard.press("ArrowRight");
      const box = await tipOf(page).locator("..").boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 400, `a tip from ${box.x}, ${box.width} wide`);
    }
  }
});

await eachPage("printed", {}, async (page) => {
  const num = await kinds(page);
  await page.emulateMedia({media: "print"});
  assert.equal(await visible(page, ".drawn svg[aria-labelledby]"), num);
  assert.equal(await visible(page, ".live, select"), 0);
});

await eachPage("by keyboard", {}, async (page) => {
  const controls = await page.evaluate(() => {
    const found = [...document.querySelectorAll("select, .stage, .scroll")].filter((one) => one.checkVisibility());
    found.forEach((one, i) => (one.dataset.number = i));
    return found.length;
  });
  for (let i = 0; i < controls; ++i) {
    await page.keyboard.press("Tab");
    const [number, outline] = await page.evaluate(() =>
      [document.activeElement.dataset.number, getComputedStyle(document.activeElement).outlineStyle]);
    assert.equal(number, String(i));
    assert.equal(outline, "solid");
  }
  for (const stage of await page.locator(".stage").all()) {
    const num = Number(await stage.getAttribute("aria-valuemax"));
    await stage.focus();
    await page.keyboard.press("End");
    assert.equal(await stage.getAttribute("aria-valuenow"), String(num));
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    assert.equal(await stage.getAttribute("aria-valuenow"), String(Math.min(2, num)));
    assert.equal(wordsOf(await stage.getAttribute("aria-valuetext")), wordsOf(await tipText(page)));
    await page.keyboard.press("Escape");
    assert.equal(await tipOf(page).count(), 0);
    // Upwards is to the next place, but in a column of rows, where that is the row below.
    const onwards = await stage.getAttribute("aria-orientation") === "vertical" ? "ArrowDown" : "ArrowUp";
    await page.keyboard.press("Home");
    await page.keyboard.press(onwards);
    assert.equal(await stage.getAttribute("aria-valuenow"), String(Math.min(2, num)));
    await page.keyboard.press(onwards === "ArrowUp" ? "ArrowDown" : "ArrowUp");
    assert.equal(await stage.getAttribute("aria-valuenow"), "1");
  }
});

await test("only rows of dots are a column", () => withPage("training.html", {}, async (page) => {
  for (const figure of await page.locator("figure[data-chart]").all())
    assert.equal(await figure.locator(".stage").getAttribute("aria-orientation"),
      await figure.getAttribute("data-chart") === "dots" ? "vertical" : "horizontal");
}));

await test("other_charts.html: keys pass places that lie on one another", () => withPage("other_charts.html", {}, async (page) => {
  const stage = page.locator(".stage").last();
  const num = Number(await stage.getAttribute("aria-valuemax"));
  assert.equal(num, 4);
  await stage.focus();
  for (const [key, last] of [["ArrowRight", num], ["ArrowLeft", 1]]) {
    for (let i = 1; i < num; ++i) await page.keyboard.press(key);
    assert.equal(await stage.getAttribute("aria-valuenow"), String(last));
  }
}));

await test("many_groups.html: rows are sorted by keyboard", () => withPage("many_groups.html", {}, async (page) => {
  const live = page.locator(".live").first();
  const read = () => live.locator(".names .row").evaluateAll((rows) => rows.map((row, i) => ({
    name: row.querySelector(".name").textContent,
    size: Number(row.querySelector(".size").textContent.replace(",", "")),
    figure: Number.parseFloat(row.closest(".rows").querySelectorAll(".figures li")[i + 1].textContent),
  })));
  const before = await read();
  assert.equal(before.length, 60);
  const falls = (values) => values.every((value, i) => i === 0 || Number.isNaN(value) || value <= values[i - 1]);
  assert.ok(!falls(before.map(({figure}) => figure)));

  await page.locator("select").first().focus();
  await page.keyboard.press("ArrowDown");
  const highest = await read();
  assert.ok(falls(highest.map(({figure}) => figure)));
  const places = await live.locator("svg g.dot circle").evaluateAll((dots) => dots.map((dot) => [
    Number(dot.getAttribute("cy")), Number(dot.getAttribute("cx"))]));
  assert.ok(falls(places.sort(([a], [b]) => a - b).map(([, x]) => x)));
  await page.keyboard.press("ArrowDown");
  assert.ok(falls((await read()).map(({figure}) => -figure)));
  await page.keyboard.press("ArrowDown");
  assert.ok(falls((await read()).map(({size}) => size)));
  await page.keyboard.press("Home");
  assert.deepEqual(await read(), before);
}));

await test("other_charts.html: a row without an estimate is pointed at", () => withPage("other_charts.html", {}, async (page) => {
  const rings = page.locator(".ring circle:not([stroke-opacity='0'])");
  const plot = page.locator(".live .plot").first();
  const row = page.locator(".live .names .row").filter({hasText: "income"});
  await row.scrollIntoViewIfNeeded();
  const {x} = await plot.boundingBox();
  const {y, height} = await row.boundingBox();
  // Its neighbours are near enough to be found for it.
  for (const off of [-5, 5]) {
    await page.mouse.move(x + 20, y + height / 2 + off);
    assert.match(await tipText(page), /^income no estimate/);
    assert.match(await plot.getAttribute("aria-valuetext"), /^income, no estimate/);
    assert.match(await row.getAttribute("class"), /\bat\b/);
    assert.equal(await page.locator(".row.at").count(), 1);
    assert.equal(await rings.count(), 0);
  }
  await page.mouse.move(x + 20, y + height * 1.5);
  assert.equal(await rings.count(), 1);
}));

await test("training.html: the pointer tells name, figure and interval", () => withPage("training.html", {}, async (page) => {
  const row = page.locator(".live .names .row").first();
  const box = await page.locator(".live .plot").first().boundingBox();
  const {y, height} = await row.boundingBox();
  await page.mouse.move(box.x + box.width / 2, y + height / 2);
  const tip = await tipText(page);
  assert.match(tip, /Female, Black/);
  assert.match(tip, /7\.5 \[-2\.0, 17\.0\]/);
  assert.match(await row.getAttribute("class"), /\bat\b/);
  await page.mouse.move(2, 2);
  assert.equal(await tipOf(page).count(), 0);

  await page.locator(".curves .stage").first().scrollIntoViewIfNeeded();
  const curve = await page.locator(".curves .stage").first().boundingBox();
  await page.mouse.move(curve.x + curve.width * 0.11 + 2, curve.y + 120);
  assert.match(await tipText(page), /steps done: 0 released: 0\.71 reference: 0\.69/);
}));

await test("training.html: is drawn again where it becomes narrow", () => withPage("training.html", {}, async (page) => {
  await page.setViewportSize({width: 500, height: 800});
  await page.waitForFunction(() => [...document.querySelectorAll(".stage")].every(
    (stage) => Number(stage.querySelector("svg").getAttribute("width")) === Math.floor(stage.getBoundingClientRect().width)));
}));

await test("a figure that fails stays as it was drawn", async () => {
  const page = readFileSync(join(folder, "training.html"), "utf8");
  writeFileSync(join(folder, "failing.html"), page.replace('data-chart="dots"', 'data-chart="unknown"'));
  await withPage("failing.html", {}, async (failing, complaints) => {
    assert.equal(await visible(failing, ".drawn"), 1);
    assert.equal(await visible(failing, ".live"), await kinds(failing) - 1);
    assert.match(complaints.shift(), /TypeError/);
  });
});

await test("no other script runs", async () => {
  const page = readFileSync(join(folder, "training.html"), "utf8");
  writeFileSync(join(folder, "foreign.html"), page.replace("<main>", "<main><script>window.injected = 1</script>"));
  await withPage("foreign.html", {}, async (foreign, complaints) => {
    assert.equal(await foreign.evaluate("window.injected"), undefined);
    assert.match(complaints.shift(), /Content Security Policy/);
  });
});

await browser.close();
