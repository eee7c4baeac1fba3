// Plays a match with `fetch` and the types that openapi-typescript makes: URL KEY MATCH.
import type { components, paths } from './types'

type Schemas = components['schemas']
type Created = paths['/v1/matches']['post']['responses']['201']['content']['application/json']

const [url, key, body] = process.argv.slice(2)

async function ask<T>(path: string, bearer?: string, sent?: unknown): Promise<T> {
  const headers: Record<string, string> = bearer ? { Authorization: `Bearer ${bearer}` } : {}
  const method = sent === undefined ? 'GET' : 'POST'
  const answer = await fetch(`${url}/v1/matches${path}`, { method, headers, body: sent === undefined ? undefined : JSON.stringify(sent) })
  if (!answer.ok) throw new Error(await answer.text())
  return await answer.json() as T
}

const made = await ask<Created>('', key, JSON.parse(body) as Schemas['NewMatch'])
await ask(`/${made.id}/start`, key, {})
const moderator = made.moderator_key ?? undefined
const some = <T>(items: T[]): T => items[Math.floor(Math.random() * items.length)]

let view: Schemas['View']
for (;;) {
  view = await ask<Schemas['View']>(`/${made.id}/view?as=public`)
  if (view.status === 'ended') break
  for (const seat of view.awaiting.seats) {
    const holder = made.seats[seat].key ?? undefined
    const menu = await ask<Schemas['MenuAnswer']>(`/${made.id}/actions`, holder)
    if (menu.actions.length === 0) continue
    const examples: Schemas['Action'][] = some(menu.actions).examples
    await ask<Schemas['Taken']>(`/${made.id}/actions`, holder, some(examples))
  }
  // They act in secret, until somebody ends the phase.
  if (view.awaiting.seats.length > 1) await ask(`/${made.id}/close-phase`, moderator, {}).catch(() => null)
}

const page = await ask<Schemas['EventPage']>(`/${made.id}/events?as=public&limit=1000`)
const seen = (line: Schemas['Line']): string => line.type === 'match.created.1' ? line.data.seats.toString() : line.type
console.log(JSON.stringify({ status: view.status, game: view.game, kinds: new Set(page.events.map(seen)).size }))
