/** Liar's Dice: which bid was called, and what the dice said of it. */
import type { Moves } from "../match/moves.js";

interface Shown {
  bid: { seat: number; count: number; face: number };
  matching: number;
  lost: number | null;
  gained: number | null;
}

const ENDED = "liars-dice.round-ended.1";

export const moves: Moves = {
  ends: ENDED,
  standing: ({ type, data }) => (type === ENDED ? (data.dice_left as number[]) : null),
  turns: ({ type, data }) => type === ENDED && (data.dice_left as number[])[(data.shown as Shown).lost ?? -1] === 0,
  why({ type, data }) {
    if (type !== ENDED) return null;
    const { bid, matching, lost, gained } = data.shown as Shown;
    const values = { bidder: { seat: bid.seat }, count: bid.count, face: bid.face, matching };
    if (lost !== null) return { text: "board.liars-dice.why.lost", values: { ...values, who: { seat: lost } } };
    if (gained !== null) return { text: "board.liars-dice.why.gained", values: { ...values, who: { seat: gained } } };
    return { text: "board.liars-dice.why.exact", values };
  },
};
