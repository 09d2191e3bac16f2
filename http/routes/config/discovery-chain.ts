// The compiled discovery chain of a service (spec: config.md §6).
import { invalid } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { Overrides } from '../../../projections/chain/compilation.js'
import type { ConfigEntries } from '../../../projections/config/entries.js'
import { JSON_TYPE, type RouteResponse, warningHeaders } from '../../wire/response.js'
import { effectiveConsistency } from '../../wire/reads/blocking.js'
import type { ReadCache } from '../../wire/reads/serialized-lists.js'
import { spellingOf } from './entry-request.js'
import type { RequestContext } from '../../wire/request-context.js'
import { requires, type Route } from '../../wire/route.js'
import { chainResponse, chainOverridesBody } from '../../schemas/discovery-chain.js'
import { clusterEvents } from '../../../events/cluster.js'
import { CONFIG_ENTRY_TOPIC } from '../../../events/config-entry.js'
import { SERVICE_KINDS } from '../../../projections/config/names.js'
import { historyOfList } from '../../wire/history-declaration.js'
import {
  ConfigError,
  decoder,
  fieldOf,
  spellingsOf,
  type Decoder,
  type Spelling
} from '../../../events/config/fields/decoder.js'
import { isObject } from '../../../events/values.js'
import { type Json, nanoseconds, single, text } from '../../../events/config/fields/scalars.js'
import { always, object } from '../../../events/config/fields/object.js'
import { parseBounded } from '../../wire/bodies/json-parsing.js'
import { messageOf } from '../../../events/errors.js'

const MODES: ReadonlySet<string> = new Set(['', 'none', 'local', 'remote'])

/** Creates a decoder of objects that ignores unknown fields. */
const lenient = <Value>(names: readonly string[], decode: Decoder<Value>): Decoder<Value> => {
  const spellings = spellingsOf(names)
  const known = (fields: Json, spelling: Spelling): Json =>
    Object.fromEntries(
      Object.entries(fields).filter(([name]) => fieldOf(name, spellings, spelling) !== undefined)
    )
  return decoder(decode.schemas, (given, path, spelling = 'any') => {
    const value = single(given)
    return decode(isObject(value) ? known(value, spelling) : given, path, spelling)
  })
}

const FIELDS = ['OverrideProtocol', 'OverrideConnectTimeout', 'OverrideMeshGateway'] as const
const GATEWAY_FIELDS = ['Mode'] as const

const decodeOverrides = lenient(
  FIELDS,
  object({
    OverrideProtocol: always(text, ''),
    OverrideConnectTimeout: always(nanoseconds, 0),
    OverrideMeshGateway: always(lenient(GATEWAY_FIELDS, object({ Mode: always(text, '') })), {})
  })
)

/** Returns the names of unknown fields, each with the prefix `path`. */
const unknownIn = (
  given: unknown,
  names: readonly string[],
  spelling: Spelling,
  path: string
): readonly string[] => {
  const value = single(given)
  const spellings = spellingsOf(names)
  if (!isObject(value)) return []
  return Object.keys(value)
    .filter(name => fieldOf(name, spellings, spelling) === undefined)
    .map(name => path + name)
}

const ignoredIn = (value: Json, spelling: Spelling): readonly string[] => {
  const spellings = spellingsOf(FIELDS)
  return [
    ...unknownIn(value, FIELDS, spelling, ''),
    ...Object.entries(value).flatMap(([name, inner]) =>
      fieldOf(name, spellings, spelling) === 'OverrideMeshGateway'
        ? unknownIn(inner, GATEWAY_FIELDS, spelling, 'OverrideMeshGateway.')
        : []
    )
  ]
}

interface GivenOverrides {
  readonly overrides: Overrides
  /** Names of unknown fields, which are ignored. */
  readonly ignored: readonly string[]
}

/**
 * Returns the overrides of a body. `null` counts as an empty object.
 * @throws Refusal `invalid`, naming the field and the rule
 */
