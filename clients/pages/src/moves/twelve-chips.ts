/** 12 Chips: what wins a trick, and what a round. */
import type { Moves } from "../match/moves.js";

const BEGAN = "twelve-chips.trick-began.1";

export const moves: Moves = {
  quiet: ["twelve-chips.round-began.1", "twelve-chips.deal-completed.1", BEGAN],
  turns: ({ type }) => type === "twelve-chips.round-scored.1",
  why({ type, data }, earlier) {
    if (type === "twelve-chips.trick-won.1") {
      const trick = earlier.slice(earlier.map((line) => line.type).lastIndexOf(BEGAN));
      const chips = trick.filter((line) => line.type === "twelve-chips.chip-played.1").map((line) => line.data.chip as number);
      const highest = Math.max(...chips);
      const isTwice = chips.filter((chip) => chip === highest).length > 1;
      return { text: `board.twelve-chips.why.${isTwice ? "first" : "highest"}`, values: { chip: highest } };
    }
    if (type !== "twelve-chips.round-scored.1") return null;
    const best = Math.min(...(data.sums as number[]));
    return { text: `board.twelve-chips.why.${best > 21 ? "over" : "nearest"}`, values: {} };
  },
};
