/** Open tables: opening one, and waiting at it until all are ready. */
import { useSignal } from "@preact/signals";
import { newKey, type Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Copied } from "../copied.js";
import { Choice, Field, Form, written } from "../form.js";
import { numeral, say } from "../given.js";
import { joined, Seat } from "../parts.js";
import { ClockNote } from "./clock_note.js";
import { HowToPlay } from "../how_to_play.js";
import { regularly } from "../regularly.js";
import { below } from "../root.js";
import { service } from "../service.js";
import { Kept } from "./kept.js";
import { keepName, ownName } from "./own_name.js";
import { isFree, takenSeats } from "./seats.js";
import type { Look, Seated } from "./seated.js";

/** A game, the name of who plays it with a friend, and nothing else. */
export function Opening({ optionsOf }: { optionsOf(game: string): Record<string, unknown> }): VNode {
  const games = useSignal<Schemas["GameSummary"][]>([]);
  const chosen = useSignal(new URLSearchParams(location.search).get("game") ?? "");
  useEffect(() => {
    document.title = say("play.friend");
    void service().games().then((found) => {
      games.value = found;
      if (!found.some(({ id }) => id === chosen.peek())) chosen.value = found[0]?.id ?? "";
    });
  }, []);
  async function open(fields: FormData): Promise<void> {
    const game = written(fields, "game");
    await openTable({ game, name: written(fields, "name"), seats: Number(written(fields, "seats")) });
  }
  const [fewest, most] = games.value.find(({ id }) => id === chosen.value)?.seats ?? [2, 2];
  const sizes = Array.from({ length: most - fewest + 1 }, (_, more) => fewest + more);
  return (
    <section class="door-way">
      <h1>{say("play.friend")}</h1>
      <p>{say("play.friend.about")}</p>
      <Form label={say("play.friend.open")} send={open} ready={games.value.length > 0} kept>
        <Field label={say("play.friend.game")}>
          <Choice
            name="game"
            of={games.value.map(({ id, title, seats }) => [id, `${title} (${[...new Set(seats)].map(numeral).join("–")})`])}
            value={chosen.value}
            onChange={(event) => (chosen.value = event.currentTarget.value)}
          />
        </Field>
        {games.value.length > 0 && <HowToPlay key={chosen.value} game={chosen.value} />}
        <ClockNote game={chosen.value} options={optionsOf(chosen.value)} />
        <Field label={say("play.friend.seats")}>
          <Choice key={chosen.value} name="seats" of={sizes.map((size) => [String(size), numeral(size)])} />
        </Field>
        <Field label={say("play.friend.name")}>
          <input name="name" maxLength={64} autocomplete="nickname" defaultValue={ownName()} required />
        </Field>
      </Form>
      <p class="hint">
        {say("play.friend.public")} {say("play.invitation.lost")}
      </p>
    </section>
  );
}

/** Opens a table, keeps the seat on this device, and goes there. */
async function openTable(body: { game: string; name: string; seats?: number | undefined; options?: object }): Promise<void> {
  const sent = { method: "POST", body, headers: { "Idempotency-Key": newKey() } } as const;
  const { data } = await service().request<Schemas["OpenedTable"]>("/tables", sent);
  const kept = new Kept(data.match);
  kept.keepKey(data.key, true);
  keepName(body.name, true);
  kept.table = { link: data.link, recovery: data.recovery };
  location.assign(below(`/play/${data.match}`));
}

/** Milliseconds between two questions whether another player has opened the next table. */
const PACE = 5_000;

