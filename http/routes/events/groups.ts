// Consumer groups: members receive, acknowledge and reject the units of one cursor (docs/reference/consumer-groups.md).
import * as Type from 'typebox'
import type { LeasedUnit, UnitName } from '../../../actors/processes/group-unit.js'
import { invalidWith } from '../../../actors/refusal.js'
import { HOUR, MILLISECOND, parseDuration } from '../../../events/duration.js'
import {
  acknowledgement,
  listedUnit,
  parkedUnits,
  receivedUnit,
  rejection,
  settlement
} from '../../schemas/groups.js'
import type { ConsumerGroups } from '../../stream/groups/consumer-groups.js'
import type { GroupRun } from '../../stream/groups/group-run.js'
import type { SubscriptionRequests } from '../../stream/subscription-requests.js'
import { isReason } from '../../wire/reason.js'
import { jittered, requestedWait } from '../../wire/reads/blocking.js'
import type { RequestContext } from '../../wire/request-context.js'
import { json, jsonText, type RouteResponse } from '../../wire/response.js'
import { anyToken, bodyRoute, route, type Route } from '../../wire/route.js'

const invalidParameter = invalidWith('cursor.invalid', 'Invalid ')

const MOST_RECEIVED = 64
const LONGEST_DELAY = 24 * HOUR
const MEMBER = /^[A-Za-z0-9_.:@/-]{1,128}$/
const LIMIT = /^\d{1,2}$/

const facts = {
  tag: 'Events',
  tenancy: 'none',
  refusesUnknown: true,
  // Only the leader knows which member has which unit.
  runs: 'leader',
  idempotency: { refused: 'a receipt stands for one delivery' },
  access: anyToken(
    "not the anonymous one; the cursor's owner, or operator:write; and the permissions of a stream of its topics"
  ),
  outcomes: {
    404: { description: 'The cursor does not exist' },
    409: { description: 'The cursor has no group, or was changed meanwhile' }
  }
} as const

type Acknowledgement = Type.Static<typeof acknowledgement>
type Rejection = Type.Static<typeof rejection>
type ParkedUnits = Type.Static<typeof parkedUnits>

/** @throws Refusal `invalid` */
const mostOf = ({ query }: RequestContext): number => {
  const limit = query.get('limit')
  if (limit === undefined) return 1
  const most = LIMIT.test(limit) ? Number(limit) : 0
  if (most < 1 || most > MOST_RECEIVED)
    throw invalidParameter(`limit: ${JSON.stringify(limit.slice(0, 200))} must be 1 to ${MOST_RECEIVED}`)
  return most
}

/** @throws Refusal `invalid` */
const memberOf = ({ query }: RequestContext): string => {
  const member = query.get('member') ?? ''
  if (!MEMBER.test(member))
    throw invalidParameter(
      `member: ${JSON.stringify(member.slice(0, 200))} must be 1 to 128 letters, digits, "_", ".", ":", "@", "/" and "-"`
    )
  return member
}

/** Returns milliseconds. @throws Refusal `invalid` */
const delayOf = ({ Delay }: Rejection): number => {
  if (Delay === undefined) return 0
  const delay = parseDuration(Delay)
  if (delay === undefined || delay < 0 || delay > LONGEST_DELAY)
    throw invalidParameter(
      `Delay: ${JSON.stringify(Delay.slice(0, 200))} must be a duration of at most 24h, such as 30s`
    )
  return delay / MILLISECOND
}

/** @throws Refusal `invalid` */
const reasonOf = ({ Reason }: Rejection): string => {
  if (Reason === undefined) return 'Rejected by a member'
  if (!isReason(Reason)) throw invalidParameter('Reason: it must be 1 to 512 printable characters')
  return Reason
}

/** The line of a unit, `{"Index":…}` and a newline, as a received unit. */
const receivedText = ({ receipt, deliveries, line }: LeasedUnit): string =>
  `{"Receipt":${JSON.stringify(receipt)},"Deliveries":${deliveries},${line.toString('utf8', 1, line.length - 1)}`

class GroupEndpoints {
  constructor(
    private readonly groups: ConsumerGroups,
    private readonly requests: SubscriptionRequests
  ) {}

