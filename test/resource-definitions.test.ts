// Walks what is declared of everything stored, and fails where a field is lacking in what is made of the declarations.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { hashesOf } from '../actors/content.js'
import { DEFAULT_TENANCY } from '../events/envelope.js'
import { nodeDefinition } from '../events/node.js'
import { serviceDefinition } from '../events/service.js'
import { formOf } from '../events/definition/forms/forms.js'
import type { FilterType } from '../events/definition/forms/form.js'
import type { ValueType, ResourceDefinition } from '../events/definition/types.js'
import { inputsOf } from '../http/wire/route.js'
import { validatorOf } from '../http/wire/bodies/body.js'
import { agentServiceBody } from '../http/schemas/agent.js'
import { registerBody } from '../http/schemas/catalog.js'
import { responseSchema, bodySchema, entrySchema, requestFields } from '../http/schemas/definition-schemas.js'
import { agentServiceFields, hostFields, nameOnNode, onNodeFields } from '../projections/catalog/json.js'
import { resourceViewsOf } from '../projections/definition/resource-views.js'
import { projectRoot } from './support/process.js'
import { serverInProcess } from './support/server.js'

/** Lists that take a filter, by the name of the shape that they show. */
const FILTERED: Readonly<Record<string, string>> = {
  Check: '/v1/health/state/any',
  Node: '/v1/catalog/nodes',
  Policy: '/v1/acl/policies',
  Role: '/v1/acl/roles',
  Service: '/v1/catalog/node-services/node',
  Token: '/v1/acl/tokens'
}

/**
 * The fields of every event of a resource since the first version. A new field is `added`, since earlier events lack it. These lists must
 * not be extended.
 */
const FROM_THE_BEGINNING: Readonly<Record<string, string>> = {
  AuthMethod:
    'Name Type DisplayName Description MaxTokenTTL TokenLocality Config NamespaceRules CreateIndex ModifyIndex',
  BindingRule: 'ID Description AuthMethod Selector BindType BindName CreateIndex ModifyIndex',
  Check:
    'Node CheckID Name Status Notes Output ServiceID ServiceName ServiceTags Type Interval Timeout ExposedPort Definition CreateIndex ModifyIndex',
  Cursor: 'Name Topics Namespace Partition Index Owner Lease MovedAt CreateIndex ModifyIndex',
  KVEntry: 'LockIndex Key Flags Value CreateIndex ModifyIndex',
  LegalHold: 'Name Namespace Partition Reason CreateIndex ModifyIndex',
  Namespace: 'Name CreateIndex ModifyIndex',
  Node: 'ID Node Address Datacenter TaggedAddresses Meta CreateIndex ModifyIndex',
  Partition: 'Name CreateIndex ModifyIndex',
  Policy: 'ID Name Description Rules Datacenters Hash CreateIndex ModifyIndex',
  PolicyProposal:
    'ID Name Description Rules Datacenters ExpirationTime PolicyHash CreateTime CreateIndex ModifyIndex',
  Query: 'ID Name Session Token Template Service DNS CreateIndex ModifyIndex',
  Role: 'ID Name Description Policies ServiceIdentities NodeIdentities Hash CreateIndex ModifyIndex',
  Session: 'ID Name Node LockDelay Behavior TTL NodeChecks ServiceChecks CreateIndex ModifyIndex',
  Service:
    'Kind ID Service Tags Address TaggedAddresses Meta Port SocketPath Weights EnableTagOverride Proxy Connect CreateIndex ModifyIndex',
  Token:
    'AccessorID SecretID Description Policies Roles ServiceIdentities NodeIdentities Local AuthMethod CreateTime Hash CreateIndex ModifyIndex'
}

/** Fields that callers set at creation only. */
const NEVER_CHANGED: Readonly<Record<string, readonly string[]>> = {
  Token: ['AccessorID', 'SecretID', 'AuthMethod', 'ExpirationTime']
}

const isShape = (value: unknown): value is ResourceDefinition =>
  typeof value === 'object' && value !== null && 'example' in value && 'fields' in value

const folder = join(projectRoot, 'dist/events')
const modules: readonly Readonly<Record<string, unknown>>[] = await Promise.all(
  readdirSync(folder)
    .filter(file => file.endsWith('.js'))
    .map(file => import(pathToFileURL(join(folder, file)).href))
)
const shapes = modules.flatMap(module => Object.values(module).filter(isShape))

/** Expressions that any value of a field can be asked. */
const question = (name: string, filter: FilterType): string => {
  switch (filter.type) {
    case 'bool':
      return `${name} == true`
    case 'number':
      return `${name} != 0`
    case 'strings':
    case 'map':
    case 'objects':
      return `${name} is empty`
    case 'object':
      return Object.entries(filter.fields)
        .map(([inner, field]) => question(`${name}.${inner}`, field))
        .join(' and ')
    case 'string':
      return `${name} != "x"`
  }
}

const sample = (form: ValueType): unknown => formOf(form).example()

const storedFields = ({ fields }: ResourceDefinition) =>
  Object.entries(fields).filter(([, { stored }]) => stored !== 'never')
