/** How what can be read of a match is shown: as plain text, with nothing in it that hides. */
const LISTING = (() => {
  'use strict';

  /** What neither shows nor stands where it seems to: control and format characters, lone halves
   * of characters. */
  const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

  /** The text with all of that spelt out. */
  const plain = (text) =>
    text.replace(HIDDEN, (hidden) => `\\u{${hidden.codePointAt(0).toString(16)}}`);

  const asJson = (key, value) => {
    if (value instanceof Uint8Array) {
      return BYTES.hex(value);
    }
    if (value instanceof MSGPACK.Fraction) {
      return new DataView(value.raw.buffer).getFloat64(0);
    }
    if (value instanceof Map) {
      return Object.fromEntries(value);
    }
    return typeof value === 'bigint' ? String(value) : value;
  };

  /** A value as JSON. */
  const spelt = (value) => JSON.stringify(value, asJson);

  /** The stored name of the event, and its fields. */
  const what = ({ type, ...fields }) => {
    const shown = spelt(fields);
    return plain(shown === '{}' ? type : `${type} ${shown}`);
  };

  /** The seat that an event is about, with its name. */
  const who = ({ seat }, names) => {
    if (seat === undefined) {
      return '';
    }
    return Object.hasOwn(names, seat) ? plain(`seat ${seat}, ${names[seat]}`) : `seat ${seat}`;
  };

  const when = (at) => {
    try {
      return RECEIPT_CHECK.rfc3339(at);
    } catch {
      return String(at);
    }
  };

  /** A row for each event that can be read: its number, time, who and what, as texts. */
  const rows = (records) => {
    const names = [];
    return records.flatMap((record, number) => {
      if (record === null) {
        return [];
      }
      const { at, event } = record;
      if (event.type === 'match.seat-named.1') {
        names[event.seat] = event.name;
      }
      return [[String(number), when(at), who(event, names), what(event)]];
    });
  };

  /** For each event, how many the public has seen until then: the position of its board. */
  const positions = (records) => {
    let open = 0;
    return records.map((record) => {
      open += record?.audience === EVENTS.PUBLIC ? 1 : 0;
      return open;
    });
  };

  /** The rows in which a text stands, whether its letters are small or capital. */
  const holding = (all, text) => {
    const wanted = text.trim().toLowerCase();
    return all.filter((row) => row.some((cell) => cell.toLowerCase().includes(wanted)));
  };

  return { plain, spelt, rows, positions, holding };
})();
