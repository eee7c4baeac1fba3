/** As whom the lists of an event are read, and what is left out of them. */
import type { VNode } from "preact";
import { say } from "../given.js";
import { KeyForm, KeyInUse } from "../key_form.js";
import { forget, keep } from "../keys.js";
import { instant } from "../parts.js";
import { bearerOf } from "../tournament/ask_key.js";
import { known } from "../tournament/bearer.js";
import { filter, id, kind, NOTHING, readAll, shown, whose } from "./reading.js";
import { kindName, playerName } from "./words.js";

/** A key that is kept is used once its reader says so: what staff read is a look, and on record. */
export function Reader(): VNode {
  const kept = known(id);
  async function use(key: string, onDevice: boolean): Promise<void> {
    const by = await bearerOf(id, key);
    keep(by.purpose, key, onDevice);
    whose.value = by;
  }
  function drop(): void {
    if (whose.value !== null) forget(whose.value.purpose);
    whose.value = null;
  }
  if (whose.value !== null) return <KeyInUse says={say("audit.across.with_key")} forget={drop} />;
  return (
    <div>
      <p class="quiet">{say("audit.across.as_everybody")}</p>
      {kept !== null && (
        <p>
          <button type="button" onClick={() => (whose.value = kept)}>
            {say("audit.across.use_kept")}
          </button>
        </p>
      )}
      <details>
        <summary>{say("audit.key.give")}</summary>
        <KeyForm label={say("tournament.key")} use={use} />
      </details>
    </div>
  );
}

const KINDS = [
  "candidates", "confirm", "correct", "disqualify", "extend", "note", "pause", "penalty", "reinstate", "replace",
  "replace_seat", "result", "resume", "rewind", "seed", "void",
] as const; // prettier-ignore

export function Filters(): VNode {
  const { players = [], moderators = [], matches = [] } = shown.value ?? {};
  const people = [...new Set([...players, ...moderators].map((one) => one.name))];
  return (
    <form class="audit-filters of-event" role="search" onSubmit={(event) => event.preventDefault()}>
      <Choice name="audit.filter.who" value={filter.value.person} of={people.map((one) => [one, one])} chosen={(person) => change({ person })} />
      <Choice
        name="audit.report.match"
        value={filter.value.match}
        of={matches.map((one) => [one.match, one.players.map(playerName).join(" – ")])}
        chosen={(match) => change({ match })}
      />
      <Choice name="audit.across.kind" value={kind.value} of={KINDS.map((one) => [one, kindName(one)])} chosen={(one) => (kind.value = one)} />
      <When name="since" />
      <When name="until" />
      <p>
        <button type="button" class="plain" onClick={clear}>
          {say("audit.across.all")}
        </button>{" "}
        <button type="button" class="plain" onClick={() => void readAll().then(() => requestAnimationFrame(() => print()))}>
          {say("audit.report.print")}
        </button>
      </p>
    </form>
  );
}

function clear(): void {
  filter.value = NOTHING;
  kind.value = "";
}

function change(changed: Partial<typeof NOTHING>): void {
  filter.value = { ...filter.value, ...changed };
}

interface ChoiceProps {
  name: string;
  value: string;
  of: [value: string, name: string][];
  chosen(value: string): void;
}

function Choice({ name, value, of, chosen }: ChoiceProps): VNode {
  return (
    <label>
      <span>{say(name)}</span>
      <select value={value} onChange={(event) => chosen(event.currentTarget.value)}>
        <option value="">{say("audit.filter.any")}</option>
        {of.map(([one, label]) => (
          <option key={one} value={one}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** An instant in the reader's own time zone. */
function When({ name }: { name: "since" | "until" }): VNode {
  return (
    <label>
      <span>{say(`audit.across.${name}`)}</span>
      <input type="datetime-local" value={filter.value[name]} onChange={(event) => change({ [name]: event.currentTarget.value })} />
    </label>
  );
}

/** On paper: when this was made, from where, as whom, and what is left out. */
export function Foot(): VNode {
  const { person, match, since, until } = filter.value;
  const only = [person, match === "" ? "" : (shown.value?.matches.find((one) => one.match === match)?.players ?? []).map(playerName).join(" – ")];
  const times = [since, until].map((at) => (at === "" ? "" : instant(at)));
  const left = [...only, kind.value === "" ? "" : kindName(kind.value as (typeof KINDS)[number]), times.some(Boolean) ? times.join(" – ") : ""];
  return (
    <p class="audit-report-foot quiet">
      {say("audit.report.made", { at: instant(new Date().toISOString()), url: location.origin + location.pathname })}.{" "}
      {say(whose.value === null ? "audit.across.as_everybody" : "audit.across.with_key")}{" "}
      {left.some(Boolean) && say("audit.across.only", { what: left.filter(Boolean).join(", ") })}
    </p>
  );
}
