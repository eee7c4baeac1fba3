/** Liar's Dice: a bid is a number of dice, and the face that they show. */
import type { VNode } from "preact";
import { Die } from "../dice.js";
import { only, type Filling } from "../game_form.js";
import { say } from "../given.js";
import { Choice, Group, Stepper, valuesOf } from "../play/fields.js";

export const oneTap = ["bid"];

export const forms = { bid: Bid };

const FACES = ["⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];

function Bid({ fields, values, set, view }: Filling): VNode {
  const { count = {}, face = {} } = fields;
  const fixed = only(count);
  const label = say("play.liars-dice.bid.count");
  return (
    <div class="bidding">
      <Own dice={(view.view as { dice?: number[] } | null)?.dice ?? []} />
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
