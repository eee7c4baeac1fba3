/** A round whose time is up: who has done nothing, a forfeit, or more time. */
import type { Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Field, Form, written } from "../form.js";
import { say } from "../given.js";
import { joined, Moment } from "../parts.js";
import type { DeskProps } from "./desk_props.js";
import type { Round, StageRead } from "./stage_read.js";

interface Props extends DeskProps {
  read: StageRead;
  round: Round;
}

const HOUR = 3_600_000;

export function Ended(props: Props): VNode {
  const { cup, by, read, round, changed } = props;
  const found = useSignal<Schemas["Absence"][]>([]);
  const [stage, number] = [read.stage.stage, round.round];
  useEffect(() => {
    const asked = by.arbiter.tournament(cup.shown.id).absences(stage, number);
    asked.then((absences) => (found.value = absences)).catch(reportError);
  }, [cup]);
  async function more(fields: FormData): Promise<void> {
    const from = Math.max(Date.now(), Date.parse(round.ends!));
    const ends = new Date(from + HOUR * Number(written(fields, "hours"))).toISOString();
    await by.arbiter.tournament(cup.shown.id).giveTime(stage, number, { ends, reason: written(fields, "reason") });
    await changed();
  }
  return (
    <>
      <h3>
        {say("desk.ended", { number })} <Moment at={round.ends!} />
      </h3>
      {found.value.map((one) => (
        <Absent key={one.match} {...props} absence={one} />
      ))}
      {by.role === "organiser" && (
        <details>
          <summary>{say("desk.more_time")}</summary>
          <Form label={say("desk.more_time")} send={more}>
            <Field label={say("desk.more_time.hours")}>
              <input type="number" name="hours" min={0.1} step="any" required defaultValue="1" />
            </Field>
            <WhyOf />
          </Form>
        </details>
      )}
    </>
  );
}

function Absent({ cup, by, read, round, changed, absence }: Props & { absence: Schemas["Absence"] }): VNode {
  const { table, match, absent } = absence;
  const pairing = round.pairings.find((one) => one.table === table);
  const names = (players: readonly number[]): string => joined(players.map((player) => cup.shown.players[player]?.name ?? ""));
  async function forfeit(fields: FormData): Promise<void> {
    const lost = { match, absent, reason: written(fields, "reason") };
    await by.arbiter.tournament(cup.shown.id).forfeit(read.stage.stage, round.round, lost);
    await changed();
  }
  return (
    <div class="absent">
      <p>
        {say("desk.table", { number: table })} <bdi>{names(pairing?.players ?? [])}</bdi>:{" "}
        {absent.length > 0 ? say("desk.absent", { count: absent.length, names: names(absent) }) : say("desk.absent.nobody")}
      </p>
      {absent.length > 0 && (
        <details>
          <summary>{say("desk.forfeit")}</summary>
          <Form label={say("desk.forfeit.send", { names: names(absent), count: absent.length })} grave send={forfeit}>
            <WhyOf />
          </Form>
        </details>
      )}
    </div>
  );
}

function WhyOf(): VNode {
  return (
    <Field label={say("tournament.reason")} hint={say("tournament.reason.hint")}>
      <input name="reason" required maxLength={200} autocomplete="off" />
    </Field>
  );
}
