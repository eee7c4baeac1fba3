/** An event on a wall: who sits where, by name, large and turning, with the round's clock; between rounds the standings. */
import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Away } from "../away.js";
import { Countdown } from "../clock.js";
import { given, language, say } from "../given.js";
import { joined } from "../parts.js";
import { mount } from "../mount.js";
import { QrPicture } from "../qr_picture.js";
import { bracketOf } from "../tournament/bracket.js";
import { BracketDrawn } from "../tournament/bracket_drawn.js";
import { paged, placesByName, type Place } from "../tournament/by_name.js";
import { followed, type Event } from "../tournament/event_read.js";
import { Champions } from "../tournament/champions.js";
import { podiumOf } from "../tournament/podium.js";
import { roundName } from "../tournament/round_names.js";
import { stageName } from "../tournament/stage_names.js";
import { lastRound, lastStage, type Round, type StageRead } from "../tournament/stage_read.js";
import { byGroup, type Placed } from "../tournament/standing_places.js";
import { fraction, groupName } from "../tournament/stage_standings.js";

/** Milliseconds for which a part of the list is shown. */
const TURN = 10_000;

/** Of a row and of a column, in pixels, the largest first. */
const SIZES = [
  { name: "huge", row: 112, column: 880 },
  { name: "large", row: 88, column: 672 },
  { name: "usual", row: 64, column: 480 },
] as const;

/** Of the head and the foot of the page, of who has won, and of which part of a list is shown: what rows have not, in pixels. */
const HEAD = 290;
const WINNERS = 70;
const PART = 60;
/** Between the page and the window, and between columns, in pixels. */
const MARGINS = 80;
const GAP = 40;

const page = given<{ tournament: string; seq: number; address: string; qr: string }>();
const event = followed(page.tournament, page.seq);
const room = signal({ width: innerWidth, height: innerHeight });

/** How many rows of a size the window has room for, above so many pixels. */
function fitting(size: (typeof SIZES)[number], below = 0): number {
  return columnsOf(size) * Math.max(1, Math.floor((heightOfRows() - below) / size.row));
}

function columnsOf({ column }: (typeof SIZES)[number]): number {
  return Math.max(1, Math.floor((room.value.width - MARGINS + GAP) / (column + GAP)));
}

/** Pixels of height that rows may have. */
function heightOfRows(): number {
  return room.value.height - HEAD - (podiumOf(event.value?.stages ?? []).length > 0 ? WINNERS : 0);
}

/** The largest size in which so many rows are seen at once. */
function sizeFor(rows: number): (typeof SIZES)[number] {
  return SIZES.find((one) => fitting(one) >= rows) ?? SIZES[SIZES.length - 1]!;
}

addEventListener("resize", () => (room.value = { width: innerWidth, height: innerHeight }));

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
          <bdi>{read && stageName(read.stage.name)}</bdi>
          {read !== undefined && round !== undefined && `, ${roundName(round, read.slots)}`}
        </p>
        {isOn && round.ends !== null && (
          <p class="wall-clock">
            <Countdown until={round.ends} />
          </p>
        )}
      </header>
      <div class="wall-winners">
        <Champions champions={shown.champions} stages={stages} names={event.value.names} />
      </div>
      {read === undefined || round === undefined ? (
        <p>{say("stage.nothing_yet")}</p>
      ) : isOn ? (
        <>
          <Turning heads={["stage.table", "tournament.player", "stage.card.opponents"]} rows={seats(round, event.value)} />
          <Rest read={read} names={event.value.names} rows={seats(round, event.value).length} />
        </>
      ) : read.slots.length > 0 ? (
        <Fitted>
          <BracketDrawn read={read} names={event.value.names} />
        </Fitted>
      ) : (
        <Standings read={read} />
      )}
      <footer class="wall-address">
        <QrPicture svg={page.qr} name={say("wall.address")} />
        <p>
          {say("wall.address")} <b>{page.address}</b>
        </p>
      </footer>
    </>
  );
}

function seats(round: Round, { names }: Event): VNode[] {
  return placesByName(round, names, language).map((one, index) => (
    <li key={index}>
      <b>{one.table ?? "–"}</b> <bdi class="who">{one.name}</bdi> <span class="quiet">{beside(one)}</span>{" "}
      <b class="wall-result">{one.result}</b>
    </li>
  ));
}

