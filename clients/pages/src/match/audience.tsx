/** As which audience the match is seen, and the key that this takes. */
import type { Audience } from "@arbiter/client";
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { say } from "../given.js";
import { ForgetKey, KeyForm, sureToForget } from "../key_form.js";
import { forget, keep } from "../keys.js";
import { service } from "../service.js";
import { Unkept } from "../unkept.js";
import { audiences, info, key, own, page, problem, reading, shown, switchTo } from "./watch.js";

/** Whether this browser keeps a key. */
const kept = signal(key() !== undefined);

export function AudienceChoice(): VNode {
  const as = reading.value?.audience ?? "public";
  const choices = audiences.value.includes(as) ? audiences.value : [...audiences.value, as];
  return (
    <section class="match-audience" aria-labelledby="audience">
      <h2 id="audience">{say("match.as")}</h2>
      {choices.length > 1 && (
        <select aria-labelledby="audience" value={as} onChange={(event) => void switchTo(event.currentTarget.value as Audience)}>
          {choices.map((one) => (
            <option key={one} value={one}>
              {named(one)}
            </option>
          ))}
        </select>
      )}
      {choices.length === 1 && <p>{named(as)}</p>}
      <KeyChoice />
    </section>
  );
}

/** To give a key, or to forget the one that is kept. */
export function KeyChoice(): VNode {
  return kept.value ? <Forget /> : <GiveKey />;
}

/** An audience in words. */
export function named(audience: Audience): string {
  if (audience === "public" || audience === "moderator") return say(`match.as.${audience}`);
  const seat = Number(audience.slice("seat:".length));
  return say(own.value === audience ? "match.as.own" : "match.as.seat", { seat, name: info.value.seats[seat] ?? seat });
}

function Forget(): VNode {
  function forgetKey(): void {
    if (own.value?.startsWith("seat:") === true && !sureToForget(info.value.open_table)) return;
    forget(`match ${page.match.id}`);
    if (page.match.tournament !== null) forget(`tournament ${page.match.tournament}`);
    kept.value = false;
    own.value = null;
    problem.value = null;
    const as = reading.value?.audience ?? page.as;
    if (!audiences.value.includes(as)) [shown.value, reading.value] = [null, null];
    // Anew in any case: what has been read, what reads on and what is being asked for has the key.
    void switchTo(audiences.value.includes(as) ? as : "public");
  }
  return (
    <>
      <Unkept />
      <p>
        <ForgetKey forget={forgetKey} />
      </p>
    </>
  );
}

function GiveKey(): VNode {
  return (
    <details class="match-key">
      <summary>{say("match.key.give")}</summary>
      <KeyForm use={use} />
    </details>
  );
}

/** Keeps the key, and shows the match as the audience that it is for. */
async function use(key: string, onDevice: boolean): Promise<void> {
  const { audience } = await service(key).match(page.match.id).view();
  keep(`match ${page.match.id}`, key, onDevice);
  kept.value = true;
  own.value = audience as Audience;
  problem.value = null;
  if (audience !== "public") void switchTo(own.value);
}
