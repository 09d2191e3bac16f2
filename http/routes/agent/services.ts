// Services of the server's own node (spec: state.md §8).
import { invalid } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { SERVICE_TOPIC, type CatalogService } from '../../../events/service.js'
import { FALSE_TEXTS, TRUE_TEXTS } from '../../../events/values.js'
import type { ServiceRow } from '../../../projections/catalog/rows.js'
import { serviceFields } from '../../../projections/catalog/json.js'
import { catalogKeys } from '../../../projections/catalog/reader.js'
import { agentServices } from './inputs.js'
import {
  agentServiceRow,
  agentServiceRows,
  agentTenancy,
  hasNoService,
  ownHost,
  requireAliased,
  writeAgent
} from './node.js'
import { answerById, agentServiceObject } from './agent-views.js'
import { empty, json, type RouteResponse } from '../../wire/response.js'
import { nextChange, readOptions } from '../../wire/reads/blocking.js'
import { select } from '../catalog/reading.js'
import { requireCheck } from '../catalog/registration-permissions.js'
import { unorderedPart } from '../../wire/reads/page.js'
import { nodeTenancy } from '../../../projections/tenancy-view.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, bodyRoute, requires, route, type Route } from '../../wire/route.js'
import { agentServiceBody } from '../../schemas/agent.js'
import { agentService, agentServicesById } from '../../schemas/agent-responses.js'

/**
 * The ContentHash of an agent's service: FNV-1 of 64 bits over its fields as in the reference, so that hashes from there stay valid
 * (spec: state.md §8).
 */
const OFFSET = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n
const BITS = 64

const hashBytes = (bytes: Uint8Array): bigint => {
  let hash = OFFSET
  for (const byte of bytes) hash = BigInt.asUintN(BITS, hash * PRIME) ^ BigInt(byte)
  return hash
}

const littleEndian = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(BITS / 8)
  bytes.writeBigUInt64LE(BigInt.asUintN(BITS, value))
  return bytes
}

const ofText = (text: string): bigint => hashBytes(Buffer.from(text))
const ofInteger = (value: number): bigint => hashBytes(littleEndian(BigInt(value)))
const ofFlag = (value: boolean): bigint => hashBytes(Buffer.from([value ? 1 : 0]))
const ordered = (a: bigint, b: bigint): bigint => hashBytes(Buffer.concat([littleEndian(a), littleEndian(b)]))

const ofList = (texts: readonly string[]): bigint =>
  texts.reduce((hash, text) => ordered(hash, ofText(text)), 0n)

/** The order of the entries does not matter. */
const ofMap = <V>(map: Readonly<Record<string, V>>, ofValue: (value: V) => bigint): bigint =>
  Object.entries(map).reduce((hash, [key, value]) => hash ^ ordered(ofText(key), ofValue(value)), 0n)

const ofStruct = (name: string, fields: Readonly<Record<string, bigint>>): bigint =>
  ofText(name) ^ ofMap(fields, hash => hash)

const ZERO = ofInteger(0)

const ofScalar = (value: string | number | boolean): bigint => {
  if (typeof value === 'string') return ofText(value)
  return typeof value === 'number' ? ofInteger(value) : ofFlag(value)
}

/** Returns a hexadecimal hash without leading zeros, equal for services with equal views. */
const contentHash = (service: CatalogService): string => {
  const { Tags, Meta, TaggedAddresses, Weights, Proxy, Connect, ...rest } = service
  const { CreateIndex: _created, ModifyIndex: _modified, ...scalars } = rest
  return ofStruct('AgentService', {
    ...Object.fromEntries(Object.entries(scalars).map(([name, value]) => [name, ofScalar(value)])),
    Tags: ofList(Tags ?? []),
    Meta: ofMap(Meta ?? {}, ofText),
    TaggedAddresses: ofMap(TaggedAddresses ?? {}, ({ Address, Port }) =>
      ofStruct('ServiceAddress', { Address: ofText(Address), Port: ofInteger(Port) })
    ),
    Weights: ofStruct('AgentWeights', {
      Passing: ofInteger(Weights.Passing),
      Warning: ofInteger(Weights.Warning)
    }),
    CreateIndex: ZERO,
    ModifyIndex: ZERO,
    ContentHash: ofText(''),
    // A proxy's settings are hashed as one text, which only detects differences.
    Proxy: service.Kind === '' ? ZERO : ofText(JSON.stringify(Proxy)),
    Connect: Connect.Native ? ofText('native') : ZERO
  }).toString(16)
}

const facts = { tag: 'Agent' } as const
const read = { ...facts, method: 'GET' } as const
const write = { ...facts, method: 'PUT', access: anyToken('service:write on the service') } as const
const maintenance = { ...write, query: { enable: 'true or false', reason: 'Why' } } as const

/** @throws Refusal `invalid` */
const isOn = ({ query }: RequestContext): boolean => {
  const given = query.get('enable') ?? ''
  if (given === '') throw invalid('agent.invalid', 'Missing value for enable')
  if (TRUE_TEXTS.has(given)) return true
  if (FALSE_TEXTS.has(given)) return false
  throw invalid('agent.invalid', `Invalid value for enable: "${given}"`)
}

/** @param service undefined for the node */
const setMaintenance = (
  request: RequestContext,
  tenancy: Tenancy,
  service: string | undefined,
  isEnabled: boolean
): RouteResponse => {
  const reason = request.query.get('reason') ?? ''
  const data = { node: request.agentNode, service, isOn: isEnabled, reason }
  return writeAgent(request, request.command('SetMaintenance', data, tenancy))
}

/** Returns true if checks that the registration omits are deleted. */
const replacesChecks = ({ query }: RequestContext): boolean =>
  ['', 'true'].includes(query.get('replace-existing-checks') ?? 'false')

