/** Rulings on how a match counts: made by an organiser, seconded by a moderator of the match. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { Field, Form, written } from "../form.js";
import { say } from "../given.js";
import { Moment } from "../parts.js";
import { noteWithdrawn } from "../proposed.js";
import { Previewed, Reason } from "../previewed.js";
import type { Pairing } from "./cup.js";
import type { DeskProps } from "./desk_props.js";
import { roundOfMatch } from "./round_names.js";
import { eventSecondsOf, isOwn } from "./seconds.js";
import { Ruled, seatsOf } from "./shown.js";
import { Task } from "./task.js";

export function Correct({ cup, by, changed }: DeskProps): VNode {
  const over = cup.pairings.filter((one) => one.status === "ended" && one.row.result?.final !== false);
  const chosen = useSignal("");
  // It stays, whatever comes before it in the list: the form is about it.
  const first = useRef(over[0]?.match);
  first.current ??= over[0]?.match;
  const pairing = over.find((one) => one.match === (chosen.value || first.current)) ?? over[0];
  if (pairing === undefined) {
    return (
      <Task title={say("tournament.correct")}>
        <p class="quiet">{say("tournament.correct.none")}</p>
      </Task>
    );
  }
  return (
    <Task title={say("tournament.correct")}>
      <p class="quiet">{say("tournament.correct.about")}</p>
      <Field label={say("tournament.match")}>
        <select value={pairing.match} onChange={(event) => (chosen.value = event.currentTarget.value)}>
          {over.map((one) => (
            <option key={one.match} value={one.match}>
              {one.seats.join(" – ")} ({roundOfMatch(cup, one)})
            </option>
          ))}
        </select>
      </Field>
      <Previewed
        key={pairing.match}
        by={by}
        path={`/tournaments/${cup.shown.id}/rulings`}
        label={say("tournament.correct")}
        seats={pairing.seats}
        body={(fields) => correction(pairing, fields)}
        done={changed}
      >
        <NewResult pairing={pairing} />
        <Reason />
      </Previewed>
    </Task>
  );
}

function NewResult({ pairing: { seats, result } }: { pairing: Pairing }): VNode {
  return (
    <fieldset>
      <legend>{say("tournament.result")}</legend>
      {seats.map((name, seat) => (
        <div key={seat} class="fields-of">
          <Field label={name}>
            <select name={`seat.${seat}`}>
              {["winner", "loser", "neither"].map((one) => (
                <option key={one} value={one} selected={one === stood(result, seat)}>
                  {say(`tournament.result.${one}`)}
                </option>
              ))}
            </select>
          </Field>
          <Field label={say("tournament.result.score", { name })}>
            <input type="number" name={`score.${seat}`} required defaultValue={String(result?.scores[seat] ?? 0)} />
          </Field>
        </div>
      ))}
      <label class="tick">
        <input type="checkbox" name="shared" defaultChecked={result?.shared ?? false} /> {say("tournament.result.shared")}
      </label>
      <label class="tick">
        <input type="checkbox" name="out" /> {say("tournament.result.out")}
      </label>
    </fieldset>
  );
}

function stood(result: Pairing["result"], seat: number): string {
  if (result?.winners.includes(seat)) return "winner";
  return result?.losers.includes(seat) ? "loser" : "neither";
}

function correction({ match, seats }: Pairing, fields: FormData): Record<string, unknown> {
  const numbers = seats.map((_, seat) => seat);
  const which = (role: string): number[] => numbers.filter((seat) => written(fields, `seat.${seat}`) === role);
  const result = {
    winners: which("winner"),
    losers: which("loser"),
    shared: fields.has("shared"),
    scores: numbers.map((seat) => Number(written(fields, `score.${seat}`))),
  };
  return { kind: "correct", match, result: fields.has("out") ? null : result, reason: written(fields, "reason") };
}

/** Rulings that wait for a second person. */
export function PendingCorrections({ cup, by, changed }: DeskProps): VNode {
  const pending = cup.rulings.filter((one) => one.status === "pending" && one.ruling !== null);
  const path = `/tournaments/${cup.shown.id}/rulings`;
  async function withdraw(ruling: string): Promise<void> {
    await by.arbiter.request(`${path}/${ruling}`, { method: "DELETE" });
    noteWithdrawn(by.purpose, ruling);
    await changed();
  }
  return (
    <Task title={say("tournament.pending")} count={pending.length} open={pending.length > 0}>
      {pending.length === 0 && <p class="quiet">{say("nothing")}</p>}
      <ul class="rows">
        {pending.map((one) => (
          <li key={one.ruling}>
            <Ruled cup={cup} ruling={one} /> <bdi class="says">{one.reason}</bdi>{" "}
            <span class="quiet">
              <Moment at={one.at} />
            </span>
            {isOwn(cup, by, one) && <p class="quiet">{say("tournament.second.own")} {eventSecondsOf(cup, by.role, one.match)}</p>}
            {by.role !== "player" && !isOwn(cup, by, one) && (
              <Previewed
                by={by}
                path={`${path}/${one.ruling}/second`}
                label={say("tournament.second")}
                seats={one.match === null ? [] : seatsOf(cup, one.match)}
                body={() => ({})}
                done={changed}
              />
            )}
            <Form label={say("tournament.withdraw")} send={() => withdraw(one.ruling!)} />
          </li>
        ))}
      </ul>
    </Task>
  );
}
