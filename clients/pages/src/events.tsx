/** What happened, in words: by the text `event.<type>`, or by the event's name and fields. */
import { Fragment, type VNode } from "preact";
import { eventFields, isSaid, numeral, pieces, say } from "./given.js";
import { instant, Moment, words } from "./parts.js";

/** The names of those who have the seats. */
type Names = readonly string[];

/** A part of a sentence: our own words, who has a seat, an instant, or a value, which people may have written. */
type Part = string | { who: string } | { at: string } | { value: string };

type Sentence = Iterable<Part>;

/** Fields that contain seats, at any depth; some do only in an event, an action or a field of this name. */
const SEATED = new Set(eventFields.seats);

/** Fields that have one value for each seat. */
const OF_EACH_SEAT = new Set(eventFields.of_each_seat);

/** Fields in which people have written, whose words are theirs. */
const WRITTEN = new Set(["name", "reason", "rule", "text"]);

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const IDENTIFIER = /^[a-z]+(_[a-z]+)+$/;

/** An event of any type: new releases bring new ones. */
interface Recorded {
  type: string;
  data: object;
}

/** How another event, which is given by the reader's own number, is named. */
type Cite = (seq: number) => string;

/** The events that name another one: in their fields `before` and `of`, by the reader's own number. */
const NAMING = /^match\.(rewound|struck|admitted|(seat-|sealed-)?reapplied)\./;

interface HappenedProps {
  line: Recorded;
  seats: Names;
  cite?: Cite;
  /** Whether it goes on with what the same player did before: who it was is not said again. */
  goesOn?: boolean;
}

/** An event as a sentence. */
export function Happened({ line, seats, cite = String, goesOn = false }: HappenedProps): VNode {
  const parts = [...sentence(line, seats, cite)].filter((part) => part !== "");
  const isSaid = goesOn && typeof parts[0] === "object" && "who" in parts[0];
  return (
    <>
      {(isSaid ? parts.slice(1) : parts).map((part, index) => (
        <Fragment key={index}>{shown(part)}</Fragment>
      ))}
    </>
  );
}

function shown(part: Part): VNode | string {
  if (typeof part === "string") return part;
  if ("who" in part) return <bdi class="who">{part.who}</bdi>;
  return "at" in part ? <Moment at={part.at} /> : <bdi>{part.value}</bdi>;
}

/** An event as a sentence, where only text can stand. */
export function happened(line: Recorded, seats: Names, cite: Cite = String): string {
  return [...sentence(line, seats, cite)].map(plain).join("");
}

/** A value of the API in words. */
export function inWords(value: unknown): string {
  return [...fact("", value, [])].map(plain).join("").trim();
}

function plain(part: Part): string {
  if (typeof part === "string") return part;
  if ("who" in part) return part.who;
  return "at" in part ? instant(part.at) : part.value;
}

function* sentence({ type, data }: Recorded, seats: Names, cite: Cite): Sentence {
  const fields = data as Record<string, unknown>;
  const empty = Object.keys(fields).find((field) => isNothing(fields[field]) && isSaid(`event.${type}.no-${field}`));
  const name = empty === undefined ? `event.${type}` : `event.${type}.no-${empty}`;
  if (!isSaid(name)) return yield* unknown(type, fields, seats);
  for (const [index, piece] of pieces(name).entries()) {
    if (index % 2 === 0) yield piece;
    else if (isNamed(type, piece)) yield cite(fields[piece] as number);
    else yield* fact(...found(type.split(".")[1] ?? "", fields, piece), seats);
  }
}

/** Whether a field has the number of another event. */
function isNamed(type: string, field: string): boolean {
  return NAMING.test(type) && (field === "before" || field === "of");
}

/** The name and the value of the field at a path such as `bid.seat` of an event of this kind. */
function found(kind: string, fields: Record<string, unknown>, path: string): [string, unknown] {
  const steps = path.split(".");
  const value = steps.reduce<unknown>((held, step) => (held as Record<string, unknown> | null)?.[step], fields);
  return [nameIn(steps.at(-2) ?? kind, steps.at(-1) ?? path), value];
}

/** The name of a field; with what holds it, if it is of seats only there. */
function nameIn(holder: string, field: string): string {
  return SEATED.has(`${holder}.${field}`) ? `${holder}.${field}` : field;
}

/** An event of a type without a text: newer than this page, or of a game that has brought none. */
function* unknown(type: string, fields: object, seats: Names): Sentence {
  yield type.split(".").slice(1, -1).join(" ").replaceAll("-", " ");
  for (const [index, [name, value]] of Object.entries(fields).entries()) {
    yield index === 0 ? ": " : "; ";
    yield `${words(name)} `;
    yield* fact(nameIn(type.split(".")[1] ?? "", name), value, seats);
  }
}

/** A field's value; it is `inner` where it stands in a list itself, such as a coin with its face. */
function* fact(name: string, value: unknown, seats: Names, inner = false): Sentence {
  if (isNothing(value)) yield say(SEATED.has(name) ? "event.nobody" : "nothing");
  else if (typeof value === "boolean") yield say(value ? "yes" : "no");
  else if (typeof value === "number") yield counted(name, value, seats);
  else if (typeof value === "string") yield WRITTEN.has(name) ? { value } : worded(value);
  else if (Array.isArray(value)) yield* listed(name, value, seats, inner);
  else yield* held(name, value as object, seats);
}

/** An object: its `type` or `kind`, which says what it is, and then its fields by their names. */
function* held(name: string, value: object, seats: Names): Sentence {
  const holder = "type" in value ? String(value.type) : name;
  for (const [index, [field, one]] of Object.entries(value).entries()) {
    if (index > 0) yield ", ";
    if (field !== "type" && field !== "kind") yield `${words(field)} `;
    if (field === "kind" && isSaid(`event.kind.${String(one)}`)) yield say(`event.kind.${String(one)}`);
    else yield* fact(SEATED.has(name) ? name : nameIn(holder, field), one, seats);
  }
}

function counted(name: string, value: number, seats: Names): Part {
  const who = SEATED.has(name) ? seats[value] : undefined;
  return who === undefined ? numeral(value) : { who };
}

function worded(value: string): Part {
  if (INSTANT.test(value)) return { at: value };
  if (isSaid(`event.value.${value}`)) return { value: say(`event.value.${value}`) };
  return { value: IDENTIFIER.test(value) ? words(value) : value };
}

/** With the names of the seats where there is a value for each. */
function* listed(name: string, values: unknown[], seats: Names, inner: boolean): Sentence {
  const named = OF_EACH_SEAT.has(name) && values.length === seats.length;
  for (const [index, value] of values.entries()) {
    if (index > 0) yield inner ? " " : ", ";
    if (named) yield { who: seats[index] as string };
    if (named) yield " ";
    yield* fact(named ? "" : name, value, seats, true);
  }
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
