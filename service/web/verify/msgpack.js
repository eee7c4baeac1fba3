/**
 * MessagePack (<https://github.com/msgpack/msgpack/blob/master/spec.md>) as records are stored in:
 * each value in its shortest form, and in no other.
 *
 * Maps are objects, or a Map where an object would not keep the order of the keys; whole numbers
 * that a number cannot hold exactly are BigInts, and a fraction is a `Fraction`, so that whatever
 * is read can be written as it was.
 */
const MSGPACK = (() => {
  'use strict';

  const { Malformed } = BYTES;

  /** Nothing on a record lies deeper. */
  const DEEPEST = 100;

  /** A number that is not whole by its kind, as its eight bytes (IEEE 754). */
  class Fraction {
    constructor(raw) {
      this.raw = raw;
    }
  }

  const wrong = (why) => {
    throw new Malformed(`MessagePack: ${why}`);
  };

  /** What is read, and how far it has been read. */
  class Reading {
    constructor(bytes) {
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.at = 0;
    }

    /** Where the next `count` bytes begin, which are read now. */
    skip(count) {
      const from = this.at;
      if (count > this.bytes.length - from) {
        wrong('it ends too soon');
      }
      this.at = from + count;
      return from;
    }

    take(count) {
      const from = this.skip(count);
      return this.bytes.slice(from, from + count);
    }

    u8() {
      return this.bytes[this.skip(1)];
    }

    u16() {
      return this.view.getUint16(this.skip(2));
    }

    u32() {
      return this.view.getUint32(this.skip(4));
    }
  }

  /** The number, which would have been shorter if it were below `least`. */
  const atLeast = (least, number) => {
    if (number < least) {
      wrong('a number that could be shorter');
    }
    return number;
  };

  const atMost = (most, number) => {
    if (number > most) {
      wrong('a number that could be shorter');
    }
    return number;
  };

  /** A whole number that a number holds exactly is one. */
  const plain = (big) => {
    const small = big >= BigInt(Number.MIN_SAFE_INTEGER) && big <= BigInt(Number.MAX_SAFE_INTEGER);
    return small ? Number(big) : big;
  };

  const readText = (reading, length) => {
    const from = reading.skip(length);
    return BYTES.text(reading.bytes.subarray(from, from + length));
  };

  const readList = (reading, length, depth) => {
    const list = [];
    for (let place = 0; place < length; place += 1) {
      list.push(readValue(reading, depth + 1));
    }
    return list;
  };

  const readKey = (reading) => {
    const key = readValue(reading, DEEPEST);
    return typeof key === 'string' ? key : wrong('a name that is no text');
  };

  /** Whether an object puts this name elsewhere than at its end, or takes it for something else. */
  const misplaced = (key) => /^[0-9]+$/.test(key) || key === '__proto__';

  const readMap = (reading, length, depth) => {
    const entries = new Map();
    let ordered = true;
    for (let place = 0; place < length; place += 1) {
      const key = readKey(reading);
      if (entries.has(key)) {
        wrong('a name stands twice');
      }
      ordered = ordered && !misplaced(key);
      entries.set(key, readValue(reading, depth + 1));
    }
    return ordered ? Object.fromEntries(entries) : entries;
  };

  const shortText = (read, least) => (reading) => readText(reading, atLeast(least, read(reading)));
  const shortBytes = (read, least) => (reading) => reading.take(atLeast(least, read(reading)));
  const u8 = (reading) => reading.u8();
  const u16 = (reading) => reading.u16();
  const u32 = (reading) => reading.u32();

  /** What follows each first byte from 0xc0 to 0xdf; `reserved` and what is not here cannot be. */
  const FORMS = {
    0xc0: () => null,
    0xc2: () => false,
    0xc3: () => true,
    0xc4: shortBytes(u8, 0),
    0xc5: shortBytes(u16, 2 ** 8),
    0xc6: shortBytes(u32, 2 ** 16),
    0xcb: (reading) => new Fraction(reading.take(8)),
    0xcc: (reading) => atLeast(2 ** 7, reading.u8()),
    0xcd: (reading) => atLeast(2 ** 8, reading.u16()),
    0xce: (reading) => atLeast(2 ** 16, reading.u32()),
    0xcf: (reading) => atLeast(2 ** 32, plain(reading.view.getBigUint64(reading.skip(8)))),
    0xd0: (reading) => atMost(-(2 ** 5) - 1, reading.view.getInt8(reading.skip(1))),
    0xd1: (reading) => atMost(-(2 ** 7) - 1, reading.view.getInt16(reading.skip(2))),
    0xd2: (reading) => atMost(-(2 ** 15) - 1, reading.view.getInt32(reading.skip(4))),
    0xd3: (reading) => atMost(-(2 ** 31) - 1, plain(reading.view.getBigInt64(reading.skip(8)))),
    0xd9: shortText(u8, 2 ** 5),
    0xda: shortText(u16, 2 ** 8),
    0xdb: shortText(u32, 2 ** 16),
    0xdc: (reading, depth) => readList(reading, atLeast(2 ** 4, reading.u16()), depth),
    0xdd: (reading, depth) => readList(reading, atLeast(2 ** 16, reading.u32()), depth),
    0xde: (reading, depth) => readMap(reading, atLeast(2 ** 4, reading.u16()), depth),
    0xdf: (reading, depth) => readMap(reading, atLeast(2 ** 16, reading.u32()), depth),
  };

  const readValue = (reading, depth) => {
    if (depth > DEEPEST) {
      wrong('it lies too deep');
    }
    const first = reading.u8();
    if (first < 0x80) {
      return first;
    }
    if (first < 0x90) {
      return readMap(reading, first & 0x0f, depth);
    }
    if (first < 0xa0) {
      return readList(reading, first & 0x0f, depth);
    }
    if (first < 0xc0) {
      return readText(reading, first & 0x1f);
    }
    if (first >= 0xe0) {
      return first - 0x100;
    }
    const form = FORMS[first] ?? (() => wrong('a form that no record has'));
    return form(reading, depth);
  };

  /** The one value that these bytes are. Throws Malformed if they are none, or spelt otherwise. */
  const decode = (bytes) => {
    const reading = new Reading(bytes);
    const value = readValue(reading, 0);
    if (reading.at !== bytes.length) {
      wrong('something follows');
    }
    return value;
  };

  return { Fraction, decode };
})();
