// Runs a tournament of two to its champion; prints who was drafted, what has grown, and the places.
import { Arbiter } from "@arbiter/client";

const [url, , key] = process.argv.slice(2);
const arbiter = new Arbiter({ url, key });
const { id } = await arbiter.createTournament({ name: "Cup", players: ["Ann"], moderators: ["Mo"] });
const cup = arbiter.tournament(id);
await cup.enterAll("name,external_id\nBen,7\n");
if ((await cup.roster())[1].external_id !== "7") throw new Error("not on the roster");
const match = { game: "dollar-prize", rulings: "single" };
const { stage } = await cup.addStage({ name: "Final", format: "swiss", rounds: 1, match, round: { start: "at_once" } });
const drafted = await cup.draft(stage);
console.log("drafted", JSON.stringify(drafted.round.pairings[0].players));
await cup.publish(stage, drafted);
const hints = {};
const grown = new Promise((told) => (hints.onGrown = told));
let ended;
for await (const line of cup.follow(hints)) {
  if (line.type === "tournament.round-match-created.1") await voided(line.data.match);
  if (line.type === "tournament.round-closed.1") ended = finished();
}
const kinds = [];
for await (const ruling of cup.rulings()) kinds.push(ruling.kind);
console.log("ruled", JSON.stringify(kinds));
console.log("champions", JSON.stringify((await ended).champions));
console.log("places", JSON.stringify((await cup.standings({ stage })).rows.map((row) => row.place)));

/** Closes the tournament, once a match of it is known to have grown. */
async function finished() {
  await grown;
  await cup.closeStage(stage);
  return cup.close();
}

/** Voids a match, so that its round is closed. */
async function voided(matchId) {
  const path = `/matches/${matchId}/rulings`;
  const body = { kind: "void", reason: "They have left." };
  for (;;) {
    const preview = await arbiter.request(path, { method: "POST", body: { ...body, preview: true } });
    const headers = { "If-Match": preview.headers.get("ETag") };
    try {
      return await arbiter.request(path, { method: "POST", body, headers });
    } catch (error) {
      if (error.code !== "stale") throw error;
    }
  }
}
