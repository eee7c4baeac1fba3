/** Standings of a stage that explain themselves. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { say } from "../given.js";
import { isOut, type Slot } from "./bracket.js";
import { RuledNote, RuledSign } from "./ruled_sign.js";
import { byGroup, type Placed, type Row as StandingsRow } from "./standing_places.js";

interface Props {
  standings: Schemas["StageStandings"];
  /** The bracket of a knockout, where points decide nothing. */
  slots: readonly Slot[];
  /** Whose points are by rulings, too. */
  ruled: ReadonlySet<number>;
  /** Shows the card of a player. */
  open(player: number): void;
}

export function StageTable({ standings, slots, ruled, open }: Props): VNode {
  const { tiebreaks, rows } = standings;
  const label = say("tournament.standings");
  return (
    <>
      {byGroup(rows).map(({ group, rows: placed }) => (
        <div key={group} class="scrolled" tabIndex={0} role="group" aria-label={group === null ? label : groupName(group)}>
          <table class="figures standings stage-standings">
            {group !== null && <caption>{groupName(group)}</caption>}
            <Heads tiebreaks={tiebreaks} hasPoints={slots.length === 0} />
            <tbody>
              {placed.map(({ row, place }) => (
                <Row key={row.player} row={row} place={place} slots={slots} ruled={ruled} open={open} />
              ))}
            </tbody>
          </table>
        </div>
      ))}
      {slots.length === 0 && ruled.size > 0 && <RuledNote />}
      {tiebreaks.length > 0 && (
        <details>
          <summary>{say("stage.ties")}</summary>
          <p>{say("stage.ties.about")}</p>
          <ol>
            {tiebreaks.map((one) => (
              <li key={one}>
                <b>{say(`stage.tiebreak.${one}`)}</b>: {say(`stage.tiebreak.${one}.about`)}
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

/** Where somebody stands, in words. In a knockout points say nothing. */
export function placeText({ row, place }: Placed, isKnockout: boolean): string {
  const text = isKnockout ? say("stage.card.place_alone", { place }) : say("stage.card.place", { count: row.points === "1" ? 1 : 0, place, points: fraction(row.points) });
  return row.group == null ? text : `${groupName(row.group)}, ${text}`;
}

export function groupName(group: number): string {
  return say("stage.group", { number: group });
}

function Heads({ tiebreaks, hasPoints }: { tiebreaks: readonly string[]; hasPoints: boolean }): VNode {
  return (
    <thead>
      <tr>
        <th scope="col">{say("tournament.place")}</th>
        <th scope="col">{say("tournament.player")}</th>
        {hasPoints && <th scope="col">{say("stage.points")}</th>}
        {tiebreaks.map((one) => (
          <th key={one} scope="col" title={say(`stage.tiebreak.${one}`)}>
            {say(`stage.tiebreak.${one}.short`)}
          </th>
        ))}
        <th scope="col">{say("tournament.played")}</th>
      </tr>
    </thead>
  );
}

function Row({ row, place, slots, ruled, open }: Pick<Props, "slots" | "ruled" | "open"> & { row: StandingsRow; place: number }): VNode {
  const hasLeft = row.status === "withdrawn" || row.status === "disqualified" || row.status === "eliminated";
  return (
    <tr>
      <td>{place}</td>
      <th scope="row">
        <button type="button" class="as-link" onClick={() => open(row.player)}>
          <bdi>{row.name}</bdi>
        </button>{" "}
        {hasLeft ? (
          <span class="quiet">
            {say(`stage.player.${row.status}`)}
            {row.annulled === true && `, ${say("stage.annulled.row")}`}
          </span>
        ) : (
          isOut(slots, row) && <span class="quiet">{say("stage.out")}</span>
        )}
      </th>
      {slots.length === 0 && (
        <td>
          <b>{fraction(row.points)}</b>
          {ruled.has(row.player) && <RuledSign />}
          {row.penalty !== 0 && <span class="quiet"> ({say("stage.penalty", { points: row.penalty })})</span>}
        </td>
      )}
      {row.tiebreaks.map((value, index) => (
        <td key={index}>{fraction(value)}</td>
      ))}
      <td>{row.played}</td>
    </tr>
  );
}

/** An exact number as people write it: halves as ½. */
export function fraction(written: string): string {
  const [above = "", below] = written.split("/");
  if (below === undefined) return above;
  if (below !== "2") return written;
  const whole = Math.trunc(Number(above) / 2);
  const sign = above.startsWith("-") && whole === 0 ? "-" : "";
  return `${sign}${whole === 0 ? "" : whole}½`;
}
