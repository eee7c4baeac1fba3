/** Together: votes by name, each as often as a player gets one. */
import type { VNode } from "preact";
import { only, type Filling } from "../game_form.js";
import { say } from "../given.js";
import { Seat } from "../parts.js";
import { Counts, Group } from "../play/fields.js";
import type { Schema } from "../schema.js";

export const seats = ["submit.a", "submit.b", "vote.for", "give_token_of_life.to"];

export const forms = { submit: Submit };

export const startsEmpty = true;

const KINDS = ["a", "b"] as const;

function Submit({ fields, values, set, view }: Filling): VNode {
  const both = KINDS.every((kind) => values[kind] !== null);
  return (
    <>
      {KINDS.map((kind) => {
        const schema = listOf(fields[kind]);
        return (
          schema !== null && (
            <Votes key={kind} kind={kind} schema={schema} votes={(values[kind] ?? []) as number[]} seats={view.seats} set={(votes) => set({ ...values, [kind]: votes.length === 0 ? null : votes })} />
          )
        );
      })}
      {(both || values.pay_garnet === true) && only(fields.pay_garnet ?? {}) === undefined && (
        <label class="check">
          <input type="checkbox" checked={values.pay_garnet === true} onChange={(event) => set({ ...values, pay_garnet: event.currentTarget.checked })} />
          {say("play.together.submit.pay_garnet")}
        </label>
      )}
      {KINDS.every((kind) => values[kind] === null) && hasSubmitted(view) && <p class="hint">{say("play.together.submit.withdraws")}</p>}
    </>
  );
}

function hasSubmitted({ view }: Filling["view"]): boolean {
  return ((view as { standing?: unknown } | null)?.standing ?? null) !== null;
}

/** The list that a field takes, where it takes one at all. */
function listOf(field: Schema | undefined): Schema | null {
  return [field, ...(field?.anyOf ?? [])].find((one) => one?.type === "array") ?? null;
}

function Votes({ kind, schema, votes, seats, set }: {
  kind: (typeof KINDS)[number];
  schema: Schema;
  votes: number[];
  seats: readonly string[];
  set(votes: number[]): void;
}): VNode {
  const players = (schema.items?.enum ?? []) as number[];
  const most = schema.maxItems ?? 0;
  return (
    <Group label={`${say(`play.together.submit.${kind}`)}: ${say("play.together.submit.taken", { count: votes.length, most })}`} hint={say(`play.together.submit.${kind}.about`)}>
      <Counts
        label={(seat) => seats[Number(seat)] ?? String(seat)}
        values={players}
        counts={new Map(players.map((player) => [player, votes.filter((vote) => vote === player).length]))}
        most={most}
        each={schema.uniqueItems ? 1 : most}
        set={(counts) => set([...counts].flatMap(([player, count]) => Array<number>(count).fill(Number(player))))}
        shown={(seat) => <Seat number={Number(seat)} name={seats[Number(seat)]} />}
      />
    </Group>
  );
}
