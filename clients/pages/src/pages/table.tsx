/** The table of a match, for who moderates or organises it. */
import { effect, untracked } from "@preact/signals";
import { boardFrom, type BoardFile } from "../board.js";
import { mount } from "../mount.js";
import { away } from "../service.js";
import { Table } from "../table/desk.js";
import { invited } from "../table/invited.js";
import { about, signInWithKept, trying } from "../table/state.js";

/** Takes the place of what the service has drawn, once there is something to take it. */
function takeOver(place: HTMLElement, { Board }: BoardFile<unknown>): void {
  let taken = false;
  effect(() => {
    if (taken || (invited.value === null && trying.value === "first" && !away.value)) return;
    taken = true;
    untracked(() => mount(place, <Table Board={Board} />));
  });
}

const place = document.getElementById("table");
if (place !== null) {
  takeOver(place, await boardFrom(about.board));
  if (invited.value === null) signInWithKept();
}
