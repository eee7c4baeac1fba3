/** Where an organiser gets from pasted names to a published first round. */
import type { Arbiter, Schemas } from "@arbiter/client";
import { useComputed, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Choice, Field, Form, lines, written } from "../form.js";
import { say } from "../given.js";
import { below } from "../root.js";
import { handOut } from "../sheets.js";
import { Refusal } from "../trouble.js";
import { DraftedRound } from "./draft.js";
import { Launch } from "./launch.js";
import { keySheet } from "./people.js";
import { NOTHING_PLAYED } from "./seating.js";
import { linkSheets } from "./slips.js";
import { StageGame } from "./stage_game.js";
import { FEWEST, isTable, namesIn, namesOfTable, roundsBehindGroups, roundsOfTemplate, TEMPLATES, twice, type Plan, type Template } from "./templates.js";

/** The template that is chosen unless another is. */
const USUAL: Template = "swiss";

const LONGEST_NAME = 64;

interface Props {
  arbiter: Arbiter;
  made(tournament: Schemas["CreatedTournament"]): void;
}

export function NewTournament({ arbiter, made }: Props): VNode {
  const launch = useMemo(() => new Launch(arbiter), [arbiter]);
  const { draft, tournament, round } = launch;
  if (tournament.value !== null && draft.value !== null) {
    const names = tournament.value.players.map((one) => one.name);
    return (
      <div class="launch">
        <h3>{say("stage.drafted", { number: 1 })}</h3>
        <DraftedRound
          arbiter={arbiter}
          id={tournament.value.id}
          draft={draft.value}
          names={names}
          past={NOTHING_PLAYED}
          done={() => launch.published()}
        />
      </div>
    );
  }
  if (tournament.value !== null && round.value !== null) return <Published arbiter={arbiter} launch={launch} />;
  return <Settings launch={launch} made={made} />;
}

/** What follows when the first round is published. */
function Published({ arbiter, launch }: { arbiter: Arbiter; launch: Launch }): VNode {
  const { id, name, players } = launch.tournament.value!;
  const told = useSignal(0);
  async function start(): Promise<string> {
    await launch.start();
    return say("organise.started");
  }
  async function links(): Promise<void> {
    const all = players.map((one) => one.player);
    handOut(...(await linkSheets(arbiter, { id, name }, all, (count) => (told.value = count))));
  }
  return (
    <div class="launch">
      <h3>{say("stage.published", { number: 1 })}</h3>
      <p>{say("organise.launched")}</p>
      <p class="doors">
        <a class="door" href={below(`/t/${id}`)}>
          {say("organise.to_cup")}
        </a>
      </p>
      {launch.startsByHand && <Form label={say("organise.start_round")} send={start} />}
      <Form label={say("organise.links", { count: players.length })} send={links} />
      {told.value > 0 && told.value < players.length && <progress value={told.value} max={players.length} />}
      <p class="doors">
        <button type="button" class="plain" onClick={() => launch.again()}>
          {say("organise.tournament.another")}
        </button>
      </p>
    </div>
  );
}

function Settings({ launch, made }: { launch: Launch; made: Props["made"] }): VNode {
  const template = useSignal<Template>(USUAL);
  const text = useSignal("");
  const names = useComputed(() => (isTable(text.value) ? namesOfTable(text.value) : namesIn(text.value)));
  async function send(fields: FormData): Promise<void> {
    const plan = planOf(fields, template.value, names.value, launch.optionsIn(fields));
    const known = launch.tournament.peek();
    const wanted = newTournament(fields, names.value);
    const created = await launch.create(wanted, isTable(text.value) ? text.value : null);
    if (created !== known) {
      made(created);
      showKeys(created, wanted.keys === "shown");
    }
    await launch.addStages(plan, (stage) => say(`stage.name.${nameOf(stage, plan.template)}`));
  }
  function emptied(): void {
    template.value = USUAL;
    text.value = "";
  }
  return (
    <Form
      label={say(template.value === "by_hand" ? "organise.tournament.create" : "organise.tournament.draw")}
      send={send}
      emptied={emptied}
    >
      <Field label={say("organise.tournament.name")}>
        <input name="name" required autocomplete="off" />
      </Field>
      <Field label={say("tournament.players")} hint={hint(names.value)}>
        <textarea name="players" rows={8} onInput={(event) => (text.value = event.currentTarget.value)} />
      </Field>
      <Templates players={names.value.length} choose={(one) => (template.value = one)} />
      {template.value !== "by_hand" && <StageGame launch={launch} template={template.value} players={names.value.length} />}
      {template.value !== "by_hand" && <Staff />}
      <More template={template.value} names={names.value} />
    </Form>
  );
}

function hint(names: readonly string[]): string {
  return names.length === 0 ? say("organise.one_a_line") : say("organise.count", { count: names.length });
}

interface TemplatesProps {
  players: number;
  choose(template: Template): void;
}

