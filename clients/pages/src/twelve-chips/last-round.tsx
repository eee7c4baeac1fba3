/** How a round ended. */
import type { VNode } from "preact";
import type { Shown } from "../board.js";
import { RoundOver } from "../drawing.js";
import { joined, Seat } from "../parts.js";
import { Chips, type View, words } from "./chips.js";

const MOST = 21;

/** The round that was counted last: until the next one begins it is the current one. */
export function roundOf({ last_round, phase, round }: View): number {
  if (last_round === null) return 0;
  return phase === "over" ? round : round - 1;
}

/** While the first trick of the next round is played, and at the end: who has won the round, and by which sums. */
export function RoundEnded({ view, seats, changed }: Shown<View>): VNode | null {
  const last = view.last_round;
  if (last === null || (view.trick > 1 && view.phase !== "over")) return null;
  const names = last.winners.map((seat) => seats[seat] ?? "");
  const sums = last.sums.map((sum, seat) => words(sum > MOST ? "ended.over" : "ended.sum", { name: seats[seat] ?? "", sum }));
  const text = words("ended", { count: names.length, names: joined(names), round: roundOf(view), sums: joined(sums) });
  return <RoundOver text={text} isNew={changed("last_round")} />;
}

/** How the last round that was counted ended. */
export function LastRound({ view, seats, changed }: Shown<View>): VNode | null {
  const last = view.last_round;
  if (last === null) return null;
  return (
    <section class="last" data-changed={changed("last_round")}>
      <table>
        <caption>{words("last", { round: roundOf(view) })}</caption>
        <thead>
          <tr>
            <th scope="col">{words("last.seat")}</th>
            <th scope="col">{words("last.chips")}</th>
            <th scope="col">{words("last.sum")}</th>
            <th scope="col">{words("last.token")}</th>
          </tr>
        </thead>
        <tbody>
          {last.chips.map((chips, seat) => (
            <tr key={seat} data-won={last.winners.includes(seat)}>
              <th scope="row">
                <Seat number={seat} name={seats[seat]} />
              </th>
              <td>
                <ul class="chips">
                  <Chips chips={chips} />
                </ul>
                {(last.sums[seat] ?? 0) > MOST && <small>{words("last.over")}</small>}
              </td>
              <td>
                <b>{last.sums[seat]}</b>
              </td>
              <td>{last.winners.includes(seat) && <span class="token">+1</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
