// SPDX-License-Identifier: Apache-2.0
import {pointerX, rect} from "@observablehq/plot";
import {drawing, tipOn} from "./drawing.js";

/** What of a budget was spent before, by this run, and is left. */
export function budget(data, drawn) {
  const element = drawn.cloneNode(true);
  element.className = "";
  const stage = document.createElement("div");
  element.querySelector("svg").replaceWith(stage);

  function draw(width, label) {
    const parts = data.parts.filter(({from, to}) => to > from).map((part) => ({
      ...part, x1: part.from * width, x2: part.to * width, x: (part.from + part.to) / 2 * width, y: data.height / 2,
    }));
    const svg = drawing({
      width,
      height: data.height,
      label,
      marks: [
        parts.map((part) => rect([part], {x1: "x1", x2: "x2", y1: 1, y2: data.height - 1, className: part.style})),
        tipOn(parts, pointerX, width),
      ],
    });
    return {svg, places: parts};
  }

  return {element, stage, draw};
}
