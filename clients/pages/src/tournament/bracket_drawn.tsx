/** A bracket, drawn as one. */
import type { VNode } from "preact";
import { say } from "../given.js";
import { bracketOf, roundName, type Column, type Slot } from "./bracket.js";
import { pathOf } from "./podium.js";
import { meetings, scoresOf } from "./ruled.js";
import { RuledNote, RuledSign } from "./ruled_sign.js";
import type { StageRead } from "./stage_read.js";

interface Props {
  read: StageRead;
  names: readonly string[];
}

/** What every slot needs. */
interface Drawn {
  names: Props["names"];
  met: ReturnType<typeof meetings>;
  bestOf: number;
  /** The way of the champion. */
  path: ReadonlySet<Slot>;
}

export function BracketDrawn({ read, names }: Props): VNode {
  const { winners, losers, third } = bracketOf(read.slots);
  const drawn: Drawn = { names, met: meetings(read), bestOf: read.stage.best_of, path: pathOf(read) };
  return (
    <div class="scrolled" tabIndex={0} role="group" aria-label={say("stage.bracket")}>
      {winners.length > 1 && <p class="quiet scroll-hint">{say("stage.bracket.scroll")}</p>}
      <Columns columns={winners} drawn={drawn} title={(index) => nameOf(winners, index, losers.length > 0)} />
      {losers.length > 0 && (
        <>
          <h3>{say("stage.bracket.losers")}</h3>
          <Columns columns={losers} drawn={drawn} title={(index) => say("tournament.round", { number: index + 1 })} />
        </>
      )}
      {third !== null && (
        <div class="bracket-third">
          <h3>{say("stage.bracket.third")}</h3>
          <ol>
            <OneSlot slot={third} drawn={drawn} />
          </ol>
        </div>
      )}
      {[...drawn.met.values()].some((one) => one.ruled) && <RuledNote />}
    </div>
  );
}

function nameOf(columns: readonly Column[], index: number, isDouble: boolean): string {
  const name = roundName(columns, index, isDouble);
  return name === "round" ? say("tournament.round", { number: index + 1 }) : say(`stage.bracket.${name}`);
}

function Columns({ columns, drawn, title }: { columns: Column[]; drawn: Drawn; title(index: number): string }): VNode {
  return (
    <div class="bracket">
      {columns.map((column, index) => (
        <div key={column.number} class="bracket-round">
          <h4>{title(index)}</h4>
          <ol data-leads={column.leads}>
            {column.slots.map((slot) => (
              <OneSlot key={slot.slot} slot={slot} drawn={drawn} />
            ))}
          </ol>
        </div>
      ))}
    </div>
  );
}

function OneSlot({ slot, drawn: { names, met, bestOf, path } }: { slot: Slot; drawn: Drawn }): VNode {
  const meeting = met.get(slot);
  const scores = scoresOf(slot, meeting, bestOf);
  return (
    <li class={path.has(slot) ? "slot path" : "slot"}>
      <span class="slot-number" aria-hidden="true">
        {slot.slot}
      </span>
      <ul>
        {slot.players.map((player, side) => (
          <li key={side} class={player !== null && player === slot.winner ? "won" : ""}>
            <Side slot={slot} side={side as 0 | 1} names={names} />
            {player !== null && player === slot.winner && meeting?.ruled === true && <RuledSign />} {scores !== null && <b>{scores[side]}</b>}
          </li>
        ))}
      </ul>
    </li>
  );
}

function Side({ slot, side, names }: { slot: Slot; side: 0 | 1; names: Props["names"] }): VNode {
  const player = slot.players[side];
  if (player !== null) return <bdi title={names[player]}>{names[player]}</bdi>;
  if (slot.winner !== null) return <span class="quiet">{say("stage.bye.bye")}</span>;
  const { kind, number } = slot.from[side];
  return <span class="quiet">{say(`stage.bracket.from.${kind}`, { number })}</span>;
}
