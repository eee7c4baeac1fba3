/** The events of rulings, as EVENTS has those of a match: made with the form of a result. */
const RULING_EVENTS = (result) => {
  'use strict';

  const {
    PUBLIC, OWN_SEAT, SEALED, whole, text, flag, oneOf, either, nullable, within, listOf,
    fields,
  } = FORMS;

  const LATEST = 2 ** 53 - 1;
  const YEAR_SECONDS = 366 * 24 * 3600;
  const MOST_CHANGES = 100;
  const MOST_PARTS = 1_000;

  /** A text of so many characters. */
  const textOf = (least, most) => (value) => {
    const length = text(value) ? [...value].length : -1;
    return least <= length && length <= most;
  };
  const readers = (value) => text(value)
    && /^(public|sealed|seat:(0|[1-9][0-9]?))$/.test(value);

  /** The number of an event in its stream, from 1. */
  const position = (value) => whole(value) && value >= 1;

  // Kinds.

  const seat = whole;
  const kind = (name, forms = {}) => fields({ kind: oneOf(name), ...forms });
  const because = oneOf('forfeit', 'adjudicated');
  const severity = oneOf('clarification', 'warning', 'uphold');
  const extension = kind('extend', {
    deadline: nullable(within(0, LATEST)), seconds: nullable(within(1, YEAR_SECONDS)),
  });
  /** How a part of a draw came out, as it can be sent. */
  const item = either(text, within(-LATEST, LATEST));
  const drawn = listOf(either(item, listOf(item)));
  const change = either(
    fields({ redraw: fields({
      id: text, outcome: (value) => drawn(value) && value.length <= MOST_PARTS,
    }) }),
    fields({ strike: position }),
    fields({ admit: position }),
  );
  const changes = listOf(change);
  const reapply = oneOf('none', 'while_legal');
  const rewinding = kind('rewind', { before: nullable(position), changes, reapply });
  /** Without an event there are only strikes and admissions. */
  const inOpenPhase = ({ changes: some, reapply: again }) => some.length > 0
    && !some.some(({ redraw }) => redraw !== undefined) && again === 'none';
  const ruling = either(
    kind('pause'),
    kind('resume'),
    (value) => extension(value) && (value.deadline === null) !== (value.seconds === null),
    kind('note', { to: readers, text: textOf(1, 2_000), severity }),
    kind('result', { result, because }),
    kind('void', { replaced_by: nullable(text) }),
    kind('replace_seat', { seat: (value) => whole(value) && value >= 0, name: text }),
    (value) => rewinding(value) && value.changes.length <= MOST_CHANGES
      && (value.before !== null || inOpenPhase(value)),
    kind('confirm'),
  );
  const name = oneOf(
    'pause', 'resume', 'extend', 'note', 'result', 'void', 'replace_seat', 'rewind', 'confirm',
  );

  // Events.

  const said = { kind: name, reason: text, rule: nullable(text), appeals: nullable(text) };
  const told = {
    reason: text, rule: nullable(text), appeals: nullable(text), case: nullable(text),
  };

  return {
    'match.ruled.1': [PUBLIC, { n: whole, ...said }],
    'match.seat-ruled.1': [OWN_SEAT, { seat, ...said }],
    'match.sealed-ruled.1': [SEALED, said],
    'match.ruling-ordered.1': [SEALED, { id: text, ruling, case: nullable(text) }],
    'match.ruling-proposed.1': [SEALED, {
      id: text, ruling, ...told, ask_seats: flag, lapses: whole,
    }],
    'match.ruling-withdrawn.1': [SEALED, { id: text }],
    'match.ruling-lapsed.1': [SEALED, { id: text }],
    'match.ruling-consented.1': [SEALED, { id: text, giver: whole }],
    'match.consent-asked.1': [
      OWN_SEAT, { seat, id: text, kind: name, reason: text }, { before: position },
    ],
    'match.consent-closed.1': [OWN_SEAT, { seat, id: text }],
    'match.seat-replaced.1': [PUBLIC, { seat, name: text }],
    'match.result-ruled.1': [PUBLIC, { result, because }],
    'match.voided.1': [PUBLIC, { replaced_by: nullable(text) }],
    'match.confirmed.1': [PUBLIC, {}],
    'match.noted.1': [PUBLIC, { text, severity }],
    'match.seat-noted.1': [OWN_SEAT, { seat, text, severity }],
    'match.sealed-noted.1': [SEALED, { text, severity }],
    'match.rewound.1': [PUBLIC, { branch: whole, before: position }],
    'match.rewind-ordered.1': [SEALED, { changes, reapply }],
    'match.struck.1': [OWN_SEAT, { seat, of: position }],
    'match.admitted.1': [OWN_SEAT, { seat, of: position }],
    'match.reapplied.1': [PUBLIC, { of: position }],
    'match.seat-reapplied.1': [OWN_SEAT, { seat, of: position }],
    'match.sealed-reapplied.1': [SEALED, { of: position }],
  };
};
