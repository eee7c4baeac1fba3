/** A player's own page of a tournament: what to do now, and what can be done about the rounds to come. */
import { ArbiterError, type Schemas } from "@arbiter/client";
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { Away } from "../away.js";
import { given, say } from "../given.js";
import { KeyInUse } from "../key_form.js";
import { invitedNumber, leaveLink } from "../key_link.js";
import { forget } from "../keys.js";
import { mount } from "../mount.js";
import { below } from "../root.js";
import { service } from "../service.js";
import { known, type Bearer } from "../tournament/bearer.js";
import { AskForKey } from "../tournament/ask_key.js";
import { Results } from "../tournament/card.js";
import { invitation } from "../tournament/invitation.js";
import { live } from "../tournament/live.js";
import { openMatch } from "../tournament/open_match.js";
import { OwnCases, OwnSeed } from "../tournament/own_cases.js";
import { Absence, CheckIn, Left, Now, type OwnProps } from "../tournament/own_rounds.js";
import { ruledMatches } from "../tournament/ruled.js";
import { stageName } from "../tournament/stage_names.js";
import { placeText } from "../tournament/stage_standings.js";
import { standingOf } from "../tournament/standing_places.js";
import { Part } from "../tournament/titled.js";
import { readStages, type KnownRounds, type StageRead } from "../tournament/stage_read.js";

interface Mine {
  shown: Schemas["TournamentAnswer"];
  stages: StageRead[];
  /** Of the player whose key this is; null without one. */
  card: Schemas["PlayerCard"] | null;
}

const page = given<{ tournament: string; seq: number; check_in: string | null }>();
const { tournament: id } = page;

/** A link is for the person who opens it: the key of another one stays out of the way, their own opens their rounds again. */
const here = known(id);
const isTheirs = here?.role === "player" && here.number === invitedNumber("player");
const whose = signal<Bearer | null>(invitation() === "" || isTheirs ? here : null);
const mine = signal<Mine | null>(null);
const closes = signal(page.check_in);
const closed: KnownRounds = new Map();

async function read(): Promise<void> {
  const by = whose.peek();
  const arbiter = by?.arbiter ?? service();
  const number = by?.role === "player" ? by.number : null;
  try {
    const { data: shown } = await arbiter.request<Schemas["TournamentAnswer"]>(`/tournaments/${id}`);
    const stages = await readStages(arbiter, id, closed);
    const card = number === null ? null : (await arbiter.request<Schemas["PlayerCard"]>(`/tournaments/${id}/players/${number}`)).data;
    if (by === whose.peek()) mine.value = { shown, stages, card };
    // The link that was scanned once more is good for nothing.
    if (by === here && isTheirs && invitation() !== "") leaveLink();
  } catch (error) {
    if (by === null || !(error instanceof ArbiterError && error.status === 401)) throw error;
    forget(by.purpose);
    whose.value = null;
    await read();
  }
}

function Me(): VNode | null {
  const by = whose.value;
  if (mine.value === null) return null;
  const { shown, stages, card } = mine.value;
  if (by === null || card === null) {
    return (
      <>
        <Away />
        {by !== null && <p class="notice">{say("me.not_a_player")}</p>}
        <AskForKey id={id} about={say("me.key.about")} given={take} />
      </>
    );
  }
  const names = shown.players.map((one) => one.name);
  const props: OwnProps = { id, by, player: shown.players[card.player]!, names, stages, changed: read };
  const isOpen = shown.status === "open";
  return (
    <>
      <Away />
      <Left {...props} isOpen={isOpen} />
      <CheckIn {...props} closes={closes.value} />
      <Now {...props} />
      <Played by={by} card={card} names={names} stages={stages} />
      {isOpen && <Absence {...props} />}
      <OwnCases {...props} />
      {isOpen && <OwnSeed {...props} />}
      <p class="doors">
        <a class="door" href={below(`/t/${id}`)}>
          {say("me.all")}
        </a>
      </p>
      <KeyInUse says={say("tournament.key.player", { name: card.name })} forget={drop} />
    </>
  );
}

function Played({ by, card, names, stages }: { by: Bearer; card: Schemas["PlayerCard"]; names: string[]; stages: StageRead[] }): VNode {
  const known = new Map(stages.map((read) => [read.stage.stage, read]));
  const parts = card.stages.map(({ stage }) => {
    const read = known.get(stage);
    const isKnockout = (read?.slots.length ?? 0) > 0 || read?.stage.format === "show";
    return { stage, name: stageName(read?.stage.name ?? ""), isKnockout, standing: standingOf(read?.standings?.rows ?? [], card.player) };
  });
  const ruled = ruledMatches(stages);
  return (
    <>
      {parts.map(({ stage, name, isKnockout, standing }) => (
        <Part key={stage} id={`played-${stage}`} title={name}>
          {standing !== undefined && <p>{placeText(standing, isKnockout)}</p>}
          <Results rounds={card.rounds.filter((one) => one.stage === stage)} names={names} ruled={ruled} isKnockout={isKnockout} open={(match) => openMatch(by, match)} />
        </Part>
      ))}
    </>
  );
}

function take(by: Bearer): void {
  whose.value = by;
  void read();
}

function drop(): void {
  if (whose.value !== null) forget(whose.value.purpose);
  whose.value = null;
  void read();
}

/** The check-in is said by the events alone. */
function note({ type, data }: { type: string; data: unknown }): void {
  if (type === "tournament.check-in-opened.1") closes.value = (data as { closes: string }).closes;
}

mount(document.getElementById("me")!, <Me />);
const isOwn = (match: string): boolean => mine.peek()?.card?.rounds.some((one) => one.matches.includes(match)) ?? true;
live({ id, seq: page.seq, read, note, isNear: isOwn });
