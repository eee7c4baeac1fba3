/** A tournament as everybody may see it, read from the API. */
import type { Arbiter, Schemas } from "@arbiter/client";
import { moderatorName } from "./staff.js";
import { readStages, type KnownRounds, type StageRead } from "./stage_read.js";

type Ending = Schemas["Result"] | Schemas["ShownResult"];

/** A match of the tournament. */
export interface Pairing {
  match: string;
  game: string;
  /** Of which round, from 1. */
  round: number;
  /** Who has the seats, in order. */
  seats: string[];
  status: Schemas["MatchRow"]["status"];
  result: Ending | null;
  /** Whether it counts in the standings. */
  counts: boolean;
  /** Whether a ruling has given its result, or corrected it. */
  ruled: boolean;
  moderators: string[];
  /** The deadline in force. */
  deadline: string | null;
  row: Schemas["MatchRow"];
}

export interface Cup {
  shown: Schemas["TournamentAnswer"];
  pairings: Pairing[];
  titles: Map<string, string>;
  rulings: Schemas["TournamentRulingShown"][];
  /** Empty where every match is seated by hand. */
  stages: StageRead[];
}

let titles: Promise<Map<string, string>> | undefined;

/** The titles of the games by their ids, which do not change while a page is open. */
function titlesOf(arbiter: Arbiter): Promise<Map<string, string>> {
  titles ??= arbiter.games().then((games) => new Map(games.map((game) => [game.id, game.title])));
  return titles;
}

/** Reads all that everybody may see of a tournament. With a key, rulings are those that it shows. */
export async function readCup(arbiter: Arbiter, id: string, known: KnownRounds = new Map()): Promise<Cup> {
  const { data: shown } = await arbiter.request<Schemas["TournamentAnswer"]>(`/tournaments/${id}`);
  const pages = await arbiter.pages<Schemas["TournamentRulingList"]>(`/tournaments/${id}/rulings?matches=false`);
  const rulings = pages.flatMap((page) => page.rulings);
  const rows = new Map<string, Schemas["MatchRow"]>();
  for await (const row of arbiter.matches({ tournament: id })) rows.set(row.id, row);
  const corrected = rulings.flatMap(({ kind, status, match }) => (kind === "correct" && status === "carried_out" && match !== null ? [match] : []));
  const pairings = await pairingsOf(arbiter, shown, rows, new Set(corrected));
  return { shown, titles: await titlesOf(arbiter), rulings, pairings, stages: await readStages(arbiter, id, known) };
}

async function pairingsOf(
  arbiter: Arbiter,
  shown: Schemas["TournamentAnswer"],
  rows: Map<string, Schemas["MatchRow"]>,
  corrected: ReadonlySet<string>,
): Promise<Pairing[]> {
  const rounds = roundsOf(shown.matches);
  const listed = shown.matches.flatMap((one) => {
    const row = rows.get(one.match);
    return row === undefined ? [] : [{ one, row }];
  });
  return Promise.all(
    listed.map(async ({ one, row }) => ({
      match: one.match,
      game: one.game,
      round: rounds.get(one.match)!,
      seats: row.seats,
      status: row.status,
      result: one.result ?? row.result,
      counts: one.result !== null,
      ruled: row.ruled || corrected.has(one.match),
      moderators: one.moderators.map((number) => moderatorName(shown, number)),
      deadline: row.status === "running" && row.clock !== "none" ? await deadlineOf(arbiter, one.match) : null,
      row,
    })),
  );
}

/** Milliseconds for which a deadline is shown before it is read again: one request for each match. */
const FRESH = 30_000;

const deadlines = new Map<string, { read: number; deadline: Promise<string | null> }>();

function deadlineOf(arbiter: Arbiter, match: string): Promise<string | null> {
  const known = deadlines.get(match);
  const now = performance.now();
  if (known !== undefined && now - known.read < FRESH) return known.deadline;
  const view = arbiter.match(match).view({ as: "public" });
  const deadline = view.then((seen) => seen.awaiting.deadline);
  deadlines.set(match, { read: now, deadline });
  deadline.catch(() => deadlines.delete(match));
  return deadline;
}

/** The round of each match: the first one behind all earlier matches of its players. */
export function roundsOf(matches: readonly { match: string; players: number[] }[]): Map<string, number> {
  const played = new Map<number, number>();
  const rounds = new Map<string, number>();
  for (const { match, players } of matches) {
    const round = 1 + Math.max(0, ...players.map((player) => played.get(player) ?? 0));
    rounds.set(match, round);
    for (const player of players) played.set(player, round);
  }
  return rounds;
}

/** The place of each row of the standings: who has won and shared as many has the same. */
export function places(standings: readonly Schemas["Standing"][]): number[] {
  return standings.map((row) => 1 + standings.findIndex((one) => one.won === row.won && one.shared === row.shared));
}

/** The matches that belong to no round of a stage. */
export function besideStages({ pairings, stages }: Cup): Pairing[] {
  const paired = stages.flatMap(({ rounds }) => rounds.flatMap((one) => [...one.pairings.flatMap((each) => each.matches), ...(one.show?.death ?? [])]));
  const known = new Set(paired);
  return pairings.filter((one) => !known.has(one.match));
}
