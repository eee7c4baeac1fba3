/** What is known at the table: read with a key, and read again whenever something happens. */
import { computed, signal } from "@preact/signals";
import {
  ArbiterError,
  HistoryWentBack,
  newKey,
  type Answer,
  type Arbiter,
  type Match,
  type Schemas,
  type Sent,
  type View,
} from "@arbiter/client";
import { mayDecide, readCases as readCasesAt, untilNextRead } from "../cases.js";
import { noteClock } from "../clock.js";
import { given, say } from "../given.js";
import { KeptReceipts } from "../kept_receipts.js";
import { forget, keep, keyFor, type Purpose } from "../keys.js";
import { finishedRenewal, isOwn, isRenewing, renewed } from "../renewal.js";
import { isAway, service } from "../service.js";
import { moderatorName } from "../tournament/staff.js";
import { Refusal } from "../trouble.js";
import { undoneOf } from "./branches.js";
import { anyLine, enteredIn, type AnyLine } from "./lines.js";
import { keepReceipts, receiptsIn } from "./receipts.js";
import { regularly } from "../regularly.js";

export const about = given<{ match: string; tournament: string | null; board: string | null }>();

/** Who sits at the table. An organiser sees what is public, and rules. */
export interface Desk {
  role: "moderator" | "organiser";
  arbiter: Arbiter;
  purpose: Purpose;
  kept: KeptReceipts;
  /** Checks receipts. */
  match: Match;
}

/** A view with the `ETag` that it came with, and the one before it. */
export interface Seen {
  view: View;
  tag: string;
  before: View | null;
}

export const desk = signal<Desk | null>(null);
/** Whether all that the table shows has been read; until then the form stays, and says why it could not be. */
export const isOpen = signal(false);
export const info = signal<Schemas["ShownMatch"] | null>(null);
export const seen = signal<Seen | null>(null);
export const lines = signal<readonly AnyLine[]>([]);
export const rulings = signal<Schemas["RulingShown"][]>([]);
export const cases = signal<Schemas["CaseShown"][]>([]);

/** Whether an organiser has chosen to see cases, and rulings that wait: that is a look at what is hidden. */
export const peeked = signal(false);

/** Whether the moderator's key is theirs, or has no name and so never seconds: then there is nothing to offer. */
export const mine = signal(true);

/** The key in place of the one that was renewed here, until it is put away. */
export const madeMine = signal<string | null>(null);

/** Who moderates the match, by name; null for a key without one. */
export const judges = signal<readonly (string | null)[]>([]);

/** Whose key opened the table: null for a key without a name, undefined where that is not known here. */
export const ownName = signal<string | null | undefined>(undefined);

/** The moderators of the tournament who are not yet of this match. */
export const others = signal<readonly Schemas["Moderator"][]>([]);

/** Who has issued the moderators' keys, as far as they have names: organisers, who can issue more. */
export const issuers = signal<readonly string[]>([]);

/** Those besides whoever sits here who can second a ruling: by keys with a name. */
export const seconds = computed(() => judges.value.filter((name) => name !== null && name !== ownName.value));

/** The open cases that whoever sits here may decide. */
export const openCases = computed(() => cases.value.filter((one) => one.status === "open" && mayDecide(one, rulings.value, ownName.value)));

type Read = () => Promise<void>;

/** What could not be read when it was last tried, though the service is there. */
const unread = signal<ReadonlySet<Read>>(new Set());

/** Why nothing new comes any more. */
const ended = signal<"lost" | "went_back" | null>(null);

/** Why what is shown is old; null if it is not. */
export const old = computed(() => ended.value ?? (unread.value.size > 0 ? "lost" : null));

/** Whether the key that opened the table has ended. */
export const keyEnded = signal(false);

/** Whether the keys that the browser keeps are tried for the first time, or again; null once they have been. */
export const trying = signal<"first" | "again" | null>("first");

export const undone = computed(() => undoneOf(lines.value));
export const live = computed(() => lines.value.filter((line) => !undone.value.has(line.seq)));

const publicTypes = signal<ReadonlySet<string>>(new Set());

/** Whether everybody sees events of its type: that is the same for all of a type. */
export function isPublic({ type }: AnyLine): boolean {
  return publicTypes.value.has(type);
}

/** The draws that were entered by hand and count, newest first. */
export const entered = computed(() => enteredIn(live.value, isPublic));

