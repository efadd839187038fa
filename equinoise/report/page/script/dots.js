// SPDX-License-Identifier: Apache-2.0
import {dot, link, pointerY, ruleX, ruleY, text} from "@observablehq/plot";
import {diamond, drawing, placeOn, tipOn} from "./drawing.js";
import {sortControl} from "./sort_control.js";

/** Estimates of groups with their intervals, or errors, one a row, next to their names, in an order that can be chosen. */
export function dots(data, drawn, redraw) {
  const element = drawn.cloneNode(true);
  element.className = "";
  const [names, figures] = [...element.querySelectorAll("ol")];
  const stage = element.querySelector(".plot");
  stage.replaceChildren();
  // The first item is the head, the last one the total.
  const items = [...data.rows, data.total].map((row, i) => ({
    row,
    cells: [names.children[i + 1], figures.children[i + 1]],
  }));
  const total = items.pop();
  let shown = items;

  function reorder(compare) {
    shown = compare ? [...items].sort(compare) : items;
    for (const {cells: [name, figure]} of shown) {
      total.cells[0].before(name);
      total.cells[1].before(figure);
    }
    redraw();
  }
  if (items.length > 1) element.prepend(sortControl(data, reorder));

  function draw(width, label) {
    const top = names.getBoundingClientRect().top;
    const x = placeOn(data.axis, 0, width);
    const place = (item) => {
      const {row} = item;
      const box = item.cells[0].getBoundingClientRect();
      const about = [row.name, row.value === null ? "no estimate" : row.figure];
      if (row.size && data.size_head) about.push(`${data.size_head}: ${row.size}`);
      return {
        item,
        row,
        x: row.value === null ? width / 2 : x(row.value),
        y: Math.round((box.top + box.bottom) / 2 - top),
        text: about.join("\n"),
      };
    };
    const rows = shown.map(place);
    const all = [...rows, place(total)];
    const head = names.children[0].offsetHeight;
    const totalBox = total.cells[0].getBoundingClientRect();
    const bottom = Math.round(totalBox.bottom - top);
    const lastRow = (rows.length > 0 ? shown.at(-1).cells[0] : names.children[0]).getBoundingClientRect();
    const rule = (lastRow.bottom + totalBox.top) / 2 - top;

    const known = all.filter(({row}) => row.value !== null);
    const bars = known.filter(({row}) => row.low !== null && row.high !== null);
    const ends = bars.flatMap(({row, y}) => [{x: x(row.low), y}, {x: x(row.high), y}]);
    const ticks = data.axis.ticks.map(({at, label: name}) => ({x: x(at), name}));
    const tickTexts = (y) => ["start", "middle", "end"].map((textAnchor) => text(
      ticks.filter((tick) => anchorAt(tick.x / width) === textAnchor),
      {x: "x", y, text: "name", textAnchor, className: "tick", lineAnchor: "bottom"}));
    const compared = data.compared === null ? [] : [x(data.compared)];
    const height = (size) => ({y1: (d) => d.y - size, y2: (d) => d.y + size});

    const svg = drawing({
      width,
      height: bottom + 24,
      label,
      marks: [
        ruleX(ticks, {x: "x", y1: head, y2: bottom, className: "grid"}),
        tickTexts(bottom + 19),
        rows.length > 20 ? tickTexts(head - 5) : [],
        ruleX(compared, {x: (at) => at, y1: head, y2: bottom, className: data.compares_with_zero ? "zero" : "overall"}),
        ruleY([rule], {y: (at) => at, x1: 0, x2: width, className: "rule"}),
        link(bars, {x1: ({row}) => x(row.low), x2: ({row}) => x(row.high), y1: "y", y2: "y", className: "bar"}),
        ruleX(ends, {x: "x", ...height(4), className: "bar"}),
        ruleX(known.filter(({row}) => row.yardstick !== null),
          {x: ({row}) => x(row.yardstick), ...height(8), className: "bar second"}),
        dot(known.filter(({item}) => item !== total), {x: "x", y: "y", r: 4.5, stroke: "none", className: "dot"}),
        dot(known.filter(({item}) => item === total), {x: "x", y: "y", r: 4.8, ...diamond, stroke: "none", className: "dot"}),
        text(all.filter(({row}) => row.value === null),
          {x: "x", y: "y", text: () => "no estimate", className: "none"}),
        // Over the same places as the tip, so that both find the same one; without an estimate there is nothing to ring.
        dot(all, pointerY({x: "x", y: "y", r: 8, className: "ring",
          strokeOpacity: {value: ({row}) => (row.value === null ? 0 : 1), scale: null}})),
        tipOn(all, pointerY, width),
      ],
    });
    return {svg, places: all};
  }

  function point(place) {
    for (const item of [...items, total])
      for (const cell of item.cells) cell.classList.toggle("at", item === place?.item);
  }

  return {element, stage, draw, point, isColumn: true};
}

/** Labels of ticks stay inside the drawing. */
function anchorAt(share) {
  return share < 0.03 ? "start" : share > 0.97 ? "end" : "middle";
}
