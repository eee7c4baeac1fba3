/**
 * What a match may be played with: the options that its game registers, and names that differ as
 * they look.
 */
const OPTIONS = (() => {
  'use strict';

  const LONGEST_NAME = 64;

  /** All options of a match as its record has them, or null if no match of the game can be played
   * with them. */
  const complete = ({ options: known, fit }, given, seats) => {
    const allowed = FORMS.isObject(given) && Object.keys(given)
      .every((name) => Object.hasOwn(known, name) && known[name][0](given[name]));
    if (!allowed) {
      return null;
    }
    const named = Object.entries(known).map(([name, [, usual, completed = (own) => own]]) => (
      [name, Object.hasOwn(given, name) ? completed(given[name]) : usual]
    ));
    const options = Object.fromEntries(named.filter(([, value]) => value !== undefined));
    return fit(options, seats) ? options : null;
  };

  // Names.

  /** Printable for Unicode, and showing nothing: Default_Ignorable_Code_Point, and the blank of
   * Braille. */
  const UNSEEN = new RegExp(
    '[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0'
    + '\\u{e0100}-\\u{e01ef}]',
    'gu',
  );
  const UNPRINTABLE = /[\p{C}\p{Z}]/u;

  /** The name as it looks. */
  const seen = (name) => name.replace(UNSEEN, '').normalize('NFC').split(/ +/)
    .filter((word) => word !== '').join(' ');

  /** Whether people can read the name: neither empty nor endless, with something to see. */
  const readable = (name) => {
    const plain = !UNPRINTABLE.test(name.replaceAll(' ', '')) && !/^ | $/.test(name);
    const length = [...name].length;
    return length > 0 && length <= LONGEST_NAME && plain && seen(name) !== '';
  };

  /** Whether the names can be read and are distinct. */
  const areNames = (names) =>
    names.every(readable) && new Set(names.map(seen)).size === names.length;

  return { UNSEEN, complete, readable, areNames };
})();
