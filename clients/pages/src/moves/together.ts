/** Together: a match turns where players are kicked out. */
import type { Moves } from "../match/moves.js";

export const moves: Moves = {
  quiet: ["together.round-began.1"],
  turns: ({ type, data }) => type === "together.round-ended.1" && (data.kicked_out as number[]).length > 0,
};
