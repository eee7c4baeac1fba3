/** What the service has written into the page for its scripts. */
type Text = string | { one: string; other: string };

interface Given {
  /** The language of the page (RFC 5646). */
  language: string;
  /** The texts in it that the scripts of this page say. */
  texts: Record<string, Text>;
  /** Which fields of events and actions contain seats, and which have a value for each seat. */
  event_fields: { seats: string[]; of_each_seat: string[] };
  /** What this page is about. */
  data: unknown;
}

const read = JSON.parse(document.getElementById("given")?.textContent ?? "null") as Given;

export const language = read.language;
export const eventFields = read.event_fields;

/** What this page is about; its script knows of which shape it is. */
export function given<T>(): T {
  return read.data as T;
}

const own = new Intl.NumberFormat().resolvedOptions().locale;
/** The form of numbers and times: the reader's own, where it is one of the page's language. */
export const locale = own.split("-")[0] === language ? own : language;

const numbers = new Intl.NumberFormat(locale);

/** A number in the reader's own form. */
export function numeral(number: number): string {
  return numbers.format(number);
}

/** The text with these values. `count` decides which form a text has. */
export function say(name: string, values: Record<string, string | number> = {}): string {
  return form(name, values.count).replace(/\{(\w+)\}/g, (_, field: string) => written(values[field]));
}

function written(value: string | number | undefined): string {
  return typeof value === "number" ? numeral(value) : String(value);
}

/** A text in pieces: what stands between its fields, and at every second place the name of a field. */
export function pieces(name: string): string[] {
  return form(name, undefined).split(/\{([\w.]+)\}/);
}

/** A text that is missing is reported as an error, and its name stands in its place: the rest of the page goes on. */
function form(name: string, count: string | number | undefined): string {
  const text = read.texts[name];
  if (text === undefined) {
    reportError(new Error(`There is no text ${name}`));
    return name;
  }
  return typeof text === "string" ? text : text[count === 1 ? "one" : "other"];
}

/** Whether there is such a text here. */
export function isSaid(name: string): boolean {
  return name in read.texts;
}
