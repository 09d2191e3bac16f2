// Redelivery of commits to a webhook (docs/reference/cursors.md).
import type { Static } from 'typebox'
import { checkCursorIndex } from '../../../actors/cursor-rules.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import type { Cursor } from '../../../events/cursor.js'
import type { SubscriptionRequests } from '../../stream/subscription-requests.js'
import type { CommitRange, Redelivery } from '../../webhooks/redelivery.js'
import type { RequestContext } from '../../wire/request-context.js'
import { json, type RouteResponse } from '../../wire/response.js'
import { anyToken, bodyRoute, type Route } from '../../wire/route.js'
import * as Type from 'typebox'
import { integer, strict, text, sample, view } from '../../schemas/view.js'

const redeliveryBody = strict(
  {
    From: integer('Index of the first commit; none: all ranges of Undelivered, one after the other'),
    To: integer('Index of the last commit; none: that of From')
  },
  { $id: 'RedeliveryRange', examples: [{ From: 42, To: 44 }] }
)

const result = view('RedeliveredRange', {
  From: sample.integer(42, 'Index of the first commit'),
  To: sample.integer(44, 'Everything up to this index was accepted; less than From: nothing was'),
  Messages: sample.integer(2, 'Messages that the receiver accepted'),
  Reason: text('Why the next request was not accepted; nothing was sent after it')
})

const redeliveryResult = Type.Array(result)

type Body = Static<typeof redeliveryBody>

/** @throws Refusal `invalid` */
const rangesOf = ({ From: from, To }: Body, cursor: Cursor): readonly CommitRange[] => {
  if (from === undefined) {
    if (To !== undefined) throw invalid('cursor.invalid', 'Invalid To: it needs From')
    return (cursor.Undelivered ?? []).map(range => ({ from: range.From, to: range.To }))
  }
  const to = To ?? from
  if (from < 1 || to < from)
    throw invalid('cursor.invalid', `Invalid To: ${to} must be at least From, and From at least 1`)
  // The webhook itself delivers later commits.
  checkCursorIndex(to, cursor.Index)
  return [{ from, to }]
}

const redeliver = async (
  request: RequestContext,
  body: Body,
  redelivery: Redelivery,
  requests: SubscriptionRequests
): Promise<RouteResponse> => {
  const cursor = requests.cursorOf(request)
  if (cursor.URL === undefined)
    throw new Refusal('cursor.conflict', `Cursor "${cursor.Name}" has no URL: nothing is sent`)
  const disconnect = new AbortController()
  const unlisten = request.onGone(() => disconnect.abort())
  const results: object[] = []
  try {
    for (const range of rangesOf(body, cursor)) {
      const { to, messages, reason } = await redelivery.send(cursor, range, disconnect.signal)
      const failure = reason === undefined ? {} : { Reason: reason }
      results.push({ From: range.from, To: to, Messages: messages, ...failure })
      if (to < range.to) break
    }
  } finally {
    unlisten()
  }
  return json(results)
}

export const redeliveryRoutes = (
  redelivery: Redelivery,
  requests: SubscriptionRequests
): readonly Route[] => [
  bodyRoute({
    tag: 'Events',
    tenancy: 'none',
    refusesUnknown: true,
    // Only the leader sends webhooks.
    runs: 'leader',
    idempotency: { refused: 'each request sends the commits again' },
    method: 'POST',
    path: '/v1/event/cursor/:name/redeliver',
    operationId: 'redeliverWebhook',
    summary: 'Send commits to a webhook again: a range, or all that were given up',
    access: anyToken(
      "not the anonymous one; the cursor's owner, or operator:write; and the permissions of a stream of its topics"
    ),
    body: { schema: redeliveryBody, name: 'RedeliveryRange' },
    response: redeliveryResult,
    outcomes: {
      404: { description: 'The cursor does not exist' },
      409: { description: 'The cursor has no URL, or its owner lacks permissions' },
      410: { description: 'The commits are no longer retained' }
    },
    handle: (request, body) => redeliver(request, body, redelivery, requests)
  })
]
