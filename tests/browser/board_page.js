// A page with nothing but a board: it draws given views of a game, one after another.
import { Board, course } from "board";
import { h, render } from "preact";
import { changes } from "./src/changes.js";

const place = document.getElementById("drawn");
const board = place.closest(".board");

/** Draws what a reader of this page would see. */
window.draw = (shown) => render(h(Board, { ...shown, changed: changes(shown.before, shown.view) }), place);

/** Draws each; says, as JSON, the texts of all elements of a selector then. */
window.drawAll = (all, selector) => {
  const texts = JSON.parse(all).map((shown) => {
    draw(shown);
    return [...place.querySelectorAll(selector)].map((one) => one.textContent);
  });
  return JSON.stringify(texts);
};

/** Draws each; says by how much the widest is wider than its board. */
window.beyond = (all) =>
  Math.max(...JSON.parse(all).map((shown) => (draw(shown), board.scrollWidth - board.clientWidth)));

window.course = course;
