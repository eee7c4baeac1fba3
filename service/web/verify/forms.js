/**
 * What a value read from a record may be: each form says of a value whether it has it. And the
 * audiences that an event can have.
 */
const FORMS = (() => {
  'use strict';

  const [PUBLIC, OWN_SEAT, SEALED] = ['public', 'own seat', 'sealed'];

  const whole = (value) => Number.isSafeInteger(value) || typeof value === 'bigint';
  const text = (value) => typeof value === 'string';
  const flag = (value) => typeof value === 'boolean';
  const bytes = (value) => value instanceof Uint8Array;

  /** What JSON can say, too: nothing in it is bytes, at any depth. */
  const plain = (value) => !bytes(value) && inside(value).every(plain);

  const inside = (value) => {
    if (value instanceof Map) {
      return [...value.values()];
    }
    return Array.isArray(value) || isObject(value) ? Object.values(value) : [];
  };

  /** A map with texts as keys and plain values. */
  const map = (value) => (value instanceof Map || isObject(value)) && plain(value);

  const isObject = (value) => typeof value === 'object' && value !== null
    && Object.getPrototypeOf(value) === Object.prototype;

  const oneOf = (...values) => (value) => values.includes(value);
  const either = (...forms) => (value) => forms.some((form) => form(value));
  const nullable = (form) => (value) => value === null || form(value);
  const within = (low, high) => (value) =>
    Number.isSafeInteger(value) && low <= value && value <= high;
  /** Microseconds since 1970, to the latest instant there is: 2255-06-05T23:47:34.740991Z. */
  const instant = within(0, Number.MAX_SAFE_INTEGER);
  const listOf = (form) => (value) => Array.isArray(value) && value.every((item) => form(item));

  /** Whether the names stand in this order; those that are not there are left out. */
  const ordered = (names, order) => {
    const places = names.map((name) => order.indexOf(name));
    return places.every((place, index) => index === 0 || places[index - 1] < place);
  };

  /** An object with exactly these fields, in this order; the `optional` ones, at its end, may be
   * missing. */
  const fields = (forms, optional = {}) => {
    const [needed, known] = [Object.keys(forms), { ...forms, ...optional }];
    return (value) => {
      if (!isObject(value)) {
        return false;
      }
      const names = Object.keys(value);
      return needed.every((name, place) => name === names[place])
        && names.slice(needed.length).every((name) => Object.hasOwn(optional, name))
        && ordered(names, Object.keys(known))
        && names.every((name) => known[name](value[name]));
    };
  };

  return {
    PUBLIC, OWN_SEAT, SEALED, whole, text, flag, bytes, map, oneOf, either, nullable, within,
    instant, listOf, fields, isObject,
  };
})();
