/** Ways to a seat: an invitation, or a key. */
import { useSignal } from "@preact/signals";
import { ArbiterError, newKey, type Match, type Schemas } from "@arbiter/client";
import type { VNode } from "preact";
import { say } from "../given.js";
import { ClockNote } from "./clock_note.js";
import { HowToPlay } from "../how_to_play.js";
import { KeyForm } from "../key_form.js";
import { invitedNumber } from "../key_link.js";
import { joined, Notice } from "../parts.js";
import { service } from "../service.js";
import { tab } from "../storage.js";
import { reason, Refusal } from "../trouble.js";
import { ForgetButton } from "./evidence.js";
import type { Kept } from "./kept.js";
import { keepName, ownName } from "./own_name.js";
import { takenSeats } from "./seats.js";
import { below } from "../root.js";

interface DoorProps {
  kept: Kept;
  info: Schemas["ShownMatch"];
  /** Goes on with the key that is kept. */
  enter(): void;
}

/** The seat of an invitation is taken when its reader says so, and never by itself: programs open links, too. */
export function InvitationDoor({ kept, info, enter, token }: DoorProps & { token: string }): VNode {
  // Another seat of the match that is kept here stays: then this one is this tab's alone. At an open table its key has ended.
  const goesOn = kept.key !== undefined && !info.open_table;
  const onDevice = useSignal(!goesOn);
  const used = useSignal(false);
  const full = useSignal(info.open_table && takenSeats(info).length === info.seats.length);
  const busy = useSignal(false);
  const told = useSignal("");
  const name = useSignal(ownName());
  // The link says whose it is; which seat it gives its token decides.
  const whose = info.seats[invitedNumber("seat") ?? -1];
  async function take(): Promise<void> {
    busy.value = true;
    told.value = say("play.sending");
    try {
      const own = info.open_table ? name.value.trim() : undefined;
      const { key, recovery } = await accept(service().match(info.id), token, own);
      kept.keepKey(key, onDevice.value);
      if (own !== undefined) keepName(own, onDevice.value);
      if (recovery !== undefined) kept.table = { recovery };
      enter();
    } catch (error) {
      told.value = reason(error);
      used.value = error instanceof ArbiterError && error.code === "invitation_accepted";
      full.value = error instanceof ArbiterError && error.code === "table_full";
    } finally {
      busy.value = false;
    }
  }
  if (info.status === "void") return <Closed info={info} />;
  if (full.value) return <Full {...{ kept, info, enter }} />;
  return (
    <section class="door-way">
      <h1>{say("play.invitation")}</h1>
      <About info={info} />
      <p>{info.open_table ? say("play.friend.invited", { name: takenSeats(info)[0] ?? "" }) : say(whose === undefined ? "play.invitation.about" : "play.invitation.whose", { name: whose ?? "" })}</p>
      {info.open_table && (
        <label class="labelled">
          {say("play.friend.name")}
          <input value={name.value} maxLength={64} autocomplete="nickname" onInput={(event) => (name.value = event.currentTarget.value)} />
        </label>
      )}
      <label class="tick">
        <input type="checkbox" checked={onDevice.value} onChange={(event) => (onDevice.value = event.currentTarget.checked)} />
        {say("key.on_device")}
      </label>
      <p class="choices">
        <button type="button" disabled={busy.value} onClick={() => void take()}>
          {say("play.invitation.take")}
        </button>
        {goesOn && (
          <button type="button" class="plain" onClick={enter}>
            {say("play.go_on")}
          </button>
        )}
      </p>
      <p role="status" class="told">
        {told.value}
      </p>
      {used.value && (
        <>
          <p>{say(info.open_table ? "play.used" : "play.used.own")}</p>
          <OwnKey {...{ kept, info, enter }} />
        </>
      )}
      <p class="hint">
        {info.open_table && say("play.friend.public")} {say("play.invitation.lost")}
      </p>
    </section>
  );
}

/** Who opened the table has closed it again, or nobody has come to it. */
function Closed({ info }: { info: Schemas["ShownMatch"] }): VNode {
  return (
    <section class="door-way">
      <h1>{say("play.closed")}</h1>
      <About info={info} />
      {info.open_table && (
        <p>
          <a class="door" href={below(`/play?game=${info.game}`)}>{say("play.friend")}</a>
        </p>
      )}
    </section>
  );
}

/** Nobody can sit down at a table that is full; those who sit there come back, and others watch. */
function Full({ kept, info, enter }: DoorProps): VNode {
  return (
    <section class="door-way">
      <h1>{say("play.full")}</h1>
      <About info={info} />
      <p>
        <a class="door" href={below(`/m/${info.id}`)}>{say("play.watch")}</a>
      </p>
      <p>{say("play.full.yours")}</p>
      <OwnKey {...{ kept, info, enter }} ended />
    </section>
  );
}

/** Whoever has a key enters it: it is looked at before it is kept. The one that is kept may have `ended`. */
function OwnKey({ kept, info, enter, ended = false }: DoorProps & { ended?: boolean }): VNode {
  async function open(given: string, onDevice: boolean): Promise<void> {
    const key = info.open_table && !given.startsWith("arb_") ? await recovered(info.id, given) : given;
    const { audience } = await service(key).match(info.id).view();
    if (!audience.startsWith("seat:")) throw new Refusal(say("play.key.no_seat"));
    kept.keepKey(key, onDevice);
    enter();
  }
  const label = say(info.open_table ? "play.key.or_code" : "play.key.yours");
  return <KeyForm label={label} typed={info.open_table} action={say("play.key.enter")} use={open} stays={ended || kept.key === undefined} />;
}

/** Asks whoever has no invitation for a key. */
export function KeyDoor({ kept, info, enter, told }: DoorProps & { told: string }): VNode {
  return (
    <section class="door-way">
      <h1>{say("play.title")}</h1>
      <About info={info} />
      <p>{say(info.open_table ? "play.friend.no_key" : "play.no_key")}</p>
      {told !== "" && <Notice>{told}</Notice>}
      <OwnKey {...{ kept, info, enter }} ended={told !== ""} />
      {kept.key !== undefined && <ForgetButton kept={kept} table={info.open_table} />}
      <p>
        <a href={below(`/m/${info.id}`)}>{say("play.watch")}</a>
      </p>
    </section>
  );
}

/** A new key to a seat of an open table, by its recovery code. */
async function recovered(match: string, code: string): Promise<string> {
  const sent = { method: "POST", body: { code }, headers: { "Idempotency-Key": newKey() } } as const;
  return (await service().request<Schemas["RecoveredKey"]>(`/matches/${match}/recover`, sent)).data.key;
}

function About({ info }: { info: Schemas["ShownMatch"] }): VNode {
  return (
    <>
      <p class="match-head">
        <b>{info.title}</b> <bdi>{joined(takenSeats(info))}</bdi>
      </p>
      <HowToPlay game={info.game} />
      {info.clock === "rules" && <ClockNote game={info.game} options={info.options} />}
    </>
  );
}

/** Under an idempotency key of this tab: with it the same key is given again, also after a reload. */
async function accept(match: Match, token: string, own?: string): Promise<Schemas["AcceptedInvitation"]> {
  const name = `arbiter invitation: match ${match.id}`;
  const [known, drawn] = JSON.parse(tab.get(name) ?? "[]") as [string?, string?];
  const idempotencyKey = known === token && drawn !== undefined ? drawn : newKey();
  tab.set(name, JSON.stringify([token, idempotencyKey]));
  const accepted = await match.acceptInvitation(token, { idempotencyKey, ...(own === undefined ? {} : { name: own }) });
  tab.remove(name);
  return accepted;
}
