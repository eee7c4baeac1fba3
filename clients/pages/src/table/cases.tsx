/** Cases: what somebody says went wrong, and how it was decided. */
import { useSignal } from "@preact/signals";
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { Attached, attached, mayAttach } from "../attachment.js";
import { inOrder } from "../cases.js";
import { say } from "../given.js";
import { Seat } from "../parts.js";
import { Appeal } from "./appeal.js";
import { AskBack, Problem, useDoing } from "./doing.js";
import { begin, correctionOf } from "./draft.js";
import { audienceName } from "./seats.js";
import { about, ask, cases, desk, live, lines, openCases, peeked, readCases, seen, send } from "./state.js";
import { Instant, nameOf, numbersOf, summary, Told } from "./words.js";
import { below } from "../root.js";

type Case = Schemas["CaseShown"];

/** The cases of the match, and a form for a new one. */
export function Cases(): VNode {
  const doing = useDoing();
  return (
    <section aria-labelledby="cases">
      <h2 id="cases">{say("table.cases")}</h2>
      {cases.value.length === 0 && <p class="quiet">{say(desk.value?.role === "organiser" && !peeked.value ? "table.cases.unseen" : "table.cases.none")}</p>}
      {cases.value.map((one) => (
        <OneCase key={one.case} of={one} />
      ))}
      <Problem of={doing} />
      <div class="row">
        <button type="button" class="plain" aria-disabled={doing.busy} onClick={() => doing.run(readCases)}>
          {say("table.again")}
        </button>
        <OpenCase />
      </div>
    </section>
  );
}

function OneCase({ of: one }: { of: Case }): VNode {
  const subject = one.about === null ? undefined : lines.value.find((line) => line.seq === one.about);
  return (
    <article class="case" data-status={one.status} aria-label={one.statements[0]?.says ?? say("table.cases")}>
      <p class="ruling-head">
        <span class="state" data-state={one.status === "open" ? "missing" : "in"}>
          {say(`table.case.status.${one.status}`)}
        </span>{" "}
        <Instant at={one.opened} /> {one.public && <span class="quiet">{say("table.case.public")}</span>}{" "}
        {one.appealed && <span class="quiet">{say("table.case.appealed")}</span>}
      </p>
      {subject !== undefined && (
        <p>
          {say("table.case.about")} <span class="number">{numbersOf(subject)}</span> <Told line={subject} />
        </p>
      )}
      <p class="seats">
        {one.parties.map((seat) => (
          <Seat key={seat} number={seat} name={nameOf(seat)} />
        ))}
      </p>
      <Said of={one} />
      {one.status === "open" && <Answer of={one} />}
      <CaseActions of={one} />
    </article>
  );
}

/** What was said and decided. */
function Said({ of: one }: { of: Case }): VNode {
  return (
    <ol class="said">
      {inOrder(one).map((part) =>
        "says" in part ? <Statement key={`said ${part.n}`} of={part} /> : <Closing key={part.at} of={part} />,
      )}
    </ol>
  );
}

function Statement({ of: one }: { of: Schemas["Statement"] }): VNode {
  return (
    <li>
      <p class="quiet">
        <bdi>{one.person ?? audienceName(one.from)}</bdi> <Instant at={one.at} />
      </p>
      <p>
        <bdi>{one.says}</bdi>
      </p>
      {one.attachment !== null && <Attached file={one.attachment} />}
    </li>
  );
}

function Closing({ of: one }: { of: Schemas["Closing"] }): VNode {
  return (
    <li class="decided">
      <p class="quiet">
        {say("table.case.decided")} {one.person != null && <bdi>{one.person}</bdi>} <Instant at={one.at} />
      </p>
      <p>
        <bdi>{one.note ?? (one.n === null ? say("table.ruled.private") : say("table.ruled.public", { n: one.n }))}</bdi>
      </p>
    </li>
  );
}

/** Says something in a case, with the digest of a file that is kept elsewhere. */
function Answer({ of: one }: { of: Case }): VNode {
  const doing = useDoing();
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const given = new FormData(form);
    const done = await doing.run(async () => {
      await send(`/cases/${one.case}/statements`, { says: given.get("says"), ...(await attached(given)) });
      await readCases();
    });
    if (done) form.reset();
  }
  return (
    <form onSubmit={submit}>
      <label>
        <span>{say("table.case.say")}</span>
        <textarea name="says" rows={2} maxLength={2000} required />
      </label>
      {mayAttach && (
        <label>
          <span>
            {say("case.file")} <span class="quiet">{say("case.file.stays")}</span>
          </span>
          <input name="file" type="file" />
        </label>
      )}
      <Problem of={doing} />
      <p class="row">
        <button class="plain" aria-disabled={doing.busy}>
          {say("table.case.send")}
        </button>
      </p>
    </form>
  );
}

