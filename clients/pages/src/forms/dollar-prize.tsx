/** The Dollar Prize: which coins a stolen one is exchanged for. */
import type { VNode } from "preact";
import type { Filling } from "../game_form.js";
import { say } from "../given.js";
import { Counts } from "../play/fields.js";
import type { Schema } from "../schema.js";

export const oneTap = ["choose_side", "place", "keep"];

export const forms = { exchange: Exchange };

export const drawn = { "place.coin": drawCoin };

const CENTS: Record<string, number> = { penny: 1, nickel: 5, dime: 10, quarter: 25 };

/** As on the board, whose colours it has. */
function drawCoin(coin: string): VNode {
  return (
    <span class="dollar-prize coin-choice">
      <span class="coin" data-kind={coin} aria-hidden="true">
        {say("board.dollar-prize.cents", { number: CENTS[coin] ?? 0 })}
      </span>
      {say(`play.dollar-prize.value.${coin}`)}
    </span>
  );
}

function Exchange({ fields, values, set }: Filling): VNode {
  const { items = {}, maxItems = 25 }: Schema = fields.coins ?? {};
  const coins = values.coins as string[];
  const kinds = (items.enum ?? []) as string[];
  const cents = coins.reduce((sum, coin) => sum + (CENTS[coin] ?? 0), 0);
  return (
    <>
      <Counts
        label={(coin) => say(`play.dollar-prize.value.${coin}`)}
        values={kinds}
        counts={new Map(kinds.map((kind) => [kind, coins.filter((coin) => coin === kind).length]))}
        most={maxItems}
        set={(counts) => set({ coins: [...counts].flatMap(([coin, count]) => Array<string>(count).fill(String(coin))) })}
        shown={(coin) => drawCoin(String(coin))}
      />
      <p role="status">{say("play.dollar-prize.exchange.together", { count: cents })}</p>
    </>
  );
}
