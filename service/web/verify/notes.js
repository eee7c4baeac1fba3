/**
 * Signed notes (<https://c2sp.org/signed-note>), the keys that check them, and the four texts that
 * are signed: checkpoint, receipt, creation note and manifest. Each has one spelling. Ed25519 is
 * the browser's.
 */
const NOTES = (() => {
  'use strict';

  const { Malformed } = BYTES;

  const ED25519 = 1;
  const DASH = '— ';
  const KEY_ID = 4;
  const MOST_SIGNATURES = 16;
  /** No space of Unicode and no plus. */
  const NAME = new RegExp(
    '^[^\\u0009-\\u000d\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f'
    + '\\u205f\\u3000+]+$',
    'u',
  );

  const malformed = (why) => {
    throw new Malformed(why);
  };

  // Keys.

  /** The first four bytes of SHA-256 over name, LF, kind and key. */
  const keyId = (name, kindAndKey) =>
    SHA.sha256(BYTES.concat(BYTES.utf8(`${name}\n`), kindAndKey)).slice(0, KEY_ID);

  /** The part before the first `mark`, and the part after it. */
  const cut = (text, mark) => {
    const at = text.indexOf(mark);
    return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)];
  };

  /** The key in the form `<name>+<id>+<base64>`. Throws Malformed. */
  const verifierKey = (text) => {
    const [name, rest] = cut(text, '+');
    const [id, encoded] = cut(rest, '+');
    const raw = BYTES.fromB64(encoded);
    if (!NAME.test(name) || raw.length !== 33 || raw[0] !== ED25519) {
      malformed('not a verifier key');
    }
    if (BYTES.hex(keyId(name, raw)) !== id) {
      malformed('the verifier key does not have the id that it says');
    }
    return { name, id, raw: raw.slice(1), purpose: name.slice(name.lastIndexOf('/') + 1) };
  };

  // Notes.

  const signature = (line) => {
    const [name, encoded] = cut(line.slice(DASH.length), ' ');
    const raw = BYTES.fromB64(encoded);
    if (!line.startsWith(DASH) || !NAME.test(name) || raw.length <= KEY_ID) {
      malformed('not a signature line');
    }
    return { name, id: BYTES.hex(raw.slice(0, KEY_ID)), raw: raw.slice(KEY_ID) };
  };

  /** The text of a note, which ends in LF, and its signatures. Throws Malformed. */
  const read = (note) => {
    if (/[\u0000-\u0009\u000b-\u001f]/.test(note)) {
      malformed('a control character');
    }
    const blank = note.lastIndexOf('\n\n');
    const lines = note.slice(blank + 2).split('\n');
    if (blank < 0 || lines.pop() !== '' || lines.length === 0) {
      malformed('no signatures after a blank line');
    }
    if (lines.length > MOST_SIGNATURES) {
      malformed('too many signatures');
    }
    return { text: note.slice(0, blank + 1), signatures: lines.map(signature) };
  };

  // Ed25519.

  /** This browser cannot check what has to be checked: nothing can be said of a bundle. */
  class Unable extends Error {}

  const imported = async (key) => {
    try {
      const use = ['verify'];
      return await crypto.subtle.importKey('raw', key.raw, { name: 'Ed25519' }, false, use);
    } catch (error) {
      if (error.name === 'DataError') {
        return null;
      }
      throw new Unable(
        'This browser cannot check Ed25519 signatures here: use a newer one, and open the page '
        + 'from disk or over https.',
      );
    }
  };

  const holds = async (key, text, signed) => {
    if (key.name !== signed.name || key.id !== signed.id || key.imported === null) {
      return false;
    }
    const algorithm = { name: 'Ed25519' };
    return crypto.subtle.verify(algorithm, key.imported, signed.raw, BYTES.utf8(text));
  };

  /** The keys of these texts, ready to check with. Throws Malformed or Unable. */
  const keyring = async (texts) => {
    if (crypto.subtle && !await SHA.agrees()) {
      throw new Unable('This page and this browser do not agree on SHA-256: use another one.');
    }
    const keys = texts.map(verifierKey);
    const ready = await Promise.all(keys.map(imported));
    return keys.map((key, place) => ({ ...key, imported: ready[place] }));
  };

  /** Whether a key of this purpose has signed the note. */
  const signedFor = async (purpose, keys, note) => {
    for (const key of keys.filter((one) => one.purpose === purpose)) {
      for (const signed of note.signatures) {
        if (await holds(key, note.text, signed)) {
          return true;
        }
      }
    }
    return false;
  };

  // Texts.

  const MATCH = '[0-9a-f-]{36}';
  const NATURAL = '0|[1-9][0-9]';
  const HASH = '[A-Za-z0-9+/]{43}=';
  const INSTANT = '[0-9T:.Z-]{20,27}';

  const form = (...lines) => new RegExp(`^${lines.join('')}$`);
  const CHECKPOINT = form(
    `arbiter-log/1/(?<match>${MATCH})\n`,
    `(?<size>${NATURAL}{0,15})\n`,
    `(?<root>${HASH})\n`,
  );
  const SUBMISSION = [
    `seat (?<seat>${NATURAL}{0,3}|moderator)\n`,
    '(?:ruling (?<ruling>[ -~]{1,255})\n)?',
    'count (?<count>[1-9][0-9]{0,15})\n',
    'phase (?<phase>[!-~]+)\n',
    `received (?<received>${INSTANT})\n`,
    `recorded (?<recorded>${INSTANT})\n`,
    'status (?<status>accepted|(?:invalid|refused) [a-z0-9_]+)\n',
    '(?:key (?<key>[!-~]{1,255})\n)?',
    `commitment (?<commitment>${HASH})\n`,
    `nonce (?<nonce>${HASH})\n`,
    `seen (?<seen>${HASH})\n`,
  ];
  const SEED = `seed-committed (?<seed>-|${HASH})\n`;
  const OF_MATCH = `match (?<match>${MATCH})\n`;
  const OF_EITHER = `(?<kind>match|tournament) (?<match>${MATCH})\n`;
  const RECEIPT_VERSION = 1;
  const RECEIPT = form(`arbiter-receipt/${RECEIPT_VERSION}\n`, OF_EITHER, SEED, ...SUBMISSION);
  const CREATION = form(
    'arbiter-creation/1\n',
    OF_MATCH,
    `created (?<created>${HASH})\n`,
    SEED,
  );
  const MANIFEST = form(
    'arbiter-bundle/1\n',
    OF_EITHER,
    `audience (?<audience>public|seat:(?:${NATURAL}{0,3})|moderator)\n`,
    'rules (?<game>[a-z0-9-]+) (?<version>[1-9][0-9]{0,8})\n',
    `leaves (?<leaves>${HASH})\n`,
    `openings (?<openings>${HASH})\n`,
    `receipts (?<receipts>${HASH})\n`,
    `(?:seen (?<seen>${HASH})\n)?`,
    `(?:matches (?<matches>${HASH})\n)?`,
  );

  const said = (pattern, text, name) => (pattern.exec(text) ?? malformed(`not a ${name}`)).groups;

  /** What a checkpoint says: of which match, how many leaves, and the root of their tree. */
  const checkpoint = (text) => {
    const { match, size, root } = said(CHECKPOINT, text, 'checkpoint');
    return { match, size: Number(size), root: BYTES.fromB64(root) };
  };

  /** The hash of the commitment to a seed; null where draws are entered by hand. */
  const seedIn = (spelt) => (spelt === '-' ? null : BYTES.fromB64(spelt));

  /** What a receipt says, of a match or a tournament (`kind`) with the id `match`; `seat` is `moderator` of what was ordered; `ruling`, `phase` and `key` are
   * null where there is none, and `seedCommitted`, the hash of the commitment to the seed, where
   * draws are entered by hand. */
  const receipt = (text) => {
    const {
      seat, ruling, count, phase, key, commitment, seed, nonce, seen, ...rest
    } = said(RECEIPT, text, 'receipt');
    return {
      ...rest,
      seat: seat === 'moderator' ? seat : Number(seat),
      ruling: ruling ?? null,
      count: Number(count),
      phase: phase === '-' ? null : phase,
      key: key ?? null,
      commitment: BYTES.fromB64(commitment),
      seedCommitted: seedIn(seed),
      nonce: BYTES.fromB64(nonce),
      seen: BYTES.fromB64(seen),
    };
  };

  const isCreation = (text) => text.startsWith('arbiter-creation/');

  /** What a creation note says: of which match, the hash of its creation, and that of the
   * commitment to its seed. */
  const creation = (text) => {
    const { match, created, seed } = said(CREATION, text, 'creation note');
    return { match, created: BYTES.fromB64(created), seedCommitted: seedIn(seed) };
  };

  /** What a manifest says; `seat` is null unless the bundle is a seat's. */
  const manifest = (text) => {
    const {
      kind, match, audience, game, version, matches, ...hashes
    } = said(MANIFEST, text, 'manifest');
    if ((matches === undefined) !== (kind === 'match')) {
      malformed('the manifest of a tournament, and no other, has matches');
    }
    const seat = audience.startsWith('seat:') ? Number(audience.slice(5)) : null;
    const there = Object.entries(hashes).filter(([, hash]) => hash !== undefined);
    const spelt = there.map(([name, hash]) => [name, BYTES.fromB64(hash)]);
    return {
      kind,
      match,
      audience,
      seat,
      game,
      rulesVersion: Number(version),
      hashes: Object.fromEntries(spelt),
      matches: matches === undefined ? null : BYTES.fromB64(matches),
    };
  };

  return {
    Unable, verifierKey, keyring, read, signedFor, checkpoint, receipt, isCreation, creation,
    manifest,
  };
})();
