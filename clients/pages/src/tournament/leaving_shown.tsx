/** What it does when a player leaves, said before it is done. */
import type { VNode } from "preact";
import { numeral, say } from "../given.js";
import { joined } from "../parts.js";
import { leaving } from "./leaving.js";
import { stageName } from "./stage_names.js";
import type { StageRead } from "./stage_read.js";

interface Props {
  player: number;
  stages: readonly StageRead[];
  names: readonly string[];
}

export function LeavingShown({ player, stages, names }: Props): VNode {
  const found = leaving(player, stages);
  const hasPlayed = stages.some(({ rounds }) => rounds.length > 0);
  const name = names[player] ?? "";
  return (
    <>
      {found.length === 0 && <p>{say(hasPlayed ? "stage.leaving.over" : "stage.leaving.nothing", { name })}</p>}
      {found.map((one) => (
        <div key={one.stage}>
          <p>
            <bdi>{stageName(one.stage)}</bdi>: {say(`stage.leaving.${one.results}`, { name, played: one.played, games: one.games })}
          </p>
          {one.points.length > 0 && (
            <div class="scrolled" tabIndex={0} role="group" aria-label={say("stage.points")}>
              <table class="figures effect">
                <thead>
                  <tr>
                    {["tournament.player", "tournament.ruling.before", "tournament.ruling.after"].map((head) => (
                      <th key={head} scope="col">
                        {say(head)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {one.points.map((row) => (
                    <tr key={row.player}>
                      <th scope="row">
                        <bdi>{names[row.player]}</bdi>
                      </th>
                      <td>{numeral(row.before)}</td>
                      <td>{row.after === row.before ? numeral(row.after) : <b>{numeral(row.after)}</b>}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          {one.open.length > 0 && <p>{say("stage.leaving.open", { names: joined(one.open.map((other) => names[other] ?? "")) })}</p>}
        </div>
      ))}
    </>
  );
}
