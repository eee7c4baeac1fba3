/** A tournament, as one key sees or runs it. */
import { follow } from "./follow.js";
import { History } from "./history.js";
import { newKey, query, type Http, type Sent } from "./http.js";
import type { Line, Options, Schemas } from "./types.js";

export interface StandingsOptions extends Options {
  /** By default the last stage with a round. */
  stage?: number;
  /** As they were when this round was closed. */
  after?: number;
  /** The player whose tiebreaks are taken apart. */
  explain?: number;
}

export interface TournamentFollowOptions extends Options {
  /** Begin behind this number; by default with the first event. */
  after?: number;
  /** Is told when a match has grown in public, twice a second at most. */
  onGrown?: ((grown: Schemas["MatchGrown"]) => void) | undefined;
  /** Is told when the stream is open, and when it was cut and will be opened again. */
  onConnection?: ((open: boolean) => void) | undefined;
}

/** Of a list across a tournament and its matches. */
export interface AcrossOptions extends Options {
  /** With this person, as far as the key may know. */
  person?: string;
  /** Of this match alone. */
  match?: string;
  /** Without the matches where it is false. */
  matches?: false;
  since?: string;
  until?: string;
}

export interface RulingOptions extends AcrossOptions {
  kind?: Schemas["TournamentRulingShown"]["kind"];
}

/** A draft of a round, and the tag by which it is published. */
export interface Drafted {
  round: Schemas["ShownRound"];
  tag: string;
}

export class Tournament {
  readonly #http: Http;
  readonly #path: string;

  constructor(
    http: Http,
    readonly id: string,
  ) {
    this.#http = http;
    this.#path = `/tournaments/${encodeURIComponent(id)}`;
  }

  /** Players, moderators and matches. */
  view(options: Options = {}): Promise<Schemas["TournamentAnswer"]> {
    return this.#get("", options);
  }

