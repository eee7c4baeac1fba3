/** The table of a match, for who moderates or organises it. */
import { render } from "preact";
import { boardFrom } from "../board.js";
import { Table } from "../table/desk.js";
import { about, signInWithKept } from "../table/state.js";

const file = await boardFrom(about.board);
await signInWithKept();
const place = document.getElementById("table");
if (place !== null) {
  place.replaceChildren();
  render(<Table Board={file.Board} />, place);
}
