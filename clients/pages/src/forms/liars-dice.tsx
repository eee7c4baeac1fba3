/** Liar's Dice: a bid is a number of dice, and the face that they show. */
import type { VNode } from "preact";
import { Die } from "../dice.js";
import type { Filling } from "../game_form.js";
import { say } from "../given.js";
import { Choice, Group, Stepper, valuesOf } from "../play/fields.js";

export const oneTap = ["bid"];

/** As many dice of a higher face, or more dice of any. */
export const whole = ["bid"];

export const forms = { bid: Bid };

const FACES = ["⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];

function Bid({ entries, values, set, view }: Filling): VNode {
  const possible = entries.flatMap(({ count = {}, face = {} }) => valuesOf(count).map((one) => ({ count: Number(one), faces: valuesOf(face).map(Number) })));
  const facesOf = (count: number) => possible.filter((one) => one.count === count).flatMap(({ faces }) => faces);
  const counts = possible.map(({ count }) => count);
  const count = Number(values.count);
  function choose(next: number): void {
    const faces = facesOf(next);
    set({ ...values, count: next, face: faces.includes(Number(values.face)) ? values.face : Math.min(...faces) });
  }
  const label = say("play.liars-dice.bid.count");
  const face = say("play.liars-dice.bid.face");
  return (
    <div class="bidding">
      <Own dice={(view.view as { dice?: number[] } | null)?.dice ?? []} />
      <Group label={label}>
        <Stepper label={label} value={count} low={Math.min(...counts)} high={Math.max(...counts)} set={choose} />
      </Group>
      <Group label={face}>
        <Choice
          label={face}
          values={FACES.map((_, index) => index + 1)}
          value={values.face}
          off={(one) => !facesOf(count).includes(Number(one))}
          set={(next) => set({ ...values, face: next })}
          shown={(one) => (
            <span class="face">
              <span aria-hidden="true">{FACES[Number(one) - 1]}</span> {String(one)}
            </span>
          )}
        />
      </Group>
    </div>
  );
}

/** The own dice, in sight while a bid is chosen. */
function Own({ dice }: { dice: readonly number[] }): VNode {
  return (
    <p class="own-dice">
      {dice.map((face, index) => (
        <Die key={index} face={face} />
      ))}
    </p>
  );
}
