/** Drafting and publishing the next round of a stage. */
import type { Arbiter, Schemas } from "@arbiter/client";

export interface Draft {
  stage: number;
  round: Schemas["ShownRound"];
  tag: string;
  /** What it was drafted from. */
  wanted: Schemas["NewRound"];
}

/** The next round as it would be published now. Its lots are drawn first: they were committed to before, and drawn once. */
export async function drafted(arbiter: Arbiter, id: string, stage: number, wanted: Schemas["NewRound"] = {}): Promise<Draft> {
  const tournament = arbiter.tournament(id);
  if (wanted.pairings === undefined) await tournament.drawLots(stage);
  return { stage, wanted, ...(await tournament.draft(stage, wanted)) };
}

/** Publishes a draft as it was seen; throws 412 `stale` if another would be drafted now. */
export function published(arbiter: Arbiter, id: string, draft: Draft): Promise<Schemas["ShownRound"]> {
  return arbiter.tournament(id).publish(draft.stage, { round: draft.round, tag: draft.tag }, draft.wanted);
}
