/** How a round ended. */
import type { VNode } from "preact";
import type { Shown } from "../board.js";
import { Seat } from "../parts.js";
import { Chips, type View, words } from "./chips.js";

const MOST = 21;

/** How the last round that was counted ended. */
export function LastRound({ view, seats, changed }: Shown<View>): VNode | null {
  const last = view.last_round;
  if (last === null) return null;
  return (
    <section class="last" data-changed={changed("last_round")}>
      <table>
        <caption>{words("last")}</caption>
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
