/** People: who gave an input, and which names are one person's. */
const PEOPLE = (() => {
  'use strict';

  /** White space as Unicode has it, and the separators of ASCII. */
  const SPACE = new RegExp(
    '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+',
    'u',
  );

  const spaced = (name) => name.split(SPACE).filter((word) => word !== '').join(' ');

  /** Case folding (Unicode, section 3.13), from the mappings to upper and lower case: the dotless i
   * alone has a capital that is another letter's. */
  const folded = (name) => [...name].map((letter) => (
    letter === '\u0131' ? letter : letter.toLowerCase().toUpperCase().toLowerCase()
  )).join('');

  /** The name as it sounds: as it looks, regardless of case and width. */
  const spoken = (name) => {
    const seen = spaced(name.replace(OPTIONS.UNSEEN, '').normalize('NFC'));
    return spaced(folded(seen.normalize('NFKC')).normalize('NFKC'));
  };

  /** What is equal for all spellings of a person's name. */
  const named = (name) => `name ${spoken(name)}`;

  /** What is equal for all keys of one person: the name however spelt, or else the key. */
  const personOf = ({ by, key_id: key }) => (by === null ? `key ${key}` : named(by));

  return { spoken, named, personOf };
})();
