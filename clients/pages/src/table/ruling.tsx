/** Ruling: a form for each kind, a preview side by side, and the decision. */
import { useSignal } from "@preact/signals";
import type { Schemas } from "@arbiter/client";
import type { ComponentType, VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Shown } from "../board.js";
import { say } from "../given.js";
import { Compared } from "./compared.js";
import { Problem, useDoing, type Doing } from "./doing.js";
import { answered, bodyOf, decide, draft, preview, type Kind, type Previewed } from "./draft.js";
import { FieldOf, ruledHere } from "./fields.js";
import { kinds, type Field, type Kinds } from "./kinds.js";
import { desk, rulings } from "./state.js";
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
      {known.value === null ? <Problem of={doing} /> : <Form kinds={known.value} Board={Board} doing={doing} />}
      <Answered />
    </section>
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
      const found = await preview("/rulings", body, body.before ?? body.before_public);
      // What has been written since then it is not the preview of.
      if (draft.value === written) previewed.value = found;
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
      <KindChoice kinds={[...kinds.keys()].filter(ruledHere)} />
      {kind !== null && <FieldsOf key={kind} fields={kinds.get(kind) ?? []} />}
      <Problem of={doing} />
      {kind !== null && (
        <p class="row">
          <button class={previewed.value === null ? "" : "plain"} aria-disabled={doing.busy}>
            {say("table.preview")}
          </button>
          <LookCounts />
        </p>
      )}
      {previewed.value !== null && (
        <Decision previewed={previewed.value} order={body} Board={Board} action={say("table.rule", { kind: named(kind) })} doing={doing} onYes={rule} />
      )}
    </form>
  );
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

function KindChoice({ kinds }: { kinds: string[] }): VNode {
  return (
    <fieldset class="kinds">
      <legend>{say("table.kind")}</legend>
      {kinds.map((kind) => (
        <label key={kind}>
          <input type="radio" name="kind" value={kind} checked={draft.value.kind === kind} onChange={() => (draft.value = { kind: kind as Kind, fields: {} })} />
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
}

/** The preview side by side, and the button that makes it so. */
export function Decision({ previewed, order, Board, action, doing, onYes }: DecisionProps): VNode {
  return (
    <div class="decision" role="region" aria-label={say("table.preview")}>
      <Compared previewed={previewed} order={order} Board={Board} />
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
  return <div role="status">{answer !== null && !isOld(answer) && <p class="notice">{answerName(answer)}</p>}</div>;
}

/** Whether it waits no more. Who may not look at those that wait sees it by the one that was carried out. */
function isOld(answer: NonNullable<typeof answered.value>): boolean {
  if (answer.status !== "pending") return false;
  const known = rulings.value.find((one) => one.ruling === answer.ruling);
  if (known !== undefined) return known.status !== "pending";
  return rulings.value.slice(answer.listed).some((one) => one.kind === answer.kind);
}

function answerName({ status, n }: Schemas["RulingAnswer"]): string {
  if (status === "pending") return say("table.ruled.pending");
  return n === null ? say("table.ruled.private") : say("table.ruled.public", { n });
}
