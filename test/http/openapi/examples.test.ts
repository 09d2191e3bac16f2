// The examples of the description are true: bodies are accepted, and answers are as their schemas say.
import test from 'ava'
import { CONFIG_KINDS, isConfigKind } from '../../../events/config-entry.js'
import { allRoutes } from '../../support/routes.js'
import type { Route } from '../../../http/wire/route.js'
import { templatePath } from '../../../http/wire/route-path.js'
import { isObject, valueAt, type Json } from '../../conformance/case-file.js'
import { ApiDescription } from '../../conformance/api-description.js'
import { serverInProcess } from '../../support/server.js'

const description = new ApiDescription()
const described = allRoutes.filter(({ isVariant }) => !isVariant)
const JSON_TYPE = 'application/json'

/** The content of a body or an answer, by type. */
const contentOf = (route: Route, ...keys: readonly string[]): [string, Json][] => {
  const at = ['paths', templatePath(route.path), route.method.toLowerCase(), ...keys, 'content']
  const content = at.reduce<Json | undefined>(
    (value, key) => (isObject(value) ? value[key] : undefined),
    description.document
  )
  return isObject(content) ? Object.entries(content) : []
}

const exampleIn = (content: Json): Json | undefined => valueAt(content, 'example')

test('every body and answer has an example, apart from those that are bytes', t => {
  const lacking = described.flatMap(route =>
    [['requestBody'], ['responses', '200']].flatMap(keys =>
      contentOf(route, ...keys)
        .filter(([, content]) => exampleIn(content) === undefined)
        .map(([type]) => `${route.operationId} ${keys.join(' ')} ${type}`)
    )
  )
  t.deepEqual(lacking, [
    'readTile responses 200 application/octet-stream',
    'readEntryBundle responses 200 application/octet-stream',
    'readRecords responses 200 application/octet-stream',
    'readBaseSnapshot responses 200 application/octet-stream',
    'saveSnapshot responses 200 application/x-gzip',
    'restoreSnapshot requestBody application/x-gzip'
  ])
})

test('the example of every answer is as its schema says', t => {
  for (const route of described)
    for (const status of ['200', ...Object.keys(route.outcomes ?? {})])
      for (const [type, content] of contentOf(route, 'responses', status)) {
        if (type !== JSON_TYPE) continue
        const at = ['paths', templatePath(route.path), route.method.toLowerCase(), 'responses', status]
        const faults = description.check([...at, 'content', type, 'schema'], exampleIn(content) ?? null)
        t.deepEqual(faults, [], `${route.operationId} ${status}`)
      }
})

/** Operations that come first, because the examples of others name what they make. */
const FIRST = ['createPolicy', 'createRole', 'createAuthMethod']
/** Parameters that the path of an operation needs. */
const PARAMETERS: Readonly<Record<string, string>> = {
  setAgentToken: 'default',
  updateCheck: 'disk',
  compileDiscoveryChain: 'web',
  fireEvent: 'deploy',
  putCursor: 'loader',
  placeLegalHold: 'case-2026-117',
  redeliverWebhook: 'loader',
  acknowledgeUnits: 'loader',
  rejectUnits: 'loader',
  replayParkedUnits: 'loader',
  dropParkedUnits: 'loader'
}
const QUERIES: Readonly<Record<string, string>> = { writeExactIntention: '?source=api&destination=web' }
/** What the server of this test refuses for what it does not have, and not for what the body says. */
const REFUSED: Readonly<Record<string, number>> = {
  // Its name is that of the query made by POST.
  createQueryByPut: 400,
  login: 403,
  redeemSignInCode: 403,
  createOidcAuthUrl: 403,
  completeOidcLogin: 403,
  explainDecision: 403,
  // The cursor of the example has no group and no URL.
  redeliverWebhook: 409,
  acknowledgeUnits: 409,
  rejectUnits: 409,
  replayParkedUnits: 409,
  dropParkedUnits: 409
}

/** A text in a body or an answer. */
const textIn = (value: Json | undefined, field: string): string | undefined => {
  const found = value === undefined ? undefined : valueAt(value, field)
  return typeof found === 'string' ? found : undefined
}

test('the server takes the example of every body', async t => {
  const server = await serverInProcess(t)
  const made = new Map<string, Json>()
  const rank = ({ operationId }: Route): number => FIRST.indexOf(operationId) >>> 0
  for (const route of described.toSorted((a, b) => rank(a) - rank(b))) {
    const [[type, content] = []] = contentOf(route, 'requestBody')
    const body = content === undefined ? undefined : exampleIn(content)
    if (type === undefined || body === undefined) continue
    const { operationId } = route
    const [, resource = ''] = /^(?:update|clone|read|propose)(\w+?)(?:Impact)?$/.exec(operationId) ?? []
    const before = made.get(`create${resource}`)
    const id = textIn(before, 'AccessorID') ?? textIn(before, 'ID') ?? textIn(body, 'Name')
    const parameter = PARAMETERS[operationId] ?? id ?? 'web/port'
    const path = route.path.replace(/[:*]\w+/, parameter) + (QUERIES[operationId] ?? '')
    const headers = { 'X-Service-Reason': 'example' }
    const answer = await server.send(route.method, path, { body, headers })
    t.is(answer.status, REFUSED[operationId] ?? 200, `${operationId}: ${answer.text}`)
    if (answer.headers['content-type'] === JSON_TYPE) made.set(operationId, JSON.parse(answer.text))
  }
})

test('the server takes the example of every kind of configuration entry', async t => {
  const server = await serverInProcess(t)
  t.is((await server.send('PUT', '/v1/partition', { body: { Name: 'east' } })).status, 200)
  const schemas = valueAt(description.document, 'components.schemas')
  const bodies = (isObject(schemas) ? Object.entries(schemas) : [])
    .filter(([name]) => name.endsWith('Input') && name !== 'ConfigEntryInput')
    .flatMap(([, schema]) => valueAt(schema, 'examples.0') ?? [])
    .filter(body => isConfigKind(textIn(body, 'Kind') ?? ''))
  // What the others need comes first: that everything speaks http.
  const isFirst = (body: Json): boolean => textIn(body, 'Kind') === 'proxy-defaults'
  for (const body of bodies.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))) {
    const { status, text } = await server.send('PUT', '/v1/config', { body })
    t.is(status, 200, `${JSON.stringify(body)}: ${text}`)
  }
  t.is(bodies.length, CONFIG_KINDS.length)
})
