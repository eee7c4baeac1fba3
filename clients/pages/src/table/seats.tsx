/** Who plays, who is missing, and who has looked. */
import { useSignal } from "@preact/signals";
import type { Arbiter, Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { Copied } from "../copied.js";
import { say } from "../given.js";
import { invite } from "../invite.js";
import { Seat } from "../parts.js";
import { below } from "../root.js";
import { Problem, useDoing } from "./doing.js";
import { openPhase, sentBy, type Sent } from "./lines.js";
import { about, ask, desk, info, live, seen } from "./state.js";
import { Instant, nameOf } from "./words.js";

/** Each seat, whether it is awaited, and what has come from it in this phase. */
export function Seats(): VNode | null {
  if (seen.value === null) return null;
  const { seats, awaiting, status } = seen.value.view;
  const sent = sentBy(openPhase(live.value));
  const told = desk.value?.role === "moderator";
  return (
    <section aria-labelledby="seats">
      <h2 id="seats">{say("table.seats")}</h2>
      <ul class="rows presence" aria-live="polite">
        {seats.map((name, seat) => (
          <li key={seat}>
            <Seat number={seat} name={name} />
            {awaiting.seats.includes(seat) && status !== "ended" && status !== "void" && (
              <Presence sent={told ? sent.get(seat) : undefined} told={told} alone={awaiting.seats.length === 1} />
            )}
            {desk.value?.role === "organiser" && info.value?.open_table === false && status !== "void" && (
              <NewLink arbiter={desk.value.arbiter} seat={seat} name={name} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A link by which the holder of a seat has it again, shown this once. */
function NewLink({ arbiter, seat, name }: { arbiter: Arbiter; seat: number; name: string }): VNode {
  const doing = useDoing();
  const link = useSignal<string | null>(null);
  async function make(): Promise<void> {
    await doing.run(async () => {
      link.value = (await invite(arbiter, about.match, seat)).link;
    });
  }
  if (link.value !== null) return <Copied label={say("table.link", { name })} text={link.value} />;
  return (
    <>
      <button type="button" class="plain" aria-disabled={doing.busy} onClick={make}>
        {say("table.link.new")}
        <span class="unseen"> ({name})</span>
      </button>
      <Problem of={doing} />
    </>
  );
}

function Presence({ sent, told, alone }: { sent: Sent | undefined; told: boolean; alone: boolean }): VNode {
  if (alone || !told) return <span class="state" data-state="awaited">{say("table.seat.awaited")}</span>;
  if (sent === undefined) return <span class="state" data-state="missing">{say("table.seat.missing")}</span>;
  return (
    <span class="state" data-state={sent.code === null ? "in" : "missing"}>
      {sent.code === null ? say("table.seat.in") : say("table.seat.invalid", { code: sent.code })} <Instant at={sent.at} />
    </span>
  );
}

/** Who has read with a key; asking for it is a look of its own. */
export function Readers(): VNode {
  const doing = useDoing();
  const reads = useSignal<Schemas["ShownRead"][] | null>(null);
  async function read(): Promise<void> {
    await doing.run(async () => {
      reads.value = (await ask<Schemas["ReadPage"]>("/reads?limit=1000")).data.reads;
    });
  }
  return (
    <section aria-labelledby="readers">
      <h2 id="readers">{say("table.readers")}</h2>
      {reads.value !== null && (
        <ul class="rows readers">
          {reads.value.map((one, index) => (
            <Reader key={index} read={one} />
          ))}
        </ul>
      )}
      <Problem of={doing} />
      <p class="row">
        <button type="button" class="plain" aria-disabled={doing.busy} onClick={read}>
          {say(reads.value === null ? "table.readers.show" : "table.again")}
        </button>
      </p>
      <p class="quiet">
        {say("table.readers.look")} <a href={below(`/m/${about.match}/audit#reads`)}>{say("table.audit")}</a>
      </p>
    </section>
  );
}

function Reader({ read }: { read: Schemas["ShownRead"] }): VNode {
  return (
    <li>
      <bdi>{read.person ?? say("table.readers.unnamed")}</bdi>{" "}
      <span class="quiet">
        {audienceName(read.as ?? read.role)}, {say("table.readers.last")} <Instant at={read.last} />
      </span>{" "}
      {read.hidden === true && <span class="state" data-state="missing">{say("table.readers.hidden")}</span>}
    </li>
  );
}

/** `public`, `sealed`, `moderator` or `seat:N` in words. */
export function audienceName(audience: string): string {
  const seat = /^seat:(\d+)$/.exec(audience)?.[1];
  return seat === undefined ? say(`table.audience.${audience}`) : nameOf(Number(seat));
}
