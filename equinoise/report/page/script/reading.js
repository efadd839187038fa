// SPDX-License-Identifier: Apache-2.0

const kSteps = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10};

// A slider's value rises with ArrowUp by the ARIA pattern. Here it is the number of a row, so ArrowDown, which raises it, goes to
// the row below, as in any list.
const kStepsInColumn = {...kSteps, ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10};

/**
 * Lets a chart be read by keyboard, place by place, as the pointer reads it: to assistive technology it is a slider over its
 * places, whose value is the text of the place. Places are in a column or side by side. `point` is told of each place that is
 * pointed at, and of none by null.
 */
export function makeReadable(stage, label, isColumn, point) {
  const steps = isColumn ? kStepsInColumn : kSteps;
  let svg;
  let places = [];
  let at = 0;

  stage.classList.add("stage");
  stage.tabIndex = 0;
  stage.setAttribute("role", "slider");
  stage.setAttribute("aria-label", label);
  stage.setAttribute("aria-orientation", isColumn ? "vertical" : "horizontal");

  const tell = () => {
    stage.setAttribute("aria-valuenow", at + 1);
    stage.setAttribute("aria-valuetext", places[at]?.text.replaceAll("\n", ", ") ?? "");
  };
  const send = (type, x = 0, y = 0) => {
    const {left, top} = svg.getBoundingClientRect();
    svg.dispatchEvent(new PointerEvent(type, {pointerType: "mouse", clientX: left + x, clientY: top + y}));
  };
  const show = (index) => {
    const next = Math.max(0, Math.min(places.length - 1, index));
    if (places.length > 0) send("pointermove", places[next].x, places[next].y);
    // Of places that lie on one another the pointer may find another one, from which the keys would never go on.
    at = next;
    tell();
  };

  stage.addEventListener("focus", () => {
    if (stage.matches(":focus-visible")) show(at);
  });
  stage.addEventListener("blur", () => send("pointerleave"));
  stage.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return send("pointerleave");
    const next = event.key === "Home" ? 0 : event.key === "End" ? places.length - 1 : at + steps[event.key];
    if (Number.isNaN(next) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    show(next);
  });
  // Plot would hold on to what is clicked, also against the arrow keys.
  stage.addEventListener("pointerdown", (event) => event.stopPropagation(), {capture: true});

  return {
    /** Begins anew with a drawing that has just been attached. */
    begin(drawing, newPlaces) {
      svg = drawing;
      places = newPlaces;
      at = 0;
      stage.setAttribute("aria-valuemin", 1);
      stage.setAttribute("aria-valuemax", places.length);
      tell();
      point(null);
      svg.addEventListener("input", () => {
        point(svg.value);
        if (svg.value === null) return;
        at = places.indexOf(svg.value);
        tell();
      });
    },
  };
}
