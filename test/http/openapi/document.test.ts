import test from 'ava'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import { allRoutes } from '../../support/routes.js'
import { serverInProcess } from '../../support/server.js'

const operation = Type.Object({
  summary: Type.String({ minLength: 1 }),
  description: Type.String({ minLength: 1 }),
  tags: Type.Array(Type.String()),
  requestBody: Type.Optional(
    Type.Object({ content: Type.Record(Type.String(), Type.Object({ schema: Type.Object({}) })) })
  ),
  responses: Type.Record(Type.String(), Type.Object({}))
})
const document = Type.Object({
  openapi: Type.String({ pattern: '^3\\.1' }),
  info: Type.Object({ title: Type.String(), version: Type.String() }),
  paths: Type.Record(Type.String(), Type.Record(Type.String(), operation))
})

test('GET /v1/openapi.json needs no token and describes every route with its permission and schemas', async t => {
  const server = await serverInProcess(t)
  const { status, headers, text } = await server.send('GET', '/v1/openapi.json', { token: undefined })
  t.is(status, 200)
  t.is(headers['content-type'], 'application/json')
  const value: unknown = JSON.parse(text)
  if (!Value.Check(document, value)) throw new Error(JSON.stringify(Value.Errors(document, value)))
  for (const route of allRoutes.filter(({ isVariant }) => !isVariant)) {
    const path = route.path.replaceAll(/[:*](\w+)/g, '{$1}')
    const described = value.paths[path]?.[route.method.toLowerCase()]
    t.truthy(described, `${route.method} ${path} is not described`)
    t.is(described?.summary, route.summary)
    for (const permission of route.access.permissions)
      t.true(described?.description.includes(permission), `${path} does not name ${permission}`)
    t.is(
      described?.requestBody !== undefined,
      (route.body ?? route.rawBody) !== undefined,
      `body of ${route.method} ${path}`
    )
  }
  t.truthy(value.paths['/v1/openapi.json'])
})

