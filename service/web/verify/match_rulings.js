/** The rulings of a match, from its events: who ruled what, and what is pending. */
const MATCH_RULINGS = (() => {
  'use strict';

  const { personOf } = PEOPLE;

  /** `n` counts public rulings. `director` directed the match last, null right after a consent.
   * `replaced` are new names of seats, in order. `branch` is the number of rewinds. */
  const NONE = { n: 0, pending: [], past: [], director: null, replaced: [], branch: 0 };

  /** Whether a ruling changes only what was submitted in the sealed phase that is open. */
  const isInOpenPhase = ({ kind, before }) => kind === 'rewind' && before === null;

  /** For whom a ruling is: all are public but notes, and what changes submissions alone. */
  const audienceOf = (ruling) => {
    if (isInOpenPhase(ruling)) {
      return 'sealed';
    }
    return ruling.kind === 'note' ? ruling.to : 'public';
  };

  const waiting = ({ pending }, id) => pending.find((one) => one.id === id);
  const was = ({ past }, id) => past.find((one) => one.id === id);

  const closed = (rulings, past) => ({
    ...rulings,
    pending: rulings.pending.filter(({ id }) => id !== past.id),
    past: [...rulings.past, past],
  });

  /** Of a ruling just proposed it says who made it. */
  const directed = (rulings, event) => {
    const person = personOf(event);
    const pending = rulings.pending.map((one) => (one.person === null ? { ...one, person } : one));
    return { ...rulings, pending, director: person };
  };

  /** Carried out by the one who directed it now and, if it was pending, the one who made it. */
  const ordered = (rulings, { id, ruling }) => {
    const pending = waiting(rulings, id);
    const people = [pending?.person, rulings.director].filter((one) => (one ?? null) !== null);
    const [to, asked] = [audienceOf(ruling), pending?.ask_seats ?? false];
    return closed(rulings, { id, to, people, asked });
  };

  const proposed = (rulings, { type, ...given }) => (
    { ...rulings, pending: [...rulings.pending, { ...given, person: null, consents: [] }] }
  );

  const consented = (rulings, { id, giver }) => ({
    ...rulings,
    director: null,
    pending: rulings.pending.map((one) => (
      one.id === id ? { ...one, consents: [...one.consents, giver] } : one
    )),
  });

  const givenUp = (rulings, { id }) => {
    const asked = waiting(rulings, id)?.ask_seats ?? false;
    return closed(rulings, { id, to: null, people: [], asked });
  };

  const unmoved = (rulings) => rulings;

  const EVOLVERS = {
    'match.directed.1': directed,
    'match.ruled.1': (rulings, { n }) => ({ ...rulings, n }),
    'match.seat-ruled.1': unmoved,
    'match.sealed-ruled.1': unmoved,
    'match.ruling-ordered.1': ordered,
    'match.ruling-proposed.1': proposed,
    'match.ruling-withdrawn.1': givenUp,
    'match.ruling-lapsed.1': givenUp,
    'match.ruling-consented.1': consented,
    'match.consent-asked.1': unmoved,
    'match.consent-closed.1': unmoved,
    'match.seat-replaced.1': (rulings, { seat, name }) => (
      { ...rulings, replaced: [...rulings.replaced, [seat, name]] }
    ),
    'match.result-ruled.1': unmoved,
    'match.noted.1': unmoved,
    'match.seat-noted.1': unmoved,
    'match.sealed-noted.1': unmoved,
  };

  return { NONE, EVOLVERS, audienceOf, waiting, was };
})();
