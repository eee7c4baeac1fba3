"""What a calendar is of: matches as they are scheduled, and a tournament's rounds."""

from uuid import UUID

from projections.rounds import rounds_of
from service.event_store.store_threads import in_store_thread
from service.instance import Instance
from service.notices.calendar_feed import Subject
from service.notices.calendars import Calendar


async def read_subject(instance: Instance, calendar: Calendar) -> Subject:
    """What the calendar shows now. Raises StoreUnavailable and UnknownTournament."""
    schedule = instance.webhooks.schedule
    if calendar.tournament is None:
        assert calendar.match is not None, "a calendar is of either"
        found = await in_store_thread(schedule.matches, (calendar.match,))
        return Subject("Arbiter", list(found.values()))
    shown = await instance.lists.tournament(UUID(calendar.tournament))
    matches = await in_store_thread(schedule.of_tournament, calendar.tournament)
    rounds = rounds_of(match for match, _ in shown.matches)
    players = {match.match: match.players for match, _ in shown.matches}
    wanted = [
        match
        for match in matches
        if calendar.player is None or calendar.player in players.get(match.row.id, ())
    ]
    whole = calendar.player is None
    return Subject(shown.name, wanted, calendar.tournament, rounds, whole)