  /** @throws Refusal */
  async receive(request: RequestContext): Promise<RouteResponse> {
    const [member, most] = [memberOf(request), mostOf(request)]
    const waits = (request.query.get('wait') ?? '') !== ''
    const waitMs = requestedWait(request.query)
    const run = this.#runOf(request)
    const { units, giveUp } = run.receive({
      member,
      most,
      waits,
      authority: () => {
        request.forgetAuthority()
        this.requests.cursorOf(request)
        return request.authority
      }
    })
    const timer = setTimeout(giveUp, jittered(waitMs))
    const unlisten = request.onGone(giveUp)
    try {
      return jsonText(`[${(await units).map(receivedText).join(',')}]`)
    } finally {
      clearTimeout(timer)
      unlisten()
    }
  }

  /** @throws Refusal */
  async acknowledge(request: RequestContext, { Receipts }: Acknowledgement): Promise<RouteResponse> {
    const { settled, unknown } = await this.#runOf(request).acknowledge(Receipts)
    return json({ Settled: settled, Unknown: unknown })
  }

  /** @throws Refusal */
  async reject(request: RequestContext, body: Rejection): Promise<RouteResponse> {
    const [delay, reason] = [delayOf(body), reasonOf(body)]
    const { settled, unknown } = await this.#runOf(request).reject(body.Receipts, delay, reason)
    return json({ Settled: settled, Unknown: unknown })
  }

  /** @throws Refusal */
  async unpark(
    request: RequestContext,
    { Units }: ParkedUnits,
    next: 'replay' | 'drop'
  ): Promise<RouteResponse> {
    return json(await this.#runOf(request).unpark(Units, next))
  }

  /** @throws Refusal */
  async list(request: RequestContext): Promise<RouteResponse> {
    const run = this.#runOf(request)
    const rows: object[] = []
    for (const { row, member } of run.rows())
      rows.push({
        ...row,
        ...(member === undefined ? {} : { Member: member }),
        ...(await this.#resourceOf(request, run, row))
      })
    return json(rows)
  }

  /** The topic and key of a unit, for callers who may read it as the owner of the cursor does. */
  async #resourceOf(request: RequestContext, run: GroupRun, name: UnitName): Promise<object> {
    const content = await run.contentFor(request.usage.credited, name)
    const [event] = content?.events ?? []
    if (!event) return {}
    return { Topic: event.Topic, Key: event.Key }
  }

  #runOf(request: RequestContext): GroupRun {
    return this.groups.open(this.requests.cursorOf(request))
  }
}

const PATH = '/v1/event/cursor/:name'

export const groupRoutes = (groups: ConsumerGroups, requests: SubscriptionRequests): readonly Route[] => {
  const endpoints = new GroupEndpoints(groups, requests)
  const unparking = (next: 'replay' | 'drop', summary: string): Route =>
    bodyRoute({
      ...facts,
      method: 'POST',
      path: `${PATH}/units/${next}`,
      operationId: `${next}ParkedUnits`,
      summary,
      body: { schema: parkedUnits, name: 'ParkedUnits' },
      response: Type.Integer({ description: 'Number of units that were parked' }),
      handle: (request, body) => endpoints.unpark(request, body, next)
    })
  return [
    route({
      ...facts,
      method: 'POST',
      path: `${PATH}/receive`,
      operationId: 'receiveUnits',
      summary: 'Receive the next units of a consumer group',
      query: {
        member: 'Name of the member, which the list of units shows',
        limit: `Most units, 1 to ${MOST_RECEIVED}; default 1`,
        wait: 'Wait so long for a unit; none: answer at once'
      },
      response: Type.Array(receivedUnit),
      handle: request => endpoints.receive(request)
    }),
    bodyRoute({
      ...facts,
      method: 'POST',
      path: `${PATH}/ack`,
      operationId: 'acknowledgeUnits',
      summary: 'Acknowledge received units; returns when that is durable, within a second',
      body: { schema: acknowledgement, name: 'UnitAcknowledgement' },
      response: settlement,
      handle: (request, body) => endpoints.acknowledge(request, body)
    }),
    bodyRoute({
      ...facts,
      method: 'POST',
      path: `${PATH}/nack`,
      operationId: 'rejectUnits',
      summary: 'Reject received units, which are delivered again or parked; returns when that is durable',
      body: { schema: rejection, name: 'UnitRejection' },
      response: settlement,
      handle: (request, body) => endpoints.reject(request, body)
    }),
    route({
      ...facts,
      method: 'GET',
      path: `${PATH}/units`,
      operationId: 'listUnits',
      summary: 'List the units of a consumer group that are parked, or in memory and not acknowledged',
      response: Type.Array(listedUnit),
      handle: request => endpoints.list(request)
    }),
    unparking('replay', 'Deliver parked units again'),
    unparking('drop', 'Drop parked units')
  ]
}