const propertiesOf = (schema: unknown): object =>
  typeof schema === 'object' && schema !== null && 'properties' in schema ? Object(schema.properties) : {}

test('there are shapes, and each name stands for one', t => {
  t.true(shapes.length > 0)
  t.is(new Set(shapes.map(({ name }) => name)).size, shapes.length)
})

for (const shape of shapes) {
  const { name } = shape
  const stored = storedFields(shape)

  test(`${name}: every stored field says what it means, and answers show it`, t => {
    const shown = { ...propertiesOf(entrySchema(shape)), ...propertiesOf(responseSchema(shape)) }
    for (const [field, { description }] of stored) {
      t.true(Object.hasOwn(shown, field), field)
      t.not(description, '', field)
    }
  })

  test(`${name}: a body may hold every field`, t => {
    const body = bodySchema(shape)
    const whole = Object.fromEntries(
      Object.entries(requestFields(shape)).map(([field, { form }]) => [field, sample(form)])
    )
    t.true(validatorOf(body).Check(whole))
    t.false(validatorOf(body).Check({ ...whole, Unknown: 1 }))
  })

  test(`${name}: a command holds everything that a caller may say`, t => {
    const said = Object.entries(shape.fields).filter(([, { by }]) => by === 'caller')
    t.deepEqual(
      Object.keys(inputsOf(shape)({})),
      said.map(([field]) => field)
    )
  })

  test(`${name}: a command holds the default of what was not said`, t => {
    const input: Readonly<Record<string, unknown>> = { ...inputsOf(shape)({}) }
    for (const [field, { otherwise }] of Object.entries(shape.fields))
      if (otherwise !== undefined) t.deepEqual(input[field], otherwise, field)
    t.pass()
  })

  test(`${name}: what is shown of a row meets its schema`, t => {
    const whole = Object.fromEntries(stored.map(([field, { form }]) => [field, sample(form)]))
    const names = { namesVersion: 0, policyName: () => 'policy', roleName: () => 'role' }
    for (const which of ['shown', 'listed'] as const) {
      const schema = which === 'shown' ? responseSchema(shape) : entrySchema(shape)
      const text = JSON.stringify(
        resourceViewsOf(shape, which)(whole, DEFAULT_TENANCY, { names, secret: 'secret' })
      )
      t.deepEqual([...validatorOf(schema).Errors(JSON.parse(text))], [], which)
    }
  })

  test(`${name}: the content hash covers every field that a caller says`, t => {
    const hash = hashesOf(shape)
    t.true(shape.hashOrder !== undefined || !Object.hasOwn(shape.fields, 'Hash'))
    for (const [field, { hashed, form }] of shape.hashOrder ? stored : [])
      if (hashed) t.not(hash({ [field]: sample(form) }), hash({}), field)
  })

  test(`${name}: the content hash leaves out only what never changes`, t => {
    const left = stored.filter(([, { by, hashed }]) => by === 'caller' && !hashed).map(([field]) => field)
    t.deepEqual(left, shape.hashOrder ? (NEVER_CHANGED[name] ?? []) : left)
  })

  test(`${name}: only fields that events had from the beginning are always there`, t => {
    const always = stored.filter(([, field]) => field.stored === 'always').map(([field]) => field)
    t.is(always.join(' '), FROM_THE_BEGINNING[name] ?? '')
  })
}

test('services beside their nodes and at the agent have every field of services', t => {
  for (const [field, { by }] of storedFields(serviceDefinition)) {
    t.true(Object.hasOwn(onNodeFields, by === 'caller' ? nameOnNode(field) : field), field)
    if (by === 'caller') t.true(Object.hasOwn(agentServiceFields, field), field)
  }
  const body = Object.keys(propertiesOf(agentServiceBody))
  for (const [field] of storedFields(serviceDefinition).filter(([, { by }]) => by === 'caller'))
    t.true(body.includes(field === 'Service' ? 'Name' : field), field)
})

test('nodes beside their services have every field of nodes that a caller says', t => {
  for (const [field, { by }] of storedFields(nodeDefinition))
    if (by === 'caller') {
      const name = field === 'Meta' ? 'NodeMeta' : field
      t.true(Object.hasOwn(hostFields, name), field)
      t.true(Object.hasOwn(onNodeFields, name), field)
      t.true(Object.hasOwn(propertiesOf(registerBody), name), field)
    }
})

test('the API describes every stored field', async t => {
  const server = await serverInProcess(t)
  const document = (await server.send('GET', '/v1/openapi.json')).text
  for (const shape of shapes)
    for (const [field, { description }] of storedFields(shape))
      t.true(document.includes(JSON.stringify(description)), `${shape.name}.${field}`)
})

test('filters select every stored field that is declared so', async t => {
  const server = await serverInProcess(t)
  for (const shape of shapes) {
    const path = FILTERED[shape.name]
    if (path === undefined) continue
    for (const [field, declared] of storedFields(shape)) {
      const filter = encodeURIComponent(question(field, formOf(declared.form).filter() ?? { type: 'string' }))
      const { status, text } = await server.send('GET', `${path}?filter=${filter}`)
      t.is(status, declared.filterable ? 200 : 400, `${shape.name}.${field}: ${text}`)
    }
  }
})
