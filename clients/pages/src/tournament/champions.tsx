/** Who has won, and who stands beside them. */
import type { VNode } from "preact";
import { say } from "../given.js";
import { joined } from "../parts.js";
import { podiumOf } from "./podium.js";
import type { StageRead } from "./stage_read.js";

interface Props {
  champions: readonly number[] | null | undefined;
  stages: readonly StageRead[];
  names: readonly string[];
}

/** Before the tournament is closed the winner of its final is named, and that it is not closed yet. */
export function Champions({ champions, stages, names }: Props): VNode | null {
  const named = (player: number): string => names[player] ?? "";
  const podium = podiumOf(stages);
  const isClosed = (champions?.length ?? 0) > 0;
  const first = isClosed ? champions! : podium.slice(0, 1);
  if (first.length === 0) return null;
  const others = first.length === 1 && podium[0] === first[0] ? podium.slice(1) : [];
  return (
    <>
      <p class="champions">{say(isClosed ? "stage.champions" : "stage.champions.final", { count: first.length, names: joined(first.map(named)) })}</p>
      {others.length > 0 && (
        <ol class="podium" start={2}>
          {others.map((player) => (
            <li key={player}>
              <bdi>{named(player)}</bdi>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