function beside({ opponents, bye, group }: Place): string {
  if (bye !== null) return say(`stage.bye.${bye}`);
  return group === null ? joined(opponents) : `${joined(opponents)} (${groupName(group)})`;
}

/** Pixels of height that are left below a list of so many rows. */
function left(rows: number): number {
  const size = sizeFor(rows);
  return heightOfRows() - size.row * Math.ceil(rows / columnsOf(size));
}

/** While a round is played, how things stand, where there is room for it below who sits where. */
function Rest({ read, names, rows }: { read: StageRead; names: string[]; rows: number }): VNode | null {
  const most = Math.max(...byGroup(read.standings?.rows ?? []).map((one) => one.rows.length));
  const isKnockout = read.slots.length > 0;
  if (left(rows) < (isKnockout ? SMALLEST * heightOf(read) : (most + 1) * SIZES[1].row)) return null;
  return (
    <div class="wall-rest">
      {isKnockout ? (
        <Fitted>
          <BracketDrawn read={read} names={names} />
        </Fitted>
      ) : (
        <Standings read={read} />
      )}
    </div>
  );
}

/** The scale below which a bracket is not read from afar. */
const SMALLEST = 0.8;

/** Pixels that a bracket needs: of a match with what is between it and the next, and of the names of rounds. */
function heightOf({ slots }: StageRead): number {
  const { winners, losers } = bracketOf(slots);
  const parts = [winners, losers].filter((one) => one.length > 0);
  return parts.reduce((sum, columns) => sum + 75 * Math.max(...columns.map((one) => one.slots.length)) + 60, 0);
}

/** Of the address below it, in pixels. */
const FOOT = 190;

/** As large as the window has room for, and no larger than reads well. */
function Fitted({ children }: { children: ComponentChildren }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const { width, height } = room.value;
  useLayoutEffect(() => {
    const { style, scrollWidth, scrollHeight } = unscaled(box.current!);
    const { top } = box.current!.getBoundingClientRect();
    style.zoom = String(Math.min(2.2, (width - MARGINS) / scrollWidth, (height - top - FOOT) / scrollHeight));
  });
  return (
    <div ref={box} class="wall-fitted">
      {children}
    </div>
  );
}

function unscaled(box: HTMLElement): HTMLElement {
  box.style.zoom = "1";
  return box;
}

/** A table for each group, side by side while there is room for them; else they take turns. */
function Standings({ read }: { read: StageRead }): VNode {
  const groups = byGroup(read.standings?.rows ?? []);
  const heads = ["tournament.place", "tournament.player", "stage.points"];
  if (groups.length < 2) return <Turning heads={heads} rows={groups.flatMap((one) => one.rows.map(standing))} />;
  return (
    <div class="wall-groups">
      {groups.map(({ group, rows }) => (
        <section key={group}>
          <h2>{groupName(group ?? 0)}</h2>
          <ol class="wall-rows" data-size={groups.length > 4 ? "usual" : "large"}>
            {rows.map(standing)}
          </ol>
        </section>
      ))}
    </div>
  );
}

function standing({ row, place }: Placed): VNode {
  return (
    <li key={row.player}>
      <b>{place}</b> <bdi class="who">{row.name}</bdi> <span>{fraction(row.points)}</span>
    </li>
  );
}

/** A list in parts that take turns, until somebody stops them. */
function Turning({ heads, rows }: { heads: string[]; rows: VNode[] }): VNode {
  const size = sizeFor(rows.length);
  const pages = paged(rows, rows.length > fitting(size) ? fitting(size, PART) : fitting(size));
  const shown = useSignal(0);
  const stopped = useSignal(false);
  useEffect(() => {
    const timer = setInterval(() => (shown.value += Number(!stopped.peek())), TURN);
    return () => clearInterval(timer);
  }, []);
  const at = pages.length === 0 ? 0 : shown.value % pages.length;
  const columns = [...Array(Math.min(pages[at]?.length ?? 0, columnsOf(size))).keys()];
  return (
    <>
      <div class="wall-rows" data-size={size.name}>
        {columns.map((column) => (
          <p key={column} class="wall-heads quiet" aria-hidden={column > 0}>
            {heads.map((one) => (
              <span key={one}>{say(one)}</span>
            ))}
          </p>
        ))}
      </div>
      <ol class="wall-rows" data-size={size.name}>
        {pages[at]}
      </ol>
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
