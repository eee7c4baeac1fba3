/** What the audit of an event has read: lists across it and its matches, by filters, page by page. */
import type { Arbiter, Schemas, Tournament } from "@arbiter/client";
import { effect, signal, untracked, type Signal } from "@preact/signals";
import { given } from "../given.js";
import { service } from "../service.js";
import { reason } from "../trouble.js";
import type { Bearer } from "../tournament/bearer.js";

export const { tournament: id } = given<{ tournament: string }>();

export const NOTHING = { person: "", match: "", since: "", until: "" };
export const filter = signal(NOTHING);
/** The kind of rulings that are shown. */
export const kind = signal("");
/** Whose key is used; null while everything is read as everybody may. */
export const whose = signal<Bearer | null>(null);
export const shown = signal<Schemas["TournamentAnswer"] | null>(null);
export const trouble = signal<string | null>(null);

type Wanted = Parameters<Tournament["cases"]>[0];
type Read<T> = (of: Tournament, wanted: Wanted) => AsyncGenerator<T, void>;

const AT_A_TIME = 100;

/** A list of which so much is read as its reader has asked for. */
export interface Listed<T> {
  rows: Signal<readonly T[]>;
  /** Whether there is more of it. */
  isMore: Signal<boolean>;
  read(most?: number): Promise<void>;
}

/** Is read anew whenever it is to be another one. */
function listed<T>(read: Read<T>, isFor: () => boolean = () => true): Listed<T> {
  const rows = signal<readonly T[]>([]);
  const isMore = signal(false);
  let source: AsyncGenerator<T, void> | null = null;
  async function readOn(most = AT_A_TIME): Promise<void> {
    const from = source;
    if (from === null) return;
    const found: T[] = [];
    try {
      while (found.length < most) {
        const { done, value } = await from.next();
        if (done) break;
        found.push(value);
      }
      if (from !== source) return;
      rows.value = [...rows.value, ...found];
      isMore.value = found.length === most;
      trouble.value = null;
    } catch (error) {
      if (from === source) trouble.value = reason(error);
    }
  }
  effect(() => {
    const mayRead = isFor();
    source = mayRead ? read(arbiter().tournament(id), wanted()) : null;
    [rows.value, isMore.value] = [[], false];
    untracked(() => void readOn());
  });
  return { rows, isMore, read: readOn };
}

function arbiter(): Arbiter {
  return whose.value?.arbiter ?? service();
}

/** Whether who reads runs the event, or moderates it. */
export function isStaff(): boolean {
  return whose.value !== null && whose.value.role !== "player";
}

function wanted(): Wanted {
  const { since, until, ...others } = filter.value;
  const given = { ...others, since: instant(since), until: instant(until) };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
}

function instant(local: string): string {
  return local === "" ? "" : new Date(local).toISOString();
}

export const rulings = listed((of, wanted) => of.rulings({ ...wanted, ...ofKind(kind.value) }));
export const cases = listed((of, wanted) => of.cases(wanted));
export const reads = listed((of, wanted) => of.reads(wanted), isStaff);
export const keys = listed((of, wanted) => of.keys(wanted), isStaff);

function ofKind(kind: string): { kind?: Schemas["TournamentRulingShown"]["kind"] } {
  return kind === "" ? {} : { kind: kind as Schemas["TournamentRulingShown"]["kind"] };
}

/** The organisers, for themselves. */
export const organisers = signal<Schemas["OrganiserList"] | null>(null);

effect(() => {
  const by = whose.value;
  organisers.value = null;
  if (by?.role !== "organiser") return;
  by.arbiter.request<Schemas["OrganiserList"]>(`/tournaments/${id}/organisers`).then(
    ({ data }) => (organisers.value = data),
    (error: unknown) => (trouble.value = reason(error)),
  );
});

/** Reads the people and the matches of the event. */
export async function readEvent(): Promise<void> {
  shown.value = await service().tournament(id).view();
}

/** What was said in cases about the event, as far as it was read; a text says why it could not be. */
export const said = signal<ReadonlyMap<string, Schemas["CaseShown"] | string>>(new Map());

/** Reads what was said in a case about the event. */
export async function readSaid(name: string): Promise<void> {
  let found: Schemas["CaseShown"] | string;
  try {
    found = (await arbiter().request<Schemas["CaseShown"]>(`/tournaments/${id}/cases/${name}`)).data;
  } catch (error) {
    found = reason(error);
  }
  said.value = new Map(said.value).set(name, found);
}

// Another reader reads anew.
whose.subscribe(() => (said.value = new Map()));

/** Reads all that is left of every list, and what was said. */
export async function readAll(): Promise<void> {
  for (const list of [rulings, cases, reads, keys]) while (list.isMore.value) await list.read();
  for (const one of cases.rows.value) if (one.match === null && !said.value.has(one.case)) await readSaid(one.case);
}
