// SPDX-License-Identifier: Apache-2.0
// Makes the figures of a page interactive. Without this script, and wherever it fails, the page shows its static drawings.
import {makeLive} from "./live_figure.js";

for (const figure of document.querySelectorAll("figure[data-chart]")) makeLive(figure);
