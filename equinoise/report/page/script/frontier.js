// SPDX-License-Identifier: Apache-2.0
import {dot, link, pointer, ruleX, ruleY, text} from "@observablehq/plot";
import {diamond, drawing, placeOn, tipOn} from "./drawing.js";

/** Points by two errors with their intervals, each named beside the plot. */
export function frontier(data, drawn) {
  const element = drawn.cloneNode(true);
  element.className = "";
  const stage = document.createElement("div");
  element.querySelector("svg").replaceWith(stage);

  function draw(width, label) {
    const {left, right, names, top, bottom, height} = data.frame;
    const x = placeOn(data.across, left * width, right * width);
    const y = placeOn(data.up, bottom, top);
    const points = data.points.map((point) => ({...point, x: x(point.across), y: y(point.up)}));
    const up = data.up.ticks.map(({at, label: name}) => ({y: y(at), name}));
    const across = data.across.ticks.map(({at, label: name}) => ({x: x(at), name}));
    // Those that stand best come first, and are above the others.
    const marks = points.toReversed().map((point) => [
      point.across_low === null ? [] : link([point], {
        x1: x(point.across_low), x2: x(point.across_high), y1: "y", y2: "y", className: `bar ${point.style}`,
      }),
      point.up_low === null ? [] : link([point], {
        x1: "x", x2: "x", y1: y(point.up_low), y2: y(point.up_high), className: `bar ${point.style}`,
      }),
      dot([point], {
        x: "x", y: "y", r: point.radius, ...(point.style === "reference" ? diamond : {}), stroke: "none",
        className: `mark ${point.style}`,
      }),
      text([point], {
        x: names * width, y: "name_height", text: "short_name", textAnchor: "start", className: `name ${point.style}`,
      }),
    ]);

    const svg = drawing({
      width,
      height,
      label,
      marks: [
        text([data.up_label], {x: 0, y: 10, text: (d) => d, textAnchor: "start", className: "tick"}),
        ruleY(up, {y: "y", x1: left * width, x2: right * width, className: "grid"}),
        text(up, {x: (left - 0.01) * width, y: "y", text: "name", textAnchor: "end", className: "tick"}),
        ruleX(across, {x: "x", y1: top, y2: bottom + 5, className: "grid"}),
        text(across, {x: "x", y: bottom + 16, text: "name", className: "tick"}),
        ruleY([bottom], {y: (at) => at, x1: left * width, x2: right * width, className: "rule"}),
        link(points, {x1: "x", y1: "y", x2: (names - 0.01) * width, y2: "name_height", className: "leader"}),
        marks,
        dot(points, pointer({x: "x", y: "y", r: 9, className: "ring"})),
        tipOn(points, pointer, width, true),
      ],
    });
    return {svg, places: points};
  }

  return {element, stage, draw};
}
