// SPDX-License-Identifier: Apache-2.0
import {budget} from "./budget.js";
import {dots} from "./dots.js";
import {frontier} from "./frontier.js";
import {lines} from "./lines.js";

/**
 * How each kind of figure (Figure::kind in figure.h) is drawn. A renderer is called once, with the data of the figure, its
 * static drawing, an element that stays as it is, and a function that draws again. It gives
 *   element  what is shown instead of the static drawing;
 *   stage    the element in it that holds the drawing;
 *   draw(width, label)  the drawing by Plot, named `label`, and its places: what can be pointed at, in the order of the arrow
 *            keys, each with x and y in pixels and a text, and given by Plot's pointer as they are;
 *   point(place)  optional: what else changes when a place is pointed at, or null;
 *   isColumn  optional: whether places follow one another downwards, not from left to right.
 */
export const renderers = {budget, dots, frontier, lines};
