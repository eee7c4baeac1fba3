/** What a stage is called: a name that a template has given is said in the language of its reader. */
import { say } from "../given.js";

/** The names that templates give, in every language of the pages, and the texts that say them. */
export const USUAL: ReadonlyMap<string, string> = new Map([
  ["Groups", "stage.name.groups"],
  ["Gruppen", "stage.name.groups"],
  ["Knockout", "stage.name.knockout"],
  ["K.-o.-Runde", "stage.name.knockout"],
  ["Swiss", "stage.name.swiss"],
  ["Schweizer System", "stage.name.swiss"],
  ["Show", "stage.name.show"],
  ["Final", "stage.name.final"],
  ["Finale", "stage.name.final"],
]);

export function stageName(name: string): string {
  const usual = USUAL.get(name);
  return usual === undefined ? name : say(usual);
}
