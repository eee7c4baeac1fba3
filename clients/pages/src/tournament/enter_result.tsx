/** The result of a match that was played at a table, or whose player did not come: entered by the staff, as a ruling. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Choice, Field } from "../form.js";
import { say } from "../given.js";
import { Previewed, Reason } from "../previewed.js";
import type { Pairing } from "./cup.js";
import type { DeskProps } from "./desk_props.js";
import { ruledResult } from "./entered.js";
import { secondsOf } from "./seconds.js";

interface Props extends DeskProps {
  pairing: Pairing;
}

/** A match that has not begun is started first: a result is ruled on one that runs. */
export function EnterResult({ cup, by, changed, pairing }: Props): VNode {
  const { match, seats, status, row } = pairing;
  const isCreated = status === "created";
  const because = useSignal("adjudicated");
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
        <Field label={say("desk.result.because")}>
          <Choice
            name="because"
            value={because.value}
            onChange={(event) => (because.value = event.currentTarget.value)}
            of={["adjudicated", "forfeit"].map((one) => [one, say(`desk.result.${one}`)])}
          />
        </Field>
        {because.value === "forfeit" ? <Absent seats={seats} /> : <Played seats={seats} />}
        <Reason key={because.value} text={say(`desk.result.reason.${because.value}`)} />
        {!isAlone && <p class="quiet">{say("desk.result.second")} {secondsOf(cup, by.role, pairing)}</p>}
      </Previewed>
    </details>
  );
}

function Played({ seats }: { seats: readonly string[] }): VNode {
  return (
    <div class="fields-of">
      <Field label={say("desk.result.winner")}>
        <Choice name="winner" required of={[["", ""], ...seats.map((name, seat): [string, string] => [String(seat), name]), ["shared", say("desk.result.shared")]]} />
      </Field>
      {seats.map((name, seat) => (
        <Field key={seat} label={say("tournament.result.score", { name })}>
          <input type="number" name={`score.${seat}`} required />
        </Field>
      ))}
    </div>
  );
}

/** Who came wins, without scores. */
function Absent({ seats }: { seats: readonly string[] }): VNode {
  return (
    <fieldset>
      <legend>{say("desk.result.absent")}</legend>
      {seats.map((name, seat) => (
        <label key={seat} class="tick">
          <input type="checkbox" name="absent" value={seat} /> <bdi>{name}</bdi>
        </label>
      ))}
    </fieldset>
  );
}
