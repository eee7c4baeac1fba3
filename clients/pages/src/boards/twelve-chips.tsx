/** The board of 12 Chips: the centre, and around it what lies in front of each seat and in its hand. */
import type { VNode } from "preact";
import type { Course, Shown } from "../board.js";
import { added } from "../changes.js";
import { Difference } from "../difference.js";
import { whoActs } from "../drawing.js";
import { say } from "../given.js";
import { joined, Seat } from "../parts.js";
import { live } from "../rewinds.js";
import { Backs, Chip, Chips, type Colour, colour, Row, sum, type View, words } from "../twelve-chips/chips.js";
import { LastRound, RoundEnded, roundOf } from "../twelve-chips/last-round.js";

export { moves } from "../moves/twelve-chips.js";

/** Chips in front of a seat and in its hand; the round ends when all are in front. */
const EACH = 4;
const IN_THE_BOX = 12;

export function Board(shown: Shown<View>): VNode {
  const { view, seats } = shown;
  return (
    <div class="twelve-chips">
      <p class="situation">
        <b>{words("round", { round: view.round, trick: view.trick })}</b> <span>{situation(shown)}</span>
      </p>
      <RoundEnded {...shown} />
      <div class="table" data-seats={seats.length}>
        <Centre {...shown} />
        {seats.map((_, seat) => (
          <Place key={seat} {...shown} seat={seat} />
        ))}
      </div>
      <SetAside {...shown} />
      <LastRound {...shown} />
    </div>
  );
}

/** The tokens of each seat after each round. */
export function course({ view, lines }: Shown<View>): Course | null {
  if (lines === undefined || view.last_round === null) return null;
  const after = [view.tokens.map(() => 0)];
  for (const line of live(lines)) {
    if (line.type !== "twelve-chips.round-scored.1") continue;
    const { winners } = line.data;
    after.push((after.at(-1) ?? []).map((had, seat) => had + (winners.includes(seat) ? 1 : 0)));
  }
  return {
    title: words("course"),
    along: words("course.along"),
    x: [...after.keys()],
    lines: view.tokens.map((_, seat) => ({ seat, y: after.map((tokens) => tokens[seat] ?? null) })),
  };
}

function situation(shown: Shown<View>): string {
  const { view, seats, result } = shown;
  const acts = (text: string) => whoActs(`board.twelve-chips.${text}`, view.to_act, shown);
  switch (view.phase) {
    case "deal":
      if (view.entered === undefined || view.entered.length === 0) return words("deal");
      return words("entered", { names: joined(view.entered.map((seat) => seats[seat] ?? "")) });
    case "play":
      return view.to_act === null ? words("played") : acts("play");
    case "take": {
      if (view.to_act === null) return words("taken");
      const reds = view.centre.some(({ chip }) => colour(chip) === "red");
      return acts(reds ? "take.red" : "take");
    }
    case "over": {
      if (result === null || result.winners.length === 0) return words("over");
      const names = joined(result.winners.map((seat) => seats[seat] ?? ""));
      return words("won", { count: result.winners.length, names });
    }
  }
}

