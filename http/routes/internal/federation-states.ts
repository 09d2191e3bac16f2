// The mesh gateways of all datacenters.
import { refusedWith, jsonText, type RouteResponse } from '../../wire/response.js'
import { createHash } from 'node:crypto'
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { catalogKeys } from '../../../projections/catalog/reader.js'
import type { ServiceInstances } from '../../../projections/catalog/services-by-namespace.js'
import type { WatchName } from '../../../projections/watch.js'
import { respondWithCheckpoint, consistencyHeaders } from '../../wire/reads/blocking.js'
import { filteredHeaders } from '../../wire/reads/filter.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, requires, route, type Route } from '../../wire/route.js'
import { serviceHealth } from '../../schemas/catalog-responses.js'
import type { InjectionToken } from 'tsyringe'

interface MeshGateway {
  readonly node: string
  readonly service: string
  /** Node, service and checks as health endpoints return them. */
  readonly json: string
}

export interface FederationState {
  readonly datacenter: string
  readonly gateways: readonly MeshGateway[]
  /** RFC 3339 time at which the server saw the change. */
  readonly updatedAt: string
  /** Index of the last change in the datacenter itself. */
  readonly modifyIndex: number
}

/** Touched when the state of another datacenter changes. */
export const FEDERATION_KEY = 'federation-states'

export interface Federation {
  /** Returns the last known states of the other datacenters. */
  others(): readonly FederationState[]
}

export const FEDERATION: InjectionToken<Federation> = Symbol('Federation')

export const noFederation: Federation = { others: () => [] }

const federationState = Type.Object(
  {
    Datacenter: Type.String({ examples: ['dc1'] }),
    MeshGateways: Type.Array(serviceHealth),
    UpdatedAt: Type.String({
      format: 'date-time',
      description: 'Time at which the server saw the change',
      examples: ['2024-05-01T12:00:00.000Z']
    }),
    CreateIndex: Type.Integer(),
    ModifyIndex: Type.Integer({ description: 'Index of the last change in the datacenter itself' })
  },
  { $id: 'FederationState' }
)

const meshGateways = Type.Record(Type.String(), Type.Array(serviceHealth))

export const FEDERATION_STATE = '/v1/internal/federation-state'
const KIND = 'mesh-gateway'

const facts = {
  tag: 'Catalog',
  tenancy: 'none',
  method: 'GET',
  blocking: true,
  consistency: 'all',
  // Each server polls the other datacenters.
  runs: 'here'
} as const

/** The state of this datacenter. Cost of a read: O(service names) after a change of any service, else O(gateways). */
class OwnState {
  #groups: readonly ServiceInstances[] = []
  #groupsOf = -1
  #gateways = ''
  #updatedAt = 0

