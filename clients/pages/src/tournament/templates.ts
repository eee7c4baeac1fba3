/** What an organiser can begin with: the stages of a usual event, filled in for who plays. */
import type { Schemas } from "@arbiter/client";

export const TEMPLATES = ["knockout", "swiss", "groups", "show", "by_hand"] as const;
export type Template = (typeof TEMPLATES)[number];

/** What is decided about an event before its names of stages are known. */
export interface Plan {
  template: Template;
  /** The id of the game; of a show, that of the first main match. */
  game: string;
  /** The house rules of its matches; a show says those of each episode. */
  options: Record<string, unknown>;
  players: number;
  seeding: NonNullable<Schemas["Stage"]["seeding"]>;
  start: NonNullable<Schemas["RoundRule"]["start"]>;
  rulings: NonNullable<Schemas["StageMatch"]["rulings"]>;
  /** Hours that a round lasts; null for no end. */
  ends: number | null;
  /** Whether moderators are named: they moderate every match. */
  isModerated: boolean;
}

/** The fewest players with whom a template makes an event. */
export const FEWEST: Record<Template, number> = { knockout: 2, swiss: 3, groups: 4, show: 3, by_hand: 0 };

/** How many of each group go on. */
const ADVANCE = 2;

/** The final of a show, which two are left to play. */
const FINAL = { game: "dollar-prize", best_of: 3, players: 2 } as const;

/** How many groups: a power of two, of three to five players each. */
export function groupsOf(players: number): number {
  return 2 ** Math.max(0, Math.round(Math.log2(players / 4)));
}

/** The stages, named by `name`. */
export function stagesOf(plan: Plan, name: (stage: "main" | "groups" | "final") => string): Schemas["Stage"][] {
  const { game, options, players, seeding, start, ends, rulings, isModerated } = plan;
  const round = { start, ends };
  const staff = isModerated ? ({ moderators: "all" } as const) : {};
  const match = { game, options, rulings };
  switch (plan.template) {
    case "knockout":
      return [{ name: name("main"), format: "elimination", match, seeding, round, third_place: players > 3, ...staff }];
    case "swiss":
      return [{ name: name("main"), format: "swiss", match, seeding, round, ...staff }];
    case "groups": {
      const groups = groupsOf(players);
      const first = { name: name("groups"), format: "round_robin", match, seeding, round, groups, ...staff };
      return [first, finalOf({ name: name("final"), match, round, ...staff }, ADVANCE * groups)];
    }
    case "show": {
      const first = { name: name("main"), format: "show", match: { rulings }, until: FINAL.players, round, ...staff };
      const { best_of } = FINAL;
      return [first, finalOf({ name: name("final"), match: { game: FINAL.game, rulings }, round, best_of, ...staff }, FINAL.players)];
    }
    case "by_hand":
      return [];
  }
}

/** A knockout of the best of the first stage. */
function finalOf(settings: Pick<Schemas["Stage"], "name" | "match" | "round" | "best_of" | "moderators">, places: number): Schemas["Stage"] {
  return { ...settings, format: "elimination", seeding: "entry", entrants: { stage: 1, places: [1, places] } };
}

/** How many rounds of a knockout follow the groups. */
export function roundsBehindGroups(players: number): number {
  return Math.ceil(Math.log2(ADVANCE * groupsOf(players)));
}

/** How many rounds the first stage has; null where it goes on until few enough are left. */
export function roundsOfTemplate(template: Template, players: number): number | null {
  switch (template) {
    case "knockout":
      return Math.ceil(Math.log2(players));
    case "swiss":
      return Math.min(Math.ceil(Math.log2(players)), players % 2 === 0 ? players - 1 : players);
    case "groups": {
      const largest = Math.ceil(players / groupsOf(players));
      return largest % 2 === 0 ? largest - 1 : largest;
    }
    default:
      return null;
  }
}

/** The names of a pasted list, one a line, without the numbers or dots that lists begin their lines with. */
export function namesIn(text: string): string[] {
  const found = text.split("\n").map((line) => line.replace(/^\s*(?:\d+[.)]|[-*•])\s+/, "").trim());
  return found.filter((name) => name !== "");
}

/** Whether a text is a table with a head (CSV), as spreadsheets write it. */
export function isTable(text: string): boolean {
  return /^\s*name\s*,/i.test(text);
}

/** The names of such a table, to be counted: the service reads it whole, and says which line is not right. */
export function namesOfTable(text: string): string[] {
  const [, ...rows] = text.trim().split("\n");
  return rows.map((row) => row.split(",")[0]!.trim()).filter((name) => name !== "");
}

/** Names that stand in the list more than once, however they are written. */
export function twice(names: readonly string[]): string[] {
  const seen = new Map<string, string>();
  const again = new Set<string>();
  for (const name of names) {
    const spelt = name.normalize("NFKC").toLocaleLowerCase();
    if (seen.has(spelt)) again.add(seen.get(spelt)!);
    else seen.set(spelt, name);
  }
  return [...again];
}
