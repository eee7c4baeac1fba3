/** All rounds that are over. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { ownSeat, Unseen } from "../drawing.js";
import { say } from "../given.js";
import { Mark } from "../parts.js";
import { NumberedTile } from "./tile.js";
import { isOf, latest, MOST_ROWS, shownNumber, type GroupingView, type Round, type Told } from "./view.js";

interface Given {
  view: GroupingView;
  seats: readonly string[];
  audience: string;
}

/** The rounds in a table, the latest first. It is drawn when it is opened: equal groups can make a match very long. */
export function Rounds({ view, seats, audience }: Given): VNode {
  const isOpen = useSignal(false);
  return (
    <details class="bw-rounds" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{say("board.grouping-bw.rounds", { count: view.history.length })}</summary>
      {isOpen.value && (
        <table>
          <Heads seats={seats} />
          <tbody>
            {latest(view.history).map((round) => (
              <RoundRow
                key={`${round.set} ${round.pass} ${round.round}`}
                round={round}
                seats={seats}
                told={view.told?.find((one) => isOf(one, round))}
                own={ownSeat(audience)}
              />
            ))}
          </tbody>
        </table>
      )}
      {view.history.length > MOST_ROWS && <p class="quiet">{say("board.grouping-bw.rounds.latest", { count: MOST_ROWS })}</p>}
    </details>
  );
}

/** The heads of the columns: of tiles and chips there is one for each seat. */
function Heads({ seats }: { seats: readonly string[] }): VNode {
  const pairs = ["tiles", "stacks"];
  return (
    <thead>
      <tr>
        {["round", "end"].map((head) => (
          <th key={head} scope="col" rowSpan={2}>
            {say(`board.grouping-bw.rounds.${head}`)}
          </th>
        ))}
        {pairs.map((head) => (
          <th key={head} class={head} scope="colgroup" colSpan={2}>
            {say(`board.grouping-bw.rounds.${head}`)}
          </th>
        ))}
      </tr>
      <tr>
        {pairs.flatMap((head) =>
          seats.map((name, seat) => (
            <th key={`${head} ${seat}`} class={head} scope="col">
              <Mark seat={seat} />
              <Unseen>{name}</Unseen>
            </th>
          )),
        )}
      </tr>
    </thead>
  );
}

interface RowGiven {
  round: Round;
  seats: readonly string[];
  told: Told | undefined;
  own: number | null;
}

function RoundRow({ round, seats, told, own }: RowGiven): VNode {
  return (
    <tr>
      <th scope="row">
        {round.set}.{round.pass}.{round.round}
      </th>
      <td>
        {say(`board.grouping-bw.how.${round.end}`)}
        {round.folder !== null && (
          <>
            {" "}
            <Mark seat={round.folder} />
            <Unseen>{seats[round.folder]}</Unseen>
          </>
        )}
      </td>
      {[0, 1].map((seat) => (
        <td key={`tile ${seat}`}>
          <Known shown={shownNumber(round, seat)} told={own !== null && own !== seat ? told?.number : undefined} />
        </td>
      ))}
      {[0, 1].map((seat) => (
        <td key={`stack ${seat}`} class="stacks">
          {round.stacks[seat]}
        </td>
      ))}
    </tr>
  );
}

/** The number of a tile, as everybody was shown or the seat that looks was told. */
function Known({ shown, told }: { shown: number | null; told: number | undefined }): VNode {
  if (shown !== null) return <NumberedTile number={shown} />;
  if (told !== undefined) return <NumberedTile number={told} isPrivate />;
  return <span class="quiet">–</span>;
}
