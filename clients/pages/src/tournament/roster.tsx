/** The people of an event, one by one, and the doors by which they come: registration and check-in. */
import { newKey, type Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Field, Form, written } from "../form.js";
import { say } from "../given.js";
import { handOut } from "../sheets.js";
import type { DeskProps } from "./desk_props.js";
import { LeavingShown } from "./leaving_shown.js";
import { linkSheets } from "./slips.js";
import { Task } from "./task.js";

type Player = Schemas["ShownPlayer"];

async function send({ cup, by, changed }: DeskProps, path: string, body?: unknown, method: "POST" | "DELETE" = "POST"): Promise<void> {
  const headers = { "Idempotency-Key": newKey() };
  await by.arbiter.request(`/tournaments/${cup.shown.id}/${path}`, { method, body, headers });
  await changed();
}

export function Roster(props: DeskProps): VNode {
  const { players } = props.cup.shown;
  return (
    <Task title={say("tournament.players")} count={players.length}>
      <ul class="rows">
        {players.map((one) => (
          <OnePlayer key={one.player} {...props} player={one} />
        ))}
      </ul>
    </Task>
  );
}

function OnePlayer(props: DeskProps & { player: Player }): VNode {
  const { player } = props;
  return (
    <li>
      <details>
        <summary>
          <bdi>{player.name}</bdi> <span class="quiet">{say(`stage.player.${player.status}`)}</span>
        </summary>
        <div class="task-body">
          <Actions {...props} />
        </div>
      </details>
    </li>
  );
}

function Actions(props: DeskProps & { player: Player }): VNode {
  const { cup, by, player } = props;
  const path = `players/${player.player}`;
  const isIn = player.status === "entered" || player.status === "checked_in";
  async function link(): Promise<void> {
    handOut(...(await linkSheets(by.arbiter, cup.shown, [player.player], () => undefined)));
  }
  return (
    <>
      {by.role === "organiser" && <Form label={say("desk.link")} send={link} />}
      {player.status === "entered" && <Form label={say("desk.check_in")} send={() => send(props, `${path}/check-in`)} />}
      {player.status === "withdrawn" && <Form label={say("desk.return")} send={() => send(props, `${path}/withdrawal`, undefined, "DELETE")} />}
      {isIn && (
        <details>
          <summary>{say("desk.leave")}</summary>
          <LeavingShown player={player.player} stages={cup.stages} names={cup.shown.players.map((one) => one.name)} />
          <Form label={say("tournament.withdraw")} grave send={(fields) => send(props, `${path}/withdrawal`, { reason: written(fields, "reason") })}>
            <Field label={say("tournament.reason")} hint={say("tournament.reason.hint")}>
              <input name="reason" required maxLength={200} autocomplete="off" />
            </Field>
          </Form>
        </details>
      )}
      {by.role === "organiser" && isIn && <TakenOver {...props} />}
      {by.role === "organiser" && (
        <details>
          <summary>{say("desk.rename")}</summary>
          <p class="quiet">{say("desk.rename.about")}</p>
          <Form
            label={say("desk.rename")}
            send={(fields) => send(props, `${path}/name`, { name: written(fields, "name"), reason: written(fields, "why") })}
          >
            <NewName />
          </Form>
        </details>
      )}
      {by.role === "organiser" && (
        <details>
          <summary>{say("desk.withhold")}</summary>
          <p class="quiet">{say("desk.withhold.about", { number: player.player + 1 })}</p>
          <Form label={say("desk.withhold")} grave send={() => send(props, `${path}/name`, undefined, "DELETE")} />
        </details>
      )}
    </>
  );
}

function NewName(): VNode {
  return (
    <div class="fields-of">
      <Field label={say("organise.name")}>
        <input name="name" required maxLength={64} autocomplete="off" />
      </Field>
      <Field label={say("desk.rename.why")}>
        <input name="why" required maxLength={200} autocomplete="off" />
      </Field>
    </div>
  );
}

/** The formats that pair who enters while they go on. */
const LATE = ["swiss", "by_hand"];

/**
 * Somebody else goes on for a player: in the same place, with its results, or as a new player where the format
 * pairs who enters late. Groups and brackets have no place for a new one.
 */
