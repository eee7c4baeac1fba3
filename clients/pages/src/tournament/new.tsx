/** Where an organiser creates a tournament. */
import { newKey, type Arbiter, type Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Field, Form, lines, linesOf, written } from "../form.js";
import { say } from "../given.js";
import { handOut } from "../sheets.js";
import { keySheet } from "./people.js";

type Made = Schemas["CreatedTournament"];

export function NewTournament({ arbiter, made }: { arbiter: Arbiter; made(tournament: Made): void }): VNode {
  const players = useSignal<string[]>([]);
  async function send(fields: FormData): Promise<void> {
    const body = newTournament(fields);
    const headers = { "Idempotency-Key": newKey() };
    const { data } = await arbiter.request<Made>("/tournaments", { method: "POST", body, headers });
    players.value = [];
    handOut(
      ...data.players.map((one) => keySheet("players", data, one)),
      ...data.moderators.map((one) => keySheet("moderators", data, one)),
    );
    made(data);
  }
  function read(text: string): void {
    players.value = linesOf(text);
  }
  return (
    <Form label={say("organise.tournament.create")} send={send}>
      <Field label={say("organise.tournament.name")}>
        <input name="name" required autocomplete="off" />
      </Field>
      <div class="fields-of">
        <Field label={say("tournament.players")} hint={say("organise.one_a_line")}>
          <textarea name="players" rows={8} onInput={(event) => read(event.currentTarget.value)} />
        </Field>
        <Field label={say("tournament.moderators")} hint={say("organise.one_a_line")}>
          <textarea name="moderators" rows={8} />
        </Field>
      </div>
      {players.value.length > 0 && (
        <details>
          <summary>{say("organise.garnets")}</summary>
          <div class="fields-of">
            {players.value.map((name, index) => (
              <Field key={index} label={name}>
                <input type="number" name={`garnets.${index}`} min={0} placeholder="0" />
              </Field>
            ))}
          </div>
        </details>
      )}
    </Form>
  );
}

function newTournament(fields: FormData): Schemas["NewTournament"] {
  const players = lines(fields, "players");
  const holdings = players.map((name, index): [string, number] => [name, Number(written(fields, `garnets.${index}`))]);
  return {
    name: written(fields, "name"),
    players,
    moderators: lines(fields, "moderators"),
    garnets: Object.fromEntries(holdings.filter(([, garnets]) => garnets > 0)),
  };
}
