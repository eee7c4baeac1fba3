/** Grouping Black & White: a row of tiles face down for each seat, and the chips between them. */
import type { VNode } from "preact";
import type { Course, Shown } from "../board.js";
import { classes, ownSeat, Private, PrivateLegend, RoundOver, seatColour, whoActs } from "../drawing.js";
import { say } from "../given.js";
import { Groups } from "../grouping-bw/groups.js";
import { Rounds } from "../grouping-bw/rounds.js";
import { Row } from "../grouping-bw/row.js";
import { isOf, type GroupingView, type Round } from "../grouping-bw/view.js";
import { Seat } from "../parts.js";

export { moves } from "../moves/grouping-bw.js";

type Table = Shown<GroupingView>;

export function Board(shown: Table): VNode {
  const near = ownSeat(shown.audience) ?? 1;
  const { view, seats, changed } = shown;
  const last = view.history.at(-1);
  return (
    <div class="bw">
      <p class="bw-head">
        <span>{say("board.grouping-bw.place", { set: view.set, pass: view.pass, round: view.round })}</span>
        <span class={classes(changed("ante") && "changed")}>
          {say("board.grouping-bw.ante", { count: view.ante })}
        </span>
      </p>
      {last !== undefined && (view.phase === "over" || !isOf(last, view)) && view.bets.every((bet) => bet === 0) && (
        <RoundOver text={[ended(last, seats), won(view, seats)].filter((one) => one !== "").join(". ")} isNew={changed("history")} />
      )}
      <PrivateLegend audience={shown.audience} />
      <div class="bw-table">
        <Side seat={1 - near} {...shown} />
        <Middle far={1 - near} {...shown} />
        <Side seat={near} isNear {...shown} />
      </div>
      <Known {...shown} />
      {view.history.length > 0 && <Rounds view={view} seats={seats} audience={shown.audience} />}
    </div>
  );
}

/** The stacks after each round that is over. */
export function course({ view }: Table): Course | null {
  if (view.history.length === 0) return null;
  return {
    title: say("board.grouping-bw.course"),
    along: say("board.grouping-bw.course.along"),
    x: view.history.map((_, index) => index + 1),
    lines: [0, 1].map((seat) => ({ seat, y: view.history.map((round) => round.stacks[seat] ?? null) })),
  };
}

/** A seat's side of the table: who it is, the chips behind, and the tiles in front. */
function Side({ seat, isNear = false, ...shown }: Table & { seat: number; isNear?: boolean }): VNode {
  const head = <SideHead seat={seat} {...shown} />;
  return (
    <section class="bw-side" style={seatColour(seat)} aria-label={shown.seats[seat]}>
      {!isNear && head}
      {shown.view.colours === null ? <Sorted seat={seat} {...shown} /> : <Row seat={seat} {...shown} />}
      {isNear && head}
    </section>
  );
}

function SideHead({ seat, ...shown }: Table & { seat: number }): VNode {
  const { view, seats, changed, result } = shown;
  const stack = view.stacks[seat] ?? 0;
  const starts = view.starter === seat && view.phase !== "over";
  return (
    <div class="bw-side-head">
      <p class="bw-who">
        <Seat number={seat} name={seats[seat]} />
        {starts && <span class="quiet">{say("board.grouping-bw.starts")}</span>}
        {view.to_act === seat && <b class="bw-turn">{say("board.acts")}</b>}
        {result?.winners.includes(seat) && <b class="bw-won">{say("board.wins")}</b>}
      </p>
      <p class={classes("bw-stack", changed("stacks", seat) && "changed")}>
        <b>{stack}</b> {say("board.grouping-bw.chips", { count: stack })}
      </p>
      <Rack chips={stack} most={mostChips(view)} />
    </div>
  );
}

/** Chips in a row, as long as there are many of them. */
function Rack({ chips, most }: { chips: number; most: number }): VNode {
  const width = `${(100 * chips) / Math.max(most, 1)}%`;
  const backgroundSize = `${100 / Math.max(chips, 1)}% 100%`;
  return (
    <div class="bw-rack" aria-hidden="true">
      <div class="bw-chips" style={{ width, backgroundSize }} />
    </div>
  );
}

/** The largest stack that there has been. */
function mostChips({ stacks, bets, history }: GroupingView): number {
  const now = stacks.map((chips, seat) => chips + (bets[seat] ?? 0));
  return Math.max(...now, ...history.flatMap((round) => round.stacks));
}

