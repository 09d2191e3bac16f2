import type { ResolverFailover, ResolverSubset, ServiceResolver } from '../../events/config/routing.js'
import type { MeshGateway } from '../../events/config/parts.js'
import { formatDuration } from '../../events/duration.js'
import type { Tenancy } from '../../events/envelope.js'
import { serviceKey } from '../config/names.js'
import { serviceText, type ResolverNode, type EntryRef } from './chain.js'
import type { Compilation, Target } from './compilation.js'
import { recordProtocol } from './protocols.js'

const DEFAULT_CONNECT_TIMEOUT = '5s'
/** The failover of subsets without one of their own. */
const ANY_SUBSET = '*'
const NO_RESOLVER: Resolver = {}

type Resolver = Omit<ServiceResolver, 'Kind' | 'Name'>

const isFilled = (fields: object | undefined): boolean =>
  fields !== undefined && Object.keys(fields).length > 0

/** True if the entry configures no resolution. */
const isDefault = (resolver: Resolver): boolean =>
  !resolver.DefaultSubset &&
  !isFilled(resolver.Subsets) &&
  !resolver.Redirect &&
  !isFilled(resolver.Failover) &&
  !resolver.ConnectTimeout &&
  !resolver.LoadBalancer

const own = <Value>(fields: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined =>
  fields && Object.hasOwn(fields, name) ? fields[name] : undefined

const resolverOf = (name: string, tenancy: Tenancy): EntryRef => ({ kind: 'service-resolver', name, tenancy })

const keyOf = (id: string): string => `resolver:${id}`

const resolvedBefore = (compilation: Compilation, { id }: Target): ResolverNode | undefined => {
  const node = compilation.nodes.get(keyOf(id))
  return node?.Type === 'resolver' ? node : undefined
}

/** The end of the redirects: a target with a node already, or one with the entry that resolves it. */
type Found = { readonly node: ResolverNode } | { readonly target: Target; readonly resolver: Resolver }

const follow = (compilation: Compilation, from: Target): Found => {
  const seen = new Map<string, Target>()
  let target = from
  for (;;) {
    const node = resolvedBefore(compilation, target)
    if (node) return { node }
    const { service, subset, tenancy } = target
    recordProtocol(compilation, service, tenancy)
    const resolver = compilation.find('service-resolver', service, tenancy) ?? NO_RESOLVER
    if (seen.has(target.id)) throw circularRedirect(compilation, [...seen.values(), target])
    seen.set(target.id, target)
    const redirected = resolver.Redirect ? compilation.targets.rewrite(target, resolver.Redirect) : target
    if (redirected.id !== target.id) target = redirected
    else if (subset === '' && resolver.DefaultSubset)
      target = compilation.targets.rewrite(target, { ServiceSubset: resolver.DefaultSubset })
    else return { target, resolver }
  }
}

const circularRedirect = (compilation: Compilation, path: readonly Target[]): Error => {
  const entries = new Map(
    path.map(({ service, tenancy }) => [serviceKey(service, tenancy), resolverOf(service, tenancy)])
  )
  const text = `detected circular resolver redirect: [${path.map(({ id }) => id).join(' -> ')}]`
  return compilation.fail(text, [...entries.values()])
}

const subsetOf = (
  compilation: Compilation,
  { service, subset, tenancy }: Target,
  resolver: Resolver
): ResolverSubset => {
  if (subset === '') return {}
  const found = own(resolver.Subsets, subset)
  if (found) return found
  throw compilation.fail(
    `service ${serviceText(service, tenancy)} does not have a subset named "${subset}"`,
    [resolverOf(service, tenancy)]
  )
}

const connectTimeout = (compilation: Compilation, { ConnectTimeout }: Resolver): string => {
  // Entries are stored as `formatDuration` writes them.
  const configured = ConnectTimeout || DEFAULT_CONNECT_TIMEOUT
  const { connectTimeout: override } = compilation.overrides
  if (override <= 0) return configured
  const timeout = formatDuration(override)
  if (timeout !== configured) compilation.used.connectTimeout = true
  return timeout
}

const meshGateway = (compilation: Compilation, target: Target, ownMode: string | undefined): MeshGateway => {
  if (target.datacenter === compilation.question.homeDatacenter) return {}
  const mode = ownMode || compilation.proxyDefaults(target.tenancy)?.MeshGateway.Mode || ''
  const override = compilation.overrides.meshGatewayMode
  if (override === '' || override === mode) return mode === '' ? {} : { Mode: mode }
  compilation.used.meshGatewayMode = true
  return { Mode: override }
}

/** Adds a target with all its settings to the chain, and returns its connect timeout. */
const settle = (compilation: Compilation, target: Target, resolver: Resolver): string => {
  const { service, tenancy } = target
  const subset = subsetOf(compilation, target, resolver)
  const timeout = connectTimeout(compilation, resolver)
  const defaults = compilation.find('service-defaults', service, tenancy)
  const externalSni = defaults?.ExternalSNI ?? ''
  if (externalSni !== '') {
    const { Redirect, Subsets, Failover } = resolver
    if (Redirect || isFilled(Subsets) || isFilled(Failover))
      throw compilation.fail(
        `service ${serviceText(service, tenancy)} has an external SNI set; ` +
          'redirects, subsets and failover do not go with it',
        [{ kind: 'service-defaults', name: service, tenancy }, resolverOf(service, tenancy)]
      )
  }
  compilation.targets.keep(target, {
    connectTimeout: timeout,
    subset,
    externalSni,
    meshGateway: externalSni === '' ? meshGateway(compilation, target, defaults?.MeshGateway.Mode) : {}
  })
  return timeout
}

const failoverTargets = (
  compilation: Compilation,
  target: Target,
  failover: ResolverFailover
): readonly string[] => {
  const { Datacenters = [], ...destination } = failover
  const candidates =
    Datacenters.length === 0
      ? [compilation.targets.rewrite(target, destination)]
      : Datacenters.map(Datacenter => compilation.targets.rewrite(target, { ...destination, Datacenter }))
  return candidates
    .filter(({ id }) => id !== target.id)
    .map(candidate => resolveFailover(compilation, candidate))
}

/** A failover target's own failover and load balancer are ignored, so it gets no node. */
const resolveFailover = (compilation: Compilation, from: Target): string => {
  const found = follow(compilation, from)
  if ('node' in found) return found.node.Resolver.Target
  settle(compilation, found.target, found.resolver)
  return found.target.id
}

/**
 * Resolves a target to its resolver node: redirects, default subsets, settings and failover (config.md §7 step 3).
 * @throws CompileError for circular redirects, missing subsets, mixed protocols, and settings that an external SNI forbids
 */
export const resolve = (
  compilation: Compilation,
  from: Target
): { readonly key: string; readonly node: ResolverNode } => {
  const found = follow(compilation, from)
  if ('node' in found) return { key: keyOf(found.node.Name), node: found.node }
  const { target, resolver } = found
  const timeout = settle(compilation, target, resolver)
  const failover =
    (target.subset === '' ? undefined : own(resolver.Failover, target.subset)) ??
    own(resolver.Failover, ANY_SUBSET)
  const base = { ConnectTimeout: timeout, ...(isDefault(resolver) ? { Default: true as const } : {}) }
  const balanced = resolver.LoadBalancer ? { LoadBalancer: resolver.LoadBalancer } : {}
  const plain: ResolverNode = {
    Type: 'resolver',
    Name: target.id,
    Resolver: { ...base, Target: target.id },
    ...balanced
  }
  const key = keyOf(target.id)
  // Recorded before its failover, which may lead back here.
  compilation.nodes.set(key, plain)
  const Targets = failover ? failoverTargets(compilation, target, failover) : []
  if (Targets.length === 0) return { key, node: plain }
  const node = { ...plain, Resolver: { ...plain.Resolver, Failover: { Targets } } }
  compilation.nodes.set(key, node)
  return { key, node }
}
