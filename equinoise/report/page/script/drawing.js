// SPDX-License-Identifier: Apache-2.0
import {plot, tip} from "@observablehq/plot";

/**
 * A drawing in pixels by Plot, as an image named `label`. Colours are those of the page's style sheet, by the classes of marks,
 * so that they follow its colour scheme.
 */
export function drawing({width, height, label, marks}) {
  const svg = plot({
    width,
    height,
    margin: 0,
    x: {type: "identity", axis: null},
    y: {type: "identity", axis: null},
    marks,
  });
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  return svg;
}

/** The place in pixels, from `begin` to `end`, of a value on an axis (axis_data in figure.h). */
export function placeOn(axis, begin, end) {
  const scaled = axis.is_logarithmic ? Math.log10 : (value) => value;
  const low = scaled(axis.low);
  const span = scaled(axis.high) - low;
  return (value) => begin + (end - begin) * Math.max(0, Math.min(1, (scaled(value) - low) / span));
}

const kTipFont = 13;
const kWidestTip = 20;  // em

/**
 * The text of the place that `pointer`, one of Plot's, finds, beside it or, with `isAbove`, above it: beside a place in the
 * middle of a high drawing Plot does not see that a tip fits on neither side.
 */
export function tipOn(places, pointer, width, isAbove = false) {
  const widest = Math.min(kWidestTip * kTipFont, width - 24);
  return tip(places, pointer({
    px: "x",
    py: "y",
    x: (place) => (isAbove ? inside : besideOrInside)(place, widest, width),
    anchor: isAbove ? "bottom" : null,
    y: "y",
    title: "text",
    className: "tip",
    fontSize: kTipFont,
    lineHeight: 1.3,
    lineWidth: widest / kTipFont,
    pathFilter: null,
  }));
}

/** Where a tip points to: its place, unless the tip fits on neither side of it; then where it stays in the drawing. */
function besideOrInside(place, widest, width) {
  const size = tipWidth(place, widest);
  return place.x + size < width || place.x - size > 0 ? place.x : inside(place, widest, width);
}

/** Where a tip in the middle of its place stays in the drawing. */
function inside(place, widest, width) {
  const half = tipWidth(place, widest) / 2;
  return Math.max(half, Math.min(width - half, place.x));
}

function tipWidth({text}, widest) {
  const longest = Math.max(...text.split("\n").map((line) => line.length));
  return Math.min(widest, 0.65 * kTipFont * longest) + 28;
}

/** Marks of a series or a total that differ by more than colour. */
export const diamond = {symbol: "square", rotate: 45};
