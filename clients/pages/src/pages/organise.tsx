/** Where an organiser creates tournaments and matches. */
import type { Schemas } from "@arbiter/client";
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { Form } from "../form.js";
import { say } from "../given.js";
import { KeyForm, KeyInUse } from "../key_form.js";
import { forget, keep, keyFor, placeOf } from "../keys.js";
import { MatchForm } from "../match_form.js";
import { mount } from "../mount.js";
import { service } from "../service.js";
import { putAway, Sheets } from "../sheets.js";
import { bearer } from "../tournament/bearer.js";
import { NewTournament } from "../tournament/new.js";
import { Part } from "../tournament/titled.js";
import { Refusal } from "../trouble.js";
import { below } from "../root.js";
import { Unkept } from "../unkept.js";

/** What has been made here: a link to it, and whether it is a match that can be started. */
interface Made {
  title: string;
  link: string;
  match: string | null;
  started: boolean;
}

const key = signal(keyFor("organiser"));

/** Beside the key: with it the list is forgotten. */
const KEPT = "arbiter events: organiser";

const made = signal<Made[]>(before());

/** The tournaments that were made here with this key. */
function before(): Made[] {
  const known = JSON.parse(placeOf("organiser").get(KEPT) ?? "[]") as [title: string, link: string][];
  return known.map(([title, link]) => ({ title, link, match: null, started: false }));
}

function Organise(): VNode {
  if (key.value === undefined) {
    return (
      <KeyForm label={say("organise.key")} hint={say("organise.key.whence")} use={use} />
    );
  }
  const arbiter = service(key.value);
  return (
    <>
      <Unkept />
      <KeyInUse says={say("organise.key.organiser")} forget={forgetKey} />
      <MadeHere />
      <Part id="new-tournament" title={say("organise.tournament")}>
        <NewTournament
          arbiter={arbiter}
          made={({ id, name }) => note({ title: name, link: below(`/t/${id}`), match: null, started: false })}
        />
      </Part>
      <Part id="new-match" title={say("organise.match")}>
        <MatchForm arbiter={arbiter} made={noteMatch} />
      </Part>
    </>
  );
}

function note(one: Made): void {
  made.value = [one, ...made.value];
  const events = made.value.filter(({ match }) => match === null).map(({ title, link }) => [title, link]);
  placeOf("organiser").set(KEPT, JSON.stringify(events.slice(0, MOST)));
}

/** How many tournaments are listed. */
const MOST = 30;

async function noteMatch({ id, seats }: Schemas["CreatedMatch"], game: string): Promise<void> {
  const title = `${game}: ${seats.map((seat) => seat.name).join(" – ")}`;
  note({ title, link: below(`/m/${id}`), match: id, started: false });
}

/** The list is this device's own: what leads to an event from another one is said with it. */
function MadeHere(): VNode {
  return (
    <Part id="made" title={say("organise.made")}>
      <ul class="rows">
        {made.value.map((one) => (
          <li key={one.link} class="run">
            <a href={one.link}>
              <bdi>{one.title}</bdi>
            </a>
            {one.match !== null && !one.started && <Form label={say("tournament.start")} send={() => start(one)} />}
          </li>
        ))}
      </ul>
      {made.value.length === 0 && <p>{say("organise.made.nothing")}</p>}
      <p class="quiet">{say("organise.made.elsewhere")}</p>
    </Part>
  );
}

async function start(one: Made): Promise<void> {
  await service(key.value).match(one.match!).start();
  made.value = made.value.map((other) => (other === one ? { ...one, started: true } : other));
}

/** Throws if it is no key of an organiser. */
async function use(found: string, onDevice: boolean): Promise<void> {
  const by = bearer("", found);
  if (by?.role !== "organiser") throw new Refusal(say("organise.key.other"));
  await by.arbiter.request("/calendars");
  keep("organiser", found, onDevice);
  key.value = found;
}

function forgetKey(): void {
  if (!putAway()) return;
  forget("organiser");
  made.value = [];
  key.value = undefined;
}

const place = document.getElementById("desk")!;
mount(
  place,
  <>
    <Sheets />
    <Organise />
  </>,
);
