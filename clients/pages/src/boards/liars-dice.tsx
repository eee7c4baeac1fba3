/** Liar's Dice: dice under cups, the bids, and what a call has shown. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import type { Course, Shown } from "../board.js";
import { Die, HiddenDie } from "../dice.js";
import { classes, ownSeat, Private, PrivateLegend, RoundOver, seatColour, whoActs } from "../drawing.js";
import { say } from "../given.js";
import { Mark, Seat } from "../parts.js";
import { live } from "../rewinds.js";

export { moves } from "../moves/liars-dice.js";

type View = Schemas["LiarsDiceBoard"];
type Bid = View["bids"][number];
type Call = NonNullable<View["last_round"]>;
type Table = Shown<View>;

export function Board(shown: Table): VNode {
  const { view } = shown;
  const open = isOpen(view) ? view.last_round : null;
  return (
    <div class="liars">
      <p class={classes("liars-head", shown.changed("phase") && "changed")}>{headline(shown)}</p>
      {view.last_round !== null && (open !== null || view.bids.length < 2) && (
        <RoundOver text={outcomeOf(view.last_round, shown.seats)} isNew={shown.changed("last_round")} />
      )}
      <PrivateLegend audience={shown.audience} />
      <div class="liars-table">
        <Middle {...shown} />
        <ul class="cups">
          {shown.seats.map((_, seat) => (
            <Place key={seat} seat={seat} call={open} {...shown} />
          ))}
        </ul>
      </div>
      {view.last_round !== null && open === null && <LastRound call={view.last_round} seats={shown.seats} />}
    </div>
  );
}

/** The dice that each seat had after each round that is over. */
export function course({ seats, lines }: Table): Course | null {
  if (lines === undefined) return null;
  const left = live(lines).flatMap((line) => (line.type === "liars-dice.round-ended.1" ? [line.data.dice_left] : []));
  if (left.length === 0) return null;
  return {
    title: say("board.liars-dice.course"),
    along: say("board.liars-dice.course.along"),
    x: left.map((_, index) => index + 1),
    lines: seats.map((_, seat) => ({ seat, y: left.map((dice) => dice[seat] ?? null) })),
  };
}

/** Whether the dice of the last round still lie open: nobody here has seen newer ones. */
function isOpen({ phase, dice, hands }: View): boolean {
  return phase !== "bidding" && !dice?.length && !hands?.some((hand) => hand.length > 0);
}

function headline(shown: Table): string {
  const { view, seats, result } = shown;
  if (view.phase === "over") {
    const winner = result?.winners[0];
    return winner === undefined ? say("board.over") : say("board.liars-dice.over", { name: seats[winner] ?? "" });
  }
  const acting = view.phase === "roll" ? null : view.to_act;
  const name = acting === null ? "rolling" : view.bid === null ? "opening" : "bidding";
  return whoActs(`board.liars-dice.${name}`, acting, shown, { round: view.round });
}

/** The bid that has to be raised or called, or what the last call showed. */
function Middle(shown: Table): VNode {
  const { view, seats, changed } = shown;
  if (view.bid === null) {
    const open = isOpen(view) ? view.last_round : null;
    return (
      <div class={classes("bid", changed("last_round") && "changed")}>
        {open !== null && <Outcome call={open} seats={seats} />}
        {open === null && <p class="quiet">{say("board.liars-dice.no_bid")}</p>}
      </div>
    );
  }
  const inPlay = view.dice_left.reduce((sum, dice) => sum + dice);
  return (
    <div class={classes("bid", changed("bid") && "changed")}>
      <p class="bid-now">
        <BidShown bid={view.bid} />
      </p>
      <p class="quiet">{say("board.liars-dice.in_play", { count: inPlay })}</p>
      <p>
        <Seat number={view.bid.seat} name={seats[view.bid.seat]} />
      </p>
      {view.bids.length > 1 && <Bids bids={view.bids.slice(0, -1)} seats={seats} />}
    </div>
  );
}

function BidShown({ bid }: { bid: Bid }): VNode {
  return (
    <span class="bid-shown">
      <b>{bid.count}</b> × <Die face={bid.face} label={say("board.liars-dice.face", { face: bid.face })} />
    </span>
  );
}

/** The earlier bids of the round, the latest first. */
function Bids({ bids, seats }: { bids: Bid[]; seats: readonly string[] }): VNode {
  return (
    <ol class="bids" reversed aria-label={say("board.liars-dice.earlier")}>
      {[...bids].reverse().map((bid) => (
        <li key={`${bid.count} ${bid.face}`} title={seats[bid.seat]}>
          <Mark seat={bid.seat} /> <BidShown bid={bid} />
        </li>
      ))}
    </ol>
  );
}

