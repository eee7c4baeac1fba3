/** A match as it is played, and every position of it again. */
import { effect, untracked } from "@preact/signals";
import type { VNode } from "preact";
import { boardFrom, type BoardFile, type Shown } from "../board.js";
import { changes } from "../changes.js";
import { say } from "../given.js";
import { AudienceChoice } from "../match/audience.js";
import { Void } from "../match/cause.js";
import { Chart } from "../match/chart.js";
import { play } from "../match/player.js";
import { Entered } from "../match/entered.js";
import { Events } from "../match/record.js";
import { Keys, Share } from "../match/share.js";
import { Awaited, Notices, Outcome, Seats, Step } from "../match/state.js";
import { keepAddress, listen, TimeLine } from "../match/timeline.js";
import { isUnplayed } from "../match/unplayed.js";
import { begin, count, info, learnOwn, page, reading, shown, watch, type Drawn } from "../match/watch.js";
import { mount } from "../mount.js";
import { notBegun } from "../parts.js";
import { anyLine } from "../table/lines.js";

function Match({ Board, course, moves }: BoardFile<unknown>): VNode | null {
  if (shown.value === null) return null;
  const { view } = shown.value;
  const isEntered = view.result !== null && isUnplayed((reading.value?.lines() ?? []).map(anyLine));
  return (
    <>
      <div class="watched">
        <Seats view={view} />
        <Awaited view={view} />
        {isEntered ? (
          <Entered />
        ) : (
          <>
            <TimeLine moves={moves} />
            <Step view={view} />
          </>
        )}
        <Outcome view={view} />
        <Void view={view} />
        {!isEntered && (
          <section class="board" aria-labelledby="board">
            <h2 id="board">{say(`match.board.${kind(view.audience)}`)}</h2>
            {view.view === null ? <p class="quiet">{notBegun(info.value)}</p> : <Board {...drawnAs(shown.value)} />}
          </section>
        )}
        {!isEntered && course !== undefined && <Chart view={view} courseOf={course} />}
      </div>
      <aside>
        <Events seats={view.seats} moves={moves} />
        <AudienceChoice />
        <section aria-label={say("match.pass_on")}>
          <Share />
          <Keys />
        </section>
      </aside>
    </>
  );
}

function drawnAs({ view, before, from }: Drawn): Shown {
  return {
    view: view.view,
    seats: view.seats,
    audience: view.audience,
    result: view.result,
    before: before?.view,
    lines: from.until(view.seq),
    changed: changes(before?.view, view.view),
  };
}

function kind(audience: string): string {
  return audience.split(":")[0] ?? audience;
}

/** Takes the place of what the service has drawn, once there is something to take it. */
function takeOver(place: HTMLElement, file: BoardFile<unknown>): void {
  let taken = false;
  effect(() => {
    if (taken || shown.value === null) return;
    taken = true;
    untracked(() => mount(place, <Match {...file} />));
  });
}

const place = document.getElementById("match");
const notices = document.getElementById("notices");
if (place !== null && notices !== null) {
  mount(notices, <Notices />);
  takeOver(place, await boardFrom(page.board));
  watch();
  play();
  listen();
  keepAddress();
  void learnOwn();
  count();
  void begin(page.as);
}
