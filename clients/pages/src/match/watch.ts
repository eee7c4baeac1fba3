/** What of a match is shown: as which audience, at which position, and what came before it. */
import { ArbiterError, ConnectionLost, HistoryWentBack, type Audience, type Schemas, type View } from "@arbiter/client";
import { computed, effect, signal } from "@preact/signals";
import { given } from "../given.js";
import { keyFor } from "../keys.js";
import { regularly } from "../regularly.js";
import { leftBehind } from "../rewinds.js";
import { service } from "../service.js";
import { Reading } from "./reading.js";

type Info = Schemas["ShownMatch"];

/** What the service has written into the page. */
export const page = given<{ match: Info; board: string | null; at: number | null; as: Audience }>();

/** The match for everybody, as it is now. */
export const info = signal(page.match);
/** What the audience has read; null until it has begun. */
export const reading = signal<Reading | null>(null);
/** The position that the reader has gone to; null to be where the match is. */
export const at = signal<number | null>(page.at);
/** The audience to which a key of this browser belongs. */
export const own = signal<Audience | null>(null);
/** Why there is nothing to show, or what a reader should know, by the name of a text. */
export const problem = signal<string | null>(null);
export const wentBack = signal(false);

export interface Drawn {
  view: View;
  /** To which it is compared. */
  before: View | null;
  /** Where it was read. */
  from: Reading;
  /** Whether it was where the match is. */
  live: boolean;
}

/** What is drawn; null until something has been read. */
export const shown = signal<Drawn | null>(null);

/** The position that shall be shown. */
export const wanted = computed(() => Math.min(at.value ?? Infinity, reading.value?.last.value ?? Infinity));

/** The numbers of an event of the audience: the public's first. */
export function numbers(seq: number): string {
  return reading.value?.cited(seq) ?? String(seq);
}

/** How many follow the match as the public does, this page included. */
export const spectators = signal(0);

/** Milliseconds between two looks at how many there are. */
const PERIOD = 15_000;

/** Counts them for as long as the match goes on. */
export function count(): void {
  const over = new AbortController();
  effect(() => {
    if (isOver.value) over.abort();
  });
  void regularly(PERIOD, over.signal, async () => {
    const path = `/matches/${page.match.id}/watching`;
    spectators.value = (await service().request<Schemas["Watching"]>(path, { signal: over.signal })).data.watching;
  });
}

/** The positions that rewinds have left, each with that of the rewind. */
export const left = computed(() => leftBehind(reading.value?.lines() ?? []));

/** Whether nothing more happens in it. */
export const isOver = computed(() => {
  const { status, result } = info.value;
  return status === "void" || (status === "ended" && result?.final !== false);
});

/** Whether everything can be read by everybody. */
const isOpen = computed(() => isOver.value && info.value.record === "opened_at_end");

/** The audiences that can be read from here. */
export const audiences = computed<Audience[]>(() => {
  const seats = info.value.seats.map((_, seat): Audience => `seat:${seat}`);
  if (isOpen.value || own.value === "moderator") return ["public", ...seats, "moderator"];
  return own.value === null || own.value === "public" ? ["public"] : ["public", own.value];
});

/** Events behind which the match is told otherwise to everybody. */
const TELLING = /^match\.(started|paused|resumed|ended|confirmed|voided|seat-named|rewound)\./;

/** What has been begun and not been read yet. */
let beginning: (() => Promise<void>) | null = null;
let leaving = new AbortController();
let loading = false;

/** The key of this browser for the match. */
export function key(): string | undefined {
  const { id, tournament } = page.match;
  return keyFor(`match ${id}`) ?? (tournament === null ? undefined : keyFor(`tournament ${tournament}`));
}

/** Reads the match as an audience, from the position or, by default, from where it is. */
export async function begin(as: Audience, moment?: string): Promise<void> {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  beginning = () => begin(as, moment);
  const next = new Reading(service(as === "public" ? undefined : key()).match(page.match.id), as);
  await attempt(async () => {
    await next.begin(signal);
    if (moment !== undefined) {
      await next.readLines(signal);
      at.value = next.lastAt(moment);
    }
    problem.value = null;
    reading.value = next;
    beginning = null;
    await load();
    await readOn(next, signal);
  }, signal);
  if (!signal.aborted) beginning = null;
}

