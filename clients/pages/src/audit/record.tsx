/** The record: every event, found by filters, in a window that stays fluid with ten thousand of them. */
import { computed, effect, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { say } from "../given.js";
import { instant } from "../parts.js";
import { brief, called, day, doer, kind, number, type Line } from "./about.js";
import { Detail } from "./detail.js";
import { makersOf } from "./people.js";
import { audience, bySeq, lines, numbers } from "./reading.js";
import { What, what } from "./what.js";

/** The height of a row in pixels; the style has the same. */
const ROW = 52;
/** Rows that are drawn beyond the window's edges. */
const BEYOND = 8;

const NOTHING = { text: "", kind: "", who: "", seen: "", all: false };
export const filter = signal(NOTHING);
/** The number of the event that is looked at. */
export const selected = signal<number | null>(null);
const scrolled = signal({ top: 0, height: 600 });

const searched = new WeakMap<Line, string>();

function words(line: Line): string {
  let text = searched.get(line);
  if (text === undefined) {
    text = `${numbers(line.seq)} ${what(line)} ${line.what} ${doer(line.actor ?? "")} ${line.type} ${JSON.stringify(line.data)}`.toLowerCase();
    searched.set(line, text);
  }
  return text;
}

const found = computed(() => {
  const { text, kind, who, seen, all } = filter.value;
  const wanted = text.trim().toLowerCase();
  return (lines.value ?? []).filter(
    (line) =>
      (all || !line.housekeeping) &&
      (kind === "" || line.type === kind) &&
      (who === "" || line.actor === who) &&
      (seen === "" || line.seen_by === seen) &&
      (wanted === "" || words(line).includes(wanted)),
  );
});

// What a filter leaves out is not looked at, and what is asked for by its number is not left out.
effect(() => {
  const line = selected.value === null ? undefined : bySeq.value.get(selected.value);
  if (line !== undefined && !found.value.includes(line)) filter.value = { ...NOTHING, all: line.housekeeping };
});

/** The different values that a field has, in order of their names. */
function values(field: (line: Line) => string | null, name: (value: string) => string): string[] {
  const all = new Set((lines.value ?? []).map(field));
  const found = [...all].filter((value): value is string => value !== null);
  return found.sort((one, other) => name(one).localeCompare(name(other)));
}

export function Events(): VNode {
  return (
    <>
      <Filters />
      {audience.value !== "public" && <p class="quiet">{say("audit.numbers", { name: called(audience.value) })}</p>}
      <div class="audit-record">
        <Grid />
        <Detail line={bySeq.value.get(selected.value ?? -1)} />
      </div>
    </>
  );
}

function Filters(): VNode {
  const { text, all } = filter.value;
  return (
    <form class="audit-filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>{say("audit.filter.text")}</span>
        <input
          type="search"
          value={text}
          autocomplete="off"
          onInput={(event) => change({ text: event.currentTarget.value })}
        />
      </label>
      <Choice field="kind" of={values((line) => line.type, kind)} name={kind} />
      <Choice field="who" of={values((line) => line.actor, doer)} name={doer} />
      <Choice field="seen" of={values((line) => line.seen_by, called)} name={called} />
      <label class="tick">
        <input type="checkbox" checked={all} onChange={(event) => change({ all: event.currentTarget.checked })} />
        <span>{say("audit.filter.housekeeping")}</span>
      </label>
      <p class="quiet" role="status">
        {say("audit.found", { count: found.value.length, found: number(found.value.length), all: number(lines.value?.length ?? 0), day })}
      </p>
    </form>
  );
}

interface ChoiceProps {
  field: "kind" | "who" | "seen";
  of: string[];
  name(value: string): string;
}

function Choice({ field, of, name }: ChoiceProps): VNode {
  return (
    <label>
      <span>{say(`audit.filter.${field}`)}</span>
      <select value={filter.value[field]} onChange={(event) => change({ [field]: event.currentTarget.value })}>
        <option value="">{say("audit.filter.any")}</option>
        {of.map((value) => (
          <option key={value} value={value}>
            {name(value)}
          </option>
        ))}
      </select>
    </label>
  );
}

function change(changed: Partial<typeof NOTHING>): void {
  selected.value = null;
  filter.value = { ...filter.value, ...changed };
}

function Grid(): VNode {
  const box = useRef<HTMLDivElement>(null);
  const rows = found.value;
  const at = rows.findIndex((line) => line.seq === selected.value);
  useLayoutEffect(() => {
    if (box.current !== null && at >= 0) show(box.current, at);
  }, [at]);
  const first = Math.max(0, Math.floor(scrolled.value.top / ROW) - BEYOND);
  const last = Math.min(rows.length, Math.ceil((scrolled.value.top + scrolled.value.height) / ROW) + BEYOND);
  const isDrawn = at >= first && at < last;
  return (
    <div
      ref={box}
      class="audit-grid"
      role="grid"
      aria-label={say("audit.record.as", { name: called(audience.value) })}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={isDrawn ? `row-${selected.value}` : undefined}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) => {
        scrolled.value = { top: scrollTop, height: clientHeight };
      }}
      onKeyDown={(event) => move(event, at)}
    >
      <div role="row" aria-rowindex={1} class="audit-row audit-row-head">
        {["number", "received", "seen_by", "who", "what"].map((name) => (
          <span key={name} role="columnheader">
            {say(`audit.${name}`)}
          </span>
        ))}
      </div>
      <div role="rowgroup" class="audit-rows" style={{ height: `${rows.length * ROW}px` }}>
        {rows.slice(first, last).map((line, index) => (
          <Row key={line.seq} line={line} index={first + index} />
        ))}
      </div>
    </div>
  );
}

