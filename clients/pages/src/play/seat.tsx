/** The page of a seat. */
import type { Line } from "@arbiter/client";
import { useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { BoardFile } from "../board.js";
import { changes } from "../changes.js";
import { Countdown } from "../clock.js";
import type { FormFile } from "../game_form.js";
import { say } from "../given.js";
import { HowToPlay } from "../how_to_play.js";
import { notBegun, Notice, outcome, Seat, Status, waitsFor } from "../parts.js";
import { Contradiction, Receipts } from "../receipts.js";
import { Acting } from "./acting.js";
import { AfterEnd } from "./after_end.js";
import { CheckFirst } from "./check_first.js";
import { ForgetButton, KeyPanel } from "./evidence.js";
import { Again, Gathering } from "./open_table.js";
import { Protest } from "./protest.js";
import { Push } from "./push.js";
import { ring, Sound } from "./sound.js";
import { Asking, Consents, Notes, Seed } from "./saying.js";
import type { Course } from "./doings.js";
import type { Look, Seated } from "./seated.js";
import { isFree } from "./seats.js";
import { Sent, Standing } from "./submissions.js";
import type { Speech } from "./words.js";
import { below } from "../root.js";
import { Unkept } from "../unkept.js";

interface SeatPageProps {
  seated: Seated;
  board: BoardFile<unknown>;
  forms: FormFile;
  /** Whether its reader has just come to it from another page in its place. */
  entered: boolean;
}

export function SeatPage({ seated, board, forms, entered }: SeatPageProps): VNode {
  const look = seated.look.value;
  const course = seated.course.value;
  const gathers = seated.info.open_table && look?.view.status === "created";
  useTitle(seated);
  const of = useMemo<Speech>(
    () => ({ game: seated.info.game, seats: look?.view.seats ?? seated.info.seats, forms }),
    [look?.view.seats, forms],
  );
  return (
    <div class="play">
      <Head seated={seated} look={look} entered={entered} />
      <Contradiction kept={seated.kept} />
      {seated.away.value && <Notice>{say("play.away")}</Notice>}
      <Unkept />
      {look !== null && (
        <>
          {gathers ? <Gathering seated={seated} look={look} /> : <Turn seated={seated} look={look} />}
          {look.view.status === "ended" && <AfterEnd match={seated.info.id} />}
          {seated.info.open_table && look.view.status === "ended" && <Again seated={seated} look={look} />}
          <Consents seated={seated} look={look} asked={course.asked} Board={board.Board} />
          <div class="own-table">
            {!gathers && (look.view.view !== null || look.view.status !== "void") && (
              <section class="board" aria-labelledby="board">
                <h2 id="board">{say("play.board")}</h2>
                <Drawn look={look} board={board} course={course} />
              </section>
            )}
            <section class="acting" aria-labelledby="acting" data-docked={isMine(look)} data-idle={!acts(look)}>
              <h2 id="acting">{say("play.acting")}</h2>
              <Standing look={look} of={of} />
              <Acting seated={seated} look={look} of={of} />
            </section>
            <div class="side">
              <About seated={seated} look={look} forms={forms} />
              <Seed seated={seated} look={look} course={course} />
              <Sent seated={seated} course={course} of={of} />
              <Notes noted={course.noted} table={seated.info.open_table} />
              <Receipts kept={seated.kept} unchecked={seated.unchecked.value} />
              <Asking seated={seated} look={look} course={course} />
              {!seated.info.open_table && <Protest seated={seated} look={look} />}
              <KeyPanel kept={seated.kept} />
              <p>
                <ForgetButton kept={seated.kept} table={seated.info.open_table} />
              </p>
            </div>
          </div>
        </>
      )}
    </div>
  );
}

/** The tab says when it is this seat's turn, and rings if its reader has asked for that. */
function useTitle(seated: Seated): void {
  const { title } = seated.info;
  const was = useRef(true);
  useSignalEffect(() => {
    const mine = isMine(seated.look.value);
    document.title = mine ? say("play.title.turn", { title }) : title;
    if (mine && !was.current) ring();
    if (seated.look.value !== null) was.current = mine;
  });
}

function Head({ seated, look, entered }: { seated: Seated; look: Look | null; entered: boolean }): VNode {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (entered) title.current?.focus();
  }, []);
  const { info } = seated;
  const own = seatOf(look);
  return (
    <header>
      <div class="match-head">
        <h1 tabIndex={-1} ref={title}>{info.title}</h1> <Status name={look?.view.status ?? info.status} />
        {own !== null && <span>{say("play.you_are", { name: look?.view.seats[own] ?? "" })}</span>}
      </div>
      {info.prize !== null && <p class="quiet">{say("match.prize", { prize: info.prize })}</p>}
    </header>
  );
}

