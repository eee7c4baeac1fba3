/** Liar's Dice: a bid is a number of dice, and the face that they show. */
import type { VNode } from "preact";
import { only, type Filling } from "../game_form.js";
import { say } from "../given.js";
import { Choice, Group, Stepper, valuesOf } from "../play/fields.js";

export const forms = { bid: Bid };

const FACES = ["⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];

function Bid({ fields, values, set }: Filling): VNode {
  const { count = {}, face = {} } = fields;
  const fixed = only(count);
  const label = say("play.liars-dice.bid.count");
  return (
    <div class="bid">
      {fixed === undefined ? (
        <Group label={label}>
          <Stepper label={label} value={Number(values.count)} low={count.minimum} high={count.maximum} set={(next) => set({ ...values, count: next })} />
        </Group>
      ) : (
        <p class="fixed">
          {label}: <b>{String(fixed)}</b>
        </p>
      )}
      <Group label={say("play.liars-dice.bid.face")}>
        <Choice
          label={say("play.liars-dice.bid.face")}
          values={valuesOf(face)}
          value={values.face}
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
