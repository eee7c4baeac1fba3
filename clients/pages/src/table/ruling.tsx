/** Ruling: a form for each kind, a preview side by side, and the decision. */
import { useSignal } from "@preact/signals";
import type { Schemas } from "@arbiter/client";
import type { ComponentChildren, ComponentType, VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Shown } from "../board.js";
import { say } from "../given.js";
import { below } from "../root.js";
import { Compared } from "./compared.js";
import { Problem, useDoing, type Doing } from "./doing.js";
import { Missing } from "./judges.js";
import { Refusal } from "../trouble.js";
import { answered, bodyOf, decide, draft, plainId, preview, type Change, type Kind, type Previewed } from "./draft.js";
import { FieldOf, ruledHere } from "./fields.js";
import { kinds, type Field, type Kinds } from "./kinds.js";
import { about, desk, entered, info, rulings, seen } from "./state.js";
import { named } from "./words.js";

type Boards = { Board: ComponentType<Shown> };

/** The form of the ruling that is being written. */
export function Ruling({ Board }: Boards): VNode {
  const doing = useDoing();
  const known = useSignal<Kinds | null>(null);
  useEffect(() => {
    void doing.run(async () => {
      known.value = await kinds();
    });
  }, []);
  return (
    <section aria-labelledby="ruling" class="ruling">
      <h2 id="ruling" tabIndex={-1}>
        {say("table.ruling")}
      </h2>
      <p class="quiet">{say("table.ruling.why")}</p>
      <InTournament />
      {known.value === null ? <Problem of={doing} /> : <Form kinds={known.value} Board={Board} doing={doing} />}
      <Answered />
    </section>
  );
}

/** Where a result is corrected that is final: here nothing is ruled any more. */
function InTournament(): VNode | null {
  if (about.tournament === null || seen.value?.view.status !== "ended") return null;
  return (
    <p>
      {say("table.ruling.over")}{" "}
      <a href={below(`/t/${about.tournament}`)}>{say("table.ruling.over.there")}</a>
    </p>
  );
}

function Form({ kinds, Board, doing }: Boards & { kinds: Kinds; doing: Doing }): VNode {
  const previewed = useSignal<Previewed | null>(null);
  const { kind, fields } = draft.value;
  useEffect(() => {
    previewed.value = null;
  }, [draft.value]);
  const body = bodyOf(kind, fields);
  const written = draft.value;
  async function look(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    await doing.run(async () => {
      checkChanged(body.changes as Change[] | undefined);
      const found = await preview("/rulings", body);
      // What has been written since then it is not the preview of.
      if (draft.value !== written) return;
      previewed.value = found;
      document.getElementById("ruling")?.scrollIntoView();
    });
  }
  async function rule(): Promise<void> {
    const tag = previewed.value?.tag ?? "";
    const done = await doing.run(() => decide("/rulings", body, body, tag));
    previewed.value = null;
    if (done && draft.value === written) draft.value = { kind: null, fields: {} };
  }
  return (
    <form onSubmit={look}>
      <Steps at={previewed.value !== null ? 2 : kind !== null ? 1 : 0} />
      {previewed.value === null && <KindChoice kinds={[...kinds.keys()].filter(ruledHere)} />}
      {kind !== null && previewed.value === null && <FieldsOf key={kind} fields={kinds.get(kind) ?? []} />}
      <Problem of={doing} />
      {kind !== null && previewed.value === null && (
        <p class="row">
          <button aria-disabled={doing.busy}>{say("table.preview")}</button>
          <LookCounts />
        </p>
      )}
      {kind !== null && previewed.value !== null && (
        <>
          <p>
            <b>{named(kind)}</b>: <bdi>{String(fields.reason)}</bdi>{" "}
            <button type="button" class="small" onClick={() => (previewed.value = null)}>
              {say("table.step.back")}
            </button>
          </p>
          <Decision previewed={previewed.value} order={body} Board={Board} action={say("table.rule", { kind: named(kind) })} doing={doing} onYes={rule}>
            <p>{say(`table.people.${peopleFor(kind, fields.ask_seats === true, previewed.value.shown)}`)}</p>
            {BY_TWO.has(kind) && <Missing />}
          </Decision>
        </>
      )}
    </form>
  );
}

const STEPS = ["what", "facts", "preview"];

/** How far one has come: what is ruled, with which facts, and what that would change. */
function Steps({ at }: { at: number }): VNode {
  return (
    <ol class="steps">
      {STEPS.map((name, index) => (
        <li key={name} aria-current={index === at ? "step" : undefined}>
          {say(`table.step.${name}`)}
        </li>
      ))}
    </ol>
  );
}

