'use strict';

/*
 * Runs the script of the verifier's page without a page, and asks it things.
 *
 *   node arbiter.js <the page>
 *
 * Standard input has a question a line, as JSON: what is asked, and with what. Standard output gets
 * an answer a line: a value, or why there is none. Bytes are hexadecimal on the way.
 */

const fs = require('node:fs');
const vm = require('node:vm');

/** The one script of the page, run as it stands. */
function load(path) {
  const page = fs.readFileSync(path, 'utf8');
  const [, script, ...more] = page.split('<script>');
  if (more.length > 0) {
    throw new Error('the page has several scripts');
  }
  vm.runInThisContext(script.split('</script>')[0], { filename: path });
  return globalThis.Arbiter;
}

const unhex = (text) => new Uint8Array(Buffer.from(text, 'hex'));

/** A value as JSON can hold it: bytes, whole numbers beyond the exact ones, and fractions. */
function shown(value) {
  const { bytes, msgpack } = globalThis.Arbiter;
  if (value instanceof Uint8Array) return { bytes: bytes.hex(value) };
  if (value instanceof msgpack.Fraction) return { fraction: bytes.hex(value.raw) };
  if (typeof value === 'bigint') return { whole: String(value) };
  if (Array.isArray(value)) return value.map(shown);
  if (value === null || typeof value !== 'object') return value;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return { map: entries.map(([key, item]) => [key, shown(item)]) };
}

/** A draw derived from the seed, with every step on the way. */
function derived({ match, epoch, seed, rules, roster, seeds, id, parts }) {
  const { chance } = globalThis.Arbiter;
  const committed = {
    epoch,
    commit: chance.commit(match, epoch, unhex(seed)),
    rules_hash: unhex(rules),
    roster_hash: unhex(roster),
  };
  const transcript = chance.transcript(match, committed, chance.clients(seeds));
  const master = chance.master(unhex(seed), transcript);
  const name = `e${epoch}/${id}`;
  const key = chance.drawKey(master, name);
  const hex = (bytes) => Buffer.from(bytes).toString('hex');
  return {
    commit: hex(committed.commit),
    transcript: hex(transcript),
    master: hex(master),
    key: hex(key),
    key_commit: hex(chance.keyCommit(name, key)),
    outcome: globalThis.Arbiter.draw(unhex(seed), transcript, epoch, { id, parts }).outcome,
  };
}

const ANSWERS = {
  verify: ({ bundle, keys, checkpoints, receipts }) => (
    globalThis.Arbiter.verify(unhex(bundle), keys, { checkpoints, receipts })
  ),
  decode: ({ bytes }) => shown(globalThis.Arbiter.msgpack.decode(unhex(bytes))),
  record: ({ bytes, game }) => shown(globalThis.Arbiter.events.record(unhex(bytes), game).event),
  kinds: () => [...globalThis.Arbiter.events.KINDS]
    .map(([name, { audience, names }]) => [name, audience, names]),
  roots: ({ leaves, sizes }) => globalThis.Arbiter.merkle.roots(leaves.map((leaf) => ({ bytes: unhex(leaf) })), sizes)
    .map((root) => Buffer.from(root).toString('hex')),
  note: ({ text }) => {
    const { text: said, signatures } = globalThis.Arbiter.notes.read(text);
    return { said, signatures: signatures.map(({ name, id, raw }) => [name, id, shown(raw)]) };
  },
  key: ({ text }) => {
    const { name, purpose, id } = globalThis.Arbiter.notes.verifierKey(text);
    return { name, purpose, id };
  },
  signed: async ({ text, keys, purpose }) => {
    const { notes } = globalThis.Arbiter;
    return notes.signedFor(purpose, await notes.keyring(keys), notes.read(text));
  },
  text: ({ kind, text }) => shown(globalThis.Arbiter.notes[kind](text)),
  draw: derived,
  rulesHash: ({ game, version, options }) => (
    shown(globalThis.Arbiter.chance.rulesHash({ game, rules_version: version, options }))
  ),
  agrees: () => globalThis.Arbiter.agrees(),
  rows: ({ records, holding }) => {
    const { listing } = globalThis.Arbiter;
    return listing.holding(listing.rows(records), holding);
  },
};

async function answered({ ask, ...given }) {
  try {
    return { answer: await ANSWERS[ask](given) };
  } catch (error) {
    return { error: error.constructor.name, why: error.message };
  }
}

/** The lines of a stream. node's readline ends lines at more characters than a newline. */
async function* linesOf(stream) {
  let begun = [];
  for await (let chunk of stream) {
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n')) {
      yield Buffer.concat([...begun, chunk.subarray(0, end)]).toString('utf8');
      begun = [];
      chunk = chunk.subarray(end + 1);
    }
    begun.push(chunk);
  }
}

async function main([path]) {
  load(path);
  for await (const line of linesOf(process.stdin)) {
    process.stdout.write(`${JSON.stringify(await answered(JSON.parse(line)))}\n`);
  }
}

main(process.argv.slice(2));
