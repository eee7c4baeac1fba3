/** 12 Chips: a chip is played or taken by one tap; a hand is entered chip by chip, beginning with none. */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Filling } from "../game_form.js";
import { say } from "../given.js";
import { Field } from "../play/fields.js";
import { Chip } from "../twelve-chips/chips.js";

export const oneTap = ["play", "take"];

export const forms = { enter: Hand };

export const drawn = { "play.chip": drawChip, "take.chip": drawChip };

/** As on the board, whose colours it has. */
function drawChip(chip: number): VNode {
  return (
    <span class="twelve-chips chip-choice">
      <Chip chip={chip} />
    </span>
  );
}

function Hand({ fields, values, set }: Filling): VNode {
  // Not with the example: no one is to send a hand that is not theirs.
  useEffect(() => set({ ...values, chips: [] }), []);
  return (
    <Field
      label={say("play.twelve-chips.enter.chips")}
      schema={fields.chips ?? {}}
      value={values.chips}
      set={(chips) => set({ ...values, chips })}
      shown={(chip) => <Chip chip={Number(chip)} />}
    />
  );
}
