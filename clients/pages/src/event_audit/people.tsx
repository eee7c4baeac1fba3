/** Who runs an event, who has read what of it, and who has which key. */
import type { VNode } from "preact";
import { say } from "../given.js";
import { Moment } from "../parts.js";
import { Listing } from "./listing.js";
import { isStaff, keys, organisers, reads, shown } from "./reading.js";
import { OfMatch, roleName } from "./words.js";

/** A name, with what it is the name of. */
function Person({ name, role }: { name: string | null; role: string }): VNode {
  return (
    <>
      <bdi>{name ?? say("audit.report.unnamed")}</bdi> <span class="quiet">{role}</span>
    </>
  );
}

export function Staff(): VNode {
  const { moderators = [] } = shown.value ?? {};
  const appointed = organisers.value?.organisers ?? [];
  const made = organisers.value === null ? [] : [{ name: organisers.value.maker }];
  return (
    <ul class="rows">
      {[...made, ...appointed].map(({ name }, index) => (
        <li key={`organiser ${index}`}>
          <Person name={name} role={say("audit.actor.organiser")} />
        </li>
      ))}
      {moderators.map(({ moderator, name }) => (
        <li key={moderator}>
          <Person name={name} role={`${say("audit.actor.moderator")}, ${moderated(moderator)}`} />
        </li>
      ))}
      {made.length + moderators.length === 0 && <li class="quiet">{say("nothing")}</li>}
    </ul>
  );
}

/** In how many matches somebody moderates. */
function moderated(moderator: number): string {
  const own = shown.value?.matches.filter((one) => one.moderators.includes(moderator)) ?? [];
  return say("audit.across.matches", { count: own.length });
}

export function Reads(): VNode {
  return (
    <Listing
      title="reads"
      columns={["reads.who", "report.match", "reads.as", "reads.hidden", "reads.first", "reads.last"]}
      list={reads}
      empty={isStaff() ? "audit.reads.none" : "audit.across.staff_alone"}
      cells={({ person, role, match, as, first, last, hidden }) => [
        <Person name={person} role={roleName(role, null)} />,
        <OfMatch match={match} />,
        <bdi>{as === undefined ? "–" : roleName(as, match)}</bdi>,
        say(hidden === false ? "no" : "yes"),
        <Moment at={first} />,
        <Moment at={last} />,
      ]}
    />
  );
}

export function Keys(): VNode {
  return (
    <Listing
      title="keys"
      columns={["keys.name", "report.match", "across.issued_by", "keys.since", "keys.used"]}
      list={keys}
      empty={isStaff() ? "nothing" : "audit.across.staff_alone"}
      cells={({ name, role, match, since, last_used: used, issued_by: by }) => [
        <Person name={name} role={roleName(role.split(":")[0] ?? role, null)} />,
        <OfMatch match={match} />,
        <bdi>{by ?? "–"}</bdi>,
        <Moment at={since} />,
        used === null ? "–" : <Moment at={used} />,
      ]}
    />
  );
}