function TakenOver(props: DeskProps & { player: Player }): VNode {
  const { cup, by, player } = props;
  const path = `players/${player.player}`;
  const open = cup.stages.filter(({ stage }) => stage.status === "open");
  const isLate = open.every(({ stage }) => LATE.includes(stage.format) && stage.published > 0) && open.length > 0;
  async function inPlace(fields: FormData): Promise<string> {
    const name = written(fields, "name");
    await send(props, `${path}/name`, { name, reason: written(fields, "why") });
    handOut(...(await linkSheets(by.arbiter, cup.shown, [player.player], () => undefined)));
    return say("desk.taken_over.done", { name });
  }
  async function anew(fields: FormData): Promise<string> {
    const name = written(fields, "name");
    const headers = { "Idempotency-Key": newKey() };
    await send(props, `${path}/withdrawal`, { reason: written(fields, "why") });
    const { data } = await by.arbiter.request<Schemas["PlayerKey"]>(`/tournaments/${cup.shown.id}/players`, { method: "POST", body: { name }, headers });
    handOut(...(await linkSheets(by.arbiter, cup.shown, [data.player], () => undefined)));
    await props.changed();
    return say("desk.taken_over.done", { name });
  }
  return (
    <details>
      <summary>{say("desk.taken_over")}</summary>
      <p>{say("desk.taken_over.place", { name: player.name })}</p>
      <Form label={say("desk.taken_over.place.send")} grave send={inPlace}>
        <NewName />
      </Form>
      {isLate ? (
        <>
          <p>{say("desk.taken_over.anew", { name: player.name })}</p>
          <LeavingShown player={player.player} stages={cup.stages} names={cup.shown.players.map((one) => one.name)} />
          <Form label={say("desk.taken_over.anew.send", { name: player.name })} grave send={anew}>
            <div class="fields-of">
              <Field label={say("organise.name")}>
                <input name="name" required maxLength={64} autocomplete="off" />
              </Field>
              <Field label={say("tournament.reason")} hint={say("tournament.reason.hint")}>
                <input name="why" required maxLength={200} autocomplete="off" />
              </Field>
            </div>
          </Form>
        </>
      ) : (
        <p class="quiet">{say("desk.taken_over.late")}</p>
      )}
    </details>
  );
}

const MINUTE = 60_000;

/** Where people enter by themselves, and where they say that they are there. */
export function Doors(props: DeskProps): VNode {
  const { cup, by } = props;
  const link = useSignal("");
  async function open(fields: FormData): Promise<string> {
    const body = { limit: Number(written(fields, "limit")), waiting_list: fields.has("waiting_list") };
    const headers = { "Idempotency-Key": newKey() };
    const path = `/tournaments/${cup.shown.id}/registration`;
    const { data } = await by.arbiter.request<Schemas["OpenedRegistration"]>(path, { method: "POST", body, headers });
    link.value = data.link ?? "";
    return say("desk.registration.opened");
  }
  async function close(): Promise<string> {
    await send(props, "registration", undefined, "DELETE");
    link.value = "";
    return say("desk.registration.closed");
  }
  async function checkIn(fields: FormData): Promise<string> {
    const closes = new Date(Date.now() + MINUTE * Number(written(fields, "minutes"))).toISOString();
    await send(props, "check-in", { closes });
    return say("desk.check_in.opened");
  }
  return (
    <Task title={say("desk.doors")}>
      <Form label={say("desk.registration.open")} send={open} kept>
        <p class="quiet">{say("desk.registration.about")}</p>
        <Field label={say("desk.registration.limit")}>
          <input type="number" name="limit" min={1} max={512} defaultValue="64" required />
        </Field>
        <label class="tick">
          <input type="checkbox" name="waiting_list" /> {say("desk.registration.waiting_list")}
        </label>
      </Form>
      {link.value !== "" && (
        <Field label={say("desk.registration.link")} hint={say("tournament.calendars.once")}>
          <input readOnly value={link.value} onFocus={(event) => event.currentTarget.select()} />
        </Field>
      )}
      <Form label={say("desk.registration.close")} send={close} kept />
      <Form label={say("desk.check_in.open")} send={checkIn} kept>
        <p class="quiet">{say("desk.check_in.about")}</p>
        <Field label={say("desk.check_in.minutes")}>
          <input type="number" name="minutes" min={1} defaultValue="30" required />
        </Field>
      </Form>
    </Task>
  );
}
