/** What an organiser does with stages besides the next round: other settings, a round withdrawn, a round ahead of time. */
import type { Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Choice, Field, Form, written } from "../form.js";
import { say } from "../given.js";
import type { DeskProps } from "./desk_props.js";
import { NextRound } from "./next_round.js";
import { stageName } from "./stage_names.js";
import { lastRound, type Round, type Stage, type StageRead } from "./stage_read.js";
import { Task } from "./task.js";

interface Props extends DeskProps {
  read: StageRead;
}

export function StageTasks(props: DeskProps): VNode | null {
  const reads = props.cup.stages.filter(({ stage }) => stage.status !== "closed");
  if (reads.length === 0) return null;
  return (
    <Task title={say("desk.stages")} count={reads.length}>
      {reads.map((read) => (
        <section key={read.stage.stage}>
          <h3>
            <bdi>{stageName(read.stage.name)}</bdi>
          </h3>
          {read.stage.published === 0 ? <Change {...props} read={read} /> : <Rounds {...props} read={read} />}
        </section>
      ))}
    </Task>
  );
}

/** Until its first round is published a stage can be changed. */
function Change({ cup, by, changed, read: { stage } }: Props): VNode {
  async function send(fields: FormData): Promise<void> {
    await by.arbiter.tournament(cup.shown.id).changeStage(stage.stage, settings(stage, fields));
    await changed();
  }
  const { round } = stage;
  return (
    <Form key={JSON.stringify(stage)} label={say("desk.stage.change")} send={send} kept>
      <div class="fields-of">
        <Field label={say("organise.name")}>
          <input name="name" required maxLength={64} defaultValue={stage.name} autocomplete="off" />
        </Field>
        <Field label={say("desk.stage.rounds")} hint={say("desk.stage.rounds.hint")}>
          <input type="number" name="rounds" min={1} max={64} defaultValue={stage.rounds === null ? "" : String(stage.rounds)} />
        </Field>
        <Field label={say("organise.seeding")}>
          <Choice name="seeding" chosen={stage.seeding} of={["rating", "seed", "lots", "entry"].map((one) => [one, say(`organise.seeding.${one}`)])} />
        </Field>
        <Field label={say("organise.start")}>
          <Choice name="start" chosen={round.start} of={["by_hand", "ready", "at_once"].map((one) => [one, say(`organise.start.${one}`)])} />
        </Field>
        <Field label={say("organise.ends")} hint={say("organise.ends.hint")}>
          <input type="number" name="ends" min={0.1} step="any" defaultValue={round.ends === null ? "" : String(round.ends)} />
        </Field>
      </div>
    </Form>
  );
}

function settings(stage: Stage, fields: FormData): Schemas["StageSettings"] {
  const number = (name: string): number | null => (written(fields, name) === "" ? null : Number(written(fields, name)));
  return {
    name: written(fields, "name"),
    rounds: number("rounds"),
    seeding: written(fields, "seeding") as Stage["seeding"],
    round: { ...stage.round, start: written(fields, "start") as NonNullable<Stage["round"]["start"]>, ends: number("ends") },
  };
}

/** The last round: withdrawn while nobody has begun it; or the next one though it is not closed yet. */
function Rounds(props: Props): VNode {
  const isAhead = useSignal(false);
  const round = lastRound(props.read);
  if (round?.status !== "published") return <p class="quiet">{say("desk.stage.nothing")}</p>;
  const mayWithdraw = round.pairings.every((one) => one.status === "waiting");
  return (
    <>
      {mayWithdraw && <Withdraw {...props} round={round} />}
      {isAhead.value ? (
        <NextRound {...props} number={(props.read.rounds.at(-1)?.round ?? 0) + 1} overlap />
      ) : (
        <p>
          <button type="button" class="plain" onClick={() => (isAhead.value = true)}>
            {say("desk.overlap", { number: round.round })}
          </button>
        </p>
      )}
    </>
  );
}

function Withdraw({ cup, by, changed, read, round }: Props & { round: Round }): VNode {
  async function withdraw(fields: FormData): Promise<void> {
    await by.arbiter.tournament(cup.shown.id).withdrawRound(read.stage.stage, round.round, written(fields, "reason"));
    await changed();
  }
  return (
    <Form label={say("desk.withdraw_round", { number: round.round })} grave send={withdraw}>
      <p class="quiet">{say("desk.withdraw_round.about")}</p>
      <Field label={say("tournament.reason")} hint={say("tournament.reason.hint")}>
        <input name="reason" required maxLength={200} autocomplete="off" />
      </Field>
    </Form>
  );
}
