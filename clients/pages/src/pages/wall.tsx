/** An event on a wall: who sits where, by name, large and turning, with the round's clock; between rounds the standings. */
import { signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Away } from "../away.js";
import { Countdown } from "../clock.js";
import { given, language, say } from "../given.js";
import { joined } from "../parts.js";
import { mount } from "../mount.js";
import { BracketDrawn } from "../tournament/bracket_drawn.js";
import { paged, placesByName, type Place } from "../tournament/by_name.js";
import { followed, type Event } from "../tournament/event_read.js";
import { lastRound, lastStage, type Round, type StageRead } from "../tournament/stage_read.js";
import { fraction, groupName } from "../tournament/stage_standings.js";

/** Milliseconds for which a part of the list is shown. */
const TURN = 10_000;

/** Of a row and of a column, in pixels; the head of the page takes the rest. */
const ROW = 64;
const COLUMN = 480;
const HEAD = 230;

const page = given<{ tournament: string; seq: number }>();
const event = followed(page.tournament, page.seq);
const size = signal(fitting());

/** How many rows the window has room for. */
function fitting(): number {
  return Math.max(1, Math.floor(innerWidth / COLUMN)) * Math.max(1, Math.floor((innerHeight - HEAD) / ROW));
}

addEventListener("resize", () => (size.value = fitting()));

function Wall(): VNode | null {
  if (event.value === null) return null;
  const { shown, stages } = event.value;
  const read = lastStage(stages);
  const round = read === undefined ? undefined : lastRound(read);
  const isOn = round !== undefined && round.status === "published";
  return (
    <>
      <Away />
      <header class="wall-head">
        <h1>
          <bdi>{shown.name}</bdi>
        </h1>
        <p>
          <bdi>{read?.stage.name}</bdi>
          {round !== undefined && `, ${say("tournament.round", { number: round.round })}`}
        </p>
        {isOn && round.ends !== null && (
          <p class="wall-clock">
            <Countdown until={round.ends} />
          </p>
        )}
      </header>
      {shown.champions != null && <Champions names={shown.champions.map((one) => event.value!.names[one] ?? "")} />}
      {read === undefined || round === undefined ? (
        <p>{say("stage.nothing_yet")}</p>
      ) : isOn ? (
        <Turning heads={["stage.table", "tournament.player", "stage.card.opponents"]} rows={seats(round, event.value)} />
      ) : read.slots.length > 0 ? (
        <BracketDrawn slots={read.slots} names={event.value.names} />
      ) : (
        <Turning heads={["tournament.place", "tournament.player", "stage.points"]} rows={standings(read)} />
      )}
    </>
  );
}

function Champions({ names }: { names: readonly string[] }): VNode | null {
  return names.length === 0 ? null : <p class="champions">{say("stage.champions", { count: names.length, names: joined(names) })}</p>;
}

function seats(round: Round, { names }: Event): VNode[] {
  return placesByName(round, names, language).map((one, index) => (
    <li key={index}>
      <b>{one.table ?? "–"}</b> <bdi class="who">{one.name}</bdi> <span class="quiet">{beside(one)}</span>
    </li>
  ));
}

function beside({ opponents, bye, group }: Place): string {
  if (bye !== null) return say(`stage.bye.${bye}`);
  return group === null ? joined(opponents) : `${joined(opponents)} (${groupName(group)})`;
}

function standings({ standings: found }: StageRead): VNode[] {
  return (found?.rows ?? []).map((one) => (
    <li key={one.player}>
      <b>{one.place}</b> <bdi class="who">{one.name}</bdi> <span>{fraction(one.points)}</span>
    </li>
  ));
}

/** A list in parts that take turns, until somebody stops them. */
function Turning({ heads, rows }: { heads: string[]; rows: VNode[] }): VNode {
  const pages = paged(rows, size.value);
  const shown = useSignal(0);
  const stopped = useSignal(false);
  useEffect(() => {
    const timer = setInterval(() => (shown.value += Number(!stopped.peek())), TURN);
    return () => clearInterval(timer);
  }, []);
  const at = pages.length === 0 ? 0 : shown.value % pages.length;
  return (
    <>
      <div class="wall-rows">
        <p class="wall-heads quiet">
          {heads.map((one) => (
            <span key={one}>{say(one)}</span>
          ))}
        </p>
      </div>
      <ol class="wall-rows">{pages[at]}</ol>
      {pages.length > 1 && (
        <p class="wall-foot">
          {at + 1} / {pages.length}{" "}
          <button type="button" class="plain" aria-pressed={stopped.value} onClick={() => (stopped.value = !stopped.value)}>
            {say("wall.stop")}
          </button>
        </p>
      )}
    </>
  );
}

mount(document.getElementById("wall")!, <Wall />);
