// Prints each event of a seat as it comes, by `follow` or by `play`: WAY URL MATCH KEY.
import { Arbiter } from "@arbiter/client";

const [way, url, match, key] = process.argv.slice(2);
for await (const line of new Arbiter({ url, key }).match(match)[way]()) console.log(JSON.stringify(line));
