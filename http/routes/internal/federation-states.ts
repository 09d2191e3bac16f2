// The mesh gateways of all datacenters, by the endpoints of the reference.
import { createHash } from 'node:crypto'
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { catalogKeys } from '../../../projections/catalog/reader.js'
import type { ServiceInstances } from '../../../projections/catalog/groups.js'
import type { WatchName } from '../../../projections/watch.js'
import { FEDERATION_KEY, type Federation, type FederationState, type MeshGateway } from './federation.js'
import { jsonText, plain, type RouteResponse } from '../../wire/response.js'
import { respondWithCheckpoint, consistencyHeaders } from '../../wire/reads/blocking.js'
import { filteredHeaders } from '../../wire/reads/filter.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, requires, route, type Route } from '../../wire/route.js'
import { serviceHealth } from '../../schemas/catalog-responses.js'

/** What a datacenter tells of its mesh gateways. */
const federationState = Type.Object(
  {
    Datacenter: Type.String({ examples: ['dc1'] }),
    MeshGateways: Type.Array(serviceHealth),
    UpdatedAt: Type.String({
      format: 'date-time',
      description: 'When the server saw that they had changed',
      examples: ['2024-05-01T12:00:00.000Z']
    }),
    CreateIndex: Type.Integer(),
    ModifyIndex: Type.Integer({
      description: 'Index, in the datacenter itself, of the last change of any of them'
    })
  },
  { $id: 'FederationState' }
)

/** Mesh gateways by datacenter. */
const meshGateways = Type.Record(Type.String(), Type.Array(serviceHealth))

export const FEDERATION_STATE = '/v1/internal/federation-state'
const KIND = 'mesh-gateway'

const facts = {
  tag: 'Catalog',
  tenancy: 'none',
  method: 'GET',
  blocking: true,
  consistency: 'all',
  // Each server asks the other datacenters by itself.
  runs: 'here'
} as const

/** Those of this datacenter. A read costs O(names of services) after a change of any service, and O(gateways) otherwise. */
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

/** A number for what is shown; times are left out, which each server has its own of. */
const markOf = (states: readonly FederationState[]): bigint => {
  const shown = JSON.stringify(states.map(({ datacenter, gateways }) => [datacenter, gateways]))
  return createHash('sha256').update(shown).digest().readBigUInt64BE() || 1n
}

interface Shown {
  readonly states: readonly FederationState[]
  readonly isShortened?: boolean
}

const byName = (a: FederationState, b: FederationState): number => (a.datacenter < b.datacenter ? -1 : 1)

export const federationRoutes = (federation: Federation): readonly Route[] => {
  const own = new OwnState()

  /** Answers with what is made of the states, also when they change. */
  const answer = (
    request: RequestContext,
    show: (states: readonly FederationState[]) => Shown,
    textOf: (states: readonly FederationState[]) => RouteResponse
  ) =>
    respondWithCheckpoint(request, () => {
      const itself = own.of(request)
      const { states, isShortened = false } = show([itself, ...federation.others()].toSorted(byName))
      const made = textOf(states)
      const headers = [
        ...made.headers,
        ...consistencyHeaders(request),
        ...filteredHeaders(request, isShortened)
      ]
      return { answer: { ...made, headers }, mark: markOf(states), watch: [...itself.watch, FEDERATION_KEY] }
    })

  /** What of the gateways the caller may see. */
  const visible = (request: RequestContext, states: readonly FederationState[]): Shown => {
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

  return [
    route({
      ...facts,
      access: requires('operator:read'),
      path: '/v1/internal/federation-states',
      operationId: 'listFederationStates',
      summary: 'The mesh gateways of each datacenter, as far as they have been told',
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
      summary: 'The mesh gateways by datacenter; datacenters that have none are left out',
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
      outcomes: { 404: { description: 'The datacenter is not known, or has not told its mesh gateways' } },
      handle: request => {
        const name = request.param('name')
        if (name === '') throw invalid('Missing datacenter name')
        request.require('operator', 'read')
        return answer(
          request,
          states => ({ states: states.filter(({ datacenter }) => datacenter === name) }),
          ([state]) =>
            state
              ? jsonText(`{"State":${stateText(state)}}`)
              : plain(404, `datacenter "${name}" is not known, or has not told its mesh gateways`)
        )
      }
    })
  ]
}
