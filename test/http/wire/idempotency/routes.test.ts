// Every write stores responses for idempotency keys, or declares why not.
import test from 'ava'
import { storesResponses } from '../../../../http/wire/idempotency/key.js'
import { isRead } from '../../../../http/wire/route.js'
import { allRoutes } from '../../../support/routes.js'
import { serverInProcess } from '../../../support/server.js'
import { keyed } from './keyed.js'

const named = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path}`

const refusing = allRoutes.filter(route => !isRead(route) && !storesResponses(route))

test('the writes that keep no answer are those that would be done again', t => {
  t.deepEqual(refusing.map(named), [
    'POST /v1/acl/sign-in-code',
    'POST /v1/acl/sign-in',
    'POST /v1/event/cursor/:name/receive',
    'POST /v1/event/cursor/:name/ack',
    'POST /v1/event/cursor/:name/nack',
    'POST /v1/event/cursor/:name/units/replay',
    'POST /v1/event/cursor/:name/units/drop',
    'POST /v1/event/cursor/:name/redeliver',
    'PUT /v1/event/fire/*name',
    'PUT /v1/snapshot'
  ])
})

test('the header means nothing where nothing is written, whatever the method', t => {
  t.deepEqual(allRoutes.filter(route => route.method !== 'GET' && isRead(route)).map(named), [
    'POST /v1/internal/acl/authorize',
    'POST /v1/acl/binding-rules/test',
    'POST /v1/acl/rules/translate',
    'POST /v1/acl/policy/validate',
    'POST /v1/internal/query',
    'POST /v1/discovery-chain/*service',
    'POST /v1/acl/explain',
    'DELETE /v1/operator/raft/peer',
    'POST /v1/acl/policy/:id/impact',
    'POST /v1/acl/role/:id/impact',
    'POST /v1/acl/token/:AccessorID/impact',
    'POST /v1/acl/binding-rule/:id/impact',
    'POST /v1/namespace/:name/impact'
  ])
})

test('a route that keeps no answer refuses the header, and says why, before it does anything', async t => {
  const server = await serverInProcess(t)
  const before = server.app.views.index
  for (const route of refusing) {
    const path = route.path.replaceAll(/[:*]\w+/g, 'x')
    const { status, text } = await keyed(server, 'k', route.method, path, { body: {} })
    t.is(status, 400, path)
    t.regex(text, /^Bad request: X-Service-Idempotency-Key cannot be kept to here: /, path)
  }
  t.is(server.app.views.index, before)
})
