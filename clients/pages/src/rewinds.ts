/** Which parts of its history a match has left. */

/** What is read of an event here. */
interface Told {
  seq: number;
  type: string;
  data: unknown;
}

/**
 * Each position that a rewind went back behind, with that of the rewind. A rewind that was left itself
 * leaves nothing any more, so the last one is looked at first. What one audience keeps of such a part
 * (keys, notes, what stands of a sealed phase) its views say.
 */
export function leftBehind(lines: readonly Told[]): Map<number, number> {
  const left = new Map<number, number>();
  for (const line of [...lines].reverse()) {
    if (!isRewind(line) || left.has(line.seq)) continue;
    for (let seq = pointOf(line); seq < line.seq; seq++) if (!left.has(seq)) left.set(seq, line.seq);
  }
  return left;
}

/** The events that no rewind has undone, without the rewinds. */
export function live<One extends Told>(lines: readonly One[]): One[] {
  const left = leftBehind(lines);
  return lines.filter((line) => !left.has(line.seq) && !isRewind(line));
}

export function isRewind({ type }: Told): boolean {
  return type === "match.rewound.1";
}

/** The number of the first event that a rewind undoes. */
export function pointOf(rewind: Told): number {
  return (rewind.data as { before: number }).before;
}