/** Why a key does not open the table. */
type Unfit = "unknown" | "seat" | "nothing";

const kept = (): Purpose[] => [
  `match ${about.match}`,
  ...(about.tournament === null ? [] : [`tournament ${about.tournament}` as const]),
  "organiser",
];

/** Milliseconds before keys are tried again. */
const TRY = 5_000;

/** Tries the keys that the browser keeps, until the service has answered. */
export function signInWithKept(): void {
  const tried = new AbortController();
  void regularly(TRY, tried.signal, async () => {
    try {
      await tryKept();
      trying.value = null;
      tried.abort();
    } catch (error) {
      trying.value = "again";
      throw error;
    }
  });
}

async function tryKept(): Promise<void> {
  for (const purpose of kept()) {
    const known = keyFor(purpose);
    const key = known === undefined ? undefined : await finishRenewal(purpose, known);
    const role = key === undefined ? "nothing" : await roleOf(service(key));
    // Another key may be good for other matches, though not for this one.
    if (role === "unknown" && purpose === `match ${about.match}`) {
      forget(purpose);
      keyEnded.value = true;
    }
    if (key !== undefined && (role === "moderator" || role === "organiser")) return opened(key, role, purpose);
  }
}

/** Opens the table with a key, and keeps it; one of an invitation is made its holder's first. Throws a Refusal for a key that does not open it. */
export async function signIn(key: string, onDevice: boolean, isInvited = false): Promise<void> {
  const role = await roleOf(service(key));
  if (role !== "moderator" && role !== "organiser") throw new Refusal(say(unfit[role]));
  const purpose: Purpose = role === "organiser" ? "organiser" : `match ${about.match}`;
  keep(purpose, key, onDevice);
  const own = isInvited ? await renewed(purpose, key) : key;
  if (isInvited) madeMine.value = own;
  await opened(own, role, purpose);
}

const unfit: Record<Unfit, string> = { unknown: "trouble.key_unknown", seat: "table.key.seat", nothing: "table.key.nothing" };

/** Forgets the key, and all that was read with it. */
export function signOut(): void {
  if (desk.value !== null) forget(desk.value.purpose);
  leave();
}

function leave(): void {
  leaving.abort();
  isOpen.value = false;
  [desk.value, info.value, seen.value] = [null, null, null];
  [lines.value, rulings.value, cases.value] = [[], [], []];
  [mine.value, madeMine.value] = [true, null];
  [judges.value, others.value, issuers.value, ownName.value] = [[], [], [], undefined];
  [peeked.value, unread.value, ended.value] = [false, new Set(), null];
}

/** What no stream tells: cases, and while an appeal waits who can decide it, since it may come when the match is over. */
async function readAgain(signal: AbortSignal): Promise<void> {
  const waits = cases.value.some(({ appealed, status }) => appealed && status === "open");
  await Promise.all([...new Set([readCases, ...(waits ? [readJudges] : []), ...unread.value])].map((read) => again(read, signal)));
}

let leaving = new AbortController();

async function opened(key: string, role: Desk["role"], purpose: Purpose): Promise<void> {
  const arbiter = service(key);
  leaving = new AbortController();
  const { signal } = leaving;
  const match = arbiter.match(about.match);
  desk.value = { role, arbiter, purpose, match, kept: new KeptReceipts(about.match, purpose) };
  try {
    const [own] = await Promise.all([role !== "moderator" || isMine(purpose), readView(), readLines(), readRulings(), readJudges()]);
    mine.value = own;
  } catch (error) {
    leave();
    throw error;
  }
  keyEnded.value = false;
  isOpen.value = true;
  void regularly(() => untilNextRead(cases.value), signal, () => readAgain(signal));
  void follow(arbiter, signal);
}

/** Keys of a tournament are not listed: of them only this browser knows. */
async function isMine(purpose: Purpose): Promise<boolean> {
  if (isOwn(purpose)) return true;
  const { keys } = (await ask<Schemas["MatchKeyList"]>("/keys")).data;
  const own = keys.find((key) => key.own);
  return own !== undefined && (own.name === null || own.theirs_since !== null);
}

/** Makes the key that opened the table its holder's, and goes on with the new one. */
export async function renew(): Promise<void> {
  if (desk.value === null) throw new Error("Nobody is signed in");
  const { purpose } = desk.value;
  const key = await renewed(purpose, keyFor(purpose) ?? "");
  leave();
  madeMine.value = key;
  await opened(key, "moderator", purpose);
}

