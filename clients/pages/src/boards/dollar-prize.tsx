/** The board of Dollar Prize: two lines of coins that grow away from the prize between them. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import type { Course, Shown } from "../board.js";
import { Difference } from "../difference.js";
import { say } from "../given.js";
import { RoundOver, whoActs } from "../drawing.js";
import { joined, Seat } from "../parts.js";
import { live } from "../rewinds.js";

export { moves } from "../moves/dollar-prize.js";

type View = Schemas["DollarPrizeBoard"];
type Coin = View["lines"][number][number];
type Face = View["last_flips"][number][1];

/** From the prize outwards, and what each is worth in cents. */
const COINS = { penny: 1, nickel: 5, dime: 10, quarter: 25 } as const satisfies Record<Coin, number>;
const KINDS = Object.keys(COINS) as Coin[];
const DOLLAR = 100;

export function Board(shown: Shown<View>): VNode {
  return (
    <div class="dollar-prize">
      <p class="situation">
        {shown.view.round > 0 && <b>{words("round", { round: shown.view.round })}</b>}{" "}
        <span>{situation(shown)}</span>
      </p>
      <LastSteal {...shown} />
      <div class="across">
        <Side {...shown} seat={0} />
        <Prize {...shown} />
        <Side {...shown} seat={1} />
      </div>
      <Flips {...shown} />
    </div>
  );
}

/** The totals after each round, and as they are now. */
export function course({ view, lines }: Shown<View>): Course | null {
  if (lines === undefined || view.round === 0) return null;
  const totals = [0, 0] as [number, number];
  const after: [number, number][] = [];
  for (const line of live(lines)) {
    switch (line.type) {
      case "dollar-prize.pennies-dealt.1":
        totals[0] += line.data.pennies[0];
        totals[1] += line.data.pennies[1];
        break;
      case "dollar-prize.coin-placed.1":
        totals[line.data.seat as 0 | 1] += COINS[line.data.coin];
        break;
      case "dollar-prize.coin-stolen.1":
        totals[line.data.giver as 0 | 1] -= COINS[line.data.coin];
        totals[line.data.receiver as 0 | 1] += COINS[line.data.coin];
        break;
      case "dollar-prize.turn-began.1":
        after[line.data.round - 1] ??= [...totals];
    }
  }
  after.push([...view.totals]);
  return {
    title: words("course"),
    along: words("course.along"),
    x: [...after.keys()],
    lines: view.totals.map((_, seat) => ({ seat, y: after.map((one) => one[seat] ?? null) })),
  };
}

function situation(shown: Shown<View>): string {
  const { view, seats, result } = shown;
  const acts = (text: string) => whoActs(`board.dollar-prize.${text}`, view.to_act, shown);
  switch (view.phase) {
    case "turn":
      if (view.placed) return acts("placed");
      return acts(view.converted ? "converted" : "turn");
    case "over": {
      if (result === null || result.winners.length === 0) return words("over");
      const names = joined(result.winners.map((seat) => seats[seat] ?? ""));
      return words("taken", { count: result.winners.length, names });
    }
    default:
      return acts(view.phase);
  }
}

/** Who got which coin by the last steal, until the turn after it is over. */
function LastSteal({ view, seats, lines = [] }: Shown<View>): VNode | null {
  const past = live(lines);
  const at = past.map(({ type }) => type).lastIndexOf("dollar-prize.coin-stolen.1");
  const stolen = past[at];
  if (stolen?.type !== "dollar-prize.coin-stolen.1") return null;
  const turns = past.slice(at).filter(({ type }) => type === "dollar-prize.turn-began.1").length;
  if (turns > 1 && view.phase !== "over") return null;
  const { giver, receiver, coin } = stolen.data;
  return <RoundOver text={words("stolen", { receiver: seats[receiver] ?? "", giver: seats[giver] ?? "", coin: cents(COINS[coin]) })} isNew={turns === 0} />;
}