  /** Its public events, once, as they happen, to its close; resumes after every cut. */
  follow({ after = 0, onGrown, onConnection, signal }: TournamentFollowOptions = {}): AsyncGenerator<Line, void> {
    const onHint = (hint: unknown) => onGrown?.((hint as Schemas["MatchGrownLine"]).data);
    const history = new History();
    return follow({ http: this.#http, path: this.#path, after, history, as: undefined, onHint, onConnection, signal });
  }

  async stages(options: Options = {}): Promise<Schemas["ShownStage"][]> {
    return (await this.#get<Schemas["StageList"]>("/stages", options)).stages;
  }

  /** Organiser: one more stage. */
  addStage(settings: Schemas["Stage"], options: Options = {}): Promise<Schemas["ShownStage"]> {
    return this.#post("/stages", settings, options);
  }

  /** Organiser: other settings of a stage, until its first round is published. */
  async changeStage(stage: number, settings: Schemas["StageSettings"], { signal }: Options = {}): Promise<Schemas["ShownStage"]> {
    const sent = { method: "PATCH" as const, body: settings, headers: { "Idempotency-Key": newKey() }, signal };
    return (await this.#http.ask<Schemas["ShownStage"]>(`${this.#path}/stages/${stage}`, sent)).data;
  }

  /** Organiser: the next round of a stage as it would be published now; waits until it is drafted. */
  async draft(stage: number, wanted: Schemas["NewRound"] = {}, { signal }: Options = {}): Promise<Drafted> {
    const sent = { method: "POST" as const, body: { ...wanted, preview: true }, signal };
    for (;;) {
      const headers = { "Idempotency-Key": newKey() };
      const answer = await this.#http.ask<Schemas["ShownRound"]>(`${this.#path}/stages/${stage}/rounds`, { ...sent, headers });
      const tag = answer.headers.get("ETag");
      if (tag !== null) return { round: answer.data, tag };
      signal?.throwIfAborted();
      await new Promise((passed) => setTimeout(passed, 1000 * Number(answer.headers.get("Retry-After") ?? 1)));
    }
  }

  /** Organiser: publishes the next round as it was drafted from the same wishes; otherwise it is 412 `stale`. */
  publish(stage: number, { tag }: Drafted, wanted: Schemas["NewRound"] = {}, options: Options = {}): Promise<Schemas["ShownRound"]> {
    return this.#post(`/stages/${stage}/rounds`, wanted, options, { "If-Match": tag });
  }

  /** Organiser: draws the order of lots of a stage, once. */
  drawLots(stage: number, options: Options = {}): Promise<Schemas["Lots"]> {
    return this.#post(`/stages/${stage}/lots`, undefined, options);
  }

  /** Who meets whom, why, and the results that count. */
  round(stage: number, number: number, options: Options = {}): Promise<Schemas["ShownRound"]> {
    return this.#get(`/stages/${stage}/rounds/${number}`, options);
  }

  /** Organiser: withdraws a round of which no match has started. */
  async withdrawRound(stage: number, number: number, reason: string, { signal }: Options = {}): Promise<Schemas["ShownRound"]> {
    const sent = { method: "DELETE" as const, body: { reason }, headers: { "Idempotency-Key": newKey() }, signal };
    return (await this.#http.ask<Schemas["ShownRound"]>(`${this.#path}/stages/${stage}/rounds/${number}`, sent)).data;
  }

  /** Organiser, or moderator: matches that are not over by the end of a round, and who has done nothing in them. */
  async absences(stage: number, number: number, options: Options = {}): Promise<Schemas["Absence"][]> {
    return (await this.#get<Schemas["AbsenceList"]>(`/stages/${stage}/rounds/${number}/absences`, options)).absences;
  }

  /** Organiser, or moderator of the match: those who have done nothing lose. */
  forfeit(stage: number, number: number, lost: Schemas["NewForfeit"], options: Options = {}): Promise<Schemas["RulingAnswer"]> {
    return this.#post(`/stages/${stage}/rounds/${number}/forfeits`, lost, options);
  }

  /** Organiser: a round, or some tables of it, may last longer. */
  giveTime(stage: number, number: number, more: Schemas["MoreTime"], options: Options = {}): Promise<Schemas["ShownRound"]> {
    return this.#post(`/stages/${stage}/rounds/${number}/time`, more, options);
  }

  standings({ signal, ...wanted }: StandingsOptions = {}): Promise<Schemas["StageStandings"]> {
    return this.#get(`/standings${query({ ...wanted })}`, { signal });
  }

  async bracket(stage: number, options: Options = {}): Promise<Schemas["ShownSlot"][]> {
    return (await this.#get<Schemas["BracketAnswer"]>(`/stages/${stage}/bracket`, options)).slots;
  }

  /** Organiser: fixes the places of a stage. */
  closeStage(stage: number, options: Options = {}): Promise<Schemas["ShownStage"]> {
    return this.#post(`/stages/${stage}/close`, undefined, options);
  }

  /** Organiser: ends it. */
  close(options: Options = {}): Promise<Schemas["ClosedTournament"]> {
    return this.#post("/close", undefined, options);
  }

  /** Organiser: enters a player, whose key is shown once. */
  enter(player: Schemas["NewPlayer"], options: Options = {}): Promise<Schemas["PlayerKey"]> {
    return this.#post("/players", player, options);
  }

  /** Organiser: enters many players or none, from a CSV with a head. */
  async enterAll(csv: string, options: Options = {}): Promise<Schemas["PlayerKey"][]> {
    return (await this.#post<Schemas["EnteredPlayers"]>("/players", csv, options, { "Content-Type": "text/csv" })).players;
  }

  /** Organiser: the players, with their own ids. */
  async roster(options: Options = {}): Promise<Schemas["RosterPlayer"][]> {
    return (await this.#get<Schemas["Roster"]>("/players", options)).players;
  }

  /** The player, or staff: leaves from the next round on. */
  withdraw(player: number, reason: string, options: Options = {}): Promise<Schemas["ShownPlayer"]> {
    return this.#post(`/players/${player}/withdrawal`, { reason }, options);
  }

  /** Organiser: gives a player another name from now on. */
  rename(player: number, name: string, reason: string, options: Options = {}): Promise<Schemas["ShownPlayer"]> {
    return this.#post(`/players/${player}/name`, { name, reason }, options);
  }

  /** Organiser: every name that a player has had is shown no more. */
  async withholdName(player: number, { signal }: Options = {}): Promise<void> {
    const headers = { "Idempotency-Key": newKey() };
    await this.#http.ask(`${this.#path}/players/${player}/name`, { method: "DELETE", headers, signal });
  }

  /** The player, or staff: is there. */
  checkIn(player: number, options: Options = {}): Promise<Schemas["ShownPlayer"]> {
    return this.#post(`/players/${player}/check-in`, undefined, options);
  }

  /** The player, or staff: sits out a round that is not published yet. */
  askBye(player: number, bye: Schemas["NewBye"], options: Options = {}): Promise<Schemas["AskedBye"]> {
    return this.#post(`/players/${player}/byes`, bye, options);
  }

  /** The rulings on it and in its matches that the key may see. */
  rulings(wanted: RulingOptions = {}): AsyncGenerator<Schemas["TournamentRulingShown"], void> {
    return this.#rows("rulings", wanted);
  }

  /** The cases about it and in its matches that the key may read. */
  cases(wanted: AcrossOptions = {}): AsyncGenerator<Schemas["CaseAcross"], void> {
    return this.#rows("cases", wanted);
  }

  /** Staff: who has read what of it. */
  reads(wanted: AcrossOptions = {}): AsyncGenerator<Schemas["ReadInMatch"], void> {
    return this.#rows("reads", wanted);
  }

  /** Staff: its valid keys, and those of its matches. */
  keys(wanted: AcrossOptions = {}): AsyncGenerator<Schemas["KeyAcross"], void> {
    return this.#rows("keys", wanted);
  }

  async *#rows<T>(name: string, { signal, ...wanted }: AcrossOptions): AsyncGenerator<T, void> {
    let after: number | null = 0;
    do {
      const path: string = `${this.#path}/${name}${query({ ...wanted, after })}`;
      const { data } = await this.#http.ask<{ next: number | null; [rows: string]: unknown }>(path, { signal });
      yield* data[name] as T[];
      after = data.next;
    } while (after !== null);
  }

  async #get<T>(path: string, { signal }: Options): Promise<T> {
    return (await this.#http.ask<T>(this.#path + path, { signal })).data;
  }

  async #post<T>(path: string, body: unknown, { signal }: Options, own: Record<string, string> = {}): Promise<T> {
    const headers = { "Idempotency-Key": newKey(), ...own };
    const sent: Sent = { method: "POST", body, headers, signal };
    return (await this.#http.ask<T>(this.#path + path, sent)).data;
  }
}
