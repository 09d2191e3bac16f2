// Resolves DNS names of other datacenters through their HTTP endpoints (spec: queries.md §8.1).
import { Lifecycle, scoped } from 'tsyringe'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { Instance, InstanceNode } from '../../../projections/queries/instance.js'
import type { RemoteLookups, RemoteLookupResult, ServiceLookup } from '../../dns/remote-lookups.js'
import type { DnsTenancy } from '../../dns/names.js'
import { RemoteJsonRequests, RemoteRefusal, type RemoteJsonRequest } from './remote-json-requests.js'
import { executedIn, instancesIn, nodeIn } from './remote-instances.js'

const NOT_FOUND = 404
/** Limit of concurrent lookups. */
const MAX_CONCURRENT = 256
/** Limit of an answer: some thousand instances. */
const MAX_BYTES = 8 * 1024 * 1024

/** Query parameters for a tenancy other than the default one. */
const placeParameters = ({
  partition,
  namespace
}: Partial<Pick<DnsTenancy, 'partition' | 'namespace'>>): string => {
  const parameters = new URLSearchParams()
  if (namespace !== undefined && namespace !== DEFAULT_TENANCY.namespace) parameters.set('ns', namespace)
  if (partition !== undefined && partition !== DEFAULT_TENANCY.partition)
    parameters.set('partition', partition)
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

@scoped(Lifecycle.ContainerScoped)
export class RemoteNames implements RemoteLookups {
  /** Pending lookups, by everything that determines the answer. */
  readonly #asked = new Map<string, Promise<unknown>>()

  constructor(private readonly answers: RemoteJsonRequests) {}

  async instances(
    datacenter: string,
    { kind, service, place }: ServiceLookup,
    secret: string | undefined
  ): Promise<readonly Instance[]> {
    const url = `/v1/health/${kind}/${encodeURIComponent(service)}${placeParameters(place)}`
    return instancesIn(await this.#ask(datacenter, { url, secret }), place)
  }

  async node(
    datacenter: string,
    node: string,
    { partition }: Pick<DnsTenancy, 'partition'>,
    secret: string | undefined
  ): Promise<InstanceNode | undefined> {
    const url = `/v1/catalog/node/${encodeURIComponent(node)}${placeParameters({ partition })}`
    const found = nodeIn(await this.#ask(datacenter, { url, secret }))
    // The endpoint also finds nodes by a prefix of their ID.
    return found?.Node.toLowerCase() === node ? found : undefined
  }

  async query(
    datacenter: string,
    name: string,
    address: string,
    secret: string | undefined
  ): Promise<RemoteLookupResult | undefined> {
    const url = `/v1/query/${encodeURIComponent(name)}/execute`
    const headers = address === '' ? [] : ['X-Forwarded-For', address]
    try {
      return executedIn(await this.#ask(datacenter, { url, secret, headers }))
    } catch (error) {
      if (error instanceof RemoteRefusal && error.status === NOT_FOUND) return undefined
      throw error
    }
  }

  /** Coalesces equal lookups. @throws Error if there is no answer, or too many lookups are pending */
  #ask(datacenter: string, question: RemoteJsonRequest): Promise<unknown> {
    const { url, secret = null, headers = [] } = question
    const key = JSON.stringify([datacenter, url, secret, headers])
    const asked = this.#asked.get(key)
    if (asked) return asked
    if (this.#asked.size >= MAX_CONCURRENT)
      throw new Error('too many concurrent lookups of names in other datacenters')
    const asking = this.answers
      .ask(datacenter, { ...question, maxBytes: MAX_BYTES })
      .finally(() => this.#asked.delete(key))
    this.#asked.set(key, asking)
    return asking
  }
}
