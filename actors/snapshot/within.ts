// Brings the things of another server's snapshot within the indexes of this one.
import type { Event } from '../../events/envelope.js'

const INDEXES = ['CreateIndex', 'ModifyIndex'] as const

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const thingWithin = (thing: unknown, index: number): unknown => {
  if (!isObject(thing)) return thing
  const beyond = INDEXES.filter(name => Number(thing[name] ?? 0) > index)
  return beyond.length === 0
    ? thing
    : { ...thing, ...Object.fromEntries(beyond.map(name => [name, index] as const)) }
}

/**
 * An event whose thing has no index beyond the one of its commit. The log that a snapshot was taken of may be longer than
 * this one: with an index that this log reaches only later, a change would wake nobody who waits for it, and a cas could
 * take what is written then for what was restored.
 */
export const within = (event: Event, index: number): Event => ({
  ...event,
  Payload: Object.fromEntries(
    Object.entries(event.Payload).map(([name, thing]) => [name, thingWithin(thing, index)] as const)
  )
})
