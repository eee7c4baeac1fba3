/** Liar's Dice: a bid is a number of dice, and the face that they show. */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Die } from "../dice.js";
import type { View } from "@arbiter/client";
import type { Filling } from "../game_form.js";
import { say } from "../given.js";
import { Seat } from "../parts.js";
import { Choice, Group, Stepper, valuesOf } from "../play/fields.js";

export const oneTap = ["bid"];

/** As many dice of a higher face, or more dice of any. */
export const whole = ["bid"];

export const forms = { bid: Bid };

export const about = { challenge: LastBid, exact: LastBid };

/** What the form needs of the board: the own dice, and the bid that is to be raised. */
interface Known {
  dice?: number[];
  bid?: { seat: number; count: number; face: number } | null;
}

const FACES = ["⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];

function Bid({ entries, values, set, view }: Filling): VNode {
  const possible = entries.flatMap(({ count = {}, face = {} }) => valuesOf(count).map((one) => ({ count: Number(one), faces: valuesOf(face).map(Number) })));
  const facesOf = (count: number) => possible.filter((one) => one.count === count).flatMap(({ faces }) => faces);
  const counts = possible.map(({ count }) => count);
  const { dice = [], bid } = known(view);
  // The lowest raise of the face just bid is the usual one.
  useEffect(() => {
    if (bid && facesOf(bid.count + 1).includes(bid.face)) set({ ...values, count: bid.count + 1, face: bid.face });
  }, []);
  const count = Number(values.count);
  function choose(next: number): void {
    const faces = facesOf(next);
    set({ ...values, count: next, face: faces.includes(Number(values.face)) ? values.face : Math.min(...faces) });
  }
  const label = say("play.liars-dice.bid.count");
  const face = say("play.liars-dice.bid.face");
  return (
    <div class="bidding">
      <Own dice={dice} />
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

function known({ view }: View): Known {
  return (view ?? {}) as Known;
}

/** The bid that is doubted, or called exact. */
function LastBid({ view }: { view: View }): VNode | null {
  const { bid } = known(view);
  if (!bid) return null;
  return (
    <p class="last-bid">
      <Seat number={bid.seat} name={view.seats[bid.seat]} /> <b>{bid.count}</b> × <Die face={bid.face} />
    </p>
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