/** A seat's coins in their order, what they are worth, and how far that is from a dollar. */
function Side({ view, before, seats, changed, seat }: Shown<View> & { seat: 0 | 1 }): VNode {
  const side = view.sides[seat];
  const total = view.totals[seat];
  const share = Math.min(1, total / DOLLAR);
  const hadCoins = (before?.totals[seat] ?? 0) > 0;
  return (
    <section class="side" data-seat={seat} data-acts={view.to_act === seat}>
      <header>
        <h3>
          <Seat number={seat} name={seats[seat]} />
        </h3>
        <p class="about">
          {side !== null && <span class="has">{words(side)}</span>}
          {view.to_act === seat && <span class="acts">{words("to_act")}</span>}
        </p>
        <p class="total" data-changed={changed("totals", seat)} data-enough={total >= DOLLAR}>
          {cents(total)} {before && <Difference by={total - before.totals[seat]} />}
        </p>
        <div class="gauge" aria-hidden="true" style={{ "--share": share }} />
      </header>
      <ol class="line" aria-label={words("line")}>
        {KINDS.map((kind) => (
          <Equal
            key={kind}
            kind={kind}
            count={count(view.lines[seat], kind)}
            before={before ? count(before.lines[seat], kind) : undefined}
          />
        ))}
      </ol>
      {total === 0 && !hadCoins && <p class="quiet">{words("no_coins")}</p>}
    </section>
  );
}

/** The coins of one kind in a line, and how many more or fewer there are than a step ago. */
function Equal(given: { kind: Coin; count: number; before: number | undefined }): VNode | null {
  const { kind, count, before = count } = given;
  if (count === 0 && before === 0) return null;
  const drawn = Math.max(1, count);
  return (
    <li class="equal" data-kind={kind} data-changed={count !== before}>
      <span class="coins" aria-hidden="true">
        {Array.from({ length: drawn }, (_, place) => (
          <span class="place" key={place}>
            <span class="coin" data-kind={kind} data-gone={count === 0} data-new={place >= before}>
              {cents(COINS[kind])}
            </span>
          </span>
        ))}
      </span>
      <span class="count">
        {words("equal", { number: count, coin: cents(COINS[kind]) })} <Difference by={count - before} />
      </span>
    </li>
  );
}

/** What lies between the lines, and who has taken it. */
function Prize({ seats, result }: Shown<View>): VNode {
  return (
    <div class="prize" data-taken={result !== null}>
      <svg viewBox="0 0 64 56" width="64" height="56" aria-hidden="true">
        <path class="facet-1" d="M14 2h36l12 16H2z" />
        <path class="facet-2" d="M2 18h60L32 54z" />
        <path class="edges" d="M14 2h36l12 16-30 36L2 18zM2 18h60M14 2l8 16 10-16 10 16 8-16M22 18l10 36 10-36" />
      </svg>
      <p>{words("prize")}</p>
      {result?.winners.map((seat) => <Seat key={seat} number={seat} name={seats[seat]} />)}
    </div>
  );
}

/** The coins that were flipped last, from the highest down: the first heads of a steal decides. */
function Flips({ view, seats, changed }: Shown<View>): VNode {
  const flips = view.last_flips;
  const setup = flips.length > KINDS.length;
  const deciding = setup ? -1 : flips.findIndex(([, face]) => face === "heads");
  return (
    <section class="flips" data-changed={changed("last_flips")}>
      <h3>{words(setup ? "flips.setup" : "flips")}</h3>
      {flips.length > 0 && (
        <ol>
          {flips.map(([kind, face], place) => (
            <li key={place} data-deciding={place === deciding}>
              <Flipped kind={kind} face={face} />
              <span>
                {cents(COINS[kind])} {words(face)}
              </span>
            </li>
          ))}
        </ol>
      )}
      <p class="quiet">{flipped(view, seats, deciding)}</p>
    </section>
  );
}

function flipped({ last_flips: flips, sides }: View, seats: readonly string[], deciding: number): string {
  const decides = flips[deciding];
  if (flips.length === 0) return words("flips.none");
  if (decides !== undefined) return words("flips.decides", { coin: cents(COINS[decides[0]]) });
  if (flips.length <= KINDS.length) return words("flips.tails");
  const heads = sides.indexOf("heads");
  return words("flips.dealt", { heads: seats[heads] ?? "", tails: seats[1 - heads] ?? "" });
}

/** A coin with its head up, or with its number. */
function Flipped({ kind, face }: { kind: Coin; face: Face }): VNode {
  return (
    <span class="coin" data-kind={kind} data-face={face} aria-hidden="true">
      {face === "tails" ? (
        cents(COINS[kind])
      ) : (
        <svg viewBox="0 0 24 24">
          <circle cx="12" cy="8.5" r="4.25" />
          <path d="M4 20.5a8 7 0 0 1 16 0z" />
        </svg>
      )}
    </span>
  );
}

function count(line: readonly Coin[], kind: Coin): number {
  return line.filter((coin) => coin === kind).length;
}

function cents(number: number): string {
  return words("cents", { number });
}

function words(name: string, values: Record<string, string | number> = {}): string {
  return say(`board.dollar-prize.${name}`, values);
}
