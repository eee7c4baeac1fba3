/** What the page has read of the match through the API, and with which key. */
import { ArbiterError, type Audience, type Schemas } from "@arbiter/client";
import { batch, computed, signal } from "@preact/signals";
import { sureToForget } from "../key_form.js";
import { forget, keep, keyFor, type Purpose } from "../keys.js";
import { service } from "../service.js";
import { brief, cited } from "../numbers.js";
import { reason } from "../trouble.js";
import { about, AUDIENCES, seatOf, type Line } from "./about.js";

const MOST = 10_000;

/** For what a key may be that opens this page by itself, the nearest first. */
const purposes: Purpose[] = [
  `match ${about.match}`,
  ...(about.tournament === null ? [] : [`tournament ${about.tournament}` as const]),
];

/** Whether an organiser has chosen to read with their key: that is a look at what is hidden. */
const asOrganiser = signal(false);

function inUse(): Purpose | undefined {
  const own = purposes.find((purpose) => keyFor(purpose) !== undefined);
  return own ?? (asOrganiser.value ? "organiser" : undefined);
}

/** Whether this browser keeps an organiser's key, and the reader may choose to use it. */
export function mayLook(): boolean {
  return keyFor("organiser") !== undefined;
}

/** Reads with the organiser's key. Throws ArbiterError if it does not open this match. */
export async function look(): Promise<void> {
  await service(keyFor("organiser")).match(about.match).view();
  asOrganiser.value = true;
  await change();
}

function kept(): string | undefined {
  const purpose = inUse();
  return purpose === undefined ? undefined : keyFor(purpose);
}

export const key = signal(kept());
/** As whom the key reads. */
export const own = signal<Audience>("public");
/** As whom the record is shown. */
export const audience = signal<Audience>("public");
/** As whom it will be shown once it has been read; null if nobody else was chosen. */
export const wanted = signal<Audience | null>(null);

/** How far the match has come: whether it is over, and everybody may read everything. */
interface Course {
  status: string;
  over: boolean;
  open: boolean;
  /** Whether it is of an open table. */
  table: boolean;
  result: Schemas["ShownResult"] | null;
}

export const course = signal<Course>({ status: about.status, over: about.over, open: about.open, table: false, result: null });
export const lines = signal<Line[] | null>(null);
/** What is not told to this reader is null. */
export const reads = signal<Schemas["ShownRead"][] | null>(null);
export const keys = signal<Schemas["MatchKey"][] | null>(null);

/** The tournament of the match, whose keys open it, too. */
export const cup = signal<Schemas["TournamentAnswer"] | null>(null);
export const cases = signal<Schemas["CaseShown"][]>([]);
export const rulings = signal<Schemas["RulingShown"][]>([]);
/** Why the match could not be read. */
export const trouble = signal<string | null>(null);

/** The lines by their numbers. */
export const bySeq = computed(() => new Map((lines.value ?? []).map((line) => [line.seq, line])));

/** All numbers of an event: the public's first. */
export function numbers(seq: number): string {
  const line = bySeq.value.get(seq);
  return line === undefined ? String(seq) : cited(line, audience.value === "public");
}

/** One number of an event: the public's, if there is one. */
export function number(seq: number): string {
  const line = bySeq.value.get(seq);
  return line === undefined ? String(seq) : brief(line, audience.value === "public");
}

/** The audiences as which this reader may read the record. */
export const allowed = computed<Audience[]>(() => {
  if (course.value.open || own.value === "moderator") return AUDIENCES;
  return own.value === "public" ? ["public"] : ["public", own.value];
});

export const path = `/matches/${about.match}`;

export async function ask<T>(address: string): Promise<T> {
  return (await service(key.value).request<T>(address)).data;
}

/** Every page of a list. */
async function pages<T extends { next: number | null }>(address: string): Promise<T[]> {
  return service(key.value).pages<T>(address);
}

let latest = 0;

/** Reads everything anew; as the key's own audience, or as everybody may, if it is a `fresh` one. */
export async function load(fresh = false): Promise<void> {
  const turn = ++latest;
  try {
    const show = await read(fresh);
    // What was asked for meanwhile, perhaps without the key, is shown instead.
    if (turn !== latest) return;
    show();
    trouble.value = null;
  } catch (error) {
    if (turn === latest && hasEnded(error)) return await readAsEverybody();
    if (turn === latest) trouble.value = reason(error);
  } finally {
    if (turn === latest) wanted.value = null;
  }
}

