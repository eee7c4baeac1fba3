/** Together We Survive, Together We Prosper, judged from its rules. Rule numbers are those of the
 * text that a server shows with the game. */
GAMES.register((forms) => {
  'use strict';

  const GROUPS = ['A', 'B'];
  /** Rule 2.3: a submission has exactly so many type B votes, and each brings a token. */
  const B_VOTES = 3;
  /** Rule 2.7: no seat can have more tokens, whatever is chosen: 1000 at the start, then what 32
   * seats give in two rounds for each of 30 players of group A. */
  const MOST_TOKENS = 1000 + B_VOTES * 32 * 2 * 30;
  /** Rule 5.2: after so many votes the lot decides. */
  const BALLOTS = 2;

  // What can stand on a record.

  const events = ({ PUBLIC, OWN_SEAT, SEALED, ...forms }) => {
    const { whole: seat, whole, flag, oneOf, nullable, listOf, fields } = forms;
    const wholes = listOf(whole);
    const maybeWholes = listOf(nullable(whole));
    const ofGroups = (form) => fields({ A: form, B: form });
    const seats = ofGroups(wholes);
    return {
      'together.round-began.1': [PUBLIC, { round: whole }],
      'together.submission-made.1': [
        OWN_SEAT,
        { seat, a: nullable(wholes), b: nullable(wholes), pay_garnet: flag },
        { supersedes: oneOf('a', 'b') },
      ],
      'together.round-counted.1': [SEALED, {
        round: whole, a: wholes, b: wholes, charged: wholes, tokens: wholes, garnets: wholes,
      }],
      'together.holdings-told.1': [OWN_SEAT, { seat, tokens: whole, garnets: whole }],
      'together.round-ended.1': [PUBLIC, {
        round: whole, kicked_out: wholes, a: nullable(maybeWholes), b: nullable(maybeWholes),
      }],
      'together.main-match-ended.1': [PUBLIC, {
        b_tokens: maybeWholes, winners: seats, losers: seats, tokens_of_life: wholes,
      }],
      'together.token-of-life-given.1': [PUBLIC, { seat, to: whole }],
      'together.tokens-of-life-lapsed.1': [PUBLIC, { seats: wholes }],
      'together.pools-formed.1': [PUBLIC, { pools: seats }],
      'together.ballot-opened.1': [PUBLIC, { ballot: whole, pools: seats }],
      'together.vote-cast.1': [OWN_SEAT, { seat, candidate: whole }],
      'together.ballot-counted.1': [SEALED, { ballot: whole, votes: wholes, pools: seats }],
      'together.candidate-drawn.1': [PUBLIC, { group: oneOf(...GROUPS), seat }],
      'together.candidates-named.1': [PUBLIC, { candidates: ofGroups(nullable(whole)) }],
      'together.garnets-awarded.1': [PUBLIC, { garnets: wholes }],
    };
  };

  // Rule 8: what can be chosen.

  const START_TOKENS = { A: 5, B: 1 };

  const isTimeOfDay = (value) =>
    typeof value === 'string' && /^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(value);

  const options = ({ flag, oneOf, within, listOf, fields, isObject }) => {
    const [some, hours] = [within(0, 1000), within(1, 1000)];
    const allTokens = (given) => ({ ...START_TOKENS, ...given });
    const areTokens = (given) => isObject(given) && fields({ A: some, B: some })(allTokens(given));
    return {
      groups: [listOf(oneOf(...GROUPS)), undefined],
      start_tokens: [areTokens, START_TOKENS, allTokens],
      garnets: [listOf(some), undefined],
      kick_rule: [oneOf('most', 'fewest'), 'most'],
      all_tied: [oneOf('all_out', 'none_out'), 'all_out'],
      b_self: [flag, false],
      b_repeats: [flag, true],
      reveal_vote_counts: [oneOf('A', 'both', 'none'), 'A'],
      b_winner_rank: [within(1, 32), 2],
      b_loser_rank: [within(1, 32), 1],
      ec_voters: [oneOf('group', 'winners'), 'group'],
      garnet_per_tokens: [within(1, 1000), 7],
      deadline_utc: [isTimeOfDay, '14:00'],
      first_round_hours: [some, 48],
      round_hours: [hours, 24],
      vote_hours: [hours, 24],
    };
  };

  /** A group and garnets for every seat, two seats at least in either group, and different places
   * that win and lose. */
  const fit = ({ groups, garnets, ...rest }, seats) => {
    const sizes = GROUPS.map((group) => groups?.filter((own) => own === group).length ?? 2);
    return (groups ?? garnets ?? Array(seats)).length === seats
      && (garnets ?? groups ?? Array(seats)).length === seats
      && Math.min(...sizes) >= 2 && rest.b_winner_rank !== rest.b_loser_rank;
  };

  // Lists of seats, always ascending.

  const perGroup = (valueOf) => ({ A: valueOf('A'), B: valueOf('B') });

  /** The seats, ascending, of which the list has something that fits. */
  const seatsWhere = (list, fits) => [...list.keys()].filter((seat) => fits(list[seat], seat));

  const ascending = (seats) => [...seats].sort((one, other) => one - other);

  const put = (list, seat, value) => list.map((had, at) => (at === seat ? value : had));

  const groupOf = (state, seat) => (state.members.A.includes(seat) ? 'A' : 'B');

  // The beginning.

  /** Rule 8: by default the first half is group A, and nobody brings garnets. */
  const filledIn = (options, seats) => {
    const half = Math.floor(seats / 2);
    const groups = Array.from({ length: seats }, (_, seat) => (seat < half ? 'A' : 'B'));
    return { groups, garnets: Array(seats).fill(0), ...options };
  };

  /** Rule 1: all of group A stand on stage, everybody holds what the options give. */
  const initial = (chosen, seats) => {
    const options = filledIn(chosen, seats);
    const members = perGroup((group) => seatsWhere(options.groups, (own) => own === group));
    const none = Array(seats).fill(null);
    return {
      options,
      members,
      phase: 'submission',
      round: 1,
      stage: members.A,
      kickedOut: none,
      tokens: options.groups.map((group) => options.start_tokens[group]),
      garnets: options.garnets,
      submissions: none,
      nobodyLeft: false,
      winners: perGroup(() => []),
      losers: perGroup(() => []),
      tokensOfLife: Array(seats).fill(0),
      pools: perGroup(() => []),
      ballot: 0,
      votes: none,
    };
  };

  const roundBegan = (round) => ({ type: 'together.round-began.1', round });

  const open = () => [roundBegan(1)];

  // Whom or what the match waits for.

  /** Rule 2.1: all seats during a round, whoever has submitted; rule 5.2: likewise in a vote. */
  const awaits = (state) => {
    const awaited = (seats) => ({ seats, draw: null, deadline: deadlineOf(state) });
    switch (state.phase) {
      case 'submission': return awaited([...state.tokens.keys()]);
      case 'token_of_life': return awaited(givers(state));
      case 'vote': return awaited(voting(state));
      case 'draw': return { seats: [], draw: drawOf(state), deadline: null };
      default: return { seats: [], draw: null, deadline: null };
    }
  };

  /** Rule 7: how long each phase lasts at least, and the time of day at which it ends. */
  const deadlineOf = ({ phase, round, ballot, options }) => {
    const until = (id, hours) => ({ id, wait: { hours, utc: options.deadline_utc } });
    if (phase === 'submission') {
      const hours = round === 1 ? options.first_round_hours : options.round_hours;
      return until(`round${round}`, hours);
    }
    return until(phase === 'vote' ? `vote${ballot}` : 'token_of_life', options.vote_hours);
  };

  /** Rule 5.2: the candidate is the first of those shuffled. */
  const drawOf = (state) => {
    const group = toDraw(state)[0];
    const parts = [{ kind: 'shuffle', items: state.pools[group] }];
    return { id: `ec/${group}`, parts, audience: 'public' };
  };

  const undecided = (state, group) => state.pools[group].length > 1;

  /** Rule 5.2, 8: who votes for a group's candidate. */
  const voters = (state, group) =>
    (state.options.ec_voters === 'winners' ? state.winners : state.members)[group];

  /** Rule 5.2: the voters of the groups in which there is something to decide. */
  const voting = (state) => {
    const tied = GROUPS.filter((group) => undecided(state, group));
    return ascending(tied.flatMap((group) => voters(state, group)));
  };

  /** Rule 5.2: the groups where the lot decides: tied after two votes, or without a voter. */
  const toDraw = (state) => GROUPS.filter((group) => undecided(state, group)
    && (state.ballot === BALLOTS || voters(state, group).length === 0));

  // What a seat sends. The code of a submission that does not count is invalid, others refused.

  const isWhole = Number.isSafeInteger;
  const isVotes = (most) => (sent) => sent === null
    || (Array.isArray(sent) && sent.length <= most && sent.every(isWhole));

  const submitFields = (most, round) => ({
    a: { may: isVotes(most), otherwise: null },
    b: { may: isVotes(most), otherwise: null },
    pay_garnet: { may: (sent) => typeof sent === 'boolean', otherwise: false },
    round,
  });

  /** Each action's fields: what they may be, and what they are if they can be left out. */
  const FIELDS = new Map([
    ['submit', submitFields(MOST_TOKENS, { may: isWhole })],
    ['give_token_of_life', { to: { may: isWhole } }],
    ['vote', {
      ballot: { may: (sent) => isWhole(sent) && sent >= 1 && sent <= BALLOTS },
      for: { may: isWhole },
    }],
  ]);

  /** The action with all its fields; throws TypeError for what no seat can have sent. */
  const complete = ({ type, ...sent }, known) => {
    const fields = known.get(type);
    if (fields === undefined) throw new TypeError('There is no such action.');
    const whole = {};
    for (const [name, { may, otherwise }] of Object.entries(fields)) {
      whole[name] = Object.hasOwn(sent, name) ? sent[name] : otherwise;
      if (!may(whole[name])) throw new TypeError(`This cannot be sent as ${name}.`);
    }
    const strange = Object.keys(sent).find((name) => !Object.hasOwn(fields, name));
    if (strange !== undefined) throw new TypeError(`The action has no field ${strange}.`);
    return whole;
  };

  const refuseUnless = (holds, code) => {
    if (!holds) throw { refused: code };
  };

  const invalidUnless = (holds, code) => {
    if (!holds) throw { invalid: code };
  };

  /** What follows from the action, or its code thrown as `{refused}` or `{invalid}`. */
  const decide = (state, seat, action) => {
    const sent = complete(action, FIELDS);
    return answered(state, seat, action.type, sent);
  };

  const answered = (state, seat, type, sent) => {
    refuseUnless(state.phase !== 'over', 'game_over');
    return ANSWERS.get(type)(state, seat, sent);
  };

  /** Rules 2.5 and 2.6: judged on the spot; late for a round that is over, whatever goes on. */
  const submit = (state, seat, { a, b, pay_garnet, round }) => {
    const taken = state.phase === 'submission';
    const isPast = round >= 1 && round <= state.round - Number(taken);
    invalidUnless(!isPast, 'late');
    refuseUnless(taken, 'wrong_phase');
    invalidUnless(round === state.round, 'no_such_round');
    if (a !== null) judgeA(state, seat, a);
    if (b !== null) judgeB(state, seat, b);
    if (a !== null && b !== null) judgeBoth(state, seat, pay_garnet);
    const made = { type: 'together.submission-made.1', seat, a, b, pay_garnet };
    const supersedes = superseded(state.submissions[seat], { a, b });
    return [supersedes === null ? made : { ...made, supersedes }];
  };

  /** Rule 2.5: the type that stood and is dropped, by a submission of the other type alone. */
  const superseded = (stands, now) => {
    const dropped = (type, other) =>
      now[type] === null && now[other] !== null && (stands?.[type] ?? null) !== null;
    if (dropped('a', 'b')) return 'a';
    return dropped('b', 'a') ? 'b' : null;
  };

  /** Rule 2.2. */
  const judgeA = ({ stage, tokens }, seat, votes) => {
    invalidUnless(votes.length > 0, 'no_votes');
    invalidUnless(votes.every((vote) => stage.includes(vote)), 'not_on_stage');
    invalidUnless(votes.length <= tokens[seat], 'not_enough_tokens');
  };

  /** Rule 2.3. */
  const judgeB = ({ members, options }, seat, votes) => {
    invalidUnless(votes.length === B_VOTES, 'not_three_votes');
    invalidUnless(votes.every((vote) => members.B.includes(vote)), 'not_in_group_b');
    invalidUnless(options.b_self || !votes.includes(seat), 'self_vote');
    invalidUnless(options.b_repeats || new Set(votes).size === votes.length, 'repeated_vote');
  };

  /** Rule 2.4. */
  const judgeBoth = ({ garnets }, seat, pays) => {
    invalidUnless(pays, 'garnet_not_offered');
    invalidUnless(garnets[seat] > 0, 'no_garnet');
  };

  /** Rule 4.3: to anybody who has none; when all have given, the candidates are sought. */
  const give = (state, seat, { to }) => {
    refuseUnless(state.phase === 'token_of_life', 'wrong_phase');
    refuseUnless(givers(state).includes(seat), 'not_a_giver');
    refuseUnless(to in state.tokensOfLife, 'no_such_seat');
    refuseUnless(state.tokensOfLife[to] === 0, 'holds_one');
    const given = { type: 'together.token-of-life-given.1', seat, to };
    const after = evolve(state, given);
    return givers(after).length > 0 ? [given] : [given, ...seekCandidates(after)];
  };

  /** Rule 5.2: for one of the seats that are up in one's own group; late after its ballot. */
  const vote = (state, seat, { ballot, for: candidate }) => {
    const taken = state.phase === 'vote';
    invalidUnless(ballot > state.ballot - Number(taken), 'late');
    refuseUnless(taken, 'wrong_phase');
    refuseUnless(voting(state).includes(seat), 'not_a_voter');
    invalidUnless(ballot === state.ballot, 'no_such_ballot');
    invalidUnless(state.pools[groupOf(state, seat)].includes(candidate), 'not_a_candidate');
    return [{ type: 'together.vote-cast.1', seat, candidate }];
  };

  const ANSWERS = new Map([['submit', submit], ['give_token_of_life', give], ['vote', vote]]);

  // The deadline of a round.

  /** The phase ends with what was submitted by now; a deadline of another phase does nothing. */
  const expire = (state, deadline) => {
    const close = ENDS.get(state.phase);
    return close !== undefined && isSame(deadline, deadlineOf(state)) ? close(state) : [];
  };

  const isSame = (one, other) => one.id === other.id && one.wait?.hours === other.wait.hours
    && one.wait.utc === other.wait.utc;

  /** Rule 3: the votes are carried out; the only seat left on stage then leaves it as well. */
  const closeRound = (state) => {
    const counted = countRound(state);
    const left = leaving(state, counted.a);
    const decided = [counted, ...holdings(counted), roundEnded(state, state.round, left, counted)];
    let after = decided.reduce(evolve, state);
    if (after.stage.length === 1) {
      const nothing = state.tokens.map(() => 0);
      decided.push(roundEnded(after, after.round + 1, after.stage, { a: nothing, b: nothing }));
      after = evolve(after, decided.at(-1));
    }
    const next = after.stage.length > 0 ? [roundBegan(after.round + 1)] : endMainMatch(after);
    return [...decided, ...next];
  };

  /** Rule 3.1: garnets, then type A votes are paid; type B votes bring tokens after that.
   * Rule 2.5: of a submission with neither type nothing comes. */
  const countRound = ({ submissions, tokens, garnets, round }) => {
    const a = tokens.map(() => 0);
    const b = tokens.map(() => 0);
    const paid = submissions.map((said) => said?.a?.length ?? 0);
    const charged = seatsWhere(submissions, (said) => said?.a && said.b && said.pay_garnet);
    for (const said of submissions) {
      for (const seat of said?.a ?? []) a[seat] += 1;
      for (const seat of said?.b ?? []) b[seat] += 1;
    }
    return {
      type: 'together.round-counted.1',
      round,
      a,
      b,
      charged,
      tokens: tokens.map((had, seat) => had - paid[seat] + b[seat]),
      garnets: garnets.map((had, seat) => had - Number(charged.includes(seat))),
    };
  };

  /** Rule 1.2: each seat sees what it has, and nobody else does. */
  const holdings = (counted) => counted.tokens.map((tokens, seat) => (
    { type: 'together.holdings-told.1', seat, tokens, garnets: counted.garnets[seat] }));

  /** Rule 3.1: the most or the fewest votes on stage; if all tie all, or nobody the first time. */
  const leaving = ({ stage, options, nobodyLeft }, votes) => {
    const pick = options.kick_rule === 'most' ? Math.max : Math.min;
    const bound = pick(...stage.map((seat) => votes[seat]));
    const out = stage.filter((seat) => votes[seat] === bound);
    const allTied = out.length === stage.length;
    return allTied && options.all_tied === 'none_out' && !nobodyLeft ? [] : out;
  };

  /** Rule 3.2: what everybody sees of a round. */
  const roundEnded = ({ stage, members, options }, round, left, { a, b }) => {
    const shown = options.reveal_vote_counts;
    const of = (seats, votes) => votes.map((n, seat) => (seats.includes(seat) ? n : null));
    const votes = {
      a: shown === 'none' ? null : of(stage, a),
      b: shown === 'both' ? of(members.B, b) : null,
    };
    return { type: 'together.round-ended.1', round, kicked_out: left, ...votes };
  };

  // Winners, losers and tokens of life.

  /** Rule 4: a sole winner gives a token of life away before the candidates are sought. */
  const endMainMatch = (state) => {
    const { members, tokens, options } = state;
    const [last, before] = lastToLeave(state);
    const winners = { A: last, B: ranked(state, options.b_winner_rank) };
    const losers = { A: before, B: ranked(state, options.b_loser_rank) };
    const ended = {
      type: 'together.main-match-ended.1',
      b_tokens: tokens.map((had, seat) => (members.B.includes(seat) ? had : null)),
      winners,
      losers,
      tokens_of_life: tokens.map((_, seat) => livesWon(winners, seat)),
    };
    const after = evolve(state, ended);
    return givers(after).length > 0 ? [ended] : [ended, ...seekCandidates(after)];
  };

  /** Rule 4.1: who left in the last round, and in the latest before it in which anybody left. */
  const lastToLeave = ({ kickedOut }) => {
    const rounds = kickedOut.filter((left) => left !== null);
    const last = Math.max(...rounds);
    const before = Math.max(...rounds.filter((left) => left < last));
    return [last, before].map((round) => seatsWhere(kickedOut, (left) => left === round));
  };

  /** Rule 4.2: the seats of group B at this place by distinct numbers of tokens. */
  const ranked = ({ members, tokens }, rank) => {
    const counts = ascending(new Set(members.B.map((seat) => tokens[seat]))).reverse();
    return members.B.filter((seat) => tokens[seat] === counts[rank - 1]);
  };

  /** Rule 4.3: two for a sole winner, one for each of several. */
  const livesWon = (winners, seat) => {
    const won = GROUPS.map((group) => winners[group]).find((seats) => seats.includes(seat));
    if (won === undefined) return 0;
    return won.length === 1 ? 2 : 1;
  };

  /** Rule 4.3: who has a token of life to give away. */
  const givers = (state) => seatsWhere(state.tokensOfLife, (lives) => lives > 1);

  /** Rule 4.3: what was not given in time is lost. */
  const closeGiving = (state) => {
    const lapsed = { type: 'together.tokens-of-life-lapsed.1', seats: givers(state) };
    return [lapsed, ...seekCandidates(evolve(state, lapsed))];
  };

  // The elimination candidates.

  const seekCandidates = (state) => {
    const pools = perGroup((group) => poolOf(state, group));
    const formed = { type: 'together.pools-formed.1', pools };
    return [formed, ...goOn(evolve(state, formed))];
  };

  /** Rule 5.1: losers, else others who did not win, both without a token of life; else these. */
  const poolOf = ({ members, winners, losers, tokensOfLife }, group) => {
    const others = members[group].filter((seat) => !winners[group].includes(seat));
    const unprotected = others.filter((seat) => tokensOfLife[seat] === 0);
    const lost = unprotected.filter((seat) => losers[group].includes(seat));
    return [lost, unprotected, others].find((pool) => pool.length > 0) ?? [];
  };

  /** Rule 5.2: lots first, then votes; then rule 6: the match ends with its garnets. */
  const goOn = (state) => {
    if (toDraw(state).length > 0) return [];
    if (GROUPS.some((group) => undecided(state, group))) return [openBallot(state)];
    const candidates = perGroup((group) => state.pools[group][0] ?? null);
    return [
      { type: 'together.candidates-named.1', candidates },
      { type: 'together.garnets-awarded.1', garnets: garnetsEarned(state) },
    ];
  };

  /** Rule 5.2: both groups vote at the same time, each if it has something to decide. */
  const openBallot = (state) => {
    const pools = perGroup((group) => (undecided(state, group) ? state.pools[group] : []));
    return { type: 'together.ballot-opened.1', ballot: state.ballot + 1, pools };
  };

  /** Rule 5.2: those with the most votes are left; without any vote that is everybody. */
  const closeBallot = (state) => {
    const votes = state.tokens.map(() => 0);
    for (const candidate of state.votes) if (candidate !== null) votes[candidate] += 1;
    const pools = perGroup((group) => {
      const most = Math.max(...state.pools[group].map((seat) => votes[seat]));
      return state.pools[group].filter((seat) => votes[seat] === most);
    });
    const counted = { type: 'together.ballot-counted.1', ballot: state.ballot, votes, pools };
    return [counted, ...goOn(evolve(state, counted))];
  };

  /** Rule 5.2: the first of a shuffle is the candidate. */
  const settle = (state, draw, outcome) => {
    const group = toDraw(state)[0];
    const drawn = { type: 'together.candidate-drawn.1', group, seat: outcome[0][0] };
    return [drawn, ...goOn(evolve(state, drawn))];
  };

  const ENDS = new Map([
    ['submission', closeRound], ['token_of_life', closeGiving], ['vote', closeBallot],
  ]);

  // What each seat takes away.

  /** Rule 6: group A for every round survived, group B for every so many tokens. */
  const garnetsEarned = ({ tokens, kickedOut, options }) => tokens.map((had, seat) => (
    kickedOut[seat] === null ? Math.floor(had / options.garnet_per_tokens) : kickedOut[seat] - 1));

  /** Rule 4, once the match is over; scores: A the round of leaving the stage, B the tokens. */
  const result = ({ phase, winners, losers, tokens, kickedOut }) => (phase !== 'over' ? null : {
    winners: ascending([...winners.A, ...winners.B]),
    losers: ascending([...losers.A, ...losers.B]),
    shared: false,
    scores: tokens.map((had, seat) => kickedOut[seat] ?? had),
  });

  // What events change.

  const HAPPENED = new Map(Object.entries({
    'round-began': (state, { round }) => (
      { ...state, phase: 'submission', round, submissions: state.tokens.map(() => null) }),
    'submission-made': (state, { seat, a, b, pay_garnet }) => (
      { ...state, submissions: put(state.submissions, seat, { a, b, pay_garnet }) }),
    'round-counted': (state, { tokens, garnets }) => ({ ...state, tokens, garnets }),
    'round-ended': (state, { round, kicked_out: gone }) => ({
      ...state,
      round,
      stage: state.stage.filter((seat) => !gone.includes(seat)),
      kickedOut: state.kickedOut.map((left, seat) => (gone.includes(seat) ? round : left)),
      nobodyLeft: gone.length === 0,
    }),
    'main-match-ended': (state, { winners, losers, tokens_of_life: tokensOfLife }) => (
      { ...state, phase: 'token_of_life', winners, losers, tokensOfLife }),
    'token-of-life-given': (state, { seat, to }) => {
      const change = (at) => Number(at === to) - Number(at === seat);
      return { ...state, tokensOfLife: state.tokensOfLife.map((had, at) => had + change(at)) };
    },
    'tokens-of-life-lapsed': (state, { seats }) => {
      const lost = (at) => Number(seats.includes(at));
      return { ...state, tokensOfLife: state.tokensOfLife.map((had, at) => had - lost(at)) };
    },
    'pools-formed': (state, { pools }) => ({ ...state, phase: 'draw', pools }),
    'ballot-opened': (state, { ballot }) => (
      { ...state, phase: 'vote', ballot, votes: state.tokens.map(() => null) }),
    'vote-cast': (state, { seat, candidate }) => (
      { ...state, votes: put(state.votes, seat, candidate) }),
    'ballot-counted': (state, { pools }) => ({ ...state, phase: 'draw', pools }),
    'candidate-drawn': (state, { group, seat }) => (
      { ...state, pools: { ...state.pools, [group]: [seat] } }),
    'garnets-awarded': (state) => ({ ...state, phase: 'over' }),
  }).map(([name, happened]) => [`together.${name}.1`, happened]));

  /** The state after the event; one that changes nothing here leaves it as it is. */
  const evolve = (state, event) => HAPPENED.get(event.type)?.(state, event) ?? state;

  // Version 1 of the rules.

  const OLDER_FIELDS = new Map([
    ...FIELDS,
    ['submit', submitFields(1000, {
      may: (sent) => sent === null || isWhole(sent), otherwise: null,
    })],
    ['vote', { for: { may: isWhole } }],
  ]);

  const olderOptions = (forms) => ({ ...options(forms), reveal_vote_counts: [forms.flag, true] });

  const olderInitial = (chosen, seats) => {
    const reveal_vote_counts = chosen.reveal_vote_counts === false ? 'none' : 'both';
    return initial({ ...chosen, reveal_vote_counts }, seats);
  };

  /** Without a round or ballot an action was for the open one. If none was open it is here for the
   * one to come, as it belongs to no phase. Nothing said what it supersedes. */
  const olderDecide = (state, seat, action) => {
    const sent = complete(action, OLDER_FIELDS);
    const round = sent.round ?? state.round + Number(state.phase !== 'submission');
    const ballot = state.ballot + Number(state.phase !== 'vote');
    const decided = answered(state, seat, action.type, { ...sent, round, ballot });
    return decided.map(({ supersedes, ...event }) => event);
  };

  return {
    id: 'together',
    rulesVersion: 2,
    older: [{
      rulesVersion: 1, options: olderOptions(forms), initial: olderInitial, decide: olderDecide,
    }],
    seats: [4, 32],
    hidesDraws: false,
    records: ['closed'],
    events: events(forms),
    options: options(forms),
    fit,
    initial,
    open,
    awaits,
    decide,
    settle,
    expire,
    evolve,
    result,
    sealedPhase: (id) => id !== 'token_of_life',
  };
});
