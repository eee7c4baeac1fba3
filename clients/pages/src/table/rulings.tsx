/** The rulings of the match: those that wait for a second person, and those that were made. */
import { useSignal } from "@preact/signals";
import type { Schemas } from "@arbiter/client";
import type { ComponentType, VNode } from "preact";
import type { Shown } from "../board.js";
import { say } from "../given.js";
import { isProposedBy, noteWithdrawn } from "../proposed.js";
import { joined } from "../parts.js";
import { caseName } from "./compared.js";
import { AskBack, Problem, useDoing } from "./doing.js";
import { decide, preview, type Previewed } from "./draft.js";
import { Decision, LookCounts } from "./ruling.js";
import { audienceName } from "./seats.js";
import { isNameless, Missing } from "./judges.js";
import { ask, desk, ownName, readRulings, rulings } from "./state.js";
import { Instant, named, nameOf } from "./words.js";

type One = { ruling: Schemas["RulingShown"]; Board: ComponentType<Shown> };

/** All of them, those that wait at the top. */
export function Rulings({ Board }: { Board: ComponentType<Shown> }): VNode {
  const waiting = rulings.value.filter((one) => one.status === "pending");
  const others = rulings.value.filter((one) => one.status !== "pending").reverse();
  return (
    <section aria-labelledby="rulings">
      <h2 id="rulings">{say("table.rulings")}</h2>
      {rulings.value.length === 0 && <p class="quiet">{say("table.rulings.none")}</p>}
      <ul class="listed rulings">
        {[...waiting, ...others].map((one, index) => (
          <li key={one.ruling ?? index} data-status={one.status}>
            <Made ruling={one} />
            {one.status === "pending" && one.ruling !== null && <Waiting ruling={one} Board={Board} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What a note says. */
function noteOf({ kind, effects }: Schemas["RulingShown"]): string | null {
  const text = kind === "note" ? (effects[0]?.data as Record<string, unknown> | undefined)?.text : undefined;
  return typeof text === "string" ? text : null;
}

/** Whether it waits for the seats' consent, or for a second person all the same. */
function isAsked({ status, consents }: Schemas["RulingShown"]): boolean {
  return status === "pending" && consents !== undefined;
}

function Made({ ruling }: { ruling: Schemas["RulingShown"] }): VNode {
  const people = (ruling.by ?? []).map((one) => one ?? say("table.readers.unnamed"));
  return (
    <>
      <p class="ruling-head">
        {ruling.n !== null && <span class="number">{ruling.n}</span>} <b>{named(ruling.kind)}</b>{" "}
        <span class="state" data-state={ruling.status === "pending" ? "missing" : "in"}>
          {say(isAsked(ruling) ? "table.ruling.pending.seats" : `table.ruling.${ruling.status}`)}
        </span>{" "}
        <Instant at={ruling.at} />
      </p>
      {noteOf(ruling) !== null && (
        <p>
          <bdi>{noteOf(ruling)}</bdi>
        </p>
      )}
      {noteOf(ruling) !== ruling.reason && (
        <p class={noteOf(ruling) === null ? "" : "quiet"}>
          <bdi>{ruling.reason}</bdi>
        </p>
      )}
      <p class="quiet">
        {[
          audienceName(ruling.to),
          ...(people.length > 0 ? [say("table.ruling.by", { names: joined(people) })] : []),
          ...(ruling.rule === null ? [] : [ruling.rule]),
          ...(ruling.case == null ? [] : [say("table.ruling.case", { case: caseName(ruling.case) })]),
        ].join(" · ")}
      </p>
    </>
  );
}

/** A ruling that waits: it is looked at, then seconded; or it is withdrawn. */
function Waiting({ ruling, Board }: One): VNode {
  const doing = useDoing();
  const previewed = useSignal<Previewed | null>(null);
  const rest = `/rulings/${ruling.ruling}`;
  const [first] = ruling.by ?? [];
  const own = isProposedBy(desk.value?.purpose, ruling.ruling) || (first != null && first === ownName.value);
  const nameless = isNameless();
  const seconds = !own && !nameless;
  const order: Record<string, unknown> = { kind: ruling.kind, ...ruling.ordered };
  const look = () =>
    doing.run(async () => {
      previewed.value = await preview(`${rest}/second`, {});
    });
  const asked = useSignal(false);
  async function withdraw(): Promise<void> {
    const done = await doing.run(async () => {
      await ask(rest, { method: "DELETE" });
      if (desk.value !== null) noteWithdrawn(desk.value.purpose, ruling.ruling);
      await readRulings();
    });
    if (done) asked.value = false;
  }
  async function second(): Promise<void> {
    const done = await doing.run(() => decide(`${rest}/second`, order, undefined, previewed.value?.tag ?? ""));
    if (!done) previewed.value = null;
  }
  return (
    <>
      {ruling.lapses !== undefined && (
        <p class="quiet">
          {say("table.ruling.lapses")} <Instant at={ruling.lapses} />
          {ruling.consents !== undefined && ruling.consents.length > 0 && ` · ${say("table.ruling.consents", { names: joined(ruling.consents.map(nameOf)) })}`}
        </p>
      )}
      <Problem of={doing} />
      {own && <p class="quiet">{say("table.second.own")}</p>}
      {nameless && <p class="quiet">{say("table.second.nameless")}</p>}
      {!seconds && <Missing />}
      <p class="row">
        {seconds && (
          <button type="button" aria-disabled={doing.busy} onClick={look}>
            {say("table.second.look")}
          </button>
        )}
        <button type="button" class="plain" aria-disabled={doing.busy} onClick={() => (asked.value = true)}>
          {say("table.withdraw")}
        </button>
        {seconds && <LookCounts />}
      </p>
      {asked.value && (
        <AskBack title={say("table.withdraw.ask")} action={say("table.withdraw")} doing={doing} onYes={() => void withdraw()} onNo={() => (asked.value = false)}>
          <p>{say("table.withdraw.what")}</p>
        </AskBack>
      )}
      {previewed.value !== null && (
        <Decision previewed={previewed.value} order={order} Board={Board} action={say("table.second")} doing={doing} onYes={second} />
      )}
    </>
  );
}