/** Throws a Refusal for a draw that is entered as it was. */
function checkChanged(changes: Change[] = []): void {
  for (const { redraw } of changes) {
    const was = entered.value.find((one) => plainId(one.id) === redraw?.id);
    if (was !== undefined && JSON.stringify(was.outcome) === JSON.stringify(redraw?.outcome)) throw new Refusal(say("table.change.same"));
  }
}

const BY_TWO: ReadonlySet<Kind> = new Set(["rewind", "replace_seat", "result", "void"]);

/** Why one person is enough for a ruling, or who else has to agree: the name of its text. */
function peopleFor(kind: Kind, asksSeats: boolean, shown: Schemas["Preview"]): string {
  if (!BY_TWO.has(kind)) return asksSeats ? "seats" : "kind";
  if (asksSeats) return "seats";
  if (info.value?.rulings === "single") return "single";
  if (kind === "void" && seen.value?.view.status === "created") return "created";
  if (kind !== "rewind" || shown.people === undefined) return "two";
  return shown.people === 1 ? "latest_one" : "two";
}

/** What every kind has, and most rulings leave out. */
const SELDOM: ReadonlySet<string> = new Set(["rule", "appeals", "case", "ask_seats"]);

/** What a kind is about comes first, then the reason, then what is folded away while it is empty. */
function FieldsOf({ fields }: { fields: readonly Field[] }): VNode {
  const often = fields.filter(({ name }) => !SELDOM.has(name));
  const seldom = fields.filter(({ name }) => SELDOM.has(name));
  const given = seldom.some(({ name }) => draft.value.fields[name] !== undefined);
  return (
    <>
      {[...often.filter(({ name }) => name !== "reason"), ...often.filter(({ name }) => name === "reason")].map(fieldOf)}
      <details open={given}>
        <summary>{say("table.ruling.more")}</summary>
        <div class="more">{seldom.map(fieldOf)}</div>
      </details>
    </>
  );
}

function fieldOf(field: Field): VNode {
  const given = (value: unknown) => (draft.value = { ...draft.value, fields: { ...draft.value.fields, [field.name]: value } });
  return <FieldOf key={field.name} field={field} value={draft.value.fields[field.name]} onValue={given} />;
}

/** What is written of the case and the reason stays with another kind. */
function choose(kind: Kind): void {
  const { case: of, reason } = draft.value.fields;
  draft.value = { kind, fields: Object.fromEntries(Object.entries({ case: of, reason }).filter(([, value]) => value !== undefined)) };
}

function KindChoice({ kinds }: { kinds: string[] }): VNode {
  return (
    <fieldset class="kinds">
      <legend>{say("table.kind")}</legend>
      {kinds.map((kind) => (
        <label key={kind}>
          <input type="radio" name="kind" value={kind} checked={draft.value.kind === kind} onChange={() => choose(kind as Kind)} />
          <span>{named(kind)}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Tells an organiser that a preview shows more than they saw. */
export function LookCounts(): VNode | null {
  return desk.value?.role === "organiser" ? <span class="quiet">{say("table.look.counts")}</span> : null;
}

interface DecisionProps extends Boards {
  previewed: Previewed;
  order: Record<string, unknown>;
  action: string;
  doing: Doing;
  onYes(): void;
  children?: ComponentChildren;
}

/** The preview side by side, and the button that makes it so. */
export function Decision({ previewed, order, Board, action, doing, onYes, children }: DecisionProps): VNode {
  return (
    <div class="decision" role="region" aria-label={say("table.preview")}>
      <Compared previewed={previewed} order={order} Board={Board} />
      {children}
      <p class="row">
        <button type="button" class="big" aria-disabled={doing.busy} onClick={onYes}>
          {action}
        </button>
      </p>
    </div>
  );
}

/** What became of the last ruling. */
function Answered(): VNode {
  const answer = answered.value;
  return <div role="status">{answer !== null && !isOld(answer) && <p class="notice" data-good={answer.status === "carried_out"}>{answerName(answer)}</p>}</div>;
}

/** Whether it waits no more. Who may not look at those that wait sees it by the one that was carried out. */
function isOld(answer: NonNullable<typeof answered.value>): boolean {
  if (answer.status !== "pending") return false;
  const known = rulings.value.find((one) => one.ruling === answer.ruling);
  if (known !== undefined) return known.status !== "pending";
  return rulings.value.slice(answer.listed).some((one) => one.kind === answer.kind);
}

function answerName({ status, n, kind, isSecond }: NonNullable<typeof answered.value>): string {
  if (status === "pending") return say("table.ruled.pending");
  const done = n === null ? say("table.ruled.private") : say("table.ruled.public", { n });
  const alone = kind === "rewind" && !isSecond && info.value?.rulings !== "single";
  return alone ? `${done} ${say("table.people.latest")}` : done;
}
