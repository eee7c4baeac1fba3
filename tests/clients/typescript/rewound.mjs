// A seat that follows from the first event up to a rewind, and acts behind it: URL MATCH KEY EVENTS
import { Arbiter } from "@arbiter/client";

const [url, id, key, count] = process.argv.slice(2);
const match = new Arbiter({ url, key }).match(id);
for await (const line of match.follow()) if (line.seq >= Number(count)) break;
const { receipt } = await match.seed("mine");
await match.note();
console.log(receipt.valid);