/** The chips that were played and not yet taken, in play order. */
function Centre({ view, before, seats }: Shown<View>): VNode {
  const fresh = before ? added(before.centre, view.centre) : [];
  const highest = Math.max(...view.centre.map(({ chip }) => chip));
  const leader = view.phase === "play" ? view.centre.findIndex(({ chip }) => chip === highest) : -1;
  return (
    <section class="centre">
      <h3>{words("centre")}</h3>
      {view.centre.length === 0 ? (
        <p class="quiet">{words("centre.empty")}</p>
      ) : (
        <ol>
          {view.centre.map(({ seat, chip }, place) => (
            <li key={`${seat} ${chip}`}>
              <Chip chip={chip} fresh={fresh[place]} />
              <Seat number={seat} name={seats[seat]} />
              {place === leader && <span class="highest">{words("highest")}</span>}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** What a seat has. */
function Place(shown: Shown<View> & { seat: number }): VNode {
  const { view, seats, changed, seat } = shown;
  const front = view.fronts[seat] ?? [];
  const tokens = view.tokens[seat] ?? 0;
  return (
    <section class="place" data-place={seat} data-acts={view.to_act === seat}>
      <header>
        <h3>
          <Seat number={seat} name={seats[seat]} />
        </h3>
        <p class="tokens" data-changed={changed("tokens", seat)}>
          <span aria-hidden="true">{"●".repeat(Math.min(tokens, 5))}</span>{" "}
          {words("tokens", { count: tokens })}
        </p>
        <p class="about">
          {view.to_act === seat && <span class="acts">{words("to_act")}</span>}
          {view.starter === seat && view.phase !== "over" && <span>{words("starter")}</span>}
        </p>
      </header>
      <Row label={words("front")} note={front.length > 0 ? words("sum", { sum: sum(front) }) : undefined}>
        <Chips chips={front} fresh={front.map((_, place) => changed("fronts", seat, place))} />
        {Array.from({ length: EACH - front.length }, (_, place) => (
          <li key={`empty ${place}`} aria-hidden="true">
            <span class="chip" data-empty />
          </li>
        ))}
      </Row>
      <Hand {...shown} />
    </section>
  );
}

/** A seat's hand: its chips for those who may see them, and their backs for all others. */
function Hand({ view, before, audience, changed, seat }: Shown<View> & { seat: number }): VNode {
  const isOpen = roundOf(view) === view.round;
  const own = audience === `seat:${seat}`;
  const chips = handOf(view, seat, own);
  const held = view.hand_sizes[seat] ?? 0;
  const step = before ? held - (before.hand_sizes[seat] ?? 0) : 0;
  const label = (
    <>
      {words("hand")} <Difference by={step} />
    </>
  );
  if (chips === undefined) {
    const backs = view.hand_colours?.[seat];
    return (
      <Row label={label} note={facing(backs, held)} marked={changed("hand_sizes", seat)}>
        <Backs number={held} colours={backs} />
      </Row>
    );
  }
  const earlier = before ? handOf(before, seat, own) : undefined;
  const fresh = earlier ? added(earlier, chips) : [];
  const all = sum([...chips, ...(view.fronts[seat] ?? [])]);
  const sums = words(all > sum(chips) ? "sum.all" : "sum", { sum: sum(chips), all });
  const whose = own ? say("board.only_you") : words("hand.hidden");
  return (
    <Row label={label} note={chips.length > 0 ? sums : undefined} kept={isOpen ? undefined : whose}>
      <Chips chips={chips} fresh={fresh} />
    </Row>
  );
}

/** The chips in a seat's hand, as far as they can be seen: at the end of the game all lie open. */
function handOf(view: View, seat: number, own: boolean): number[] | undefined {
  const opened = roundOf(view) === view.round ? view.last_round?.chips[seat] : undefined;
  if (opened !== undefined) return (view.fronts[seat] ?? []).reduce(without, [...opened]);
  return own ? view.hand : view.hands?.[seat];
}

/** The chips without one of this number. */
function without(chips: number[], chip: number): number[] {
  return chips.filter((_, place) => place !== chips.indexOf(chip));
}

/** How many chips lie face down, and of which colours where their backs show them. */
function facing(backs: Colour[] | undefined, held: number): string {
  if (held === 0) return words("hand.empty");
  if (backs === undefined) return words("down", { count: held });
  const reds = backs.filter((back) => back === "red").length;
  return words("down.colours", { reds, blues: backs.length - reds });
}

/** The chips that were dealt to nobody: the moderators alone see which. */
function SetAside({ view, seats }: Shown<View>): VNode | null {
  const number = IN_THE_BOX - EACH * seats.length;
  const dealt = view.phase !== "deal" && view.phase !== "over";
  if (view.undealt !== undefined && view.undealt.length > 0) {
    return (
      <section class="aside">
        <Row label={words("aside")} kept={words("aside.sealed")}>
          <Chips chips={view.undealt} />
        </Row>
      </section>
    );
  }
  if (!dealt || number <= 0) return null;
  return (
    <section class="aside">
      <Row label={words("aside")} note={words("down", { count: number })}>
        <Backs number={number} />
      </Row>
    </section>
  );
}
