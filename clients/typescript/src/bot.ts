/** Playing a seat by its menus alone. */
import { ArbiterError, HistoryWentBack } from "./errors.js";
import type { Play, PlayOptions } from "./play.js";
import { Retries } from "./retries.js";
import type { Action, Line, Menu, Options, Result, Taken, View } from "./types.js";

/** An action of `menu.actions`: each of an entry's `examples` is accepted as it stands. */
export type Choose = (menu: Menu, view: View) => Action | Promise<Action>;

export interface BotOptions {
  /** Is called with each event of the seat from now on. */
  onEvent?: (event: Line) => void;
  signal?: AbortSignal | undefined;
}

/** The match of a seat, as far as a bot looks at it and acts in it. */
interface Seat {
  view(options: Options): Promise<View>;
  menu(options: Options): Promise<Menu>;
  play(options: PlayOptions): Play;
}

/** Events behind which the menu may have something that it had not before. */
const ALLOWED_AGAIN = ["match.resumed.1", "match.rewound.1"];

/**
 * Plays to the end. It begins again when the service was away, or the operator has gone back to a
 * backup: it looks at the match as it is.
 */
export async function bot(match: Seat, choose: Choose, options: BotOptions): Promise<Result | null> {
  const retries = new Retries(options.signal);
  for (;;) {
    try {
      return await toTheEnd(match, choose, options);
    } catch (error) {
      if (!(error instanceof HistoryWentBack)) await retries.after(error);
    }
  }
}

async function toTheEnd(match: Seat, choose: Choose, options: BotOptions): Promise<Result | null> {
  const { onEvent, signal } = options;
  const begun = await match.view({ signal });
  const play = match.play({ after: begun, signal });
  try {
    let seen = await turn(match, play, choose, signal);
    for await (const line of play) {
      onEvent?.(line);
      if (line.seq > seen && mayMean(line, begun.audience)) seen = await turn(match, play, choose, signal);
    }
  } finally {
    play.close();
  }
  return (await match.view({ signal })).result;
}

/** Whether the seat may have to act because of an event. */
function mayMean(line: Line, audience: string): boolean {
  if (line.type === "match.awaiting-changed.1") {
    return line.data.seats.some((seat) => audience === `seat:${seat}`);
  }
  return ALLOWED_AGAIN.includes(line.type);
}

/**
 * Acts as long as the match waits for this seat alone, and once if it waits for others, too. Returns
 * how many of its events the seat had seen when it looked last.
 */
async function turn(match: Seat, play: Play, choose: Choose, signal?: AbortSignal): Promise<number> {
  for (;;) {
    const view = await match.view({ signal });
    const menu = await match.menu({ signal });
    if (!menu.awaited || menu.submitted || menu.actions.length === 0) return view.seq;
    const action = await choose(menu, view);
    const outcome = await sent(play.act(action, { ifMatch: view }));
    const alone = view.awaiting.seats.length === 1;
    if (outcome !== "stale" && !(outcome === "counts" && alone)) return view.seq;
  }
}

type Outcome = "counts" | "invalid" | "stale" | "not running";

/** What became of an action. Throws what the rules refuse. */
async function sent(acting: Promise<Taken>): Promise<Outcome> {
  try {
    return (await acting).receipt.valid ? "counts" : "invalid";
  } catch (error) {
    if (error instanceof ArbiterError && error.code === "stale") return "stale";
    if (error instanceof ArbiterError && error.code === "match_not_running") return "not running";
    throw error;
  }
}
