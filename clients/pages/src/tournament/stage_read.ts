/** A stage as everybody may see it, read from the API. */
import type { Arbiter, Schemas } from "@arbiter/client";

export type Stage = Schemas["ShownStage"];
export type Round = Schemas["ShownRound"];

export interface StageRead {
  stage: Stage;
  /** Every round that was published, also those that were withdrawn. */
  rounds: Round[];
  /** Null before the first round. */
  standings: Schemas["StageStandings"] | null;
  /** The bracket of a knockout; empty for other formats, and before the first round. */
  slots: Schemas["ShownSlot"][];
}

/** Rounds that are closed, by key, stage and number: they change by rulings alone. */
export type KnownRounds = Map<string, Round>;

export async function readStages(arbiter: Arbiter, id: string, known: KnownRounds): Promise<StageRead[]> {
  const tournament = arbiter.tournament(id);
  const stages = await tournament.stages();
  return Promise.all(
    stages.map(async (stage) => {
      const rounds = await readRounds(arbiter, id, stage, known);
      if (stage.published === 0) return { stage, rounds, standings: null, slots: [] };
      const standings = await tournament.standings({ stage: stage.stage });
      const slots = stage.format === "elimination" ? await tournament.bracket(stage.stage) : [];
      return { stage, rounds, standings, slots };
    }),
  );
}

/** The rounds that stand are counted by their stage; numbers of withdrawn ones are between theirs. */
async function readRounds(arbiter: Arbiter, id: string, stage: Stage, known: KnownRounds): Promise<Round[]> {
  const rounds: Round[] = [];
  let left = stage.published;
  for (let number = 1; left > 0; number += 1) {
    const name = `${stage.stage} ${number}`;
    const round = known.get(name) ?? (await arbiter.tournament(id).round(stage.stage, number));
    if (round.status === "closed" || round.status === "withdrawn") known.set(name, round);
    if (round.status !== "withdrawn") left -= 1;
    rounds.push(round);
  }
  return rounds;
}

/** Its rounds without those that were withdrawn. */
export function roundsStanding({ rounds }: Pick<StageRead, "rounds">): Round[] {
  return rounds.filter((one) => one.status !== "withdrawn");
}

/** The round that is played now, or was played last; undefined before the first. */
export function lastRound(read: Pick<StageRead, "rounds">): Round | undefined {
  return roundsStanding(read).at(-1);
}

/** The stage that is played now, or was played last: of those that have a round. */
export function lastStage(stages: readonly StageRead[]): StageRead | undefined {
  return stages.filter((one) => one.rounds.length > 0).at(-1) ?? stages[0];
}
