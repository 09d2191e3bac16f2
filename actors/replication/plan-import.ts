// What follows here from what became of things in the primary (docs/decisions/0059): pure, one thing after another, each on what those
// before it have made.
import { isDeepStrictEqual } from 'node:util'
import type { Event, Tenancy } from '../../events/envelope.js'
import { isNamespaceEvent, NAMESPACE_TOPIC } from '../../events/namespace.js'
import { MANAGEMENT_POLICY_ID, POLICY_TOPIC } from '../../events/policy.js'
import { ROLE_TOPIC } from '../../events/role.js'
import { ANONYMOUS_ACCESSOR, isTokenEvent, TOKEN_TOPIC } from '../../events/token.js'
import { withFilterKeys } from '../../projections/filter-keys.js'
import type { Views } from '../../projections/read-models.js'
import { SERVER } from '../command.js'
import { namespaceAggregate } from '../namespace.js'
import { subjectOf, textOf } from '../ref.js'
import { findUniquenessConflict } from '../snapshot/uniqueness-conflict.js'
import { CONFIG_ENTRY_TOPIC } from '../../events/config-entry.js'

/** A thing as it is here. */
interface LocalResource {
  readonly resource: object & { readonly CreateIndex: number }
  /** Empty where things have none. */
  readonly secret: string
  readonly tenancy: Tenancy
  /** Whether it is of this datacenter alone. */
  readonly isLocal: boolean
}

type Find = (views: Views, key: string, tenancy: Tenancy) => LocalResource | undefined

