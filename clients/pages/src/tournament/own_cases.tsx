/** What a player says went wrong in the event, what became of it, and what they add to its lots. */
import { newKey, type Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { inOrder } from "../cases.js";
import { Choice, Field, Form, written } from "../form.js";
import { say } from "../given.js";
import { openMatch } from "./open_match.js";
import type { OwnProps } from "./own_rounds.js";
import { saidBy } from "./protests.js";
import { Task } from "./task.js";

type InMatch = Schemas["CaseAcross"] & { who: Awaited<ReturnType<typeof saidBy>> };

export function OwnCases({ id, by, player, names, stages }: OwnProps): VNode {
  const known = useSignal<Schemas["CaseShown"][]>([]);
  const inMatches = useSignal<InMatch[]>([]);
  const path = `/tournaments/${id}/cases`;
  async function read(): Promise<void> {
    const found: Schemas["CaseShown"][] = [];
    const others: InMatch[] = [];
    for await (const one of by.arbiter.tournament(id).cases()) {
      if (one.match === null) found.push((await by.arbiter.request<Schemas["CaseShown"]>(`${path}/${one.case}`)).data);
      else others.push({ ...one, who: await saidBy(by.arbiter, one.match, one.case, player.name) });
    }
    known.value = found.reverse();
    inMatches.value = others.reverse();
  }
  useEffect(() => void read().catch(reportError), [stages]);
  async function send(rest: string, body: unknown): Promise<void> {
    await by.arbiter.request(path + rest, { method: "POST", body, headers: { "Idempotency-Key": newKey() } });
    await read();
  }
  const players = names.map((name, player): [string, string] => [String(player), name]);
  return (
    <Task title={say("me.cases")} count={known.value.length + inMatches.value.length} open={[...known.value, ...inMatches.value].some((one) => one.status === "open")}>
      {inMatches.value.map((one) => (
        <p key={one.case}>
          {say(`me.cases.match.${one.who.kind}`, { name: one.who.name })} {say(`me.cases.match.${one.status}`)}{" "}
          <button type="button" class="as-link" onClick={() => openMatch(by, one.match!)}>
            {say("me.cases.match.open_it")}
          </button>
        </p>
      ))}
      {known.value.map((one) => (
        <OneCase key={one.case} of={one} names={names} answer={(says) => send(`/${one.case}/statements`, { says })} />
      ))}
      <Form label={say("me.cases.open")} send={(fields) => send("", { says: written(fields, "says"), about: aboutOf(fields) })}>
        <p class="quiet">{say("me.cases.about")}</p>
        <Field label={say("me.cases.player")}>
          <Choice name="player" of={[["", say("nothing")], ...players]} />
        </Field>
        <Field label={say("me.cases.says")}>
          <textarea name="says" required rows={3} maxLength={2000} />
        </Field>
      </Form>
    </Task>
  );
}

function aboutOf(fields: FormData): Schemas["AboutTournament"] | null {
  const player = written(fields, "player");
  return player === "" ? null : { player: Number(player) };
}

function OneCase({ of: one, names, answer }: { of: Schemas["CaseShown"]; names: readonly string[]; answer(says: string): Promise<void> }): VNode {
  return (
    <article class="own-case">
      <ul class="rows">
        {inOrder(one).map((part, index) => (
          <li key={index}>
            {"says" in part && <Speaker from={part.from} names={names} />}
            <bdi class="says">{"says" in part ? part.says : (part.note ?? say("me.cases.ruled"))}</bdi>
          </li>
        ))}
      </ul>
      {one.status === "closed" && <p class="quiet">{say("me.cases.closed")}</p>}
      {one.status === "open" && (
        <Form label={say("me.cases.answer")} send={(fields) => answer(written(fields, "says"))}>
          <Field label={say("me.cases.more")}>
            <textarea name="says" required rows={2} maxLength={2000} />
          </Field>
        </Form>
      )}
    </article>
  );
}

/** Who speaks: a player by name; the staff have none here. */
function Speaker({ from, names }: { from: string; names: readonly string[] }): VNode {
  const player = /^player:(\d+)$/.exec(from)?.[1];
  return (
    <span class="quiet">
      <bdi>{player === undefined ? say("me.cases.staff") : names[Number(player)]}</bdi>:{" "}
    </span>
  );
}

/** Bytes that a player may add. */
const MOST = 64;

/** A text in the next draw of lots, so that nobody has chosen it alone. */
export function OwnSeed({ id, by }: OwnProps): VNode {
  async function give(fields: FormData): Promise<string> {
    const body = { seed: written(fields, "seed") };
    await by.arbiter.request(`/tournaments/${id}/client-seeds`, { method: "POST", body, headers: { "Idempotency-Key": newKey() } });
    return say("me.seed.given");
  }
  return (
    <Task title={say("me.seed")}>
      <Form label={say("me.seed.send")} send={give}>
        <Field label={say("me.seed.text")} hint={say("me.seed.about")}>
          <input name="seed" required maxLength={MOST} autocomplete="off" />
        </Field>
      </Form>
    </Task>
  );
}