/** Whether the key in use opens nothing any more. */
function hasEnded(error: unknown): boolean {
  return key.value !== undefined && error instanceof ArbiterError && error.status === 401;
}

/** Reads on without the key that has ended: what is public stays readable. */
async function readAsEverybody(): Promise<void> {
  key.value = undefined;
  await load(true);
}

/** Returns what shows what was read, all of it at once. */
async function read(fresh: boolean): Promise<() => void> {
  const whose = (await service(key.value).match(about.match).view()).audience as Audience;
  const come = courseOf(await ask<Schemas["ShownMatch"]>(path));
  const as = fresh ? (come.open ? "moderator" : whose) : (wanted.value ?? audience.value);
  // A seat is told less.
  const isSeat = seatOf(whose) !== null;
  // Before the events: to read them is a look, too.
  const looks = isSeat && !come.over ? null : await withKey(allReads);
  const held = isSeat ? null : await withKey(allKeys);
  const tournament = about.tournament === null ? null : await ask<Schemas["TournamentAnswer"]>(`/tournaments/${about.tournament}`);
  const disputed = await allCases();
  const decided = (await pages<Schemas["RulingList"]>(`${path}/rulings`)).flatMap((page) => page.rulings);
  const record = await allLines(as);
  return () =>
    batch(() => {
      [own.value, audience.value, reads.value, keys.value] = [whose, as, looks, held];
      [cup.value, cases.value, rulings.value, lines.value] = [tournament, disputed, decided, record];
      course.value = come;
    });
}

function courseOf({ status, record, open_table, result }: Schemas["ShownMatch"]): Course {
  const over = status === "void" || (status === "ended" && result?.final !== false);
  return { status, over, open: over && record === "opened_at_end", table: open_table, result };
}

async function allCases(): Promise<Schemas["CaseShown"][]> {
  const found = (await pages<Schemas["CaseList"]>(`${path}/cases`)).flatMap((page) => page.cases);
  return Promise.all(found.map((one) => ask<Schemas["CaseShown"]>(`${path}/cases/${one.case}`)));
}

/** Reads the record as another audience. Until it has been read, what is shown stays what it is. */
export async function readAs(other: Audience): Promise<void> {
  wanted.value = other;
  await load();
}

/** Uses a key, whatever opens the match. Throws ArbiterError for one that the service does not know. */
export async function use(text: string, onDevice: boolean): Promise<void> {
  await service(text).match(about.match).view();
  keep(`match ${about.match}`, text, onDevice);
  await change();
}

/** Forgets the key that is in use. */
export async function forgetKey(): Promise<void> {
  if (seatOf(own.value) !== null && !sureToForget(course.value.table)) return;
  const purpose = inUse();
  if (purpose !== undefined) forget(purpose);
  asOrganiser.value = false;
  await change();
}

async function change(): Promise<void> {
  batch(() => {
    [key.value, wanted.value] = [kept(), null];
    [own.value, reads.value, keys.value, cases.value, rulings.value] = ["public", null, null, [], []];
    lines.value = null;
  });
  await load(true);
}

async function allLines(as: Audience): Promise<Line[]> {
  const found = await pages<Schemas["Timeline"]>(`${path}/timeline?as=${as}&limit=${MOST}`);
  return found.flatMap((page) => page.lines);
}

async function allReads(): Promise<Schemas["ShownRead"][]> {
  return (await pages<Schemas["ReadPage"]>(`${path}/reads?limit=1000`)).flatMap((page) => page.reads);
}

async function allKeys(): Promise<Schemas["MatchKey"][]> {
  return (await pages<Schemas["MatchKeyList"]>(`${path}/keys`)).flatMap((page) => page.keys);
}

/** What the key is told; null if there is none, or it is not told this. */
async function withKey<T>(read: () => Promise<T>): Promise<T | null> {
  if (key.value === undefined) return null;
  try {
    return await read();
  } catch (error) {
    if (error instanceof ArbiterError && error.status === 403) return null;
    throw error;
  }
}

/**
 * The line of an event by its number in the count of the key's own audience, in which cases and rulings
 * count; undefined if it is not shown here.
 */
export function lineOf(seq: number): Line | undefined {
  if (audience.value === own.value) return bySeq.value.get(seq);
  const seen = (lines.value ?? []).filter((line) => line.seen_by === "public" || line.seen_by === own.value);
  return audience.value === "moderator" ? seen[seq - 1] : undefined;
}
