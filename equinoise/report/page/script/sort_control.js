// SPDX-License-Identifier: Apache-2.0

/**
 * A choice of the order of rows. `reorder` takes a comparison of two rows, or nothing for the order of the report. Rows without
 * a value, or without a size, come last.
 */
export function sortControl(data, reorder) {
  const what = data.figure_head.split(" ")[0];
  const by = (number, sign) => (a, b) => {
    const [first, second] = [number(a.row), number(b.row)];
    if (first === null || second === null) return (first === null) - (second === null);
    return sign * (first - second);
  };
  const orders = [["as in the report", null], [`${what}, highest first`, by(({value}) => value, -1)],
    [`${what}, lowest first`, by(({value}) => value, 1)]];
  if (data.rows.some((row) => sizeOf(row) !== null)) orders.push([`${data.size_head}, largest first`, by(sizeOf, -1)]);

  const select = document.createElement("select");
  select.append(...orders.map(([name]) => new Option(name)));
  select.addEventListener("change", () => reorder(orders[select.selectedIndex][1]));
  const label = document.createElement("label");
  label.className = "tools";
  label.append("Order", select);
  return label;
}

/** The number behind a size such as 48,842; null where there is none. */
function sizeOf({size}) {
  const number = Number(size.replaceAll(",", ""));
  return size === "" || Number.isNaN(number) ? null : number;
}
