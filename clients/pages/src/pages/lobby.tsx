/** The first page: the matches at which this browser has a seat, to go back to it. */
import type { Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { say } from "../given.js";
import { ownMatches } from "../keys.js";
import { mount } from "../mount.js";
import { joined, Status } from "../parts.js";
import { takenSeats } from "../play/seats.js";
import { below } from "../root.js";
import { service } from "../service.js";

/** At most so many are looked up. */
const MOST = 8;

type Info = Schemas["ShownMatch"];

function Own({ matches }: { matches: Info[] }): VNode {
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
              <b>{match.title}</b> <Status name={match.status} />
              <br />
              <bdi class="quiet">{joined(takenSeats(match))}</bdi>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Those that are not over. What cannot be read, as everybody may, is left out. */
async function playedOn(): Promise<Info[]> {
  const asked = ownMatches().slice(0, MOST).map((id) => service().match(id).info());
  const found = await Promise.allSettled(asked);
  const matches = found.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  return matches.filter(({ status }) => status !== "ended" && status !== "void");
}

const place = document.getElementById("own");
if (place !== null) {
  const matches = await playedOn();
  if (matches.length > 0) mount(place, <Own matches={matches} />);
}
