// SPDX-License-Identifier: Apache-2.0
import {makeReadable} from "./reading.js";
import {renderers} from "./renderers.js";

/** Shows an interactive drawing in place of the static one, which stays for print and for whatever fails. */
export function makeLive(figure) {
  let live;
  const guarded = (action) => {
    try {
      action();
    } catch (error) {
      console.error(error);
      figure.classList.remove("is-live");
      live?.remove();
    }
  };
  guarded(() => {
    const drawn = figure.querySelector(".drawn");
    const label = [...drawn.querySelectorAll("svg > title, svg > desc")].map((name) => name.textContent).join(". ");
    const data = JSON.parse(figure.querySelector("script").textContent);
    const view = renderers[figure.dataset.chart](data, drawn, () => guarded(redraw));
    const reading = makeReadable(view.stage, label, view.isColumn, (place) => view.point?.(place));
    let width = 0;

    function redraw() {
      const {svg, places} = view.draw(width, label);
      view.stage.replaceChildren(svg);
      reading.begin(svg, places);
    }

    live = document.createElement("div");
    live.className = "live";
    live.append(view.element);
    drawn.after(live);
    figure.classList.add("is-live");

    const fit = () => {
      const available = Math.floor(view.stage.getBoundingClientRect().width);
      if (available === 0 || available === width) return;  // not shown: printed
      width = available;
      redraw();
    };
    fit();
    new ResizeObserver(() => guarded(fit)).observe(view.stage);
  });
}
