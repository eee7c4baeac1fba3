// Plays a match with the client that @hey-api/openapi-ts makes: URL KEY MATCH, the body in JSON.
import { createClient } from './generated/client'
import { act, closePhase, createMatch, listActions, listEvents, startMatch, viewMatch } from './generated'
import type { Action, DollarPrizeBoard, Line, NewMatch, View } from './generated'

const [url, key, body] = process.argv.slice(2)
const reader = (auth?: string) => createClient({ baseUrl: url, auth })
const organiser = reader(key)

const made = await createMatch({ client: organiser, body: JSON.parse(body) as NewMatch, throwOnError: true })
const path = { id: made.data.id }
await startMatch({ client: organiser, path, throwOnError: true })
const moderator = reader(made.data.moderator_key ?? undefined)
const seats = made.data.seats.map(seat => reader(seat.key ?? undefined))
const some = <T>(items: T[]): T => items[Math.floor(Math.random() * items.length)]

const anyone = reader()
let view: View
for (;;) {
  view = (await viewMatch({ client: anyone, path, query: { as: 'public' }, throwOnError: true })).data
  if (view.status === 'ended') break
  for (const seat of view.awaiting.seats) {
    const menu = await listActions({ client: seats[seat], path, throwOnError: true })
    if (menu.data.actions.length === 0) continue
    const examples: Action[] = some(menu.data.actions).examples
    await act({ client: seats[seat], path, body: some(examples), throwOnError: true })
  }
  // They act in secret, until somebody ends the phase.
  if (view.awaiting.seats.length > 1) await closePhase({ client: moderator, path })
}

// What the types know: a view's board by the game, an event's data by its type.
const board: DollarPrizeBoard | null = view.game === 'dollar-prize' ? view.view : null
const totals: [number, number] | undefined = board?.totals
const seen = (line: Line): string => line.type === 'match.created.1' ? line.data.seats.toString() : line.type

const events = await listEvents({ client: seats[0], path, query: { as: 'seat:0', limit: 1000 }, throwOnError: true })
const kinds = new Set(events.data.events.map(seen))
console.log(JSON.stringify({ status: view.status, game: view.game, kinds: kinds.size, totals }))