/** At the end: the next table of the same players, which one of them opens and the others join by one tap. */
export function Again({ seated, look: { view } }: { seated: Seated; look: Look }): VNode {
  const { info, arbiter, kept } = seated;
  const path = `/matches/${info.id}/again`;
  const next = useSignal<Schemas["ShownMatch"] | null>(null);
  useEffect(() => {
    const left = new AbortController();
    void regularly(PACE, left.signal, async () => {
      const { data } = await arbiter.request<Schemas["NextTable"]>(path);
      if (data.match !== null) next.value = await service().match(data.match).info();
    });
    return () => left.abort();
  }, []);
  async function again(): Promise<void> {
    const { data } = await arbiter.request<Schemas["NextSeat"]>(path, { method: "POST", headers: { "Idempotency-Key": kept.again } });
    const there = new Kept(data.match);
    there.keepKey(data.key, kept.onDevice);
    there.table = { ...(data.link === null ? {} : { link: data.link }), recovery: data.recovery };
    location.assign(below(`/play/${data.match}`));
  }
  const own = Number(view.audience.replace("seat:", ""));
  const others = joined(view.seats.filter((_, seat) => seat !== own));
  const there = next.value === null ? [] : takenSeats(next.value);
  const isFull = next.value !== null && there.length === view.seats.length;
  const mine = next.value !== null && new Kept(next.value.id).key !== undefined;
  return (
    <section class="again" aria-labelledby="again">
      <h2 id="again">{say("play.again")}</h2>
      <p role="status">
        {there.length === 0 ? say("play.again.about", { names: others }) : say(isFull ? "play.again.full" : "play.again.opened", { names: joined(there), count: there.length })}
      </p>
      {mine || isFull ? (
        <p>
          <a class="door" href={below(`/${mine ? "play" : "m"}/${next.value?.id}`)}>{say(mine ? "match.play_on" : "play.watch")}</a>
        </p>
      ) : (
        <Form label={say(there.length === 0 ? "play.again.open" : "play.again.join")} send={again} />
      )}
    </section>
  );
}

/** Tells of a seat that its holder is ready. */
const READY = "match.seat-ready.1";

/** Until all are ready: the link for the others, and the code that gives the seat back. */
export function Gathering({ seated, look: { view } }: { seated: Seated; look: Look }): VNode {
  const { table } = seated.kept;
  const ready = new Set(seated.course.value.lines.filter(({ type }) => type === READY).map(({ data }) => data.seat as number));
  const own = Number(view.audience.replace("seat:", ""));
  const alone = view.seats.every((name, seat) => seat === own || isFree(name, seat));
  async function close(): Promise<void> {
    await seated.match.ask({ kind: "void", reason: say("play.gathering.closed") });
  }
  async function beReady(): Promise<void> {
    const path = `/matches/${seated.info.id}/ready`;
    await seated.arbiter.request(path, { method: "POST", headers: { "Idempotency-Key": newKey() } });
    said.value = true;
  }
  // The button that had the focus is gone.
  const said = useSignal(false);
  const waits = useRef<HTMLParagraphElement>(null);
  const isReady = ready.has(own);
  useEffect(() => {
    if (said.value) waits.current?.focus();
  }, [said.value, isReady]);
  return (
    <section class="gathering" aria-labelledby="gathering">
      <h2 id="gathering">{say("play.gathering")}</h2>
      {table?.link !== undefined && view.seats.some(isFree) && <Copied label={say("play.gathering.link")} text={table.link} />}
      <ul class="rows">
        {view.seats.map((name, seat) => (
          <li key={seat} data-ready={ready.has(seat)}>
            {isFree(name, seat) ? (
              <>
                <Seat number={seat} /> <span class="quiet">{say("play.gathering.is_free")}</span>
              </>
            ) : (
              <>
                <Seat number={seat} name={name} /> <span class="quiet">{say(ready.has(seat) ? "play.gathering.is_ready" : "play.gathering.is_not")}</span>
              </>
            )}
          </li>
        ))}
      </ul>
      {isReady ? (
        <p role="status" tabIndex={-1} ref={waits}>
          {say("play.gathering.waits")}
        </p>
      ) : (
        <Form label={say("play.gathering.ready")} send={beReady} />
      )}
      {table !== null && <Copied label={say("play.gathering.recovery")} text={table.recovery} />}
      {alone && (
        <details>
          <summary>{say("play.gathering.close")}</summary>
          <p class="hint">{say("play.gathering.close.about")}</p>
          <Form label={say("play.gathering.close")} send={close} grave />
        </details>
      )}
    </section>
  );
}
