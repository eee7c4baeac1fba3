/** The rounds of a stage: who meets whom, why, and the results that count. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { say } from "../given.js";
import { joined, Moment } from "../parts.js";
import { below } from "../root.js";
import type { Slot } from "./bracket.js";
import { becauseIn, ByeBecause, MatchName } from "./draft.js";
import { Episode } from "./episode.js";
import type { Round } from "./stage_read.js";
import { groupName } from "./stage_standings.js";

interface Props {
  round: Round;
  names: readonly string[];
  /** The titles of the games by their ids. */
  titles: ReadonlyMap<string, string>;
  /** The bracket of a knockout. */
  slots?: readonly Slot[];
  /** Out of how many matches a pairing is decided. */
  bestOf?: number | undefined;
  /** Those whose results in the stage count for nobody. */
  annulled?: ReadonlySet<number>;
}

export function PublishedRound({ round, names, titles, slots = [], bestOf = 1, annulled = NOBODY }: Props): VNode {
  if (round.show !== null) return <Episode round={round} names={names} titles={titles} />;
  const { pairings, byes, ends, by_hand: byHand } = round;
  const groups = [...new Set(pairings.map((one) => one.group))];
  return (
    <div class="published-round">
      {round.status === "published" && ends !== null && (
        <p>
          {say("tournament.until")} <Moment at={ends} />
        </p>
      )}
      {byHand !== null && (
        <p class="quiet">
          {say("stage.by_hand", { name: byHand.by ?? say("stage.by_hand.organiser") })} <bdi class="says">{byHand.reason}</bdi>
        </p>
      )}
      {groups.map((group) => (
        <div key={group}>
          {group !== null && <h4>{groupName(group)}</h4>}
          <ol class="tables">
            {pairings
              .filter((one) => one.group === group)
              .map((one) => (
                <Table key={one.table} pairing={one} names={names} slots={slots} isReplayed={bestOf === 1 && one.matches.length > 1} annulled={annulled} />
              ))}
          </ol>
        </div>
      ))}
      <Byes byes={byes} names={names} />
      {byHand === null && pairings.some((one) => becauseIn(one.because) !== "") && <Why pairings={pairings} names={names} />}
    </div>
  );
}

const NOBODY: ReadonlySet<number> = new Set();

interface TableProps {
  pairing: Schemas["ShownPairing"];
  names: Props["names"];
  slots: readonly Slot[];
  isReplayed: boolean;
  annulled: ReadonlySet<number>;
}

function Table({ pairing, names, slots, isReplayed, annulled }: TableProps): VNode {
  const { table, players, matches, status, result, forfeit, ruled } = pairing;
  const gone = result === null ? [] : players.filter((player) => annulled.has(player));
  return (
    <li value={table} class={gone.length > 0 ? "table annulled" : "table"}>
      <span class="table-number">{table}</span>
      <ul class="sides">
        {players.map((player, seat) => (
          <li key={player} class={gone.length === 0 && result?.winners.includes(seat) ? "won" : ""}>
            <bdi>{names[player]}</bdi> {result !== null && <span class="score">{result.scores[seat]}</span>}
          </li>
        ))}
      </ul>
      <p class="table-state">
        <MatchName slots={slots} players={players} />
        <span class="status" data-status={status === "running" ? "running" : status === "final" ? "ended" : status}>
          {say(`stage.status.${status}`)}
          {forfeit && ` (${say("stage.card.forfeit")})`}
          {ruled && !forfeit && result !== null && ` (${say("stage.ruled")})`}
          {isReplayed && ` (${say("stage.replayed")})`}
        </span>{" "}
        {gone.length > 0 && <span>{say("stage.annulled", { names: joined(gone.map((player) => names[player] ?? "")) })}</span>}
        {matches.map((match, index) => (
          <a key={match} href={below(`/m/${match}`)} aria-label={say("stage.watch.table", { table, number: index + 1 })}>
            {matches.length === 1 ? say("stage.watch") : index + 1}
          </a>
        ))}
      </p>
    </li>
  );
}

function Byes({ byes, names }: { byes: Round["byes"]; names: Props["names"] }): VNode | null {
  if (byes.length === 0) return null;
  return (
    <ul class="byes">
      {byes.map(({ player, kind, because }) => (
        <li key={player}>
          <bdi>{names[player]}</bdi> <span class="quiet">{say(`stage.bye.${kind}`)}</span>
          <ByeBecause codes={because} />
        </li>
      ))}
    </ul>
  );
}

function Why({ pairings, names }: { pairings: Round["pairings"]; names: Props["names"] }): VNode {
  return (
    <details>
      <summary>{say("stage.why")}</summary>
      <ol class="why">
        {pairings.map(({ table, players, because }) => (
          <li key={table} value={table}>
            <bdi>{players.map((player) => names[player]).join(" – ")}</bdi>: <span class="quiet">{becauseIn(because)}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
