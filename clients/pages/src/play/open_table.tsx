/** Open tables: opening one, and waiting at it until all are ready. */
import { useSignal } from "@preact/signals";
import { newKey, type Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Choice, Field, Form, written } from "../form.js";
import { say } from "../given.js";
import { HowToPlay } from "../how_to_play.js";
import { below } from "../root.js";
import { service } from "../service.js";
import { Kept } from "./kept.js";
import type { Seated } from "./seated.js";

/** A game, the name of who plays it with a friend, and nothing else. */
export function Opening(): VNode {
  const games = useSignal<Schemas["GameSummary"][]>([]);
  const chosen = useSignal(new URLSearchParams(location.search).get("game") ?? "");
  useEffect(() => {
    void service().games().then((found) => {
      games.value = found;
      if (!found.some(({ id }) => id === chosen.peek())) chosen.value = found[0]?.id ?? "";
    });
  }, []);
  async function open(fields: FormData): Promise<void> {
    const game = written(fields, "game");
    const seats = games.value.find(({ id }) => id === game)?.seats[0];
    const body = { game, name: written(fields, "name"), seats };
    const sent = { method: "POST", body, headers: { "Idempotency-Key": newKey() } } as const;
    const { data } = await service().request<Schemas["OpenedTable"]>("/tables", sent);
    const kept = new Kept(data.match);
    kept.keepKey(data.key, true);
    kept.table = { link: data.link, recovery: data.recovery };
    location.assign(below(`/play/${data.match}`));
  }
  return (
    <section class="door-way">
      <h1>{say("play.friend")}</h1>
      <p>{say("play.friend.about")}</p>
      <Form label={say("play.friend.open")} send={open} ready={games.value.length > 0} kept>
        <Field label={say("play.friend.game")}>
          <Choice
            name="game"
            of={games.value.map(({ id, title }) => [id, title])}
            value={chosen.value}
            onChange={(event) => (chosen.value = event.currentTarget.value)}
          />
        </Field>
        {games.value.length > 0 && <HowToPlay key={chosen.value} game={chosen.value} />}
        <Field label={say("play.friend.name")}>
          <input name="name" maxLength={64} autocomplete="nickname" required />
        </Field>
      </Form>
      <p class="hint">{say("play.invitation.lost")}</p>
    </section>
  );
}

/** Until all are ready: the link for the others, and the code that gives the seat back. */
export function Gathering({ seated }: { seated: Seated }): VNode {
  const isReady = useSignal(false);
  const { table } = seated.kept;
  async function beReady(): Promise<void> {
    const path = `/matches/${seated.info.id}/ready`;
    await seated.arbiter.request(path, { method: "POST", headers: { "Idempotency-Key": newKey() } });
    isReady.value = true;
  }
  return (
    <section class="gathering" aria-labelledby="gathering">
      <h2 id="gathering">{say("play.gathering")}</h2>
      {table?.link !== undefined && <Given label={say("play.gathering.link")} text={table.link} />}
      {table !== null && <Given label={say("play.gathering.recovery")} text={table.recovery} />}
      {isReady.value ? <p role="status">{say("play.gathering.waits")}</p> : <Form label={say("play.gathering.ready")} send={beReady} />}
    </section>
  );
}

/** A text to pass on, or to write down. */
function Given({ label, text }: { label: string; text: string }): VNode {
  return (
    <label class="labelled">
      {label}
      <textarea readOnly rows={2} value={text} onFocus={(event) => event.currentTarget.select()} />
    </label>
  );
}