test('a read with diff is described as a JSON Patch beside the resource, and sent as one', async t => {
  const server = await serverInProcess(t)
  const { paths, components } = JSON.parse((await server.send('GET', '/v1/openapi.json')).text)
  for (const { path, method, past, isVariant, response } of allRoutes) {
    if (isVariant) continue
    const { content = {} } =
      paths[path.replaceAll(/[:*](\w+)/g, '{$1}')][method.toLowerCase()].responses['200']
    const patch = content['application/json-patch+json']
    t.deepEqual(patch?.schema, past?.needs ? { $ref: '#/components/schemas/JsonPatch' } : undefined, path)
    t.is('application/json' in content, response !== undefined, path)
  }
  t.is(components.schemas.JsonPatch.type, 'array')
  await server.send('PUT', '/v1/kv/a', { body: 'x' })
  const { headers, text } = await server.send('GET', `/v1/kv/a?diff=1..${server.app.views.index}&pretty`)
  t.is(headers['content-type'], 'application/json-patch+json')
  t.regex(text, /^\[\n {4}\{\n/)
})

test('a body that is required is described so, and its lack is answered 400 EOF', async t => {
  const server = await serverInProcess(t)
  const { paths, components } = JSON.parse((await server.send('GET', '/v1/openapi.json')).text)
  const faults: string[] = []
  for (const { path, method, body } of allRoutes.filter(route => route.body && !route.isVariant)) {
    const { requestBody } = paths[path.replaceAll(/[:*](\w+)/g, '{$1}')][method.toLowerCase()]
    const isRequired = body?.optional !== true
    t.is(requestBody.required, isRequired, path)
    t.is(requestBody.description, isRequired ? 'Required: without a body the answer is 400 `EOF`' : undefined)
    const named = path.replaceAll(/[:*]\w+/g, '00000000-0000-0000-0000-000000000009')
    const query = path.endsWith('/intentions/exact') ? '?source=a&destination=b' : ''
    const answer = await server.send(method, `${named}${query}`)
    if (isRequired && !(answer.status === 400 && answer.text.includes('EOF')))
      faults.push(`${method} ${path}: ${answer.status} ${answer.text}`)
  }
  t.deepEqual(faults, [])
  t.false(Object.hasOwn(components.schemas.Mesh.properties, 'Name'))
})

test('the description shows what a body may hold', async t => {
  const server = await serverInProcess(t)
  const { text } = await server.send('GET', '/v1/openapi.json')
  const { paths, components } = JSON.parse(text)
  t.deepEqual(paths['/v1/acl/policy'].put.requestBody.content['application/json'].schema, {
    $ref: '#/components/schemas/PolicyInput'
  })
  const schema = components.schemas.PolicyInput
  t.deepEqual(schema.properties.Rules, {
    type: 'string',
    description: 'Rules in HCL or JSON, kept exactly as given'
  })
  t.false(schema.additionalProperties)
})

test('the description names the parameters that a route has by what is declared of it, and how to show a token', async t => {
  const server = await serverInProcess(t)
  const { paths } = JSON.parse((await server.send('GET', '/v1/openapi.json')).text)
  const parameters = (path: string, method = 'get'): readonly string[] =>
    paths[path][method].parameters
      .filter((one: { readonly in: string }) => one.in === 'query')
      .map((one: { readonly name: string }) => one.name)
  const tenancy = ['ns', 'partition']
  const consistency = ['stale', 'consistent', 'max_stale']
  const everywhere = ['dc', 'pretty']
  const past = ['at', 'diff']
  const pages = ['limit', 'after']
  t.deepEqual(parameters('/v1/acl/roles'), [
    ...pages,
    'policy',
    'filter',
    'index',
    'wait',
    ...consistency,
    ...past,
    ...tenancy,
    ...everywhere
  ])
  t.deepEqual(parameters('/v1/acl/role', 'put'), [...tenancy, ...everywhere])
  t.deepEqual(parameters('/v1/namespaces'), [
    ...pages,
    'index',
    'wait',
    ...consistency,
    ...past,
    'partition',
    ...everywhere
  ])
  t.deepEqual(parameters('/v1/status/leader'), everywhere)
  t.true(parameters('/v1/health/service/{name}').includes('cached'))
  for (const name of ['Reason', 'Checkpoint']) {
    const bearer = JSON.stringify({ $ref: `#/components/parameters/${name}` })
    t.true(JSON.stringify(paths['/v1/acl/role'].put.parameters).includes(bearer))
    t.true(JSON.stringify(paths['/v1/acl/policy/{id}'].delete.parameters).includes(bearer))
    t.false(JSON.stringify(paths['/v1/acl/roles'].get.parameters).includes(bearer))
  }
  t.deepEqual(paths['/v1/acl/role'].put.responses['200'].headers['X-Service-Checkpoint'], {
    $ref: '#/components/headers/Checkpoint'
  })
  const key = { $ref: '#/components/parameters/IdempotencyKey' }
  t.deepEqual(paths['/v1/acl/role'].put.parameters.at(-1), key)
  t.deepEqual(paths['/v1/acl/bootstrap'].put.parameters.at(-1), {
    $ref: '#/components/parameters/SecretIdempotencyKey'
  })
  for (const path of ['/v1/event/fire/{name}', '/v1/acl/explain'])
    t.notDeepEqual(Object.values<typeof paths>(paths[path])[0].parameters.at(-1), key)
  t.deepEqual(paths['/v1/acl/roles'].get.security, [{ token: [] }, { bearer: [] }, { query: [] }, {}])
  t.deepEqual(paths['/v1/acl/bootstrap'].put.security, [])
  t.deepEqual(Object.keys(paths['/v1/acl/roles'].get.responses), [
    '200',
    '400',
    '401',
    '403',
    '429',
    'default'
  ])
})
