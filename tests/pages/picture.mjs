// SPDX-License-Identifier: Apache-2.0
// Draws the first section of a report that has a chart, for the README (make picture).
// Usage: node picture.mjs REPORT.html PICTURE.png
import {resolve} from "node:path";
import {pathToFileURL} from "node:url";
import {launch} from "./browser.mjs";

const [report, picture] = process.argv.slice(2);
const browser = await launch();
const page = await browser.newPage({viewport: {width: 900, height: 900}, colorScheme: "light"});
await page.goto(pathToFileURL(resolve(report)).href);
const section = await page.locator("section", {has: page.locator("figure")}).first().boundingBox();
const margin = 16;
const clip = {x: section.x - margin, y: section.y, width: section.width + 2 * margin, height: section.height + margin};
await page.screenshot({path: picture, fullPage: true, clip});
await browser.close();