/** Goes on with a renewal whose answer was lost. */
async function finishRenewal(purpose: Purpose, key: string): Promise<string> {
  const made = await finishedRenewal(purpose, key);
  if (made !== null) madeMine.value = made;
  return made ?? key;
}

export function putNewKeyAway(): void {
  madeMine.value = null;
}

/** What a key is to the match. Only organisers and moderators are told of its keys. */
async function roleOf(arbiter: Arbiter): Promise<Desk["role"] | Unfit> {
  try {
    const { audience } = (await arbiter.request<View>(path("/view"))).data;
    if (audience === "moderator") return "moderator";
    if (audience !== "public") return "seat";
    await arbiter.request(path("/keys"));
    return "organiser";
  } catch (error) {
    if (error instanceof ArbiterError && error.status === 401) return "unknown";
    if (error instanceof ArbiterError && error.status === 403) return "nothing";
    throw error;
  }
}

function path(rest: string): string {
  return `/matches/${about.match}${rest}`;
}

/** Asks the service something about the match, with the key. */
export async function ask<T>(rest: string, sent: Sent = {}): Promise<Answer<T>> {
  if (desk.value === null) throw new Error("Nobody is signed in");
  const { arbiter, kept, match } = desk.value;
  try {
    const answer = await arbiter.request<T>(path(rest), { ...sent, signal: leaving.signal });
    void keepReceipts(receiptsIn(answer.data), kept, match);
    return answer;
  } catch (error) {
    if (error instanceof ArbiterError) void keepReceipts(receiptsIn(error.problem), kept, match);
    throw error;
  }
}

/** Reads the receipts for what the key's holder has ordered, from elsewhere too. */
export async function readReceipts(): Promise<void> {
  if (desk.value === null) throw new Error("Nobody is signed in");
  const { arbiter, kept, match } = desk.value;
  const found = await arbiter.pages<Schemas["ReceiptPage"]>(path("/receipts"), gone());
  await keepReceipts(found.flatMap(receiptsIn), kept, match);
}

/** Sends something that counts once, however often it is sent. */
export async function send<T>(rest: string, body: unknown, tag?: string): Promise<T> {
  const seen: Record<string, string> = tag === undefined ? {} : { "If-Match": tag };
  const headers = { "Idempotency-Key": newKey(), ...seen };
  return (await ask<T>(rest, { method: "POST", body, headers })).data;
}

/** Reads once at a time; if it is asked for while it reads, it reads once more, even if the first failed: its key may have been given up. */
function coalesced(read: Read): Read {
  let reading: Promise<void> | null = null;
  let again = false;
  async function all(): Promise<void> {
    do {
      again = false;
      try {
        await read();
      } catch (error) {
        if (!again) throw error;
      }
    } while (again);
  }
  return () => {
    again = true;
    reading ??= all().finally(() => (reading = null));
    return reading;
  };
}

export const readView = coalesced(async () => {
  const [{ data, headers }, match] = await Promise.all([
    ask<View>("/view"),
    ask<Schemas["ShownMatch"]>(""),
  ]);
  noteClock(headers);
  const before = seen.value?.view ?? null;
  const same = before?.seq === data.seq;
  info.value = match.data;
  seen.value = { view: data, tag: headers.get("ETag") ?? "", before: same ? seen.value?.before ?? null : before };
});

export const readRulings = coalesced(async () => {
  rulings.value = (await asMuch().pages<Schemas["RulingList"]>(path("/rulings"), gone())).flatMap((page) => page.rulings);
});

/** Reads who moderates the match: by keys of its own, or appointed in its tournament. */
export const readJudges = coalesced(async () => {
  if (desk.value === null) throw new Error("Nobody is signed in");
  const { arbiter } = desk.value;
  const keys = (await arbiter.pages<Schemas["MatchKeyList"]>(path("/keys"), gone())).flatMap((page) => page.keys);
  const own = keys.filter(({ role }) => role === "moderator");
  ownName.value = keys.find((key) => key.own)?.name;
  issuers.value = [...new Set(own.flatMap(({ issued_by: by }) => by ?? []))];
  if (about.tournament === null) {
    judges.value = own.map(({ name }) => name);
    return;
  }
  const cup = (await arbiter.request<Schemas["TournamentAnswer"]>(`/tournaments/${about.tournament}`, gone())).data;
  const appointed = cup.matches.find(({ match }) => match === about.match)?.moderators ?? [];
  const [here, free] = [appointed.map((number) => moderatorName(cup, number)), cup.moderators.filter(({ moderator }) => !appointed.includes(moderator))];
  // The key that was made with the match is nobody's there.
  judges.value = [...here, ...own.map(({ name }) => name).filter((name) => name !== null || here.length === 0)];
  others.value = free;
});

