/** The making of an event, step by step: what has been made is not made again when a later step fails. */
import type { Arbiter, Schemas } from "@arbiter/client";
import { batch, signal } from "@preact/signals";
import { written } from "../form.js";
import { below } from "../root.js";
import type { Schema } from "../schema.js";
import { filledIn } from "../schema_form.js";
import { drafted, wantsLots, type Draft } from "./drafting.js";
import { stagesOf, type Plan } from "./templates.js";

/** Of a match of all templates but a show. */
export const SEATS = 2;

/** Milliseconds until it is read again which matches there are. */
const AGAIN = 250;

export class Launch {
  readonly games = signal<Schemas["GameSummary"][]>([]);
  /** The rules of the game of its matches; null while they load. */
  readonly rules = signal<Schemas["GameAnswer"] | null>(null);
  readonly tournament = signal<Schemas["CreatedTournament"] | null>(null);
  readonly draft = signal<Draft | null>(null);
  /** The round that has been published. */
  readonly round = signal<number | null>(null);

  /** What the tournament was created from. */
  #asked = "";
  /** How many of its stages there are. */
  #stages = 0;

  /** How the matches of its rounds start. */
  #start: Plan["start"] = "by_hand";

  constructor(readonly arbiter: Arbiter) {}

  async readGames(): Promise<void> {
    if (this.games.peek().length === 0) this.games.value = await this.arbiter.games();
  }

  async readRules(game: string): Promise<void> {
    this.rules.value = await this.arbiter.game(game);
  }

  /** The house rules that were filled in for the game of its matches. */
  optionsIn(fields: FormData): Plan["options"] {
    const rules = this.rules.peek();
    return rules === null || rules.id !== written(fields, "game") ? {} : filledIn(rules.options as Schema, fields, SEATS);
  }

  /** The tournament, its players from a table if there is one; the same again if it was created from the same before. */
  async create(wanted: Schemas["NewTournament"], table: string | null): Promise<Schemas["CreatedTournament"]> {
    const asked = JSON.stringify([wanted, table]);
    const known = this.tournament.peek();
    if (known !== null && asked === this.#asked) return known;
    const created = await this.arbiter.createTournament(table === null ? wanted : { ...wanted, players: [], garnets: {} });
    if (table !== null) created.players = await this.arbiter.tournament(created.id).enterAll(table);
    [this.#asked, this.#stages] = [asked, 0];
    this.tournament.value = created;
    // Whoever loads the page again is at the desk of what was made.
    history.replaceState(null, "", below(`/t/${created.id}`));
    return created;
  }

  /** Adds the stages that are missing, and drafts the first round; begins anew where there are none. */
  async addStages(plan: Plan, name: (stage: "main" | "groups" | "final") => string): Promise<void> {
    const stages = stagesOf(plan, name);
    this.#start = plan.start;
    const { id } = this.tournament.peek()!;
    for (const stage of stages.slice(this.#stages)) {
      await this.arbiter.tournament(id).addStage(stage);
      this.#stages += 1;
    }
    if (stages.length === 0) return this.again();
    const wanted = plan.template === "show" ? { main: { game: plan.game } } : {};
    this.draft.value = await drafted(this.arbiter, id, 1, wanted, wantsLots(stages[0]!));
  }

  /** Whether the matches of the published round wait for the organiser. */
  get startsByHand(): boolean {
    return this.#start === "by_hand";
  }

  /** Starts the matches of the published round, once they are there. */
  async start(): Promise<void> {
    const tournament = this.arbiter.tournament(this.tournament.peek()!.id);
    const started = new Set<string>();
    for (;;) {
      const { pairings } = await tournament.round(1, this.round.peek()!);
      const matches = pairings.flatMap((one) => one.matches.slice(0, 1));
      for (const match of matches.filter((one) => !started.has(one))) {
        await this.arbiter.match(match).start();
        started.add(match);
      }
      if (started.size === pairings.length) return;
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }

  async published(): Promise<void> {
    batch(() => {
      this.round.value = this.draft.peek()!.round.round;
      this.draft.value = null;
    });
  }

  again(): void {
    history.replaceState(null, "", below("/organise"));
    [this.#asked, this.#stages] = ["", 0];
    batch(() => {
      this.tournament.value = null;
      this.draft.value = null;
      this.round.value = null;
    });
  }
}
