/** Rulings on a player, on the seeds, and on a match that another one replaces. */
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Choice, Field, lines, written } from "../form.js";
import { say } from "../given.js";
import { Previewed, Reason } from "../previewed.js";
import { Refusal } from "../trouble.js";
import type { Cup } from "./cup.js";
import type { DeskProps } from "./desk_props.js";
import { roundOfMatch } from "./round_names.js";
import { Task } from "./task.js";

const KINDS = ["penalty", "disqualify", "reinstate", "replace", "seed"] as const;
type Kind = (typeof KINDS)[number];

export function RuleOnEvent({ cup, by, changed }: DeskProps): VNode {
  const kind = useSignal<Kind>("penalty");
  return (
    <Task title={say("desk.rule")}>
      <Previewed
        by={by}
        path={`/tournaments/${cup.shown.id}/rulings`}
        label={say("desk.rule.send")}
        seats={[]}
        body={(fields) => ({ kind: kind.value, reason: written(fields, "reason"), ...facts(kind.value, cup, fields) })}
        done={changed}
      >
        <Field label={say("desk.rule.kind")}>
          <Choice value={kind.value} onChange={(event) => (kind.value = event.currentTarget.value as Kind)} of={KINDS.map((one) => [one, say(`desk.rule.${one}`)])} />
        </Field>
        <Facts key={kind.value} kind={kind.value} cup={cup} />
        <Reason />
      </Previewed>
    </Task>
  );
}

function Facts({ kind, cup }: { kind: Kind; cup: Cup }): VNode {
  if (kind === "seed") {
    return (
      <Field label={say("desk.rule.order")} hint={say("desk.rule.order.hint")}>
        <textarea name="order" rows={8} required defaultValue={cup.shown.players.map((one) => one.name).join("\n")} />
      </Field>
    );
  }
  if (kind === "replace") {
    const matches = cup.pairings.map((one): [string, string] => [one.match, `${one.seats.join(" – ")}, ${roundOfMatch(cup, one)}`]);
    return (
      <>
        <Field label={say("tournament.match")}>
          <Choice name="match" required of={matches} />
        </Field>
        <Field label={say("desk.rule.by")} hint={say("desk.rule.by.hint")}>
          <Choice name="by" required of={matches.reverse()} />
        </Field>
      </>
    );
  }
  return (
    <>
      <Field label={say("tournament.player")}>
        <Choice name="player" required of={cup.shown.players.map((one) => [String(one.player), one.name])} />
      </Field>
      {kind === "penalty" && (
        <Field label={say("desk.rule.points")}>
          <input type="number" name="points" required defaultValue="1" />
        </Field>
      )}
      {kind === "disqualify" && (
        <label class="tick">
          <input type="checkbox" name="annul" /> {say("desk.rule.annul")}
        </label>
      )}
    </>
  );
}

/** What a ruling of this kind says besides its reason. */
function facts(kind: Kind, cup: Cup, fields: FormData): Record<string, unknown> {
  const player = Number(written(fields, "player"));
  switch (kind) {
    case "penalty":
      return { player, points: Number(written(fields, "points")) };
    case "disqualify":
      return { player, annul: fields.has("annul") };
    case "reinstate":
      return { player };
    case "replace":
      return { match: written(fields, "match"), by: written(fields, "by") };
    case "seed":
      return { order: lines(fields, "order").map((name) => playerNamed(cup, name)) };
  }
}

/** Throws a Refusal for a name that nobody has. */
function playerNamed({ shown }: Cup, name: string): number {
  const found = shown.players.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (found === undefined) throw new Refusal(say("desk.rule.unknown", { name }));
  return found.player;
}
