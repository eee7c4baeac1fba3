/** Where an organiser creates a match of any game. */
import { newKey, type Arbiter, type Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { ChosenGame } from "./chosen_game.js";
import { Choice, Field, Form, written } from "./form.js";
import { say } from "./given.js";
import { linkTo } from "./key_link.js";
import { Notice } from "./parts.js";
import type { Schema } from "./schema.js";
import { filledIn, SchemaFields } from "./schema_form.js";
import { handOut, invitation, type Sheet } from "./sheets.js";
import { below } from "./root.js";
import { Refusal } from "./trouble.js";

/** The tournament to which a match belongs: who can sit in it, and who can moderate it. */
export interface Belonging {
  id: string;
  players: readonly string[];
  moderators: readonly string[];
}

interface MatchFormProps {
  /** With the organiser's key. */
  arbiter: Arbiter;
  tournament?: Belonging;
  /** What is said when the match has been made. */
  made(match: Schemas["CreatedMatch"], game: string): Promise<string | void>;
}

export function MatchForm({ arbiter, tournament, made }: MatchFormProps): VNode {
  const chosen = useMemo(() => new ChosenGame(arbiter), [arbiter]);
  useEffect(() => void chosen.begin(), [chosen]);
  // How often the form has been emptied: each time these fields are made anew from what is chosen.
  const emptied = useSignal(0);
  const rules = chosen.rules.value;
  const told = chosen.trouble.value !== "" && <Notice>{chosen.trouble.value}</Notice>;
  if (rules === null) return <>{told}</>;
  const options = rules.options as Schema;
  const seats = chosen.seats.value;

  async function send(fields: FormData): Promise<string | void> {
    const asked = newMatch(rules!.id, fields, seats, tournament?.id ?? null);
    asked.options = filledIn(options, fields, seats);
    checkJudges(judgesIn(fields), asked.seats as string[]);
    const match = await arbiter.createMatch(asked as Schemas["NewMatch"]);
    const said = await made(match, rules!.title);
    if (written(fields, "keys") !== OWN) await handOutKeys(arbiter, match, written(fields, "title") || rules!.title, judgesIn(fields));
    const moderator = written(fields, "moderator");
    if (tournament !== undefined && moderator !== "") {
      const path = `/tournaments/${tournament.id}/matches/${match.id}/moderators`;
      await arbiter.request(path, { method: "POST", body: { moderator: Number(moderator) } });
    }
    return said;
  }

  return (
    <Form
      label={say("organise.match.create")}
      send={send}
      ready={chosen.ready}
      emptied={() => (emptied.value += 1)}
    >
      <GameFields key={emptied.value} chosen={chosen} rules={rules} />
      {told}
      <SeatFields count={seats} roster={tournament?.players} />
      <Keys tournament={tournament} />
      <details>
        <summary>{say("organise.options")}</summary>
        <SchemaFields key={rules.id} schema={options} length={seats} />
      </details>
      <details>
        <summary>{say("organise.more")}</summary>
        <How records={rules.records} belongs={tournament !== undefined} />
      </details>
    </Form>
  );
}

interface GameFieldsProps {
  chosen: ChosenGame;
  rules: Schemas["GameAnswer"];
}

function GameFields({ chosen, rules }: GameFieldsProps): VNode {
  const [least, most] = rules.seats;
  return (
    <div class="fields-of">
      <Field label={say("organise.game")}>
        <select value={chosen.id.value} onChange={(event) => void chosen.choose(event.currentTarget.value)}>
          {chosen.games.value.map((one) => (
            <option key={one.id} value={one.id}>
              {one.title}
            </option>
          ))}
        </select>
      </Field>
      {least < most && (
        <Field label={say("organise.seats.count")}>
          <input
            type="number"
            required
            value={chosen.typed.value}
            min={least}
            max={most}
            onInput={(event) => chosen.type(event.currentTarget.value)}
          />
        </Field>
      )}
    </div>
  );
}

function SeatFields({ count, roster }: { count: number; roster: readonly string[] | undefined }): VNode {
  const numbers = Array.from({ length: count }, (_, seat) => seat);
  return (
    <fieldset>
      <legend>{say("organise.seats")}</legend>
      <div class="fields-of">
        {numbers.map((seat) => (
          <Field key={seat} label={say("organise.sheet.seat", { seat: seat + 1 })}>
            {roster === undefined ? (
              <input name={`seat.${seat}`} required maxLength={100} autocomplete="off" />
            ) : (
              <Choice name={`seat.${seat}`} required of={[["", ""], ...roster.map((one): [string, string] => [one, one])]} />
            )}
          </Field>
        ))}
      </div>
    </fieldset>
  );
}

/** The players use the keys that they have from the tournament. */
const OWN = "own";

function Keys({ tournament }: { tournament: Belonging | undefined }): VNode {
  const invitations: [string, string] = ["invitations", say("organise.keys.invitations")];
  const shown: [string, string] = ["shown", say("organise.keys.shown")];
  if (tournament === undefined) {
    return (
      <>
        <div class="fields-of">
          {JUDGES.map((number) => (
            <Field key={number} label={say("organise.judge", { number })} hint={say(`organise.judge.hint.${number}`)}>
              <input name={`judge.${number}`} maxLength={100} autocomplete="off" />
            </Field>
          ))}
        </div>
        <Field label={say("organise.keys")} hint={say("organise.keys.hint")}>
          <Choice name="keys" of={[invitations, shown]} />
        </Field>
      </>
    );
  }
  const moderators = tournament.moderators.map((name, number): [string, string] => [String(number), name]);
  return (
    <div class="fields-of">
      <Field label={say("organise.keys")} hint={say("organise.keys.hint")}>
        <Choice name="keys" of={[[OWN, say("organise.keys.own")], invitations, shown]} />
      </Field>
      <Field label={say("organise.moderator")}>
        <Choice name="moderator" of={[["", say("organise.moderator.none")], ...moderators]} />
      </Field>
    </div>
  );
}

function How({ records, belongs }: { records: readonly string[]; belongs: boolean }): VNode {
  return (
    <div class="fields-of">
      <Field label={say("organise.match.title")} hint={say("organise.title.hint")}>
        <input name="title" maxLength={64} autocomplete="off" />
      </Field>
      <Field label={say("organise.prize")}>
        <input name="prize" maxLength={64} autocomplete="off" />
      </Field>
      <Field label={say("organise.chance")}>
        <Choice name="chance" of={["server", "manual"].map((one) => [one, say(`organise.chance.${one}`)])} />
      </Field>
      <Field label={say("organise.clock")}>
        <Choice name="clock" of={["none", "rules"].map((one) => [one, say(`organise.clock.${one}`)])} />
      </Field>
      <Field label={say("organise.record")}>
        <Choice name="record" of={records.map((one) => [one, say(`organise.record.${one}`)])} />
      </Field>
      <Field label={say("organise.rulings")}>
        <Choice name="rulings" of={["two", "single"].map((one) => [one, say(`organise.rulings.${one}`)])} />
      </Field>
      <Field label={say("organise.protest_hours")} hint={say("organise.protest_hours.hint")}>
        <input type="number" name="protest_hours" min={0} placeholder="0" />
      </Field>
      {belongs && (
        <Field label={say("organise.has_looked")} hint={say("organise.has_looked.hint")}>
          <input name="has_looked_reason" autocomplete="off" />
        </Field>
      )}
    </div>
  );
}

/** What the form asks for, without the game's own options. */
function newMatch(game: string, fields: FormData, seats: number, tournament: string | null): Record<string, unknown> {
  const given = (name: string): string | null => written(fields, name) || null;
  return {
    game,
    title: given("title"),
    prize: given("prize"),
    seats: Array.from({ length: seats }, (_, seat) => written(fields, `seat.${seat}`)),
    chance: written(fields, "chance"),
    clock: written(fields, "clock"),
    record: written(fields, "record"),
    rulings: written(fields, "rulings"),
    protest_hours: Number(written(fields, "protest_hours")),
    keys: written(fields, "keys") === "shown" ? "shown" : "invitations",
    tournament,
    has_looked_reason: given("has_looked_reason"),
  };
}

/** Two people can agree to everything that is ruled. */
const JUDGES = [1, 2];

function judgesIn(fields: FormData): string[] {
  return JUDGES.map((number) => written(fields, `judge.${number}`)).filter((name) => name !== "");
}

/** Throws a Refusal for a name that a player or the other moderator has, however it is written. */
function checkJudges(names: readonly string[], seats: readonly string[]): void {
  const taken = seats.map((name) => name.toLowerCase());
  for (const name of names) {
    if (taken.includes(name.toLowerCase())) throw new Refusal(say("organise.judge.taken", { name }));
    taken.push(name.toLowerCase());
  }
}

/** Keys for moderators by name, instead of the one that was made with the match and has none. */
async function judgeSheets(arbiter: Arbiter, match: string, of: string, names: readonly string[]): Promise<Sheet[]> {
  const path = `/matches/${match}/keys`;
  const [role, page] = [say("organise.sheet.moderator"), `/table/${match}`];
  const made: Sheet[] = [];
  for (const name of names) {
    const sent = { method: "POST", body: { role: "moderator", name }, headers: { "Idempotency-Key": newKey() } } as const;
    const { key } = (await arbiter.request<Schemas["IssuedMatchKey"]>(path, sent)).data;
    const link = key === null ? `${location.origin}${below(page)}` : linkTo(page, key);
    made.push({ name, role, of, link, ...(key === null ? { lost: { request: `/v1${path}` } } : { hint: say("organise.sheet.staff") }) });
  }
  const { keys } = (await arbiter.request<Schemas["MatchKeyList"]>(path)).data;
  for (const key of keys.filter((one) => one.role === "moderator" && one.name === null)) {
    await arbiter.request(`${path}/${key.id}`, { method: "DELETE" });
  }
  return made;
}

/** Shows the keys of a new match: its moderators', and each seat's, or an invitation where it has none. */
async function handOutKeys(arbiter: Arbiter, match: Schemas["CreatedMatch"], game: string, judges: readonly string[]): Promise<void> {
  const of = `${game}: ${match.seats.map((seat) => seat.name).join(" – ")}`;
  if (judges.length > 0) handOut(...(await judgeSheets(arbiter, match.id, of, judges)));
  else handOutNameless(match, of);
  for (const seat of match.seats) handOut(await seatSheet(arbiter, match.id, of, seat));
}

function handOutNameless(match: Schemas["CreatedMatch"], of: string): void {
  const [name, role] = [say("organise.moderator"), say("organise.sheet.moderator")];
  const secret = match.moderator_key;
  const instead = { request: `/v1/matches/${match.id}/keys`, meanwhile: say("organise.sheet.lost.match") };
  const lost = secret === null ? instead : undefined;
  handOut({ name, role, of, link: `${location.origin}${below(`/table/${match.id}`)}`, secret, lost, hint: say("organise.sheet.nameless") });
}

async function seatSheet(arbiter: Arbiter, match: string, of: string, given: Schemas["SeatKey"]): Promise<Sheet> {
  const { seat, name, key } = given;
  if (key === null) return invitation(arbiter, match, seat, of);
  const role = say("organise.sheet.seat", { seat: seat + 1 });
  return { name, role, of, link: `${location.origin}${below(`/play/${match}`)}`, secret: key };
}
