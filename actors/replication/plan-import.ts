// Plans the events for changes of the primary datacenter (docs/decisions/0059). Pure.
import { isDeepStrictEqual } from 'node:util'
import type { Event, Tenancy } from '../../events/envelope.js'
import { isNamespaceEvent, NAMESPACE_TOPIC } from '../../events/namespace.js'
import { MANAGEMENT_POLICY_ID, POLICY_TOPIC } from '../../events/policy.js'
import { ROLE_TOPIC } from '../../events/role.js'
import { ANONYMOUS_ACCESSOR, isTokenEvent, TOKEN_TOPIC } from '../../events/token.js'
import { withFilterKeys } from '../../projections/filter-keys.js'
import type { Views } from '../../projections/read-models.js'
import { SERVER } from '../aggregate.js'
import { namespaceAggregate } from '../namespace.js'
import { subjectOf, textOf } from '../ref.js'
import { findUniquenessConflict } from '../snapshot/constraints.js'
import { CONFIG_ENTRY_TOPIC } from '../../events/config-entry.js'

interface LocalResource {
  readonly resource: object & { readonly CreateIndex: number }
  /** Empty for resources without secrets. */
  readonly secret: string
  readonly tenancy: Tenancy
  /** True for a resource that exists only in this datacenter. */
  readonly isLocal: boolean
}

const global = (resource: LocalResource['resource'], tenancy: Tenancy): LocalResource => ({
  resource,
  secret: '',
  tenancy,
  isLocal: false
})

/** Returns the resource of an event, in another tenancy if its ID is unique over all of them. */
const localResourceOf = (views: Views, event: Event): LocalResource | undefined => {
  const { Topic, Key, Partition: partition, Namespace: namespace } = event
  switch (Topic) {
    case NAMESPACE_TOPIC: {
      const row = views.namespaces.get({ partition, namespace: Key })
      return row && global(row.namespace, { partition, namespace })
    }
    case POLICY_TOPIC: {
      const row = views.policies.get(Key)
      return row && global(row.policy, row.tenancy)
    }
    case ROLE_TOPIC: {
      const row = views.roles.get(Key)
      return row && global(row.role, row.tenancy)
    }
    case TOKEN_TOPIC: {
      const row = views.tokens.get(Key)
      return row && { ...global(row.token, row.tenancy), secret: row.secret, isLocal: row.token.Local }
    }
    case CONFIG_ENTRY_TOPIC: {
      const slash = Key.indexOf('/')
      const row = views.config.find(Key.slice(0, slash), Key.slice(slash + 1), { partition, namespace })
      return row && global(row.entry, row.tenancy)
    }
    default:
      return undefined
  }
}

const DELETED = /Deleted$/
const UPSERTED = 'Upserted'
const NAMED: ReadonlySet<string> = new Set([POLICY_TOPIC, ROLE_TOPIC])
const BUILTIN: ReadonlySet<string> = new Set([MANAGEMENT_POLICY_ID, ANONYMOUS_ACCESSOR])

const identityOf = (event: Event): string => textOf(subjectOf(event))

const isDeletion = ({ Type }: Event): boolean => DELETED.test(Type)

/** The content of a resource, without the indexes of one log. */
const contentOf = ({ CreateIndex: _created, ModifyIndex: _modified, ...content }: Indexed): object => content

interface Indexed {
  readonly Name?: string
  readonly CreateIndex?: number
  readonly ModifyIndex?: number
}

/** Payloads of the replicated topics hold only the resource, under its own name. */
const resourceIn = ({ Payload }: Event): readonly [name: string, resource: Indexed] => {
  const [named] = Object.entries<Indexed>({ ...Payload })
  if (!named) throw new Error('an event of the primary has no payload')
  return named
}

/** Returns the unique name or secret of a resource; empty without one. */
const uniqueOf = ({ Topic, Partition, Namespace }: Event, { Name }: Indexed, secret: string): string => {
  if (Topic === TOKEN_TOPIC) return secret
  return NAMED.has(Topic) && Name !== undefined
    ? `${Topic}/${Partition}/${Namespace}/${Name.toLowerCase()}`
    : ''
}

/** A resource after the planned events, or as the read models have it. */
interface State extends Pick<LocalResource, 'resource' | 'secret' | 'isLocal'> {
  /** See `uniqueOf`; undefined for a resource of the read models. */
  readonly unique?: string
}

export class ImportPlan {
  readonly events: Event[] = []
  /** Why some resources were not imported, as sentences. */
  readonly leftOut: string[] = []
  /** Planned states of the resources so far. */
  readonly #states = new Map<string, State | undefined>()
  /** The last resource that has taken each unique name or secret. */
  readonly #holders = new Map<string, Event>()

  /** @param at epoch milliseconds */
  constructor(
    private readonly views: Views,
    private readonly index: number,
    private readonly at: number
  ) {}

