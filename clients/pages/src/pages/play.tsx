/** A seat's page: from an invitation or a key to the end of the match. */
import { signal } from "@preact/signals";
import { ArbiterError, HistoryWentBack, type Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { boardFrom } from "../board.js";
import { formsFrom } from "../game_form.js";
import { given, say } from "../given.js";
import { keyFor, placeOf, type Purpose } from "../keys.js";
import { mount } from "../mount.js";
import { Notice } from "../parts.js";
import { InvitationDoor, KeyDoor } from "../play/doors.js";
import { Kept } from "../play/kept.js";
import { Opening } from "../play/open_table.js";
import { SeatPage } from "../play/seat.js";
import { Seated } from "../play/seated.js";
import { below } from "../root.js";
import { service } from "../service.js";
import { device } from "../storage.js";
import { reason, Refusal } from "../trouble.js";

/** The addresses of what a game brings, and its options as they are played where none are given. */
interface GameFiles {
  script: string | null;
  style: string | null;
  form: string | null;
  options: Record<string, unknown>;
}

const { games } = given<{ games: Record<string, GameFiles> }>();
const match = location.pathname.split("/").at(-1) ?? "";
const kept = new Kept(match);
const token = invitation();
const shown = signal<VNode>(<p class="quiet">{say("play.opening")}</p>);

/** What stands behind the `#` of an invitation's link: no place in the page, to which a link of its own leads. */
function invitation(): string {
  const rest = location.hash.slice(1);
  return document.getElementById(rest) === null ? rest : "";
}

async function begin(): Promise<void> {
  if (match === "play") {
    shown.value = <Opening optionsOf={(game) => games[game]?.options ?? {}} />;
    return;
  }
  const info = await service().match(match).info();
  const enter = () => void sit(info, true).catch(fail);
  kept.tournament = info.tournament;
  if (token === "" && kept.key === undefined && info.tournament !== null) await takePlayersSeat(info.tournament);
  const sits = token === "" || (info.open_table && (await opensSeat(kept.key)));
  if (!sits) shown.value = <InvitationDoor {...{ kept, info, enter, token }} />;
  else if (kept.key === undefined) askForKey(info, "");
  else await sit(info);
}

/** Whether the key is good for a seat of the match. */
async function opensSeat(key: string | undefined): Promise<boolean> {
  if (key === undefined) return false;
  try {
    return (await service(key).match(match).view()).audience.startsWith("seat:");
  } catch (error) {
    if (!(error instanceof ArbiterError)) throw error;
    return false;
  }
}

/** A player's key of the tournament, which this browser keeps, is good for their seat in each of its matches. */
async function takePlayersSeat(tournament: string): Promise<void> {
  const purpose: Purpose = `tournament ${tournament}`;
  const key = keyFor(purpose);
  if (key !== undefined && (await opensSeat(key))) kept.keepKey(key, placeOf(purpose) === device);
}

function askForKey(info: Schemas["ShownMatch"], told: string): void {
  shown.value = <KeyDoor {...{ kept, info, told }} enter={() => void sit(info, true).catch(fail)} />;
}

/**
 * Plays with the key that is kept. The invitation is used up: it leaves the address. Whoever has just
 * `entered` goes on from the top of what has come.
 */
async function sit(info: Schemas["ShownMatch"], entered = false): Promise<void> {
  history.replaceState(null, "", location.pathname);
  const { script = null, style = null, form = null } = games[info.game] ?? {};
  if (style !== null) document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: style }));
  const [game, board, forms] = await Promise.all([service().game(info.game), boardFrom(script), formsFrom(form)]);
  const seated = new Seated(kept, info, game);
  shown.value = <SeatPage {...{ seated, board, forms }} entered={entered || (info.open_table && info.status === "created")} />;
  try {
    await seated.follow();
  } catch (error) {
    stop(error, info);
  }
}

/** The key has ended, or the match has another history now. */
function stop(error: unknown, info: Schemas["ShownMatch"]): void {
  if (error instanceof HistoryWentBack) location.reload();
  else if (error instanceof ArbiterError) askForKey(info, info.open_table && error.status === 401 ? say("play.elsewhere") : reason(error));
  else throw error;
}

/** It cannot go on. */
function fail(error: unknown): void {
  const isSaid = error instanceof ArbiterError || error instanceof Refusal;
  shown.value = (
    <>
      <h1>{say("play.title")}</h1>
      <Notice>{isSaid ? reason(error) : say("trouble.lost")}</Notice>
    </>
  );
}

function Page(): VNode {
  return shown.value;
}

// Another link to the same match has been opened here.
addEventListener("hashchange", () => {
  if (invitation() !== "") location.reload();
});
void navigator.serviceWorker?.register(below("/worker.js")).catch(() => undefined);
const place = document.getElementById("play");
if (place !== null) {
  mount(place, <Page />);
}
await begin().catch(fail);
