/** The first page: the matches at which this browser has a seat, to go back to it. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { say } from "../given.js";
import { keyFor, ownMatches } from "../keys.js";
import { mount } from "../mount.js";
import { joined, outcome, Status, waitsFor } from "../parts.js";
import { takenSeats } from "../play/seats.js";
import { below } from "../root.js";
import { service } from "../service.js";

/** At most so many are looked up. */
const MOST = 8;

type Info = Schemas["ShownMatch"];

/** Matches that go on, with whose turn it is. */
function Own({ matches, turns }: { matches: Info[]; turns: ReadonlyMap<string, string> }): VNode {
  return (
    <section aria-labelledby="yours">
      <h2 id="yours">{say("lobby.yours")}</h2>
      <ul class="rows">
        {matches.map((match) => (
          <li key={match.id}>
            <a class="door" href={below(`/play/${match.id}`)}>
              {say("match.play_on")}
              <span class="unseen"> ({match.title})</span>
            </a>
            <span>
              <b>{match.title}</b> <Status name={match.status} />{turns.get(match.id) !== undefined && <> {turns.get(match.id)}</>}
              <br />
              <bdi class="quiet">{joined(takenSeats(match))}</bdi>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Matches that are over, to look at them again. */
function Past({ matches }: { matches: Info[] }): VNode {
  return (
    <section aria-labelledby="past">
      <h2 id="past">{say("lobby.yours.past")}</h2>
      <ul class="rows">
        {matches.map((match) => (
          <li key={match.id}>
            <a href={below(`/play/${match.id}`)}>
              <b>{match.title}</b>
            </a>{" "}
            <span class="quiet">{match.result === null ? <Status name={match.status} /> : outcome(match.result, match.seats)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whose turn it is in a match, as its seat sees it; nothing where that cannot be read. */
async function turnIn({ id, status }: Info): Promise<string> {
  if (status !== "running") return "";
  const key = keyFor(`match ${id}`);
  const { audience, awaiting, seats } = await service(key).match(id).view();
  if (awaiting.seats.includes(Number(audience.replace("seat:", "")))) return say("lobby.yours.turn");
  return awaiting.seats.length === 0 ? "" : waitsFor(awaiting.seats.map((seat) => seats[seat] ?? ""));
}

/** Those of this browser. What cannot be read, as everybody may, is left out. */
async function ownOnes(): Promise<Info[]> {
  const asked = ownMatches().slice(0, MOST).map((id) => service().match(id).info());
  const found = await Promise.allSettled(asked);
  return found.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

function isOver({ status }: Info): boolean {
  return status === "ended" || status === "void";
}

const place = document.getElementById("own");
if (place !== null) {
  const every = await ownOnes();
  const [open, past] = [every.filter((one) => !isOver(one)), every.filter(isOver)];
  const turns = await Promise.allSettled(open.map(turnIn));
  const said = new Map(open.map(({ id }, index) => [id, turns[index]?.status === "fulfilled" ? turns[index].value : ""]));
  if (every.length > 0) {
    mount(
      place,
      <>
        {open.length > 0 && <Own matches={open} turns={said} />}
        {past.length > 0 && <Past matches={past} />}
      </>,
    );
  }
}
