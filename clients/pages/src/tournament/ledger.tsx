/** The ledger of garnets, as far as a key shows it. */
import { newKey, query, type Schemas } from "@arbiter/client";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Choice, Field, Form, written } from "../form.js";
import { say } from "../given.js";
import { Moment } from "../parts.js";
import { isAway } from "../service.js";
import type { DeskProps } from "./desk_props.js";
import { Between, seatsOf } from "./shown.js";
import { Task } from "./task.js";

type Read = { balances: Schemas["Balance"][]; postings: Schemas["LedgerEntry"][]; next: number | null };

export function LedgerShown(props: DeskProps): VNode {
  const { cup, by } = props;
  const read = useSignal<Read | null>(null);
  /** Reads behind what is shown: all of it, or the next page if its reader asks for more. */
  async function readOn(more: boolean): Promise<void> {
    const after = read.peek()?.postings.length ?? 0;
    const { data } = await by.arbiter.request<Read>(`/tournaments/${cup.shown.id}/ledger${query({ after })}`);
    const before = read.peek();
    // Two may have read the same.
    if ((before?.postings.length ?? 0) !== after) return;
    const whole = before === null || before.next === null || more;
    read.value = whole ? { ...data, postings: [...(before?.postings ?? []), ...data.postings] } : { ...before, balances: data.balances };
  }
  // Nothing tells of postings: they are looked for whenever the tournament is.
  useEffect(() => void readOn(false).catch(unlessAway), [by, cup]);
  const shown = read.value;
  return (
    <Task title={say("tournament.ledger")}>
      {by.role === "organiser" && <GarnetsByHand {...props} />}
      {shown !== null && <Balances {...props} balances={shown.balances} />}
      {shown !== null && <Postings {...props} postings={shown.postings} />}
      {shown?.next != null && <Form label={say("tournament.ledger.more")} send={() => readOn(true)} />}
    </Task>
  );
}

/** Throws an error that does not pass. */
function unlessAway(error: unknown): void {
  if (!isAway(error)) throw error;
}

function nameOf({ cup }: DeskProps, player: number | null): string {
  return player === null ? say("tournament.account.house") : (cup.shown.players[player]?.name ?? "");
}

function Balances({ balances, ...props }: DeskProps & { balances: Schemas["Balance"][] }): VNode {
  return (
    <div class="scrolled" tabIndex={0} role="group" aria-label={say("tournament.balances")}>
      <table class="figures ledger">
        <caption>{say("tournament.balances")}</caption>
        <thead>
          <tr>
            <th scope="col">{say("tournament.player")}</th>
            <th scope="col">{say("tournament.account")}</th>
            <th scope="col" class="number">
              {say("tournament.garnets")}
            </th>
          </tr>
        </thead>
        <tbody>
          {balances.map((one) => (
            <tr key={`${one.account} ${one.player} ${one.match}`}>
              <th scope="row">
                <bdi>{nameOf(props, one.player)}</bdi>
              </th>
              <td>
                {one.match === null ? (
                  say(`tournament.account.${one.account}`)
                ) : (
                  <Between match={one.match} seats={seatsOf(props.cup, one.match)} />
                )}
              </td>
              <td class="number">{one.garnets}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Postings({ postings, ...props }: DeskProps & { postings: Schemas["LedgerEntry"][] }): VNode {
  return (
    <div class="scrolled" tabIndex={0} role="group" aria-label={say("tournament.postings")}>
      <table class="figures ledger">
        <caption>{say("tournament.postings")}</caption>
        <thead>
          <tr>
            {["number", "when", "player", "debit", "credit", "garnets", "reason"].map((head) => (
              <th key={head} scope="col" class={head === "garnets" ? "number" : ""}>
                {say(`tournament.${head}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {postings.map((one) => (
            <tr key={one.seq}>
              <td>{one.seq}</td>
              <td>
                <Moment at={one.at} />
              </td>
              <th scope="row">
                <bdi>{nameOf(props, one.player)}</bdi>
              </th>
              <td>{say(`tournament.account.${one.debit}`)}</td>
              <td>{say(`tournament.account.${one.credit}`)}</td>
              <td class="number">{one.amount}</td>
              <td>
                <bdi>{one.reason}</bdi>
                {one.reverses !== null && ` (${say("tournament.reverses", { number: one.reverses })})`}
                {one.match !== null && (
                  <>
                    {" "}
                    <Between match={one.match} seats={seatsOf(props.cup, one.match)} />
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** An organiser gives a player garnets, or takes some away. */
function GarnetsByHand({ cup, by, changed }: DeskProps): VNode {
  async function post(fields: FormData): Promise<string> {
    const [player, amount] = [Number(written(fields, "player")), Number(written(fields, "amount"))];
    const body = { player, amount, reason: written(fields, "reason") };
    const headers = { "Idempotency-Key": newKey() };
    await by.arbiter.request(`/tournaments/${cup.shown.id}/garnets`, { method: "POST", body, headers });
    await changed();
    return say("tournament.posted");
  }
  return (
    <Form label={say("tournament.post")} send={post}>
      <div class="fields-of">
        <Field label={say("tournament.player")}>
          <Choice name="player" of={cup.shown.players.map((one) => [String(one.player), one.name])} />
        </Field>
        <Field label={say("tournament.garnets")} hint={say("tournament.garnets.hint")}>
          <input name="amount" type="number" required />
        </Field>
        <Field label={say("tournament.reason")} hint={say("tournament.garnets.reason")}>
          <input name="reason" required autocomplete="off" />
        </Field>
      </div>
    </Form>
  );
}
