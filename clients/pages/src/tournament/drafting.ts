/** Drafting and publishing the next round of a stage. */
import { ArbiterError, type Arbiter, type Schemas } from "@arbiter/client";

export interface Draft {
  stage: number;
  round: Schemas["ShownRound"];
  tag: string;
  /** What it was drafted from. */
  wanted: Schemas["NewRound"];
}

/** Whether the first round of a stage is drawn by lots: all but those of a round robin whose seeds are known have some. */
export function wantsLots({ format, seeding }: Pick<Schemas["Stage"], "format" | "seeding">): boolean {
  return format !== "by_hand" && (format !== "round_robin" || seeding === "lots");
}

/** The next round as it would be published now. Lots are drawn first where it wants them: they were committed to before, and drawn once. */
export async function drafted(arbiter: Arbiter, id: string, stage: number, wanted: Schemas["NewRound"], lots = false): Promise<Draft> {
  const tournament = arbiter.tournament(id);
  const draft = async (): Promise<Draft> => ({ stage, wanted, ...(await tournament.draft(stage, wanted)) });
  if (lots) await tournament.drawLots(stage);
  try {
    return await draft();
  } catch (error) {
    if (!(error instanceof ArbiterError && error.code === "lots_not_drawn")) throw error;
    await tournament.drawLots(stage);
    return draft();
  }
}

/** Publishes a draft as it was seen; throws 412 `stale` if another would be drafted now. */
export function published(arbiter: Arbiter, id: string, draft: Draft): Promise<Schemas["ShownRound"]> {
  return arbiter.tournament(id).publish(draft.stage, { round: draft.round, tag: draft.tag }, draft.wanted);
}
