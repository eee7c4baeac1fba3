// What the types know, for the compiler alone: nothing here is run.
import { Arbiter, ArbiterError, HistoryWentBack } from "@arbiter/client";
import type { Action, Line, Schemas, View } from "@arbiter/client";

const arbiter = new Arbiter({ url: "http://127.0.0.1:8000", key: "organiser" });
const made = await arbiter.createMatch({ game: "dollar-prize", seats: ["Ann", "Ben"] });
const match = arbiter.match(made.id, made.seats[0]?.key);

const totals = (view: View): number[] => (view.game === "dollar-prize" ? view.view?.totals : undefined) ?? [];
const winners = (line: Line): number[] => (line.type === "match.ended.1" ? line.data.result.winners : []);
const side: Action = { type: "choose_side", side: "heads" };
const row: Schemas["MatchRow"] | undefined = (await arbiter.matches({ status: "running" }).next()).value ?? undefined;

// @ts-expect-error: there is no such side.
const edge: Action = { type: "choose_side", side: "edge" };
// @ts-expect-error: no such game can be created.
await arbiter.createMatch({ game: "chess", seats: ["Ann", "Ben"] });
// @ts-expect-error: a moderator closes what they have seen.
await match.closePhase();

for await (const line of match.follow({ after: await match.view(), as: "seat:0" })) console.log(winners(line));
const result = await match.bot(({ actions }) => actions[0]?.examples[0] ?? side, { onEvent: winners });
console.log(totals(await match.view({ at: 3 })), result?.scores, row, edge);
console.log(new HistoryWentBack({ type: "", title: "", status: 409, code: "" }) instanceof ArbiterError);
