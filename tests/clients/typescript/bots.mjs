// Plays all seats of a match, and prints `acts` whenever one of them is about to, and at the end
// their receipts and results: URL MATCH KEY...
import { Arbiter } from "@arbiter/client";

const [url, id, ...keys] = process.argv.slice(2);
const seats = keys.map((key) => new Arbiter({ url }).match(id, key));
const results = await Promise.all(seats.map((seat) => seat.bot((menu) => {
  console.log("acts");
  return menu.actions.at(-1).examples[0];
})));
console.log(JSON.stringify({ results, receipts: seats.flatMap(({ receipts }) => receipts) }));