export const readCases = coalesced(async () => {
  cases.value = await readCasesAt(asMuch(), path("/cases"), cases.value, gone());
});

/** Looks at cases, and at rulings that wait. */
export async function peek(): Promise<void> {
  peeked.value = true;
  await Promise.all([readRulings(), readCases()]);
}

/** What ends with the page. */
function gone(): Sent {
  return { signal: leaving.signal };
}

/** Who reads: with the key, but as everybody if that would be an organiser's look without their wish. */
function asMuch(): Arbiter {
  if (desk.value === null) throw new Error("Nobody is signed in");
  return desk.value.role === "organiser" && !peeked.value ? service() : desk.value.arbiter;
}

async function readLines(): Promise<void> {
  const everybody = await pages("&as=public");
  publicTypes.value = new Set(everybody.map((line) => line.type));
  lines.value = desk.value?.role === "moderator" ? await pages("") : everybody;
}

async function pages(as: string): Promise<AnyLine[]> {
  const found: AnyLine[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Schemas["EventPage"] = (await ask<Schemas["EventPage"]>(`/events?limit=1000&after=${after}${as}`)).data;
    found.push(...page.events.map(anyLine));
    after = page.next;
  }
  return found;
}

const PUBLIC_LATELY = 200;

/** Learns which types of events everybody sees from the latest of them. */
async function learnPublic(): Promise<void> {
  const { seq } = (await ask<View>("/view?as=public")).data;
  const after = Math.max(0, seq - PUBLIC_LATELY);
  const page = (await ask<Schemas["EventPage"]>(`/events?as=public&after=${after}&limit=${PUBLIC_LATELY}`)).data;
  publicTypes.value = new Set([...publicTypes.value, ...page.events.map((line) => line.type)]);
}

const learn = coalesced(learnPublic);

/** Reads on for as long as the match goes on. */
async function follow(arbiter: Arbiter, signal: AbortSignal): Promise<void> {
  const known = new Set<string>(lines.value.map((line) => line.type));
  try {
    const after = lines.value.at(-1)?.seq ?? 0;
    for await (const line of arbiter.match(about.match).follow({ after, signal, onConnection: catchUp(signal) })) {
      lines.value = [...lines.value, anyLine(line)];
      if (!known.has(line.type)) await again(learn, signal);
      known.add(line.type);
      void again(readView, signal);
      if (/^match\.(\w*-?ruled|ruling|consent|voided|confirmed)/.test(line.type)) for (const read of [readRulings, readCases]) void again(read, signal);
      if (line.type.startsWith("match.case-")) void again(readCases, signal);
      if (line.type.startsWith("match.moderator-key-")) void again(readJudges, signal);
    }
    await again(readView, signal);
  } catch (error) {
    failed(error, signal, (why) => (ended.value = why));
  }
}

/** When the stream is open again: what could not be read while the service was away is read then. */
function catchUp(signal: AbortSignal): (open: boolean) => void {
  let cut = false;
  return (open) => {
    if (open && cut) for (const read of [readView, readRulings, readCases]) void again(read, signal);
    cut = !open;
  };
}

/** Reads while nobody waits for it, and notes whether it could. */
async function again(read: Read, signal: AbortSignal): Promise<void> {
  try {
    await read();
    unread.value = new Set([...unread.value].filter((one) => one !== read));
  } catch (error) {
    failed(error, signal, () => (unread.value = new Set([...unread.value, read])));
  }
}

/** Notes why what is shown is old. A key that has ended shows nothing. */
function failed(error: unknown, { aborted }: AbortSignal, note: (why: "lost" | "went_back") => void): void {
  // That the service is away the page says by itself, and reads again when it is back.
  if (aborted || isAway(error)) return;
  if (!(error instanceof ArbiterError)) throw error;
  if (error.status !== 401) return note(error instanceof HistoryWentBack ? "went_back" : "lost");
  if (desk.value !== null && isRenewing(desk.value.purpose)) return;
  signOut();
  keyEnded.value = true;
}