const shown = (request: RequestContext, id: string): { readonly body: object; readonly hash: string } => {
  const row = agentServiceRow(request, id)
  request.require('service', 'read', row.name)
  const hash = contentHash(row.state.service)
  return { body: { ...agentServiceObject(row), ContentHash: hash }, hash }
}

/** With `hash`, blocks until the view has another one or the wait is over. */
const readService = async (request: RequestContext, id: string): Promise<RouteResponse> => {
  const { clock, committer, query } = request
  const known = query.filled('hash')
  const ends = clock.elapsed() + readOptions(request).waitMs
  let current = shown(request, id)
  if (known !== undefined) {
    const keys = [catalogKeys.node(DEFAULT_TENANCY.partition, request.agentNode)]
    while (current.hash === known && !request.isGone && clock.elapsed() < ends) {
      await nextChange(request, keys, ends - clock.elapsed())
      if (!committer.isReadable) await committer.readable()
      request.forgetAuthority()
      current = shown(request, id)
    }
  }
  return json(current.body, ['X-Service-ContentHash', current.hash])
}

const idOf = ({ state }: ServiceRow): string => state.service.ID

export const agentServiceRoutes: readonly Route[] = [
  route({
    ...read,
    access: anyToken('services without service:read are left out'),
    path: '/v1/agent/services',
    operationId: 'listAgentServices',
    isPaged: true,
    summary: 'The services that were registered with this agent, by ID',
    query: { filter: 'A filter expression' },
    response: agentServicesById,
    handle: request => {
      const all = agentServiceRows(request)
      const selected = select(request, {
        sortsBy: row => row.state.service.ID.toLowerCase(),
        parts: [unorderedPart(all)],
        keyOf: idOf,
        fields: serviceFields,
        object: agentServiceObject,
        may: row => request.may('service', 'read', row.name)
      })
      return answerById(request, selected, row => [idOf(row), agentServiceObject(row)])
    }
  }),
  route({
    ...read,
    access: anyToken('service:read on the service'),
    path: '/v1/agent/service/*id',
    operationId: 'readAgentService',
    summary: 'One service; with `hash` waits until it differs',
    past: {
      resource: request => ({
        topic: SERVICE_TOPIC,
        partition: DEFAULT_TENANCY.partition,
        namespace: request.tenancy.namespace,
        key: request.param('id'),
        node: request.agentNode
      })
    },
    query: { hash: 'The ContentHash that is known already', wait: 'How long to wait at most' },
    response: agentService,
    handle: request => {
      const id = request.param('id')
      request.requireToken()
      return readService(request, id)
    }
  }),
  bodyRoute({
    ...write,
    access: requires('service:write'),
    path: '/v1/agent/service/register',
    operationId: 'registerService',
    summary: 'Register a service with its checks, and a sidecar if asked for',
    query: { 'replace-existing-checks': 'Checks that are not named go' },
    body: { schema: agentServiceBody, name: 'Service', takesSnakeCase: true },
    handle: (request, given) => {
      const node = request.agentNode
      request.requireToken()
      const ports = new Set(
        [...(ownHost(request)?.services.values() ?? [])].map(row => row.state.service.Port)
      )
      const services = agentServices(given, node, port => !ports.has(port))
      const tenancy = agentTenancy(request)
      for (const { service } of services) {
        request.require('service', 'write', service.Service, tenancy)
        const before = request.views.catalog.service(tenancy, node, service.ID)
        if (before) request.require('service', 'write', before.service.Service, tenancy)
      }
      for (const check of services.flatMap(({ checks }) => checks)) {
        const stored = request.views.catalog.check(tenancy, node, check.input.CheckID)
        // A registration must not take over another service's check with its secrets.
        if (stored) requireCheck(request, stored)
        requireAliased(request, check)
      }
      const data = { node, services, replaceChecks: replacesChecks(request) }
      const command = request.command('RegisterAgentServices', data, tenancy)
      return writeAgent(request, command)
    }
  }),
  route({
    ...write,
    path: '/v1/agent/service/deregister/*id',
    operationId: 'deregisterService',
    summary: 'Remove a service, its checks and its sidecar',
    handle: request => {
      request.requireToken()
      const id = request.param('id')
      if (hasNoService(request, id)) return empty(200)
      const row = agentServiceRow(request, id)
      const tenancy = agentTenancy(request)
      request.require('service', 'write', row.name, tenancy)
      const data = { node: request.agentNode, id: row.state.service.ID }
      const command = request.command('DeregisterAgentService', data, tenancy)
      return writeAgent(request, command)
    }
  }),
  route({
    ...maintenance,
    path: '/v1/agent/service/maintenance/*id',
    operationId: 'setServiceMaintenance',
    summary: 'Turn the maintenance of a service on or off',
    handle: request => {
      request.requireToken()
      const id = request.param('id')
      if (id === '') throw invalid('agent.invalid', 'Missing service ID')
      const on = isOn(request)
      const row = agentServiceRow(request, id)
      const tenancy = agentTenancy(request)
      request.require('service', 'write', row.name, tenancy)
      return setMaintenance(request, tenancy, row.state.service.ID, on)
    }
  }),
  route({
    ...maintenance,
    access: requires('node:write', 'on the name of the server'),
    path: '/v1/agent/maintenance',
    operationId: 'setNodeMaintenance',
    summary: 'Turn the maintenance of the node on or off',
    handle: request => {
      const tenancy = agentTenancy(request)
      request.require('node', 'write', request.agentNode, nodeTenancy(tenancy))
      return setMaintenance(request, tenancy, undefined, isOn(request))
    }
  })
]
