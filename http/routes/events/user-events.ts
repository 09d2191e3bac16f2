// User events (spec: state.md §9).
import { rethrowAs } from '../../../events/errors.js'
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { compilePattern, PatternError } from '../../../projections/language/pattern.js'
import { json } from '../../wire/response.js'
import { respondWithCheckpoint } from '../../wire/reads/blocking.js'
import { readable } from '../../wire/reads/filter.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, requires, route, type Route } from '../../wire/route.js'
import { userEvent } from '../../schemas/events.js'
import { Lifecycle, scoped } from 'tsyringe'
import { Views } from '../../../projections/read-models.js'

interface UserEvent {
  readonly ID: string
  readonly Name: string
  /** Base64; null for an empty payload. */
  readonly Payload: string | null
  readonly NodeFilter: string
  readonly ServiceFilter: string
  readonly TagFilter: string
  readonly Version: number
  readonly LTime: number
}

const MAX_EVENTS = 256
const KEY = 'user-events'
/** Hexadecimal digits of half an ID. */
const HALF_DIGITS = 16

/** The newest events, which are lost at shutdown. */
@scoped(Lifecycle.ContainerScoped)
export class UserEvents {
  readonly watch = [KEY]
  readonly #events: UserEvent[] = []
  #fired = 0

  constructor(private readonly views: Views) {}

  /** In ascending order of time. */
  get list(): readonly UserEvent[] {
    return this.#events
  }

  fire(event: Omit<UserEvent, 'LTime'>): void {
    this.#fired++
    this.#events.push({ ...event, LTime: this.#fired })
    if (this.#events.length > MAX_EVENTS) this.#events.shift()
    this.views.watch.touch(KEY)
  }
}

/** Returns the index that clients compute of the newest known event: the XOR of the two halves of its ID. 0 is replaced by 1. */
const indexOfEvents = (newest: UserEvent | undefined): bigint => {
  const digits = newest?.ID.replaceAll('-', '') ?? ''
  const half = (from: number): bigint => BigInt(`0x0${digits.slice(from, from + HALF_DIGITS)}`)
  return half(0) ^ half(HALF_DIGITS) || 1n
}

const VERSION = 1
const facts = { tag: 'Events', tenancy: 'none' } as const
/** Returns a regular expression of recipients, which the agents match. */
const recipients = ({ query }: RequestContext, kind: 'node' | 'service' | 'tag'): string => {
  const pattern = query.get(kind) ?? ''
  const fault = (message: string) =>
    invalid(
      'user-event.invalid',
      `Invalid ${kind} filter: parameter "${kind}" is no regular expression: ${message}`
    )
  rethrowAs(() => compilePattern(pattern), PatternError, fault)
  return pattern
}

export const userEventRoutes = (userEvents: UserEvents): readonly Route[] => [
  route({
    ...facts,
    access: requires('event:write'),
    method: 'PUT',
    path: '/v1/event/fire/*name',
    operationId: 'fireEvent',
    summary: 'Fire an event; the body is its payload',
    idempotency: { refused: 'what is fired is in no commit, and repeated would be fired again' },
    query: { node: 'Filter of node names', service: 'Filter of services', tag: 'Filter of tags' },
    rawBody: { type: 'application/octet-stream', description: 'The payload', example: 'v2.1' },
    response: userEvent,
    handle: request => {
      const { body } = request
      const name = request.param('name')
      if (name === '') throw invalid('user-event.invalid', 'Missing name')
      request.require('event', 'write', name)
      const fired = {
        ID: request.newId(),
        Name: name,
        Payload: body && body.length > 0 ? body.toString('base64') : null,
        NodeFilter: recipients(request, 'node'),
        ServiceFilter: recipients(request, 'service'),
        TagFilter: recipients(request, 'tag'),
        Version: VERSION
      }
      if (fired.TagFilter !== '' && fired.ServiceFilter === '')
        throw invalid(
          'user-event.invalid',
          'Cannot provide tag filter without service filter: parameter "service" is missing'
        )
      userEvents.fire(fired)
      return json({ ...fired, LTime: 0 })
    }
  }),
  route({
    ...facts,
    access: anyToken('events without event:read are omitted'),
    blocking: true,
    runs: 'leader',
    method: 'GET',
    path: '/v1/event/list',
    operationId: 'listEvents',
    summary: 'The newest events',
    query: { name: 'Only events of this name' },
    response: Type.Array(userEvent),
    handle: request =>
      respondWithCheckpoint(request, () => {
        request.requireToken()
        const name = request.query.filled('name')
        const all =
          name === undefined ? userEvents.list : userEvents.list.filter(event => event.Name === name)
        const { entries, headers } = readable(request, all, event => request.may('event', 'read', event.Name))
        const mark = indexOfEvents(entries.at(-1))
        return { mark, watch: userEvents.watch, answer: json(entries, headers) }
      })
  })
]