/** A seat's groups while no tiles are laid. */
function Sorted({ seat, view, audience, changed }: Table & { seat: number }): VNode {
  const own = ownSeat(audience) === seat ? view.groups : undefined;
  const groups = view.groups_by_seat?.[seat] ?? own ?? null;
  const isNew = changed("groups") || changed("groups_by_seat", seat);
  if (groups === null) return <Groups groups={null} />;
  return (
    <Private audience={audience}>
      <Groups groups={groups} isNew={isNew} />
    </Private>
  );
}

/** The bets and the pot between the rows, and what is going on. */
function Middle({ far, ...shown }: Table & { far: number }): VNode {
  const { view, seats, changed } = shown;
  const last = view.history.at(-1);
  return (
    <div class="bw-middle">
      <p class={classes("bw-now", changed("phase") && "changed")} role="status">
        {happening(shown)}
      </p>
      <dl class="bw-bets">
        {[far, 1 - far].map((seat) => (
          <div key={seat} class={classes("bw-bet", changed("bets", seat) && "changed")} style={seatColour(seat)}>
            <dt>{say("board.grouping-bw.bet", { name: seats[seat] ?? "" })}</dt>
            <dd>
              <b>{view.bets[seat]}</b>
              <Rack chips={view.bets[seat] ?? 0} most={mostChips(view)} />
            </dd>
          </div>
        ))}
        <div class={classes("bw-pot", changed("pot") && "changed")}>
          <dt>{say("board.grouping-bw.pot")}</dt>
          <dd>
            <b>{view.pot}</b>
          </dd>
        </div>
      </dl>
      {last !== undefined && !isOf(last, view) && (
        <p class="quiet">
          {say("board.grouping-bw.before", { round: last.round })} {ended(last, seats)}
        </p>
      )}
    </div>
  );
}

function happening(shown: Table): string {
  const { view, seats, result } = shown;
  if (view.phase === "over") {
    const winner = result?.winners[0];
    return winner === undefined ? say("board.over") : say("board.grouping-bw.won", { name: seats[winner] ?? "" });
  }
  if (view.to_act !== null) {
    const owed = (view.bets[1 - view.to_act] ?? 0) - (view.bets[view.to_act] ?? 0);
    return whoActs(owed === 0 ? "board.grouping-bw.bets" : "board.grouping-bw.acts", view.to_act, shown, { count: owed });
  }
  const last = view.history.at(-1);
  if (last !== undefined && view.phase === "betting" && isOf(last, view)) return ended(last, seats);
  if (view.phase === "betting" && view.pot > 0) return say("board.grouping-bw.bets_closed");
  return say(`board.grouping-bw.phase.${view.phase}`);
}

/** Who has won the last round, and how much: by the chips behind before it and after it. */
function won({ history }: GroupingView, seats: readonly string[]): string {
  const [before, after] = [history.at(-2)?.stacks, history.at(-1)?.stacks];
  if (before === undefined || after === undefined) return "";
  const [winner = 0] = [0, 1].sort((one, other) => after[other]! - before[other]! - after[one]! + before[one]!);
  const count = after[winner]! - before[winner]!;
  return count > 0 ? say("board.grouping-bw.wins", { name: seats[winner] ?? "", count }) : "";
}

/** How a round ended, in words. */
function ended({ end, folder, numbers, folded_8 }: Round, seats: readonly string[]): string {
  if (folder !== null) {
    return say(`board.grouping-bw.${folded_8 ? "folded_8" : "folded"}`, { name: seats[folder] ?? "" });
  }
  const [one, other] = numbers ?? ["?", "?"];
  return say(`board.grouping-bw.end.${end}`, { one, other });
}

/** The groups behind the row that lies there, and the items not used yet, for those who know them. */
function Known({ view, audience, seats }: Table): VNode | null {
  const own = ownSeat(audience);
  const known = [0, 1].map((seat) => ({
    seat,
    groups: view.colours === null ? null : (view.groups_by_seat?.[seat] ?? (seat === own ? view.groups : null)),
    items: view.items_by_seat?.[seat] ?? (seat === own ? view.items : null) ?? [],
  }));
  const some = known.filter(({ groups, items }) => groups || items.length > 0);
  if (some.length === 0) return null;
  return (
    <Private audience={audience}>
      <div class="bw-known">
        {some.map(({ seat, groups, items }) => (
          <div key={seat}>
            {own === null && <Seat number={seat} name={seats[seat]} />}
            {groups && <Groups groups={groups} />}
            {items.length > 0 && <Items items={items} />}
          </div>
        ))}
      </div>
    </Private>
  );
}

function Items({ items }: { items: readonly string[] }): VNode {
  return (
    <ul class="bw-items" aria-label={say("board.grouping-bw.items")}>
      {items.map((item) => (
        <li key={item}>{say(`board.grouping-bw.item.${item}`)}</li>
      ))}
    </ul>
  );
}
