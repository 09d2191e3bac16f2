// What the thread that compares rights receives of a change, in parts.
import type { Tenancy } from '../../../events/envelope.js'
import type { Views } from '../../read-models.js'
import { spaceOf } from '../../row-table.js'
import { StepPace, type Steps } from '../../steps.js'
import type { NamespaceRow } from '../../tenancy/namespaces.js'
import type { PolicyRow } from '../policies.js'
import type { RoleRow } from '../roles.js'
import type { RecordedQuestion, RecordedQuestions } from '../usage/question.js'
import type { AffectedGroup } from './affected-groups.js'
import type { AclChange } from './changed-links.js'
import type { ChangePart, NamespaceSource, PolicySource, RoleSource, States } from './compared-change.js'

/** Undefined marks a place to pause where parts are rare. */
type Parts = Generator<ChangePart | undefined, void, undefined>

type Links = readonly { readonly ID: string }[]

const policySource = ({ policy: { ID, Rules, Datacenters }, tenancy }: PolicyRow): PolicySource => ({
  policy: { ID, Rules, Datacenters },
  tenancy
})

const roleSource = ({ role: { Policies, ServiceIdentities, NodeIdentities } }: RoleRow): RoleSource => ({
  role: { Policies: Policies.map(({ ID }) => ({ ID })), ServiceIdentities, NodeIdentities }
})

const namespaceSource = ({ namespace: { ACLs } }: NamespaceRow): NamespaceSource => ({ namespace: { ACLs } })

interface PostedChange {
  /** IDs of the changed policies. */
  readonly changed: Iterable<string>
  readonly groups: readonly AffectedGroup[]
  readonly recorded: RecordedQuestions
}

class ChangeParts {
  readonly #policies = new Set<string>()
  readonly #roles = new Set<string>()
  readonly #spaces = new Set<string>()

  constructor(
    private readonly change: AclChange,
    private readonly groups: readonly AffectedGroup[]
  ) {}

  /** Yields the groups, and every row that rights can follow from once. */
  *rows(changed: Iterable<string>): Parts {
    yield* this.#linkedPolicies(Array.from(changed, ID => ({ ID })))
    for (const { before, after, accessors } of this.groups) {
      yield* this.#linked(before)
      if (after !== before) yield* this.#linked(after)
      yield { kind: 'group', before: before?.text, after: after?.text, tokens: accessors.length }
    }
  }

  /** Yields the recorded questions of the tokens of all groups. */
  *questions(recorded: RecordedQuestions): Parts {
    const datacenters = new Set<string | undefined>()
    for (const { datacenter } of recorded.subjects()) {
      datacenters.add(datacenter)
      yield undefined
    }
    for (const [group, { accessors }] of this.groups.entries())
      for (const datacenter of datacenters)
        for (const accessor of accessors) {
          yield undefined
          for (const question of this.#questionsOf(accessor, datacenter, recorded))
            yield { kind: 'question', group, accessor, datacenter, question }
        }
  }

  #questionsOf(
    accessor: string,
    datacenter: string | undefined,
    recorded: RecordedQuestions
  ): Iterable<RecordedQuestion> {
    const { before, after } = this.change
    const row = before.tokens.get(accessor) ?? after.tokens.get(accessor)
    if (!row) return []
    const { token, tenancy } = row
    const where = datacenter === undefined ? {} : { datacenter }
    return recorded.of({ accessor, holdings: { ...token, tenancy }, ...where })
  }

  *#linked(holder: AffectedGroup['before']): Parts {
    if (!holder) return
    const { grants, tenancy } = holder
    yield* this.#linkedPolicies(grants.Policies)
    yield* this.#linkedRoles(grants.Roles ?? [])
    yield* this.#namespace(tenancy)
  }

  *#linkedPolicies(links: Links): Parts {
    for (const { ID: id } of links)
      if (isNew(this.#policies, id))
        yield { kind: 'policy', id, ...this.#states(views => views.policies.get(id), policySource) }
  }

  *#linkedRoles(links: Links): Parts {
    for (const { ID: id } of links)
      if (isNew(this.#roles, id)) {
        const states = this.#states(views => views.roles.get(id), roleSource)
        for (const source of [states.before, states.after])
          yield* this.#linkedPolicies(source?.role.Policies ?? [])
        yield { kind: 'role', id, ...states }
      }
  }

  *#namespace(tenancy: Tenancy): Parts {
    const space = spaceOf(tenancy)
    if (!isNew(this.#spaces, space)) return
    const states = this.#states(views => views.namespaces.get(tenancy), namespaceSource)
    for (const source of [states.before, states.after]) {
      const { PolicyDefaults = [], RoleDefaults = [] } = source?.namespace.ACLs ?? {}
      yield* this.#linkedPolicies(PolicyDefaults)
      yield* this.#linkedRoles(RoleDefaults)
    }
    yield { kind: 'namespace', space, ...states }
  }

  #states<Row, Source>(
    find: (views: Views) => Row | undefined,
    sourceOf: (row: Row) => Source
  ): States<Source> {
    const [older, newer] = [find(this.change.before), find(this.change.after)]
    const before = older && sourceOf(older)
    return { before, after: newer === older ? before : newer && sourceOf(newer) }
  }
}

/** Adds a key. Returns false if it is present. */
const isNew = (keys: Set<string>, key: string): boolean => !keys.has(key) && Boolean(keys.add(key))

const lengthOf = (part: ChangePart): number => {
  if (part.kind === 'policy')
    return [part.before, part.after].reduce((sum, source) => sum + (source?.policy.Rules.length ?? 0), 0)
  return part.kind === 'group' ? (part.before?.length ?? 0) + (part.after?.length ?? 0) : 0
}

/**
 * Posts the tokens and logins that a change concerns, the rows that they link, and their recorded questions.
 * @param post takes parts of about 64 KB, or one longer part
 */
export function* postChange(
  change: AclChange,
  { changed, groups, recorded }: PostedChange,
  post: (parts: readonly ChangePart[]) => void
): Steps<void> {
  const all = new ChangeParts(change, groups)
  const pace = new StepPace()
  let parts: ChangePart[] = []
  for (const found of [all.rows(changed), all.questions(recorded)])
    for (const part of found) {
      if (part) parts.push(part)
      if (!pace.isOver(part && lengthOf(part))) continue
      if (parts.length > 0) post(parts)
      parts = []
      yield
    }
  if (parts.length > 0) post(parts)
}
