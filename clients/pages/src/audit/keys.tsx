/** Who has a key, since and until when, and what was read with it. */
import type { VNode } from "preact";
import { say } from "../given.js";
import { Moment } from "../parts.js";
import { about, called, number, seatOf } from "./about.js";
import { LongTable } from "./long_table.js";
import { cup, keys, lines, own, reads } from "./reading.js";

interface Held {
  id: string;
  role: string;
  name: string | null;
  since: string | null;
  until: string | null;
  used: string | null;
  /** Whether it is a key of the tournament. */
  ofTournament?: true;
}

const ISSUED = ["match.key-issued.1", "match.moderator-key-issued.1"];
const ENDED = ["match.key-ended.1", "match.moderator-key-ended.1"];

/** The keys that are valid, and those of which the record says that they were issued or ended. */
function held(): Held[] {
  const found = new Map<string, Held>();
  for (const { type, data, at } of lines.value ?? []) {
    if (!ISSUED.includes(type) && !ENDED.includes(type)) continue;
    const id = String(data.key_id);
    const role = data.seat === undefined ? "moderator" : `seat:${data.seat}`;
    const before = found.get(id) ?? { id, role, name: (data.name as string | null) ?? null, since: null, until: null, used: null };
    found.set(id, ISSUED.includes(type) ? { ...before, since: at } : { ...before, until: at });
    const renewed = found.get(String(data.renews));
    if (renewed !== undefined) found.set(renewed.id, { ...renewed, until: at });
  }
  for (const { id, role, name, since, last_used } of keys.value ?? []) {
    found.set(id, { id, role, name, since, until: null, used: last_used });
  }
  return [...found.values(), ...heldByTournament()];
}

/** The keys of the tournament with which people play and moderate here. A seat that was replaced has left its player. */
function heldByTournament(): Held[] {
  const match = cup.value?.matches.find((one) => one.match === about.match);
  if (keys.value === null || cup.value === null || match === undefined) return [];
  const { players, moderators } = cup.value;
  const held = (role: string, name: string | undefined): Held => ({
    id: "–", role, name: name ?? null, since: null, until: null, used: null, ofTournament: true,
  });
  return [
    ...match.moderators.map((number) => held("moderator", moderators.find((one) => one.moderator === number)?.name)),
    ...match.players
      .map((number, seat) => held(`seat:${seat}`, players[number]?.name))
      .filter(({ name }, seat) => name === about.seats[seat]),
  ];
}

export function Keys(): VNode {
  const all = held();
  if (keys.value === null && all.length === 0) return <p class="quiet">{say("audit.keys.hidden")}</p>;
  return (
    <LongTable
      title="keys"
      columns={["keys.for", "keys.name", "keys.since", "keys.until", "keys.used", "keys.id"]}
      rows={all}
      row={({ id, role, name, since, until, used, ofTournament = false }) => (
        <tr key={`${id} ${role} ${name}`}>
          <th scope="row">
            <bdi>{called(role)}</bdi>
          </th>
          <td>
            <bdi>{name ?? "–"}</bdi> {ofTournament && <span class="quiet">{say("audit.keys.of_tournament")}</span>}
          </td>
          <td>{since === null ? "–" : <Moment at={since} />}</td>
          <td>{until === null ? say("audit.keys.valid") : <Moment at={until} />}</td>
          <td>{used === null ? "–" : <Moment at={used} />}</td>
          <td>
            <code>{id}</code>
          </td>
        </tr>
      )}
    />
  );
}

export function Reads(): VNode {
  const all = reads.value;
  if (all === null) return <p class="quiet">{say("audit.reads.not_told")}</p>;
  // A seat is told of looks alone.
  if (all.length === 0) return <p class="quiet">{say(seatOf(own.value) === null ? "audit.reads.none" : "audit.reads.none.looks")}</p>;
  return (
    <LongTable
      title="reads"
      columns={["reads.who", "reads.as", "reads.upto", "reads.first", "reads.last", "reads.hidden"]}
      rows={all}
      row={(read) => (
        <tr key={`${read.key_id} ${read.as} ${read.hidden} ${read.first}`}>
          <th scope="row">
            <bdi>{read.person ?? "–"}</bdi> <span class="quiet">{called(read.role)}</span>
          </th>
          <td>
            <bdi>{read.as === undefined ? "–" : called(read.as)}</bdi>
          </td>
          <td class="audit-count">{number(read.seq)}</td>
          <td>
            <Moment at={read.first} />
          </td>
          <td>
            <Moment at={read.last} />
          </td>
          <td>{say(read.hidden === false ? "no" : "yes")}</td>
        </tr>
      )}
    />
  );
}