/** What else is done with a case. */
function CaseActions({ of: one }: { of: Case }): VNode {
  const doing = useDoing();
  const note = useSignal("");
  const others = (seen.value?.view.seats ?? []).map((_, seat) => seat).filter((seat) => !one.parties.includes(seat));
  const does = (rest: string, body?: unknown) =>
    doing.run(async () => {
      await ask(`/cases/${one.case}/${rest}`, { method: "POST", body });
      await readCases();
    });
  function close(event: SubmitEvent): void {
    event.preventDefault();
    void does("close", { note: note.value });
  }
  const corrected = one.about === null ? {} : correctionOf(one.about);
  const rule = () => begin(corrected.changes === undefined || desk.value?.role !== "moderator" ? null : "rewind", { ...corrected, case: one.case });
  const asked = useSignal<number | null>(null);
  async function hear(): Promise<void> {
    if (await does("parties", { seat: asked.value })) asked.value = null;
  }
  const isTheirs = openCases.value.includes(one);
  return (
    <>
      {one.appealed && one.status === "open" && <Appeal of={one} />}
      {isTheirs && (
        <details>
          <summary>{say("table.case.close")}</summary>
          <form onSubmit={close}>
            <label>
              <span>{say("table.case.note")}</span>
              <textarea rows={2} maxLength={2000} required value={note} onInput={({ currentTarget }) => (note.value = currentTarget.value)} />
            </label>
            <p class="row">
              <button class="plain" aria-disabled={doing.busy}>{say("table.case.close")}</button>
            </p>
          </form>
        </details>
      )}
      <Problem of={doing} />
      <p class="row">
        {isTheirs && (
          <button type="button" onClick={rule}>
            {say("table.case.rule")}
          </button>
        )}
        {one.status === "open" &&
          others.map((seat) => (
            <button key={seat} type="button" class="plain" aria-disabled={doing.busy} onClick={() => (asked.value = seat)}>
              {say("table.case.party", { name: nameOf(seat) })}
            </button>
          ))}
        {desk.value?.role === "organiser" && !one.public && (
          <button type="button" class="plain" aria-disabled={doing.busy} onClick={() => does("publish")}>
            {say("table.case.publish")}
          </button>
        )}
        <a href={below(`/m/${about.match}/audit#case-${one.case}`)}>{say("table.case.report")}</a>
      </p>
      {asked.value !== null && (
        <AskBack title={say("table.case.party.ask", { name: nameOf(asked.value) })} action={say("table.case.party", { name: nameOf(asked.value) })} doing={doing} onYes={() => void hear()} onNo={() => (asked.value = null)}>
          <p>{say("table.case.party.what", { name: nameOf(asked.value) })}</p>
        </AskBack>
      )}
    </>
  );
}

const LATEST = 200;

/** Opens a case where one stands: about an event, or what one chooses. */
export function OpenCase({ about }: { about?: number }): VNode {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" class={about === undefined ? "plain" : "small"} onClick={() => (isOpen.value = true)}>
        {say(about === undefined ? "table.case.open" : "table.case")}
      </button>
      {isOpen.value && <NewCase about={about} onGone={() => (isOpen.value = false)} />}
    </>
  );
}

function NewCase({ about, onGone }: { about: number | undefined; onGone(): void }): VNode {
  const doing = useDoing();
  const [of, says] = [useSignal(about ?? null), useSignal("")];
  async function open(): Promise<void> {
    const done = await doing.run(async () => {
      await send("/cases", { says: says.value, about: of.value });
      await readCases();
    });
    if (done) onGone();
  }
  return (
    <AskBack title={say("table.case.open")} action={say("table.case.open")} doing={doing} onYes={open} onNo={onGone}>
      <label>
        <span>{say("table.case.about.which")}</span>
        <select value={of.value ?? ""} onChange={({ currentTarget }) => (of.value = Number(currentTarget.value) || null)}>
          <option value="">{say("table.case.about.none")}</option>
          {live.value.slice(-LATEST).reverse().map((line) => (
            <option key={line.seq} value={line.seq}>
              {summary(line)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{say("table.case.says")}</span>
        <textarea rows={2} maxLength={2000} required value={says} onInput={({ currentTarget }) => (says.value = currentTarget.value)} />
      </label>
    </AskBack>
  );
}
