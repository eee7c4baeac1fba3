/** Rulings: who may rule, how many people it takes, and what each kind gives. */
const RULINGS = (() => {
  'use strict';

  const { refuse, must } = COMMANDS;
  const { audienceOf, waiting, was } = MATCH_RULINGS;
  const { spoken, named, personOf } = PEOPLE;
  const { isOver, seatsOf } = STATE;

  const SECOND = 1_000_000;
  const PENDING = 24 * 3600 * SECOND;

  const CHANGED = ['match.struck.1', 'match.admitted.1'];

  /** The next pending ruling to lapse; null if none does, as in a match that is over. */
  const dueLapse = (match) => (isOver(match) ? null : match.rulings.pending[0] ?? null);

  const everySeat = (match) => [...Array(seatsOf(match)).keys()];

  /** Every name that a seat has or had, with the seat. */
  const namesOf = ({ created, rulings }) => [...created.seats.entries(), ...rulings.replaced];

  // What each kind gives.

  const checkSeat = (match, seat) => {
    if (!(seat < seatsOf(match))) {
      refuse('no_such_seat');
    }
  };

  const checkStarted = ({ status }) => {
    if (status === 'created') {
      refuse('match_not_running');
    }
  };

  /** While the match is paused no deadline is in force: there is only time left. */
  const moreTime = ({ left }, { seconds }) => {
    if (left === null || seconds === null) {
      refuse('no_deadline');
    }
    return [{ type: 'match.paused.1', left: left + seconds * SECOND }];
  };

  const extend = (match, ruling, actor, at) => {
    checkStarted(match);
    if (match.status === 'ended') {
      refuse('match_not_running');
    }
    if (match.status === 'paused') {
      return moreTime(match, ruling);
    }
    const { deadline: from, phase } = match.awaiting;
    if (from === null || phase === null) {
      refuse('no_deadline');
    }
    const deadline = ruling.seconds === null ? ruling.deadline : from + ruling.seconds * SECOND;
    if (deadline <= Math.max(at, from)) {
      refuse('not_in_future');
    }
    const moved = {
      type: 'match.deadline-set.1', phase, deadline, because: 'ruling', from, to: deadline,
    };
    return [moved, { ...match.awaiting, deadline }];
  };

  const seatOf = (to) => Number(to.split(':')[1]);

  const note = (match, { to, text, severity }) => {
    if (to === 'public') {
      return [{ type: 'match.noted.1', text, severity }];
    }
    if (to === 'sealed') {
      return [{ type: 'match.sealed-noted.1', text, severity }];
    }
    checkSeat(match, seatOf(to));
    return [{ type: 'match.seat-noted.1', seat: seatOf(to), text, severity }];
  };

  const result = (match, { result: ruled, because }, actor, at) => {
    checkStarted(match);
    const { winners, losers, shared, scores } = ruled;
    const seats = [...winners, ...losers];
    const known = seats.every((seat) => everySeat(match).includes(seat));
    const fits = known && new Set(seats).size === seats.length
      && scores.length === seatsOf(match) && !(shared && losers.length > 0);
    if (!fits) {
      refuse('result_does_not_fit');
    }
    return [
      { type: 'match.result-ruled.1', result: ruled, because },
      PROTESTS.ended(match, ruled, at),
    ];
  };

  const confirm = ({ status }) => {
    if (status !== 'ended') {
      refuse('match_not_ended');
    }
    return [{ type: 'match.confirmed.1' }];
  };

  const replaceSeat = (match, { seat, name }, actor) => {
    checkSeat(match, seat);
    const others = namesOf(match).filter(([own]) => own !== seat).map(([, had]) => spoken(had));
    if (!OPTIONS.readable(name) || others.includes(spoken(name))) {
      refuse('name_not_allowed');
    }
    const { past, pending } = match.rulings;
    const ruled = [...past.flatMap(({ people }) => people), ...pending.map((one) => one.person)];
    const moderators = match.keys.moderators.map(named);
    if ([...ruled, ...moderators, actor && personOf(actor)].includes(named(name))) {
      refuse('moderator_plays');
    }
    return [{ type: 'match.seat-replaced.1', seat, name }];
  };

  const EFFECTS = {
    pause: (match, ruling, actor, at) => PAUSES.paused(match, at),
    resume: (match, ruling, actor, at) => PAUSES.resumed(match, at),
    extend,
    note,
    result,
    void: (match, { replaced_by: instead }) => (
      [{ type: 'match.voided.1', replaced_by: instead }]
    ),
    replace_seat: replaceSeat,
    rewind: (match, ruling, actor, at, past) => REWINDING.rewound(match, ruling, past, at),
    confirm,
  };

  /** What a ruling looks back on; null for all but rewinds. */
  const pastOf = (history, ruling) => (
    ruling.kind === 'rewind' ? LOOKING_BACK.pastOf(history, ruling) : null
  );

  // Who may, and about what.

  const checkPerson = (match, actor, appeals = null, id = null) => {
    const person = personOf(actor);
    MATCH_CASES.checkCloser(match, actor, id);
    if (appeals !== null && was(match.rulings, appeals)?.people.includes(person)) {
      refuse('own_ruling');
    }
  };

  /** An appealed ruling was carried out, and whoever sees this one may see that one. */
  const checkAppealed = (match, { appeals, ruling }) => {
    if (appeals === null) {
      return;
    }
    const to = was(match.rulings, appeals)?.to ?? null;
    if (to === null) {
      refuse('no_such_ruling');
    }
    if (to !== 'public' && to !== audienceOf(ruling)) {
      refuse('not_public');
    }
  };

  /** The pending ruling; for seats (`asked`) only one for which they were asked. */
  const pendingOf = (match, id, asked = false) => {
    const known = (one) => (one !== undefined && (!asked || one.ask_seats || one.asked));
    const [now, before] = [waiting(match.rulings, id), was(match.rulings, id)];
    if (!known(now) && !known(before)) {
      refuse('no_such_ruling');
    }
    if (isOver(match)) {
      refuse('result_final');
    }
    return known(now) ? now : refuse('not_pending');
  };

  const TWO = ['result', 'void', 'replace_seat', 'rewind'];

  /** To rewind one person is enough where nothing but refusals came since, and no seat alone was
   * told anything. */
  const peopleNeeded = ({ created, status }, { kind }, past) => {
    const simple = (kind === 'void' && status === 'created') || (past?.alone ?? false);
    return TWO.includes(kind) && created.rulings !== 'single' && !simple ? 2 : 1;
  };

  // What follows from a command.

  const ruled = (match, { ruling, reason, rule, appeals }) => {
    const to = audienceOf(ruling);
    const said = { kind: ruling.kind, reason, rule, appeals };
    if (to === 'public') {
      return { type: 'match.ruled.1', n: match.rulings.n + 1, ...said };
    }
    return to === 'sealed' ? { type: 'match.sealed-ruled.1', ...said }
      : { type: 'match.seat-ruled.1', seat: seatOf(to), ...said };
  };

  const closed = (match, { id, ask_seats: asked }) => (asked ? everySeat(match) : [])
    .map((seat) => ({ type: 'match.consent-closed.1', seat, id }));

  /** The seats whose submissions a sealed ruling strikes or admits are told of it, too. */
  const toldSeats = ({ ruling, reason, rule, appeals }, effect) => {
    if (ruling.kind !== 'rewind' || audienceOf(ruling) === 'public') {
      return [];
    }
    const concerned = effect.filter(({ type }) => CHANGED.includes(type)).map(({ seat }) => seat);
    const said = { kind: ruling.kind, reason, rule, appeals };
    return [...new Set(concerned)].sort((one, other) => one - other)
      .map((seat) => ({ type: 'match.seat-ruled.1', seat, ...said }));
  };

  const carriedOut = (match, pending, actor, at, past) => {
    const { id, ruling, case: closes } = pending;
    const effect = EFFECTS[ruling.kind](match, ruling, actor, at, past);
    const ordered = { type: 'match.ruling-ordered.1', id, ruling, case: closes };
    const ended = waiting(match.rulings, id) === undefined ? [] : closed(match, pending);
    const ends = MATCH_CASES.closedBy(match, pending);
    const seats = toldSeats(pending, effect);
    return [ruled(match, pending), ordered, ...ended, ...ends, ...seats, ...effect];
  };

  const proposed = (match, given, past) => {
    const { id, ruling, reason, rule, appeals, case: closes, ask_seats: asked, lapses } = given;
    const event = {
      type: 'match.ruling-proposed.1', id, ruling, reason, rule, appeals, case: closes,
      ask_seats: asked, lapses,
    };
    const seats = asked ? everySeat(match) : [];
    const told = { id, kind: ruling.kind, reason };
    if (past !== null) {
      told.before = past.start + 1;
    }
    return [event, ...seats.map((seat) => ({ type: 'match.consent-asked.1', seat, ...told }))];
  };

  const rule = (match, { given, actor, history }, at) => {
    const { id, ruling } = given;
    must(waiting(match.rulings, id) === undefined && was(match.rulings, id) === undefined);
    checkPerson(match, actor, given.appeals, given.case);
    checkAppealed(match, given);
    if (given.ask_seats && audienceOf(ruling) !== 'public') {
      refuse('not_public');
    }
    if (isOver(match)) {
      refuse('result_final');
    }
    const past = pastOf(history, ruling);
    const pending = { ...given, lapses: at + PENDING };
    const now = carriedOut(match, pending, actor, at, past);
    return peopleNeeded(match, ruling, past) === 1 ? now : proposed(match, pending, past);
  };

  const secondRuling = (match, { id, actor, history }, at) => {
    const pending = pendingOf(match, id);
    checkPerson(match, actor, pending.appeals, pending.case);
    if (personOf(actor) === pending.person) {
      refuse('same_person');
    }
    return carriedOut(match, pending, actor, at, pastOf(history, pending.ruling));
  };

  const withdrawRuling = (match, { id, actor }) => {
    const pending = pendingOf(match, id);
    checkPerson(match, actor);
    return [{ type: 'match.ruling-withdrawn.1', id }, ...closed(match, pending)];
  };

  const lapseRuling = (match, { id }, at) => {
    const pending = pendingOf(match, id);
    must(at >= pending.lapses);
    return [{ type: 'match.ruling-lapsed.1', id }, ...closed(match, pending)];
  };

  const consentToRuling = (match, { id, giver, history }, at) => {
    const pending = pendingOf(match, id, true);
    if (!everySeat(match).includes(giver)) {
      refuse('no_such_seat');
    }
    if (pending.consents.includes(giver)) {
      refuse('already_consented');
    }
    const consented = { type: 'match.ruling-consented.1', id, giver };
    const rest = carriedOut(match, pending, null, at, pastOf(history, pending.ruling));
    return pending.consents.length + 1 < seatsOf(match) ? [consented] : [consented, ...rest];
  };

  const DECIDERS = { rule, secondRuling, withdrawRuling, lapseRuling, consentToRuling };

  return { DECIDERS, dueLapse, namesOf };
})();