function Templates({ players, choose }: TemplatesProps): VNode {
  return (
    <fieldset class="templates">
      <legend>{say("organise.template")}</legend>
      {TEMPLATES.map((one) => {
        const rounds = players < FEWEST[one] ? null : roundsOfTemplate(one, players);
        return (
          <label key={one} class="template">
            <input type="radio" name="template" value={one} defaultChecked={one === USUAL} onChange={() => choose(one)} />
            <span>
              <b>{say(`organise.template.${one}`)}</b>{" "}
              {rounds !== null && <span class="quiet">{roundsText(one, rounds, players)}</span>}
              <br />
              <span class="quiet">{say(`organise.template.${one}.about`)}</span>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

function roundsText(template: Template, rounds: number, players: number): string {
  if (template !== "groups") return say("stage.rounds", { count: rounds });
  const knockout = roundsBehindGroups(players);
  return say("organise.template.groups.rounds", { count: rounds + knockout, groups: rounds, knockout });
}

function More({ template, names }: { template: Template; names: readonly string[] }): VNode {
  return (
    <details>
      <summary>{say("organise.more")}</summary>
      <div class="fields-of">
        {template !== "by_hand" && <Rounds />}
        <Field label={say("organise.access")} hint={say("organise.keys.hint")}>
          <Choice name="access" of={["invitations", "shown"].map((one) => [one, say(`organise.keys.${one}`)])} />
        </Field>
        {template === "by_hand" && <Moderators />}
      </div>
      {names.length > 0 && (
        <details>
          <summary>{say("organise.garnets")}</summary>
          <div class="fields-of">
            {names.map((name, index) => (
              <Field key={index} label={name}>
                <input type="number" name={`garnets.${index}`} min={0} placeholder="0" />
              </Field>
            ))}
          </div>
        </details>
      )}
    </details>
  );
}

function Moderators({ written }: { written?(text: string): void }): VNode {
  return (
    <Field label={say("tournament.moderators")} hint={say("organise.one_a_line")}>
      <textarea name="moderators" rows={3} onInput={(event) => written?.(event.currentTarget.value)} />
    </Field>
  );
}

/** Who enters results and decides what is disputed: with two people there has to be a second one. */
function Staff(): VNode {
  const rulings = useSignal("two");
  const moderators = useSignal("");
  const isAlone = rulings.value === "two" && moderators.value.trim() === "";
  return (
    <fieldset>
      <legend>{say("organise.staff")}</legend>
      <div class="fields-of">
        <Field label={say("organise.staff.rulings")} hint={say("organise.staff.hint")}>
          <Choice name="rulings" onChange={(event) => (rulings.value = event.currentTarget.value)} of={["two", "single"].map((one) => [one, say(`organise.staff.${one}`)])} />
        </Field>
        <Moderators written={(text) => (moderators.value = text)} />
      </div>
      {isAlone && <p class="quiet">{say("organise.staff.alone")}</p>}
    </fieldset>
  );
}

function Rounds(): VNode {
  return (
    <>
      <Field label={say("organise.seeding")}>
        <Choice name="seeding" of={["lots", "entry"].map((one) => [one, say(`organise.seeding.${one}`)])} />
      </Field>
      <Field label={say("organise.start")}>
        <Choice name="start" of={["by_hand", "ready", "at_once"].map((one) => [one, say(`organise.start.${one}`)])} />
      </Field>
      <Field label={say("organise.ends")} hint={say("organise.ends.hint")}>
        <input type="number" name="ends" min={0.1} step="any" />
      </Field>
    </>
  );
}

/** Throws Refusal in words for the organiser. */
function planOf(fields: FormData, template: Template, names: readonly string[], options: Plan["options"]): Plan {
  const again = twice(names);
  const long = names.findIndex((name) => [...name].length > LONGEST_NAME);
  if (long >= 0) throw new Refusal(say("organise.too_long", { line: long + 1, count: LONGEST_NAME }));
  if (again.length > 0) throw new Refusal(say("organise.twice", { names: again.join(", ") }));
  if (names.length < FEWEST[template]) throw new Refusal(say("organise.too_few", { count: FEWEST[template] }));
  const ends = written(fields, "ends");
  return {
    template,
    game: written(fields, "game"),
    options,
    players: names.length,
    seeding: written(fields, "seeding") as Plan["seeding"],
    start: written(fields, "start") as Plan["start"],
    rulings: written(fields, "rulings") as Plan["rulings"],
    ends: ends === "" ? null : Number(ends),
    isModerated: lines(fields, "moderators").length > 0,
  };
}

/** The name of a stage that a template makes. */
function nameOf(stage: "main" | "groups" | "final", template: Template): "groups" | "knockout" | "swiss" | "show" | "final" {
  if (stage === "groups") return "groups";
  if (stage === "final") return template === "show" ? "final" : "knockout";
  return template === "swiss" || template === "show" ? template : "knockout";
}

function newTournament(fields: FormData, players: string[]): Schemas["NewTournament"] {
  const holdings = players.map((name, index): [string, number] => [name, Number(written(fields, `garnets.${index}`))]);
  return {
    name: written(fields, "name"),
    players,
    moderators: lines(fields, "moderators"),
    garnets: Object.fromEntries(holdings.filter(([, garnets]) => garnets > 0)),
    keys: written(fields, "access") === "shown" ? "shown" : "invitations",
  };
}

/** Shows the keys that were issued: those of the players only if they get none by invitations. */
function showKeys(created: Schemas["CreatedTournament"], shown: boolean): void {
  handOut(
    ...(shown ? created.players : []).map((one) => keySheet("players", created, one)),
    ...created.moderators.map((one) => keySheet("moderators", created, one)),
  );
}
