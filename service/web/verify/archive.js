/**
 * The file of a bundle: a zip (PKWARE APPNOTE, 4.3) in the one form of it that counts, so that no
 * byte of it can be another one.
 */
const ARCHIVE = (() => {
  'use strict';

  const { Malformed } = BYTES;

  const SEEN_PART = 'seen';
  /** The last one is only there when the match is over. */
  const PARTS = ['manifest', 'checkpoint', 'leaves', 'openings', 'receipts', SEEN_PART];
  const BEGINNING = Uint8Array.of(0x50, 0x4b, 3, 4);
  const LOCAL = 30;
  const SIZE_AT = 18;
  const NAME_LENGTH_AT = 26;
  /** The bundle of a match in that of its tournament. */
  const INSIDE = /^matches\/([0-9a-f-]{36})\.arb$/;
  const VERSION = 20;
  const FIRST_DAY = 0x0021;

  /** For each byte: the remainder that it leaves (ISO 3309, the polynomial turned round). */
  const REMAINDERS = Int32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
    }
    return rest;
  });

  /** CRC-32 of the bytes. */
  const crc32 = (bytes) => {
    let rest = -1;
    for (const byte of bytes) {
      rest = (rest >>> 8) ^ REMAINDERS[(rest ^ byte) & 0xff];
    }
    return ~rest >>> 0;
  };

  /** Numbers one after another, little-endian: each with how many bytes it takes. */
  const numbers = (...sized) => {
    const bytes = new Uint8Array(sized.reduce((length, [size]) => length + size, 0));
    const view = new DataView(bytes.buffer);
    let at = 0;
    for (const [size, number] of sized) {
      (size === 2 ? view.setUint16 : view.setUint32).call(view, at, number, true);
      at += size;
    }
    return bytes;
  };

  const two = (...values) => values.map((value) => [2, value]);
  const four = (...values) => values.map((value) => [4, value]);

  /** What both headers of a part say of it: 4.4.2 to 4.4.11. */
  const common = (name, content) => [
    ...two(VERSION, 0, 0, 0, FIRST_DAY),
    ...four(crc32(content), content.length, content.length),
    ...two(name.length, 0),
  ];

  /** The zip of these parts, in its one form. */
  const pack = (parts) => {
    const [body, index] = [[], []];
    let offset = 0;
    const names = [
      ...PARTS.filter((name) => name !== SEEN_PART || parts[name] !== undefined),
      ...Object.keys(parts).filter((name) => !PARTS.includes(name)),
    ];
    for (const name of names) {
      const [raw, said] = [BYTES.utf8(name), common(name, parts[name])];
      const central = [...two(VERSION), ...said, ...two(0, 0, 0), ...four(0, offset)];
      body.push(numbers(...four(0x04034b50), ...said), raw, parts[name]);
      index.push(numbers(...four(0x02014b50), ...central), raw);
      offset += LOCAL + raw.length + parts[name].length;
    }
    const listed = BYTES.concat(...index);
    const ending = [...two(0, 0, names.length, names.length), ...four(listed.length, offset)];
    return BYTES.concat(...body, listed, numbers(...four(0x06054b50), ...ending, ...two(0)));
  };

  /** The name of the file that begins here; null if none does. */
  const nameAt = (bundle, view, offset) => {
    if (!BYTES.equal(bundle.subarray(offset, offset + BEGINNING.length), BEGINNING)) {
      return null;
    }
    if (offset + LOCAL > bundle.length) {
      throw new Malformed('it breaks off');
    }
    const start = offset + LOCAL;
    const name = bundle.subarray(start, start + view.getUint16(offset + NAME_LENGTH_AT, true));
    return String.fromCharCode(...name.subarray(0, LOCAL + LOCAL));
  };

  /** The match whose bundle is in a file of this name; null if it is no such file. */
  const matchIn = (name) => INSIDE.exec(name)?.[1] ?? null;

  /** The parts of a bundle, by their names. Throws Malformed unless it is in its one form. */
  const unpack = (bundle) => {
    const view = new DataView(bundle.buffer, bundle.byteOffset, bundle.byteLength);
    const parts = {};
    let offset = 0;
    const take = (name) => {
      const start = offset + LOCAL + name.length;
      if (start > bundle.length) {
        throw new Malformed('it breaks off');
      }
      offset = start + view.getUint32(offset + SIZE_AT, true);
      parts[name] = bundle.subarray(start, offset);
    };
    for (const name of PARTS) {
      if (name === SEEN_PART && nameAt(bundle, view, offset) !== SEEN_PART) {
        break;
      }
      take(name);
    }
    for (let name = nameAt(bundle, view, offset); name !== null;
      name = nameAt(bundle, view, offset)) {
      if (matchIn(name) === null || parts[name] !== undefined) {
        throw new Malformed('it has a file that no bundle has');
      }
      take(name);
    }
    if (!BYTES.equal(pack(parts), bundle)) {
      throw new Malformed('not a bundle, or not in the one form of it');
    }
    return parts;
  };

  return { matchIn, pack, unpack };
})();
