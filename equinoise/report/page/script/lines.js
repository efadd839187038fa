// SPDX-License-Identifier: Apache-2.0
import {dot, line, pointerX, ruleX, ruleY, text} from "@observablehq/plot";
import {diamond, drawing, placeOn, tipOn} from "./drawing.js";

/** Lines over one axis; a cross hair tells what all of them are at one place on it. */
export function lines(data, drawn) {
  const element = drawn.cloneNode(true);
  element.className = "";
  const stage = document.createElement("div");
  element.querySelector("svg").replaceWith(stage);

  function draw(width, label) {
    const {left, right, top, bottom, height} = data.frame;
    const x = placeOn(data.across, left * width, right * width);
    const y = placeOn(data.up, bottom, top);
    const series = data.lines.map((one) => ({
      ...one,
      points: one.points.map(([across, up]) => ({across, up, x: x(across), y: y(up), series: one.series})),
    }));
    const stops = stopsOf(series, data.across_label);
    const up = data.up.ticks.map(({at, label: name}) => ({y: y(at), name}));
    const across = data.across.ticks.map(({at, label: name}) => ({x: x(at), name}));

    const svg = drawing({
      width,
      height,
      label,
      marks: [
        ruleY(up, {y: "y", x1: left * width, x2: right * width, className: "grid"}),
        text(up, {x: (left - 0.01) * width, y: "y", text: "name", textAnchor: "end", className: "tick"}),
        ruleX(across, {x: "x", y1: bottom, y2: bottom + 5, className: "grid"}),
        text(across, {x: "x", y: bottom + 16, text: "name", className: "tick"}),
        ruleY([bottom], {y: (at) => at, x1: left * width, x2: right * width, className: "rule"}),
        series.map(({points, series: style}) => line(points, {x: "x", y: "y", className: `curve ${style}`})),
        series.map(({points, series: style}) => dot(data.marks_points ? points : points.slice(-1),
          {x: "x", y: "y", r: 4, ...(style === "second" ? diamond : {}), stroke: "none", className: `mark ${style}`})),
        series.map(({name, series: style, label_height: height_of_name}) => text([name], {
          x: (right + 0.012) * width, y: height_of_name, text: (d) => d, textAnchor: "start", className: `name ${style}`,
        })),
        ruleX(stops, pointerX({x: "x", py: "y", y1: top, y2: bottom, className: "cross"})),
        tipOn(stops, pointerX, width),
      ],
    });
    return {svg, places: stops};
  }

  return {element, stage, draw};
}

/** The places across where any line has a point, in order, each with what the lines are there. */
function stopsOf(series, label) {
  const byPlace = new Map();
  for (const {name, points} of series) {
    for (const point of points) {
      if (!byPlace.has(point.across)) byPlace.set(point.across, new Map());
      const here = byPlace.get(point.across);
      here.set(name, [...(here.get(name) ?? []), point]);
    }
  }
  return [...byPlace].sort(([a], [b]) => a - b).map(([across, here]) => {
    const points = [...here.values()].flat();
    const about = [...here].map(([name, own]) => `${name}: ${rangeOf(own.map(({up}) => up))}`);
    return {
      x: points[0].x,
      y: Math.min(...points.map(({y}) => y)),
      points,
      text: [`${label}: ${written(across)}`, ...about].join("\n"),
    };
  });
}

/** A line that rises upright has a range of values at one place. */
function rangeOf(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? written(low) : `${written(low)} to ${written(high)}`;
}

/** Whole numbers as they are, others with four digits. */
function written(value) {
  const size = Math.abs(value);
  if (size >= 1e9 || (size > 0 && size < 1e-4)) return value.toPrecision(4);
  return value.toLocaleString("en-US", Number.isInteger(value) ? {} : {maximumSignificantDigits: 4});
}