const chainOverrides = (bytes: Buffer | undefined, spelling: Spelling): GivenOverrides => {
  const failed = (reason: string): Error =>
    invalid('discovery-chain.invalid', `Bad request: Request decoding failed: ${reason}`)
  if (!bytes || bytes.length === 0) throw failed('EOF: the body is empty')
  let value: unknown
  try {
    value = parseBounded(bytes.toString()) ?? {}
  } catch (error) {
    throw failed(messageOf(error))
  }
  if (!isObject(value)) throw failed('the body must be an object')
  try {
    const { OverrideProtocol, OverrideConnectTimeout, OverrideMeshGateway } = decodeOverrides(
      value,
      '',
      spelling
    )
    const { Mode } = OverrideMeshGateway
    if (!MODES.has(Mode))
      throw invalid(
        'discovery-chain.invalid',
        `Invalid OverrideMeshGateway.Mode parameter: "${Mode}" is none of "", "none", "local" and "remote"`
      )
    const overrides = {
      protocol: OverrideProtocol,
      connectTimeout: Math.max(OverrideConnectTimeout, 0),
      meshGatewayMode: Mode
    }
    return { overrides, ignored: ignoredIn(value, spelling) }
  } catch (error) {
    throw error instanceof ConfigError ? failed(error.message) : error
  }
}

const facts = {
  tag: 'Discovery chain',
  path: '/v1/discovery-chain/*service',
  access: requires('service:read', 'on the service asked for'),
  blocking: true,
  consistency: 'all',
  caching: 'background refresh',
  query: { 'compile-dc': "Datacenter to compile for; the server's own when it is empty or absent" },
  response: chainResponse
} as const

const serviceOf = (request: RequestContext): string => {
  const service = request.param('service')
  if (service === '') throw invalid('discovery-chain.invalid', 'Bad request: Missing chain name')
  return service
}

const NAME = 'X-Service-Effective-Consistency'
/** Created once, because a cached chain costs little more than its headers. */
const HEADERS = {
  leader: [NAME, 'leader'],
  stale: [NAME, 'stale'],
  consistent: [NAME, 'consistent']
} as const

/** Returns the index of the last change of any entry in the tenancies. */
const indexOf = (config: ConfigEntries, tenancies: readonly Tenancy[]): number => {
  let index = 0
  for (const tenancy of tenancies) index = Math.max(index, config.indexOf(tenancy))
  return index
}

const readChain = (
  request: RequestContext,
  cache: ReadCache,
  service: string,
  overrides?: Overrides
): RouteResponse | Promise<RouteResponse> => {
  const { views, settings } = request
  const home = settings.datacenter
  const datacenter = request.query.filled('compile-dc') ?? home
  const shape = overrides
    ? [overrides.protocol, String(overrides.connectTimeout), overrides.meshGatewayMode]
    : []
  const headers = HEADERS[effectiveConsistency(request)]
  return cache.refreshed(request, ['discovery-chain', service, datacenter, ...shape], () => {
    request.require('service', 'read', service)
    const { partition, namespace } = request.tenancy
    // Entries are found in any letter case, and rules are exact.
    for (const kind of SERVICE_KINDS) {
      const stored = views.config.row(kind, service, { partition, namespace })
      if (stored && stored.name !== service) request.require('service', 'read', stored.name)
    }
    const { result, watch, tenancies } = views.chains.get({
      service,
      tenancy: { partition, namespace },
      datacenter,
      homeDatacenter: home,
      ...(overrides ? { overrides } : {})
    })
    if ('error' in result)
      throw invalid('discovery-chain.invalid', `failed to compile discovery chain: ${result.error.message}`)
    const index = indexOf(views.config, tenancies)
    // Adding the index to a copy later costs more than the rest of the read (Node 20).
    const answer: RouteResponse = { status: 200, body: result.json, type: JSON_TYPE, headers, index }
    return { index, watch, answer, isComparedByBody: true }
  })
}

export const discoveryChainRoutes = (cache: ReadCache): readonly Route[] => [
  {
    ...facts,
    method: 'GET',
    operationId: 'readDiscoveryChain',
    summary: 'Read the compiled discovery chain of a service',
    past: historyOfList([CONFIG_ENTRY_TOPIC, clusterEvents.topic], 'cluster'),
    handle: request => readChain(request, cache, serviceOf(request))
  },
  {
    ...facts,
    method: 'POST',
    operationId: 'compileDiscoveryChain',
    summary: 'Read the compiled discovery chain of a service, with overrides',
    idempotency: 'nothing written',
    body: { schema: chainOverridesBody, name: 'Request' },
    handle: async request => {
      const service = serviceOf(request)
      const { overrides, ignored } = chainOverrides(request.body, spellingOf(request))
      const answer = await readChain(request, cache, service, overrides)
      const warnings = ignored.map(name => `unknown field ${JSON.stringify(name)} is ignored`)
      return { ...answer, headers: [...answer.headers, ...warningHeaders(warnings)] }
    }
  }
]
