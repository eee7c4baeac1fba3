/** Drafting and publishing the next round of a stage. */
import { ArbiterError, type Arbiter, type Schemas } from "@arbiter/client";

export interface Draft {
  stage: number;
  round: Schemas["ShownRound"];
  tag: string;
  /** What it was drafted from. */
  wanted: Schemas["NewRound"];
}

/** The next round as it would be published now. Lots are drawn first where it needs them: they were committed to before. */
export async function drafted(
  arbiter: Arbiter,
  id: string,
  stage: Pick<Schemas["ShownStage"], "stage" | "format" | "seeding">,
  wanted: Schemas["NewRound"] = {},
): Promise<Draft> {
  const tournament = arbiter.tournament(id);
  const number = stage.stage;
  const draft = async (): Promise<Draft> => ({ stage: number, wanted, ...(await tournament.draft(number, wanted)) });
  // Once they are drawn it answers with the same.
  if (wantsLots(stage) && wanted.pairings === undefined) await tournament.drawLots(number);
  try {
    return await draft();
  } catch (error) {
    if (!(error instanceof ArbiterError && error.code === "lots_not_drawn")) throw error;
    await tournament.drawLots(number);
    return draft();
  }
}

function wantsLots({ format, seeding }: Pick<Schemas["ShownStage"], "format" | "seeding">): boolean {
  return seeding === "lots" || format === "show" || format === "shootout";
}

/** Publishes a draft as it was seen; throws 412 `stale` if another would be drafted now. */
export function published(arbiter: Arbiter, id: string, draft: Draft): Promise<Schemas["ShownRound"]> {
  return arbiter.tournament(id).publish(draft.stage, { round: draft.round, tag: draft.tag }, draft.wanted);
}
