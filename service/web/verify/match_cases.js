/** The cases on record of a match: which are open, and who has closed them. What is said in them
 * stands elsewhere. */
const MATCH_CASES = (() => {
  'use strict';

  const { refuse, must } = COMMANDS;
  const { named, personOf } = PEOPLE;

  const OPENED = 'match.case-opened.1';
  const CLOSED = 'match.case-closed.1';

  const caseOf = (cases, id) => cases.find((one) => one.id === id);

  // What follows from an event.

  const put = (cases, changed) => cases.map((one) => (one.id === changed.id ? changed : one));

  /** The second time it was appealed. */
  const opened = (match, { case: id }) => {
    const before = caseOf(match.cases, id);
    const cases = before === undefined
      ? [...match.cases, { id, open: true, appealed: false, people: [] }]
      : put(match.cases, { ...before, open: true, appealed: true });
    return { ...match, cases };
  };

  /** Closed by the people of a ruling, or by one whom the next event names (null until then). */
  const closed = (match, { case: id, ruling }) => {
    const before = caseOf(match.cases, id);
    if (before === undefined) {
      return match;
    }
    const ruled = ruling === null ? [null] : MATCH_RULINGS.was(match.rulings, ruling)?.people ?? [];
    const people = [...before.people, ...ruled];
    return { ...match, cases: put(match.cases, { ...before, open: false, people }) };
  };

  /** Of a case just closed by a note it says who closed it. */
  const directed = (cases, event) => cases.map((one) => (
    { ...one, people: one.people.map((person) => person ?? personOf(event)) }
  ));

  const EVOLVERS = { [OPENED]: opened, [CLOSED]: closed };

  // What follows from a command.

  const checkNotOver = ({ status, protestsUntil }) => {
    if (status === 'void' || (status === 'ended' && protestsUntil === null)) {
      refuse('match_over');
    }
  };

  const closable = (match, id) => {
    const found = caseOf(match.cases, id);
    if (found === undefined) {
      refuse('no_such_case');
    }
    if (!found.open) {
      refuse('case_closed');
    }
  };

  /** Nobody closes a case who plays, or who had closed it before it was appealed. */
  const checkCloser = ({ created, rulings, cases }, actor, id) => {
    const person = personOf(actor);
    const names = [...created.seats, ...rulings.replaced.map(([, name]) => name)];
    if (names.some((name) => named(name) === person)) {
      refuse('moderator_plays');
    }
    const found = caseOf(cases, id);
    if (found?.open && found.people.includes(person)) {
      refuse('own_ruling');
    }
  };

  const openCase = (match, { event }) => {
    checkNotOver(match);
    const before = caseOf(match.cases, event.case);
    must(!before?.open);
    if (before?.appealed) {
      refuse('already_appealed');
    }
    return [event];
  };

  const closeCase = (match, { event, actor }) => {
    checkNotOver(match);
    closable(match, event.case);
    checkCloser(match, actor, event.case);
    return [event];
  };

  /** The event of the case that a ruling closes, if it closes one. */
  const closedBy = (match, { id: ruling, case: id }) => {
    if (id === null) {
      return [];
    }
    closable(match, id);
    return [{ type: CLOSED, case: id, ruling }];
  };

  const DECIDERS = { openCase, closeCase };

  return { EVOLVERS, DECIDERS, directed, checkCloser, closedBy };
})();
