/** Who moderates the match, and how a second person comes to it. */
import { newKey, type Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Copied } from "../copied.js";
import { say } from "../given.js";
import { linkTo } from "../key_link.js";
import { joined } from "../parts.js";
import { Problem, useDoing } from "./doing.js";
import { about, ask, desk, info, issuers, judges, others, ownName, readJudges, seconds } from "./state.js";

/** Who moderates; an organiser appoints one more. */
export function Judges(): VNode | null {
  if (desk.value === null || info.value === null || info.value.open_table) return null;
  return (
    <section aria-labelledby="judges">
      <h2 id="judges" tabIndex={-1}>
        {say("table.judges")}
      </h2>
      <ul class="rows">
        {judges.value.map((name, index) => (
          <li key={index}>
            {name === null ? <span class="quiet">{say("table.judges.unnamed")}</span> : <bdi>{name}</bdi>}
            {name !== null && name === ownName.value && <span class="quiet"> ({say("table.judges.you")})</span>}
          </li>
        ))}
      </ul>
      <NoSecond />
      {info.value.status !== "void" && (desk.value.role === "organiser" ? <Appoint /> : <p class="quiet"><Ask /></p>)}
    </section>
  );
}

/** Organisers alone invite: whom a moderator asks, as far as the keys say it. */
function Ask(): VNode {
  const names = issuers.value;
  return <>{names.length === 0 ? say("table.judges.ask") : say("table.judges.ask.named", { names: joined(names) })}</>;
}

/** The way to one more judge, where one is missing. */
export function InviteHere(): VNode {
  return desk.value?.role === "organiser" ? <a href="#judges">{say("table.judges.invite")}</a> : <Ask />;
}

/** Says that nobody can second what is ruled here, and what to do about it. */
export function NoSecond(): VNode | null {
  if (!lacksSecond()) return null;
  const staff = others.value.map(({ name }) => name);
  if (desk.value?.role === "organiser" && staff.length > 0) return <p class="notice">{say("table.judges.no_second.staff", { count: staff.length, names: joined(staff) })}</p>;
  return <p class="notice">{say(`table.judges.no_second.${desk.value?.role ?? "moderator"}`)}</p>;
}

/** Whether nobody could agree to what is ruled: to a ruling of an organiser's as to one of the only moderator's. */
function lacksSecond(): boolean {
  const needed = desk.value?.role === "organiser" ? 2 : 1;
  return info.value?.rulings === "two" && !info.value.open_table && seconds.value.length < needed;
}

/** Whether whoever sits here has a key that can never second. */
export function isNameless(): boolean {
  return desk.value?.role === "moderator" && ownName.value === null;
}

/** The same with a way to where somebody is appointed. */
export function Missing(): VNode | null {
  if (!lacksSecond()) return null;
  return (
    <>
      <NoSecond />
      <p>
        <a href="#judges">{say("table.judges")}</a>
      </p>
    </>
  );
}

function Appoint(): VNode {
  return (
    <details>
      <summary>{say("table.judges.invite")}</summary>
      {others.value.length > 0 && <Add />}
      <Invite />
    </details>
  );
}

/** A moderator of the tournament becomes one of this match. */
function Add(): VNode {
  const doing = useDoing();
  const chosen = useSignal(others.value[0]?.moderator);
  async function add(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    await doing.run(async () => {
      const path = `/tournaments/${about.tournament}/matches/${about.match}/moderators`;
      await desk.value?.arbiter.request(path, { method: "POST", body: { moderator: chosen.value } });
      await readJudges();
    });
  }
  return (
    <form onSubmit={add}>
      <label>
        <span>{say("table.judges.of_tournament")}</span>
        <select value={chosen.value} onChange={({ currentTarget }) => (chosen.value = Number(currentTarget.value))}>
          {others.value.map(({ moderator, name }) => (
            <option key={moderator} value={moderator}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Problem of={doing} />
      <p class="row">
        <button class="plain" aria-disabled={doing.busy}>
          {say("table.judges.add")}
        </button>
      </p>
    </form>
  );
}

/** A link for somebody, shown this once: who opens it takes the key in it as their own. */
function Invite(): VNode {
  const doing = useDoing();
  const name = useSignal("");
  const invited = useSignal<{ name: string; key: string } | null>(null);
  async function invite(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    await doing.run(async () => {
      const sent = { method: "POST", body: { role: "moderator", name: name.value }, headers: { "Idempotency-Key": newKey() } } as const;
      const { key } = (await ask<Schemas["IssuedMatchKey"]>("/keys", sent)).data;
      if (key !== null) invited.value = { name: name.value, key };
      name.value = "";
      await readJudges();
    });
  }
  return (
    <form onSubmit={invite}>
      <label>
        <span>{say("table.judges.name")}</span>
        <input required maxLength={100} autocomplete="off" value={name} onInput={({ currentTarget }) => (name.value = currentTarget.value)} />
      </label>
      <Problem of={doing} />
      <p class="row">
        <button class="plain" aria-disabled={doing.busy}>
          {say("table.judges.issue")}
        </button>
      </p>
      {invited.value !== null && (
        <div role="status">
          <p>{say("table.judges.pass_on", { name: invited.value.name })}</p>
          <Copied label={say("table.link", { name: invited.value.name })} text={linkTo(`/table/${about.match}`, invited.value.key)} />
        </div>
      )}
    </form>
  );
}
