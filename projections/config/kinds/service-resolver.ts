// service-resolver: which instances answer for a service (spec: config.md §4.5).
import type { ResolverFailover, ServiceResolver } from '../../../events/config/routing.js'
import { ConfigError } from '../config-error.js'
import { list, mapOf } from '../fields/containers.js'
import { filled, kept, object } from '../fields/object.js'
import { durationText, flag, lowerText, text } from '../fields/scalars.js'
import { checkMeta, checkName, meta, nameField, serviceFields, type KindRules } from './kind.js'
import { checkLoadBalancer, loadBalancer } from './load-balancer.js'

const SUBSET = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const subset = object({ Filter: filled(text), OnlyPassing: filled(flag) })
const elsewhere = {
  Service: filled(text),
  ServiceSubset: filled(text),
  Namespace: filled(text),
  Partition: filled(lowerText)
}
const redirect = object({ ...elsewhere, Datacenter: filled(text) })
const failover = object({ ...elsewhere, Datacenters: filled(list(text, '')) })

const body = object({
  ...nameField,
  ConnectTimeout: filled(durationText),
  DefaultSubset: filled(text),
  Subsets: filled(mapOf(subset, {})),
  Redirect: kept(redirect),
  Failover: filled(mapOf(failover, {})),
  LoadBalancer: loadBalancer,
  Meta: meta,
  ...serviceFields
})

type Known = (subset: string | undefined) => boolean

const checkRedirect = ({ Name, Redirect, Failover }: ServiceResolver, isKnown: Known): void => {
  if (!Redirect) return
  if (Failover) throw new ConfigError('an entry may have only one of Redirect and Failover')
  const { Service, ServiceSubset, Namespace, Partition, Datacenter } = Redirect
  if ((Service ?? ServiceSubset ?? Namespace ?? Partition ?? Datacenter) === undefined)
    throw new ConfigError('field "Redirect" is set but names nothing')
  if (Service === undefined && ServiceSubset !== undefined)
    throw new ConfigError('field "Redirect.ServiceSubset" needs Redirect.Service')
  if (Service === undefined && Namespace !== undefined)
    throw new ConfigError('field "Redirect.Namespace" needs Redirect.Service')
  if (Service === undefined && Partition !== undefined)
    throw new ConfigError('field "Redirect.Partition" needs Redirect.Service')
  if (Service === Name && ServiceSubset !== undefined && !isKnown(ServiceSubset))
    throw new ConfigError(`field "Redirect.ServiceSubset" names "${ServiceSubset}", which is not in Subsets`)
}

const checkFailover = (key: string, given: ResolverFailover, own: string, isKnown: Known): void => {
  const { Service, ServiceSubset, Namespace, Partition, Datacenters } = given
  const path = `Failover.${key}`
  if (key !== '*' && !isKnown(key))
    throw new ConfigError(`field "${path}" names a subset that is not in Subsets`)
  if ((Service ?? ServiceSubset ?? Namespace ?? Partition ?? Datacenters) === undefined)
    throw new ConfigError(`field "${path}" is set but names nothing`)
  const isOwn = Service === undefined || Service === own
  if (ServiceSubset !== undefined && isOwn && !isKnown(ServiceSubset))
    throw new ConfigError(`field "${path}.ServiceSubset" names "${ServiceSubset}", which is not in Subsets`)
  if (Datacenters?.includes('')) throw new ConfigError(`field "${path}.Datacenters" has an empty name`)
}

const checkSubsetName = (name: string): void => {
  if (!SUBSET.test(name))
    throw new ConfigError(
      `field "Subsets" has the name "${name}": it must be 1 to 63 of a-z, 0-9 and -, without - at its ends`
    )
}

export const serviceResolver: KindRules<ServiceResolver> = {
  schemas: body.schemas,
  decode: (given, spelling) => ({ Kind: 'service-resolver', ...body(given, '', spelling) }),
  validate: (entry, _tenancy, check) => {
    const { Name, Meta, Subsets = {}, DefaultSubset, ConnectTimeout, LoadBalancer } = entry
    const isKnown: Known = name => name !== undefined && Object.hasOwn(Subsets, name)
    check(() => checkName(Name))
    check(() => checkMeta(Meta))
    for (const name of Object.keys(Subsets)) check(() => checkSubsetName(name))
    check(() => {
      if (DefaultSubset !== undefined && !isKnown(DefaultSubset))
        throw new ConfigError(`field "DefaultSubset" names "${DefaultSubset}", which is not in Subsets`)
    })
    check(() => checkRedirect(entry, isKnown))
    for (const [key, given] of Object.entries(entry.Failover ?? {}))
      check(() => checkFailover(key, given, Name, isKnown))
    check(() => {
      if (ConnectTimeout?.startsWith('-'))
        throw new ConfigError('field "ConnectTimeout" must not be negative')
    })
    if (LoadBalancer) check(() => checkLoadBalancer(LoadBalancer))
  }
}