/** Who plays, how it is played, and how its reader plays. */
function About({ seated: { info, kept }, look, forms }: { seated: Seated; look: Look; forms: FormFile }): VNode {
  const own = seatOf(look);
  return (
    <section aria-labelledby="about">
      <h2 id="about">{say("play.about")}</h2>
      <p class="seats">
        {look.view.seats.map((name, seat) => (
          <span key={seat} class="one-seat" aria-current={seat === own ? "true" : undefined}>
            <Seat number={seat} name={info.open_table && isFree(name, seat) ? undefined : name} />
          </span>
        ))}
      </p>
      <HowToPlay game={info.game} />
      <p>
        <a href={below(`/m/${info.id}`)}>{say("play.watch")}</a>
        {info.tournament !== null && (
          <>
            {" · "}
            <a href={below(`/t/${info.tournament}/me`)}>{say("play.cup")}</a>
          </>
        )}
      </p>
      {!["ended", "void"].includes(look.view.status) && (
        <>
          {forms.oneTap !== undefined && <CheckFirst />}
          <Sound />
          <Push kept={kept} seat={own} />
        </>
      )}
    </section>
  );
}

function seatOf(look: Look | null): number | null {
  return look === null ? null : Number(look.view.audience.replace("seat:", ""));
}

function Drawn({ look: { view, before }, board: { Board }, course }: { look: Look; board: BoardFile<unknown>; course: Course }): VNode {
  if (view.view === null) return <p class="quiet">{say("match.not_begun")}</p>;
  return (
    <Board view={view.view} seats={view.seats} audience={view.audience} result={view.result} lines={course.lines as unknown as readonly Line[]} changed={changes(before?.view, view.view)} />
  );
}

/** Whether there is, or will be, something to do: not before it begins, nor behind its end. */
function acts({ view, menu }: Look): boolean {
  return menu.actions.length > 0 || view.status === "running" || view.status === "paused";
}

/** Whether the match waits for this seat. Of a paused one the menu says who was awaited. */
function isMine(look: Look | null): boolean {
  return look !== null && look.view.status === "running" && look.menu.awaited && !look.menu.submitted;
}

/** Whose turn it is, and until when. */
function Turn({ seated, look }: { seated: Seated; look: Look }): VNode {
  const { view, menu } = look;
  const mine = isMine(look);
  const { deadline } = view.awaiting;
  return (
    <div class="turn" data-mine={mine}>
      <p role="status" tabIndex={-1}>{view.status === "created" ? notBegun({ ...seated.info, status: view.status }) : turn(view, mine, menu.submitted)}</p>
      {deadline !== null && (
        <p>
          <Countdown until={deadline} />
        </p>
      )}
    </div>
  );
}

function turn({ audience, status, result, seats, awaiting }: Look["view"], mine: boolean, submitted: boolean): string {
  if (status === "paused") return say("play.paused");
  if (status === "void") return say("match.void");
  if (result !== null) return ended(result, seats, Number(audience.replace("seat:", "")));
  if (mine) return say("play.your_turn");
  if (submitted) return say("play.submitted");
  if (awaiting.draw !== null) return say("match.awaits.draw");
  return waitsFor(awaiting.seats.map((seat) => seats[seat] ?? ""));
}

function ended(result: NonNullable<Look["view"]["result"]>, seats: readonly string[], own: number): string {
  const said = ownOutcome(result, own) ?? outcome(result, seats);
  return result.final === false ? `${said} (${say("match.provisional")})` : said;
}

/** Between two: whether this seat has won, with its own score first. */
function ownOutcome({ winners, shared, scores }: NonNullable<Look["view"]["result"]>, own: number): string | null {
  if (scores.length !== 2 || shared || winners.length !== 1) return null;
  const said = winners.includes(own) ? "play.won" : "play.lost";
  if (scores[0] === scores[1]) return say(`${said}.plain`);
  const values = { own: scores[own] ?? 0, other: scores[1 - own] ?? 0 };
  return say(said, values);
}
