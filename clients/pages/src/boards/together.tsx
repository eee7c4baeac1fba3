/** Together We Survive: the stage with its ballots, and those who collect tokens. */
import type { VNode } from "preact";
import type { Course, Shown } from "../board.js";
import { classes, ownSeat, PrivateLegend, RoundOver } from "../drawing.js";
import { say } from "../given.js";
import { joined } from "../parts.js";
import { Collectors, Stage } from "../together/players.js";
import { Own, Sealed } from "../together/submissions.js";
import type { TogetherView } from "../together/view.js";

export { moves } from "../moves/together.js";

type Table = Shown<TogetherView>;

export function Board(shown: Table): VNode {
  const { view, seats, audience, changed } = shown;
  const last = view.kicked_out.at(-1);
  return (
    <div class="together">
      <p class={classes("together-now", (changed("phase") || changed("round")) && "changed")} role="status">
        {say(`board.together.phase.${view.phase}`, { round: view.round })}
      </p>
      {last !== undefined && last.seats.length > 0 && (last.round === view.round - 1 || view.phase !== "submission") && (
        <RoundOver
          text={say("board.together.left", { round: last.round, names: joined(last.seats.map((seat) => seats[seat] ?? "")), count: last.seats.length })}
          isNew={changed("kicked_out")}
        />
      )}
      {ownSeat(audience) !== null && <Own {...shown} />}
      <div class="together-groups">
        <Stage {...shown} />
        <Collectors {...shown} />
      </div>
      <PrivateLegend audience={audience} />
      {view.standing_by_seat !== undefined && <Sealed {...shown} />}
    </div>
  );
}

/** The votes that each seat received in each round, as far as they were revealed. */
export function course({ view }: Table): Course | null {
  const rounds = view.votes ?? [];
  const lines = view.groups.map((group, seat) => ({
    seat,
    y: rounds.map((round) => (group === "A" ? round.a : round.b)?.[seat] ?? null),
  }));
  const revealed = lines.filter((line) => line.y.some((votes) => votes !== null));
  if (revealed.length === 0) return null;
  return {
    title: say("board.together.course"),
    along: say("board.together.course.along"),
    x: rounds.map((round) => round.round),
    lines: revealed,
  };
}