/** A seat: its cup, and under it, or before it, its dice. */
function Place({ seat, call, ...shown }: Table & { seat: number; call: Call | null }): VNode {
  const { view, seats, changed, result } = shown;
  const left = view.dice_left[seat] ?? 0;
  const acts = view.to_act === seat && view.phase === "bidding";
  const isOut = left === 0;
  const told = call?.lost === seat ? "lost" : call?.gained === seat ? "gained" : null;
  return (
    <li
      class={classes("cup", acts && "cup-acts", isOut && "cup-out", changed("dice_left", seat) && "changed")}
      style={seatColour(seat)}
    >
      <p class="cup-head">
        <Seat number={seat} name={seats[seat]} />
        {acts && <b class="cup-turn">{say("board.acts")}</b>}
        {result?.winners.includes(seat) && <b class="cup-won">{say("board.wins")}</b>}
      </p>
      <Dice seat={seat} call={call} {...shown} />
      <p class="cup-count">
        {isOut ? say("board.liars-dice.out") : say("board.liars-dice.left", { count: left })}
        {told !== null && <b> {say(`board.liars-dice.${told}`)}</b>}
      </p>
    </li>
  );
}

function Dice({ seat, call, ...shown }: Table & { seat: number; call: Call | null }): VNode | null {
  if (call !== null) return <OpenDice dice={call.dice[seat] ?? []} call={call} />;
  const { view, audience, changed } = shown;
  const known = view.hands?.[seat] ?? (ownSeat(audience) === seat ? view.dice : undefined);
  const left = view.dice_left[seat] ?? 0;
  if (left === 0) return null;
  if (known !== undefined && known.length > 0) {
    const isNew = changed("dice") || changed("hands", seat);
    return (
      <Private audience={audience}>
        <p class={classes("dice", isNew && "changed")}>
          {known.map((face, place) => (
            <Die key={place} face={face} />
          ))}
        </p>
      </Private>
    );
  }
  const name = view.phase === "bidding" ? "board.liars-dice.covered" : "board.liars-dice.unrolled";
  return <Covered count={left} label={say(name)} />;
}

/** Dice under a cup. */
function Covered({ count, label }: { count: number; label: string }): VNode {
  return (
    <div class="covered" role="img" aria-label={label}>
      <svg class="cup-drawn" viewBox="0 0 120 60" aria-hidden="true">
        <path class="cup-side" d="M22 6h76l14 46H8z" />
        <path class="cup-rim" d="M4 52h112" />
      </svg>
      <p class="dice">
        {Array.from({ length: count }, (_, place) => (
          <HiddenDie key={place} />
        ))}
      </p>
    </div>
  );
}

/** Dice that were shown; those that match the bid are marked. */
function OpenDice({ dice, call }: { dice: number[]; call: Call }): VNode | null {
  if (dice.length === 0) return null;
  const onesMatch = areOnesWild(call);
  return (
    <p class="dice">
      {dice.map((face, place) => {
        const matches = face === call.bid.face || (onesMatch && face === 1);
        const label = matches ? say("board.liars-dice.matches", { face }) : String(face);
        return <Die key={place} face={face} label={label} kind={matches ? "die-matches" : ""} />;
      })}
    </p>
  );
}

/** Whether ones counted with the face of the bid: more matched than showed it. */
function areOnesWild({ dice, bid, matching }: Call): boolean {
  return matching > dice.flat().filter((face) => face === bid.face).length;
}

/** The same in one line. */
function outcomeOf({ call, by, bid, matching, lost, gained }: Call, seats: readonly string[]): string {
  const who = say(`board.liars-dice.${call}`, { by: seats[by] ?? "", of: seats[bid.seat] ?? "" });
  const what = say("board.liars-dice.matching.of", { count: matching, bid: bid.count, face: bid.face });
  const loses = lost === null ? "" : say("board.liars-dice.loses", { name: seats[lost] ?? "" });
  const gains = gained === null ? "" : say("board.liars-dice.gains", { name: seats[gained] ?? "" });
  return [who, what, loses, gains].filter((one) => one !== "").join(" ");
}

/** What was called, and what came of it. */
function Outcome({ call, seats }: { call: Call; seats: readonly string[] }): VNode {
  const { bid, by, matching, lost, gained } = call;
  return (
    <div class="outcome-of-call">
      <p class="bid-now">
        <BidShown bid={bid} />
      </p>
      <p>{say(`board.liars-dice.${call.call}`, { by: seats[by] ?? "", of: seats[bid.seat] ?? "" })}</p>
      <p>
        <b>{say("board.liars-dice.matching", { count: matching })}</b>
        {lost !== null && <> {say("board.liars-dice.loses", { name: seats[lost] ?? "" })}</>}
        {gained !== null && <> {say("board.liars-dice.gains", { name: seats[gained] ?? "" })}</>}
      </p>
    </div>
  );
}

/** The round before, while the next one is played. */
function LastRound({ call, seats }: { call: Call; seats: readonly string[] }): VNode {
  return (
    <section class="last-round" aria-label={say("board.liars-dice.last_round")}>
      <h3>{say("board.liars-dice.last_round")}</h3>
      <Outcome call={call} seats={seats} />
      <ul class="shown-hands">
        {call.dice.map((dice, seat) =>
          dice.length === 0 ? null : (
            <li key={seat} title={seats[seat]}>
              <Mark seat={seat} /> <OpenDice dice={dice} call={call} />
            </li>
          ),
        )}
      </ul>
    </section>
  );
}