  /** @param change an event of the primary, with its indexes */
  take(change: Event): void {
    if (isNamespaceEvent(change) && (isDeletion(change) || change.Payload.Namespace.DeletedAt !== undefined))
      this.#endNamespace(change)
    else if (isDeletion(change)) this.#delete(change)
    else this.#import(change)
  }

  /** Its content is deleted in the background, as after a local deletion. */
  #endNamespace({ Partition: partition, Key: namespace }: Event): void {
    const row = this.views.namespaces.get({ partition, namespace })
    if (!row || row.isEnding || namespace === 'default') return
    const name = 'DeleteNamespace'
    const tenancy = { partition, namespace }
    this.events.push(
      ...namespaceAggregate.decide(
        { name, tenancy, data: null, caller: SERVER, at: this.at },
        this.views,
        this.index
      )
    )
  }

  #delete(change: Event): void {
    const identity = identityOf(change)
    const current = this.#stateOf(change)
    if (!current || current.isLocal || BUILTIN.has(change.Key)) return
    this.#states.set(identity, undefined)
    const [name] = resourceIn(change)
    const { Secrets: _, ...rest } = change
    this.events.push(withFilterKeys({ ...rest, Payload: { [name]: current.resource } }))
  }

  #import(change: Event): void {
    const identity = identityOf(change)
    if (!this.#hasNamespace(change)) return this.#skip(change, 'its namespace is not there')
    if (!this.#resolveConflicts(change)) return
    const current = this.#stateOf(change)
    const [name, imported] = resourceIn(change)
    const secret = change.Secrets?.['SecretID'] ?? current?.secret ?? ''
    if (current?.secret === secret && isDeepStrictEqual(contentOf(current.resource), contentOf(imported)))
      return
    const CreateIndex = current?.resource.CreateIndex ?? this.index
    const resource = { ...imported, CreateIndex, ModifyIndex: this.index }
    const unique = uniqueOf(change, imported, secret)
    this.#states.set(identity, { resource, secret, isLocal: false, unique })
    if (unique !== '') this.#holders.set(unique, change)
    const secrets = isTokenEvent(change) ? { Secrets: { SecretID: secret } } : {}
    this.events.push(withFilterKeys({ ...change, ...secrets, Payload: { [name]: resource } }))
  }

  #hasNamespace(change: Event): boolean {
    const { Partition: partition, Namespace: namespace } = change
    if (namespace === '' || namespace === '*') return true
    const planned = this.#states.get(textOf({ kind: 'Namespace', partition, namespace: '', key: namespace }))
    if (planned) return true
    const row = this.views.namespaces.get({ partition, namespace })
    return row ? !row.isEnding : this.views.hasNamespace({ partition, namespace })
  }

  /** Deletes global resources that have the ID, name or secret of the imported one. Returns false if a resource of only this datacenter has it. */
  #resolveConflicts(change: Event): boolean {
    const local = localResourceOf(this.views, change)
    const { Partition, Namespace } = change
    const isElsewhere =
      local !== undefined &&
      (local.tenancy.partition !== Partition ||
        (local.tenancy.namespace || 'default') !== (Namespace || 'default'))
    const { partition = Partition, namespace = Namespace } = isElsewhere ? local.tenancy : {}
    const [, imported] = resourceIn(change)
    const unique = uniqueOf(change, imported, change.Secrets?.['SecretID'] ?? '')
    const others = [
      isElsewhere ? { ...change, Partition: partition, Namespace: namespace } : undefined,
      findUniquenessConflict(change, this.views),
      this.#holders.get(unique)
    ]
    const conflicts = others.flatMap(other => {
      if (!other || identityOf(other) === identityOf(change)) return []
      const state = this.#stateOf(other)
      // It was deleted or renamed.
      if (!state || (state.unique !== undefined && state.unique !== unique)) return []
      return [{ other, mustStay: state.isLocal || BUILTIN.has(other.Key) }]
    })
    // Checks all of them before any deletion, since a skipped resource must not delete others.
    const obstacle = conflicts.find(({ mustStay }) => mustStay)?.other
    if (obstacle) {
      this.#skip(change, `one of this datacenter alone, "${obstacle.Key}", has its name, ID or secret`)
      return false
    }
    if (this.#stateOf(change)?.isLocal) {
      this.#skip(change, 'one of this datacenter alone has its ID')
      return false
    }
    for (const { other } of conflicts)
      this.#delete({ ...other, Type: change.Type.replace(UPSERTED, 'Deleted') })
    return true
  }

  #stateOf(event: Event): State | undefined {
    const identity = identityOf(event)
    if (this.#states.has(identity)) return this.#states.get(identity)
    return localResourceOf(this.views, event)
  }

  #skip({ Topic, Key }: Event, reason: string): void {
    this.leftOut.push(`${Topic} "${Key}" was left out: ${reason}`)
  }
}
