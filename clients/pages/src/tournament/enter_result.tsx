/** The result of a match that was played at a table, or whose player did not come: entered by the staff, as a ruling. */
import type { VNode } from "preact";
import { Choice, Field, written } from "../form.js";
import { say } from "../given.js";
import { joined } from "../parts.js";
import { Previewed, Reason } from "../previewed.js";
import type { Pairing } from "./cup.js";
import type { DeskProps } from "./desk_props.js";

interface Props extends DeskProps {
  pairing: Pairing;
}

/** A match that has not begun is started first: a result is ruled on one that runs. */
export function EnterResult({ cup, by, changed, pairing }: Props): VNode {
  const { match, seats, status, row } = pairing;
  const isCreated = status === "created";
  async function start(): Promise<void> {
    if (isCreated) await by.arbiter.match(match).start();
  }
  const isAlone = row.rulings === "single";
  return (
    <details>
      <summary>{say("desk.result")}</summary>
      <Previewed
        by={by}
        path={`/matches/${match}/rulings`}
        label={say("desk.result.send")}
        look={say(isCreated ? "desk.result.start" : "tournament.ruling.preview")}
        first={start}
        seats={seats}
        body={(fields) => ruledResult(seats.length, fields)}
        done={changed}
      >
        <p class="quiet">{say("desk.result.about")}</p>
        <div class="fields-of">
          <Field label={say("desk.result.winner")}>
            <Choice name="winner" required of={[["", ""], ...seats.map((name, seat): [string, string] => [String(seat), name]), ["shared", say("desk.result.shared")]]} />
          </Field>
          {seats.map((name, seat) => (
            <Field key={seat} label={say("tournament.result.score", { name })}>
              <input type="number" name={`score.${seat}`} required />
            </Field>
          ))}
          <Field label={say("desk.result.because")}>
            <Choice name="because" of={["adjudicated", "forfeit"].map((one) => [one, say(`desk.result.${one}`)])} />
          </Field>
        </div>
        <Reason text={say("desk.result.reason")} />
        {!isAlone && <p class="quiet">{say("desk.result.second")} {by.role === "moderator" ? say("desk.result.seconds.staff") : secondsOf(cup, pairing)}</p>}
      </Previewed>
    </details>
  );
}

/** Who can second what an organiser rules in a match. */
function secondsOf({ shown }: DeskProps["cup"], { moderators }: Pairing): string {
  if (moderators.length > 0) return say("desk.result.seconds", { names: joined(moderators) });
  return say(shown.moderators.length > 0 ? "desk.result.seconds.give" : "desk.result.seconds.none");
}

function ruledResult(count: number, fields: FormData): Record<string, unknown> {
  const winner = written(fields, "winner");
  const seats = Array.from({ length: count }, (_, seat) => seat);
  const winners = winner === "shared" ? seats : [Number(winner)];
  const result = {
    winners,
    losers: seats.filter((seat) => !winners.includes(seat)),
    shared: winner === "shared",
    scores: seats.map((seat) => Number(written(fields, `score.${seat}`))),
  };
  return { kind: "result", result, because: written(fields, "because"), reason: written(fields, "reason") };
}