  of({ views, settings, now }: RequestContext): FederationState & { readonly watch: readonly WatchName[] } {
    const space = views.catalog.space(DEFAULT_TENANCY)
    if (this.#groupsOf !== space.servicesIndex) {
      this.#groups = [...space.byName.all()].filter(({ rows }) =>
        rows.some(row => row.state.service.Kind === KIND)
      )
      this.#groupsOf = space.servicesIndex
    }
    const rows = this.#groups.flatMap(group => group.rows.filter(row => row.state.service.Kind === KIND))
    const gateways = rows.map(row => ({ node: row.host.name, service: row.name, json: row.healthJson }))
    const text = JSON.stringify(gateways)
    if (text !== this.#gateways) [this.#gateways, this.#updatedAt] = [text, now]
    return {
      datacenter: settings.datacenter,
      gateways,
      updatedAt: new Date(this.#updatedAt).toISOString(),
      modifyIndex: Math.max(1, ...this.#groups.map(({ index }) => index)),
      watch: [
        catalogKeys.services(DEFAULT_TENANCY),
        ...this.#groups.flatMap(({ rows: [row] }) =>
          row ? [catalogKeys.service(DEFAULT_TENANCY, row.name)] : []
        )
      ]
    }
  }
}

const gatewaysText = (gateways: readonly MeshGateway[]): string =>
  `[${gateways.map(({ json }) => json).join(',')}]`

const stateText = ({ datacenter, gateways, updatedAt, modifyIndex }: FederationState): string => {
  const rest = JSON.stringify({ UpdatedAt: updatedAt, CreateIndex: modifyIndex, ModifyIndex: modifyIndex })
  return `{"Datacenter":${JSON.stringify(datacenter)},"MeshGateways":${gatewaysText(gateways)},${rest.slice(1)}`
}

/** Returns a digest of the states without times, which differ between servers. */
const markOf = (states: readonly FederationState[]): bigint => {
  const content = JSON.stringify(states.map(({ datacenter, gateways }) => [datacenter, gateways]))
  return createHash('sha256').update(content).digest().readBigUInt64BE() || 1n
}

interface Selection {
  readonly states: readonly FederationState[]
  readonly isShortened?: boolean
}

const byName = (a: FederationState, b: FederationState): number => (a.datacenter < b.datacenter ? -1 : 1)

/** Omits gateways that the caller may not read. */
const visible = (request: RequestContext, states: readonly FederationState[]): Selection => {
  const may = ({ node, service }: MeshGateway): boolean =>
    request.may('service', 'read', service, DEFAULT_TENANCY) &&
    request.may('node', 'read', node, DEFAULT_TENANCY)
  let isShortened = false
  const seen = states.map(state => {
    const gateways = state.gateways.filter(may)
    isShortened ||= gateways.length < state.gateways.length
    return { ...state, gateways }
  })
  return { states: seen.filter(({ gateways }) => gateways.length > 0), isShortened }
}

/** Returns a function that answers with a text of the selected states. A blocking query waits for their change. */
const stateReader = (federation: Federation) => {
  const own = new OwnState()
  return (
    request: RequestContext,
    select: (states: readonly FederationState[]) => Selection,
    textOf: (states: readonly FederationState[]) => RouteResponse
  ) =>
    respondWithCheckpoint(request, () => {
      const itself = own.of(request)
      const { states, isShortened = false } = select([itself, ...federation.others()].toSorted(byName))
      const response = textOf(states)
      const headers = [
        ...response.headers,
        ...consistencyHeaders(request),
        ...filteredHeaders(request, isShortened)
      ]
      return {
        answer: { ...response, headers },
        mark: markOf(states),
        watch: [...itself.watch, FEDERATION_KEY]
      }
    })
}

export const federationRoutes = (federation: Federation): readonly Route[] => {
  const answer = stateReader(federation)
  return [
    route({
      ...facts,
      access: requires('operator:read'),
      path: '/v1/internal/federation-states',
      operationId: 'listFederationStates',
      summary: 'The known mesh gateways of each datacenter',
      response: Type.Array(federationState),
      handle: request => {
        request.require('operator', 'read')
        return answer(
          request,
          states => ({ states }),
          states => jsonText(`[${states.map(stateText).join(',')}]`)
        )
      }
    }),
    route({
      ...facts,
      access: anyToken('gateways without service:read and node:read are left out'),
      path: '/v1/internal/federation-states/mesh-gateways',
      operationId: 'listMeshGateways',
      summary: 'The mesh gateways by datacenter, without datacenters that have none',
      response: meshGateways,
      handle: request => {
        request.requireToken()
        return answer(
          request,
          states => visible(request, states),
          states => {
            const entries = states.map(
              ({ datacenter, gateways }) => `${JSON.stringify(datacenter)}:${gatewaysText(gateways)}`
            )
            return jsonText(`{${entries.join(',')}}`)
          }
        )
      }
    }),
    route({
      ...facts,
      access: requires('operator:read'),
      path: `${FEDERATION_STATE}/*name`,
      operationId: 'readFederationState',
      summary: 'The mesh gateways of a datacenter',
      response: Type.Object({ State: federationState }, { $id: 'FederationStateAnswer' }),
      outcomes: { 404: { description: 'The datacenter or its mesh gateways are not known' } },
      handle: request => {
        const name = request.param('name')
        if (name === '') throw invalid('cluster.invalid', 'Missing datacenter name')
        request.require('operator', 'read')
        return answer(
          request,
          states => ({ states: states.filter(({ datacenter }) => datacenter === name) }),
          ([state]) =>
            state
              ? jsonText(`{"State":${stateText(state)}}`)
              : refusedWith('cluster.not-found', `datacenter "${name}" or its mesh gateways are not known`)
        )
      }
    })
  ]
}