/** Reads earlier events, and follows. Of a tab that nobody sees it reads nothing. */
async function readOn(from: Reading, signal: AbortSignal): Promise<void> {
  if (document.hidden) return;
  await from.readLines(signal);
  await from.follow(signal);
}

/** Shows the match as another audience, at the instant at which it is shown now. */
export async function switchTo(as: Audience): Promise<void> {
  const moment = at.peek() === null ? undefined : reading.peek()?.line(wanted.peek())?.at;
  if (moment === undefined) at.value = null;
  await begin(as, moment);
}

/** Goes to a position, or with null to where the match is. */
export function go(to: number | null): void {
  const last = reading.peek()?.last.peek() ?? 1;
  at.value = to === null ? null : Math.max(1, Math.min(to, last));
}

/** Learns to which audience the key of this browser belongs. */
export async function learnOwn(): Promise<void> {
  const kept = key();
  own.value = null;
  if (kept === undefined) return;
  try {
    own.value = (await service(kept).match(page.match.id).view()).audience as Audience;
  } catch (error) {
    // A key that has ended takes nothing away of what everybody may see.
    if (!(error instanceof ArbiterError && error.status === 401)) failed(error);
  }
}

/** Draws what is wanted; what is not wanted any more by then is left out. */
export async function load(): Promise<void> {
  if (loading) return;
  loading = true;
  try {
    for (let from = reading.peek(); from !== null && !isShown(from); from = reading.peek()) {
      const live = at.peek() === null;
      const view = await from.at(wanted.peek());
      const before = await comparedTo(view, from, live);
      if (from === reading.peek()) shown.value = { view, before, from, live };
      if (problem.peek() === "match.unreachable") problem.value = null;
    }
  } finally {
    loading = false;
  }
}

/** What was drawn last of a match that goes on; else the position before, but for what is drawn first. */
async function comparedTo({ seq }: View, from: Reading, live: boolean): Promise<View | null> {
  const drawn = shown.peek();
  if (live && drawn === null) return null;
  if (live && drawn?.live && drawn.from === from && drawn.view.seq < seq) return drawn.view;
  return seq > 1 ? from.at(seq - 1) : null;
}

function isShown(from: Reading): boolean {
  const drawn = shown.peek();
  return drawn !== null && drawn.from === from && drawn.view.seq === wanted.peek();
}

/** Does something for as long as it is wanted, and says what went wrong. */
async function attempt(doing: () => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await doing();
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof HistoryWentBack)) return failed(error);
    at.value = null;
    wentBack.value = true;
    await begin(reading.peek()?.audience ?? page.as);
  }
}

/** Says what went wrong. Throws what nobody can do anything about. */
function failed(error: unknown): void {
  if (!(error instanceof ArbiterError || error instanceof ConnectionLost)) throw error;
  const status = error instanceof ArbiterError ? error.status : 0;
  const names: Record<number, string> = { 401: "match.key_unknown", 403: "match.not_allowed", 404: "match.gone" };
  problem.value = names[status] ?? "match.unreachable";
}

/** Keeps what is shown as it is wanted, and reads of a hidden tab nothing. */
export function watch(): void {
  effect(() => {
    if (reading.value === null || wanted.value === 0) return;
    void attempt(load, leaving.signal);
  });
  effect(() => {
    const from = reading.value;
    const line = from?.line(from.last.value);
    if (line !== undefined && TELLING.test(line.type)) void attempt(learnInfo, leaving.signal);
  });
  document.addEventListener("visibilitychange", () => {
    const from = reading.peek();
    leaving.abort();
    leaving = new AbortController();
    const { signal } = leaving;
    if (beginning !== null) document.hidden || void beginning();
    else if (from !== null) void attempt(() => readOn(from, signal), signal);
  });
}

async function learnInfo(): Promise<void> {
  info.value = await service().match(page.match.id).info();
}
