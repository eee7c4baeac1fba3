/** Pauses: clocks stand still, and what is left of the deadline in force is kept. */
const PAUSES = (() => {
  'use strict';

  const { refuse } = COMMANDS;

  /** The seed of an epoch that begins is sealed. */
  const sealing = ({ id, epoch }) => {
    if (epoch === null || epoch.transcript !== null) {
      return [];
    }
    const clients = CHANCE.clients(epoch.seeds);
    const transcript = CHANCE.transcript(id, epoch.committed, clients);
    const { committed } = epoch;
    return [{ type: 'match.seed-sealed.1', epoch: committed.epoch, clients, transcript }];
  };

  /** The deadline has not been reached: nothing is taken in at its instant or later. */
  const paused = (match, at) => {
    if (match.status !== 'running') {
      refuse('match_not_running');
    }
    const { deadline } = match.awaiting;
    const left = deadline === null ? null : deadline - at;
    const event = { type: 'match.paused.1', left };
    return deadline === null ? [event] : [event, { ...match.awaiting, deadline: null }];
  };

  const resumed = (match, at) => {
    if (match.status !== 'paused') {
      refuse('not_paused');
    }
    const events = [{ type: 'match.resumed.1' }, ...sealing(match)];
    return match.left === null
      ? events
      : [...events, { ...match.awaiting, deadline: at + match.left }];
  };

  return { sealing, paused, resumed };
})();
