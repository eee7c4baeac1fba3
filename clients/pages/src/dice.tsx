/** Dice, as they lie on a table. */
import type { VNode } from "preact";
import { classes } from "./drawing.js";

const [LEFT, MIDDLE, RIGHT] = [22, 50, 78] as const;
const CENTRE = [[MIDDLE, MIDDLE]] as const;
const TWO = [[LEFT, LEFT], [RIGHT, RIGHT]] as const;
const FOUR = [...TWO, [LEFT, RIGHT], [RIGHT, LEFT]] as const;

/** Where the pips of each face are, in hundredths of an edge. */
const PIPS: Record<number, readonly (readonly [number, number])[]> = {
  1: CENTRE,
  2: TWO,
  3: [...TWO, ...CENTRE],
  4: FOUR,
  5: [...FOUR, ...CENTRE],
  6: [...FOUR, [LEFT, MIDDLE], [RIGHT, MIDDLE]],
};

interface Given {
  face: number;
  label?: string;
  kind?: string;
}

/** A die that shows a face; `kind` names further classes. */
export function Die({ face, label = String(face), kind = "" }: Given): VNode {
  return (
    <svg class={classes("die", kind)} viewBox="0 0 100 100" role="img" aria-label={label}>
      <rect class="die-side" x="3" y="3" width="94" height="94" rx="16" />
      {PIPS[face]?.map(([x, y]) => <circle key={`${x} ${y}`} class="die-pip" cx={x} cy={y} r="9.5" />)}
    </svg>
  );
}

/** A die that nobody here may see; it says nothing by itself. */
export function HiddenDie(): VNode {
  return (
    <svg class="die die-hidden" viewBox="0 0 100 100" aria-hidden="true">
      <rect class="die-side" x="3" y="3" width="94" height="94" rx="16" />
      <path class="die-hatch" d="M8 55 55 8M8 92 92 8M45 92 92 45" />
    </svg>
  );
}
