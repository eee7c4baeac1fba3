/** Bundles, read: what must be spelt in one way is, and nothing of it is believed yet. */
const BUNDLE = (() => {
  'use strict';

  const { Malformed } = BYTES;

  const B64 = '[A-Za-z0-9+/=]*';
  const WHOLE = '0|-?[1-9][0-9]*';
  const OPENING = new RegExp(`^{"event":"(${B64})","n":(${WHOLE}),"salt":"(${B64})"}$`);
  const WITHHELD = new RegExp(`^{"h":"(${B64})","n":(${WHOLE})}$`);
  const HASH = 32;
  const [LEAST, BEYOND] = [-(2n ** 63n), 2n ** 64n];

  /** Whether the number, so spelt, is one that MessagePack has room for. */
  const fits = (spelt) => BigInt(spelt) >= LEAST && BigInt(spelt) < BEYOND;

  /** Each line of a part, without its LF, as bytes and as ASCII. */
  const lines = (part, name) => {
    const text = BYTES.ascii(part);
    if (text !== '' && !text.endsWith('\n')) {
      throw new Malformed(`${name}: the last line has no end`);
    }
    const found = [];
    for (let from = 0, to; from < text.length; from = to + 1) {
      to = text.indexOf('\n', from);
      found.push({ bytes: part.subarray(from, to), text: text.slice(from, to) });
    }
    return found;
  };

  /** What reads a line as leaf number `index` of the match: of a public event its bytes and time,
   * of a private one the commitment to it, of a name that is withheld the hash of its leaf. */
  const leafReader = (match) => {
    const open = new RegExp(
      `^{"m":"${match}","n":(${WHOLE}),"p":"(${B64})","t":(${WHOLE}),"v":1}$`,
    );
    const hidden = new RegExp(`^{"c":"(${B64})","m":"${match}","n":(${WHOLE}),"v":1}$`);
    return ({ text, bytes }, index) => {
      const [, hash, at] = WITHHELD.exec(text) ?? [];
      if (at === String(index) && BYTES.fromB64(hash).length === HASH) {
        return { bytes, hash: BYTES.fromB64(hash), commitment: null };
      }
      const [, n, stored, time] = open.exec(text) ?? [];
      const [, commitment, number = n] = hidden.exec(text) ?? [];
      if (number !== String(index)) {
        throw new Malformed(`leaf ${index} is not spelt as leaf ${index} of this match`);
      }
      if (commitment === undefined) {
        if (!fits(time)) {
          throw new Malformed(`leaf ${index} bears no time`);
        }
        return { bytes, time, stored: BYTES.fromB64(stored), commitment: null };
      }
      const raw = BYTES.fromB64(commitment);
      if (raw.length !== HASH) {
        throw new Malformed(`leaf ${index} holds no commitment`);
      }
      return { bytes, commitment: raw };
    };
  };

  const opening = ({ text }) => {
    const [, stored, n, salt] = OPENING.exec(text) ?? [];
    if (n === undefined) {
      throw new Malformed('an opening is not spelt as one');
    }
    return { n: Number(n), stored: BYTES.fromB64(stored), salt: BYTES.fromB64(salt) };
  };

  /** The notes of a part that has a JSON string a line, as short as it can be spelt. */
  const notes = (part) => {
    const all = BYTES.text(part);
    if (all !== '' && !all.endsWith('\n')) {
      throw new Malformed('receipts: the last line has no end');
    }
    return all.split('\n').slice(0, -1).map(note);
  };

  const note = (line) => {
    let said;
    try {
      said = JSON.parse(line);
    } catch {
      throw new Malformed('a receipt cannot be read');
    }
    if (typeof said !== 'string' || JSON.stringify(said) !== line) {
      throw new Malformed('a receipt is not spelt as one');
    }
    return NOTES.read(said);
  };

  /** The key of what was seen; null if there is none. */
  const seenKey = ({ seen: key = null }, { hashes }) => {
    if ((key === null) !== (hashes.seen === undefined)) {
      throw new Malformed('there is a key of what was seen, or the manifest says so, not both');
    }
    if (key !== null && key.length !== HASH) {
      throw new Malformed('the key of what was seen has another length');
    }
    return key;
  };

  /** The bundles of a tournament's matches, by their ids. */
  const inside = (parts, { kind }) => {
    const found = Object.entries(parts)
      .map(([name, part]) => [ARCHIVE.matchIn(name), part])
      .filter(([match]) => match !== null);
    if (found.length > 0 && kind === 'match') {
      throw new Malformed('a match has no matches in it');
    }
    return new Map(found);
  };

  /** The bundle in these bytes. Throws Malformed unless everything is spelt as it must be. */
  const read = (bytes) => {
    const parts = ARCHIVE.unpack(bytes);
    const [manifestNote, checkpointNote] = ['manifest', 'checkpoint']
      .map((name) => NOTES.read(BYTES.text(parts[name])));
    const manifest = NOTES.manifest(manifestNote.text);
    return {
      parts,
      manifestNote,
      checkpointNote,
      manifest,
      checkpoint: NOTES.checkpoint(checkpointNote.text),
      leaves: lines(parts.leaves, 'leaves').map(leafReader(manifest.match)),
      openings: lines(parts.openings, 'openings').map(opening),
      receipts: notes(parts.receipts),
      matches: inside(parts, manifest),
      seenKey: seenKey(parts, manifest),
    };
  };

  return { read };
})();
