/** What the clock of a game asks of its players, said before they sit down. */
import type { VNode } from "preact";
import { duration } from "../clock.js";
import { isSaid, say } from "../given.js";

/** Nothing of a game that has no clock unless somebody chooses one. The options are those that are played, with all times in them. */
export function ClockNote({ game, options }: { game: string; options: Record<string, unknown> }): VNode | null {
  const text = `play.${game}.clock`;
  if (!isSaid(text)) return null;
  const seconds = Object.entries(options).filter((one): one is [string, number] => typeof one[1] === "number");
  return <p>{say(text, Object.fromEntries(seconds.map(([name, count]) => [name, duration(count)])))}</p>;
}