const global = (resource: LocalResource['resource'], tenancy: Tenancy): LocalResource => ({
  resource,
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
const localResourceOf = (
  views: Views,
  { Topic, Key, Partition, Namespace }: Event
): LocalResource | undefined =>
  finders.get(Topic)?.(views, Key, { partition: Partition, namespace: Namespace })

const ENDED = /Deleted$/
const UPSERTED = 'Upserted'
const NAMED: ReadonlySet<string> = new Set([POLICY_TOPIC, ROLE_TOPIC])
const BUILTIN: ReadonlySet<string> = new Set([MANAGEMENT_POLICY_ID, ANONYMOUS_ACCESSOR])

const identityOf = (event: Event): string => textOf(subjectOf(event))

const isEnd = ({ Type }: Event): boolean => ENDED.test(Type)

/** All that a thing says, without the indexes of one log. */
const contentOf = ({ CreateIndex: _created, ModifyIndex: _modified, ...content }: Indexed): object => content

interface Indexed {
  readonly Name?: string
  readonly CreateIndex?: number
  readonly ModifyIndex?: number
}

/** Of the topics that are taken over a payload holds the thing alone, under its own name. */
const resourceIn = ({ Payload }: Event): readonly [name: string, thing: Indexed] => {
  const [named] = Object.entries<Indexed>({ ...Payload })
  if (!named) throw new Error('an event of the primary tells of nothing')
  return named
}

/** What only one thing may have; empty where there is nothing of the kind. */
const uniqueOf = ({ Topic, Partition, Namespace }: Event, { Name }: Indexed, secret: string): string => {
  if (Topic === TOKEN_TOPIC) return secret
  return NAMED.has(Topic) && Name !== undefined
    ? `${Topic}/${Partition}/${Namespace}/${Name.toLowerCase()}`
    : ''
}

/** A thing as it will be: the events decided so far have made it, or it is as the read models have it. */
interface State extends Pick<LocalResource, 'resource' | 'secret' | 'isLocal'> {
  /** See `uniqueOf`; undefined of what the read models have. */
  readonly unique?: string
}

/** One decision. */
export class ImportPlan {
  readonly events: Event[] = []
  /** Why some things could not be taken over, as sentences. */
  readonly leftOut: string[] = []
  /** What has become of the things that were looked at. */
  readonly #states = new Map<string, State | undefined>()
  /** Which of them has taken what only one may have, the last that did. */
  readonly #holders = new Map<string, Event>()

  /**
   * @param index that of the commit
   * @param at epoch milliseconds
   */
  constructor(
    private readonly views: Views,
    private readonly index: number,
    private readonly at: number
  ) {}

  /** @param change what became of a thing in the primary, with its indexes */
  take(change: Event): void {
    if (isNamespaceEvent(change) && (isEnd(change) || change.Payload.Namespace.DeletedAt !== undefined))
      this.#endNamespace(change)
    else if (isEnd(change)) this.#end(change)
    else this.#make(change)
  }

  /** What is in it goes in the background, as with one that somebody deletes here. */
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

  #end(change: Event): void {
    const identity = identityOf(change)
    const present = this.#stateOf(change)
    if (!present || present.isLocal || BUILTIN.has(change.Key)) return
    this.#states.set(identity, undefined)
    const [name] = resourceIn(change)
    const { Secrets: _, ...rest } = change
    this.events.push(withFilterKeys({ ...rest, Payload: { [name]: present.resource } }))
  }

  #make(change: Event): void {
    const identity = identityOf(change)
    if (!this.#hasPlace(change)) return this.#leaveOut(change, 'its namespace is not there')
    if (!this.#free(change)) return
    const present = this.#stateOf(change)
    const [name, wanted] = resourceIn(change)
    const secret = change.Secrets?.['SecretID'] ?? present?.secret ?? ''
    if (present?.secret === secret && isDeepStrictEqual(contentOf(present.resource), contentOf(wanted)))
      return
    const CreateIndex = present?.resource.CreateIndex ?? this.index
    const resource = { ...wanted, CreateIndex, ModifyIndex: this.index }
    const unique = uniqueOf(change, wanted, secret)
    this.#states.set(identity, { resource, secret, isLocal: false, unique })
    if (unique !== '') this.#holders.set(unique, change)
    const secrets = isTokenEvent(change) ? { Secrets: { SecretID: secret } } : {}
    this.events.push(withFilterKeys({ ...change, ...secrets, Payload: { [name]: resource } }))
  }

  #hasPlace(change: Event): boolean {
    const { Partition: partition, Namespace: namespace } = change
    if (namespace === '' || namespace === '*') return true
    const made = this.#states.get(textOf({ kind: 'Namespace', partition, namespace: '', key: namespace }))
    if (made) return true
    const row = this.views.namespaces.get({ partition, namespace })
    return row ? !row.isEnding : this.views.hasNamespace({ partition, namespace })
  }

  /** Ends what is global and has the ID, name or secret of the thing; false where that is of this datacenter alone. */
  #free(change: Event): boolean {
    const here = localResourceOf(this.views, change)
    const { Partition, Namespace } = change
    const isElsewhere =
      here !== undefined &&
      (here.tenancy.partition !== Partition ||
        (here.tenancy.namespace || 'default') !== (Namespace || 'default'))
    const { partition = Partition, namespace = Namespace } = isElsewhere ? here.tenancy : {}
    const [, wanted] = resourceIn(change)
    const unique = uniqueOf(change, wanted, change.Secrets?.['SecretID'] ?? '')
    const others = [
      isElsewhere ? { ...change, Partition: partition, Namespace: namespace } : undefined,
      findUniquenessConflict(change, this.views),
      this.#holders.get(unique)
    ]
    const rivals = others.flatMap(other => {
      if (!other || identityOf(other) === identityOf(change)) return []
      const state = this.#stateOf(other)
      // It has ended, or has another name by now.
      if (!state || (state.unique !== undefined && state.unique !== unique)) return []
      return [{ other, stays: state.isLocal || BUILTIN.has(other.Key) }]
    })
    // All are judged before one of them ends: for what is left out nothing does.
    const obstacle = rivals.find(({ stays }) => stays)?.other
    if (obstacle) {
      this.#leaveOut(change, `one of this datacenter alone, "${obstacle.Key}", has its name, ID or secret`)
      return false
    }
    if (this.#stateOf(change)?.isLocal) {
      this.#leaveOut(change, 'one of this datacenter alone has its ID')
      return false
    }
    for (const { other } of rivals) this.#end({ ...other, Type: change.Type.replace(UPSERTED, 'Deleted') })
    return true
  }

  #stateOf(event: Event): State | undefined {
    const identity = identityOf(event)
    if (this.#states.has(identity)) return this.#states.get(identity)
    return localResourceOf(this.views, event)
  }

  #leaveOut({ Topic, Key }: Event, why: string): void {
    this.leftOut.push(`${Topic} "${Key}" was left out: ${why}`)
  }
}
