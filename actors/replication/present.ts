// What this datacenter has of a thing that the primary tells of.
import { CONFIG_ENTRY_TOPIC } from '../../events/config-entry.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { NAMESPACE_TOPIC } from '../../events/namespace.js'
import { POLICY_TOPIC } from '../../events/policy.js'
import { ROLE_TOPIC } from '../../events/role.js'
import { TOKEN_TOPIC } from '../../events/token.js'
import type { Views } from '../../projections/views.js'

/** A thing as it is here. */
export interface Present {
  readonly thing: object & { readonly CreateIndex: number }
  /** Empty where things have none. */
  readonly secret: string
  readonly tenancy: Tenancy
  /** Whether it is of this datacenter alone. */
  readonly isLocal: boolean
}

type Find = (views: Views, key: string, tenancy: Tenancy) => Present | undefined

const global = (thing: Present['thing'], tenancy: Tenancy): Present => ({
  thing,
  secret: '',
  tenancy,
  isLocal: false
})

const finders: ReadonlyMap<string, Find> = new Map<string, Find>([
  [
    NAMESPACE_TOPIC,
    ({ namespaces }, key, tenancy) => {
      const row = namespaces.get({ partition: tenancy.partition, namespace: key })
      return row && global(row.namespace, tenancy)
    }
  ],
  [
    POLICY_TOPIC,
    ({ policies }, key) => {
      const row = policies.get(key)
      return row && global(row.policy, row.tenancy)
    }
  ],
  [
    ROLE_TOPIC,
    ({ roles }, key) => {
      const row = roles.get(key)
      return row && global(row.role, row.tenancy)
    }
  ],
  [
    TOKEN_TOPIC,
    ({ tokens }, key) => {
      const row = tokens.get(key)
      return row && { ...global(row.token, row.tenancy), secret: row.secret, isLocal: row.token.Local }
    }
  ],
  [
    CONFIG_ENTRY_TOPIC,
    ({ config }, key, tenancy) => {
      const slash = key.indexOf('/')
      const row = config.find(key.slice(0, slash), key.slice(slash + 1), tenancy)
      return row && global(row.entry, row.tenancy)
    }
  ]
])

/** The thing of the event’s topic and key; in another tenancy where its ID is unique over all of them. */
export const presentOf = (views: Views, { Topic, Key, Partition, Namespace }: Event): Present | undefined =>
  finders.get(Topic)?.(views, Key, { partition: Partition, namespace: Namespace })
