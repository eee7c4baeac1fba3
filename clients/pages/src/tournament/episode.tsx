/** An episode of an elimination show: the main match, who is immune, who is a candidate, the choice, who goes home. */
import type { Schemas } from "@arbiter/client";
import type { ComponentChildren, VNode } from "preact";
import { Countdown } from "../clock.js";
import { say } from "../given.js";
import { joined } from "../parts.js";
import { below } from "../root.js";
import { storiesOf } from "./episodes.js";
import { duelOf } from "./mine.js";
import type { Round } from "./stage_read.js";

interface Props {
  round: Round;
  names: readonly string[];
  /** The titles of the games by their ids. */
  titles: ReadonlyMap<string, string>;
}

export function Episode({ round, names, titles }: Props): VNode | null {
  const { show } = round;
  if (show === null) return null;
  const { main, death } = show.games;
  const named = (players: readonly number[]): VNode => <bdi>{joined(players.map((one) => names[one] ?? ""))}</bdi>;
  const duel = duelOf(round);
  return (
    <ol class="episode">
      <Step title={say("show.main")} isDone={show.immune !== null}>
        <Game title={titles.get(main.game) ?? main.game} match={show.main} />
        <br />
        <span class="quiet">{named(round.pairings.flatMap((one) => one.players))}</span>
      </Step>
      <Step title={say("show.immune")} isDone={show.immune !== null}>
        {show.immune !== null && (show.immune.length > 0 ? named(show.immune) : say("show.nobody"))}
      </Step>
      <Step title={say("show.candidates")} isDone={show.candidates !== null}>
        {show.candidates !== null && (show.candidates.length > 0 ? named(show.candidates) : say("show.no_duel"))}
      </Step>
      {show.chooser !== null && (
        <Step title={say("show.choice")} isDone={show.opponent !== null}>
          {show.opponent === null ? (
            <>
              {say("show.chooses", { name: names[show.chooser] ?? "" })} {show.choice_until !== null && <Countdown until={show.choice_until} />}
            </>
          ) : (
            say("show.meets", { name: names[show.chooser] ?? "", other: names[show.opponent] ?? "" })
          )}
        </Step>
      )}
      {duel.length === 2 && (
        <Step title={say("show.death")} isDone={show.eliminated !== null}>
          {titles.get(death.game) ?? death.game}: {named(duel)}{" "}
          {show.death.map((match, index) => (
            <a key={match} href={below(`/m/${match}`)}>
              {show.death.length === 1 ? say("stage.watch") : say("show.death.match", { number: index + 1 })}{" "}
            </a>
          ))}
        </Step>
      )}
      {show.eliminated !== null && (
        <Step title={say("show.out")} isDone>
          <b class="gone">{named([show.eliminated])}</b>
        </Step>
      )}
      {show.corrected !== null && <Corrected corrected={show.corrected} names={names} />}
    </ol>
  );
}

function Step({ title, isDone, children }: { title: string; isDone: boolean; children: ComponentChildren }): VNode {
  return (
    <li class={isDone ? "done" : "coming"}>
      <b>{title}</b>
      <div>{children || <span class="quiet">{say("show.coming")}</span>}</div>
    </li>
  );
}

function Game({ title, match }: { title: string; match: string | null }): VNode {
  return match === null ? <>{title}</> : <a href={below(`/m/${match}`)}>{title}</a>;
}

/** What a correction of the main match would have made of it: what was played since stands. */
function Corrected({ corrected, names }: { corrected: Schemas["CorrectedNames"]; names: Props["names"] }): VNode {
  const named = (players: readonly number[]): string => joined(players.map((one) => names[one] ?? "")) || say("show.nobody");
  return (
    <li class="notice">{say("show.corrected", { immune: named(corrected.immune), losers: named(corrected.losers) })}</li>
  );
}

const SIGNS = { immune: "★", duel: "⚔", out: "✕", safe: "·" };

/** All episodes at a glance: a row for everybody. */
export function Cast({ rounds, names }: { rounds: readonly Round[]; names: readonly string[] }): VNode {
  return (
    <div class="scrolled" tabIndex={0} role="group" aria-label={say("show.cast")}>
      <table class="figures crosstable">
        <thead>
          <tr>
            <th scope="col">{say("tournament.player")}</th>
            {rounds.map((one) => (
              <th key={one.round} scope="col">
                {one.round}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {storiesOf(rounds).map(({ player, parts }) => (
            <tr key={player}>
              <th scope="row">
                <bdi>{names[player]}</bdi>
              </th>
              {parts.map((part, index) => (
                <td key={index} class={part === null ? "self" : ""}>
                  {part !== null && (
                    <span role="img" aria-label={say(`show.part.${part}`)} title={say(`show.part.${part}`)} data-part={part}>
                      {SIGNS[part]}
                    </span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">
        {(["immune", "duel", "out"] as const).map((part) => (
          <span key={part}>
            <span data-part={part}>{SIGNS[part]}</span> {say(`show.part.${part}`)}{" "}
          </span>
        ))}
      </p>
    </div>
  );
}