function Row({ line, index }: { line: Line; index: number }): VNode {
  return (
    <div
      role="row"
      id={`row-${line.seq}`}
      class="audit-row"
      aria-rowindex={index + 2}
      aria-selected={line.seq === selected.value}
      data-input={line.input}
      data-wrong={line.code !== null}
      data-undone={line.undone_by !== null}
      style={{ top: `${index * ROW}px` }}
      onClick={() => select(line.seq)}
    >
      <span role="rowheader">{numbers(line.seq)}</span>
      <time role="gridcell" dateTime={line.at} title={instant(line.at)}>
        {brief(line.at)}
      </time>
      <span role="gridcell" data-seen={line.seen_by === "public" ? "public" : "hidden"}>
        <bdi>{called(line.seen_by)}</bdi>
      </span>
      <span role="gridcell">
        <bdi>{whoDid(line)}</bdi>
      </span>
      <span role="gridcell" class="audit-what">
        <What line={line} />
      </span>
    </div>
  );
}

const RULED = /^match\.(seat-|sealed-)?ruled\./;

/** Who did something: of a ruling who proposed it, and who seconded it, where the record has that. */
function whoDid(line: Line): string {
  const { proposed, seconded } = RULED.test(line.type) ? makersOf(lines.value ?? [], line) : {};
  if (proposed == null || seconded == null) return doer(line.actor ?? "");
  return `${proposed}, ${say("audit.story.seconded", { name: seconded })}`;
}

/** How far each key goes; in pages of the window. */
const STEPS: { [key: string]: (at: number, page: number) => number } = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  PageDown: (at, page) => at + page,
  PageUp: (at, page) => at - page,
  Home: () => 0,
  End: () => Infinity,
};

function move(event: KeyboardEvent, at: number): void {
  const step = STEPS[event.key];
  const rows = found.value;
  if (step === undefined || rows.length === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const page = Math.max(1, Math.floor(scrolled.value.height / ROW) - 1);
  const wanted = Math.min(rows.length - 1, Math.max(0, step(at, page)));
  select(rows[wanted]!.seq);
}

/** Looks at an event. It has an address, which leaves no trace in the history of the browser. */
export function select(seq: number): void {
  selected.value = seq;
  history.replaceState(null, "", `#s${seq}`);
}

/** Scrolls so that a row can be seen below the head. */
function show(box: HTMLDivElement, index: number): void {
  const top = index * ROW;
  const head = ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + head + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + head + ROW - box.clientHeight;
}
