/** Grouping Black & White: how a round ended. */
import type { Moves } from "../match/moves.js";

export const moves: Moves = {
  quiet: ["grouping-bw.set-began.1", "grouping-bw.pass-began.1"],
  pass: ({ type, data }) => (type === "grouping-bw.pass-began.1" ? (data.number as number) : null),
  standing: ({ type, data }) => (type === "grouping-bw.round-ended.1" ? (data.stacks as number[]) : null),
  turns: ({ type, data }) => type === "grouping-bw.round-ended.1" && (data.stacks as number[]).includes(0),
  why({ type, data }) {
    if (type !== "grouping-bw.round-ended.1") return null;
    const { numbers, folder } = data as { numbers: [number, number] | null; folder: number | null };
    if (numbers !== null) return { text: "board.grouping-bw.why.numbers", values: { one: numbers[0], other: numbers[1] } };
    return folder === null ? null : { text: "board.grouping-bw.why.folded", values: { who: { seat: folder } } };
  },
};
