// A change, and the tokens and logins that it concerns, as the thread that compares their rights receives them.
import type { Tenancy } from '../../../events/envelope.js'
import type { NamespaceAcls } from '../../../events/namespace.js'
import { spaceOf } from '../../row-table.js'
import type { DefaultPolicy } from '../authorizer.js'
import type { DirectGrants, PolicyContent } from '../collect-rules.js'
import type { RightsSources } from '../resolver.js'
import type { RecordedQuestion } from '../usage/question.js'
import { type Grants, grantsOfText } from './grants.js'

/** The state before a change and after it, as far as rights follow from it. */
export interface ComparedChange {
  readonly before: RightsSources
  readonly after: RightsSources
  /** IDs of the changed policies; undefined if other resources change, too. */
  readonly policies: readonly string[] | undefined
}

/** A recorded question of a token. */
export interface AskedQuestion {
  readonly accessor: string
  /** Where it was asked; undefined for this datacenter. */
  readonly datacenter: string | undefined
  readonly question: RecordedQuestion
}

/** Tokens and logins with equal links before the change, and after it. */
export interface ComparedGroup {
  readonly before: Grants | undefined
  readonly after: Grants | undefined
  readonly tokens: number
  readonly asked: readonly AskedQuestion[]
}

/** The rows of a resource before and after a change: one object if they are the same. */
export interface States<Row> {
  readonly before: Row | undefined
  readonly after: Row | undefined
}

export interface PolicySource {
  readonly policy: PolicyContent
  readonly tenancy: Tenancy
}

export interface RoleSource {
  readonly role: DirectGrants
}

export interface NamespaceSource {
  readonly namespace: { readonly ACLs: NamespaceAcls | undefined }
}

export interface ChangeHead {
  /** This one. */
  readonly datacenter: string
  readonly defaultPolicy: DefaultPolicy
  readonly policies: readonly string[] | undefined
}

/** A part of a change, in plain data. A group comes before its questions, which have its number. */
export type ChangePart =
  | ({ readonly kind: 'policy'; readonly id: string } & States<PolicySource>)
  | ({ readonly kind: 'role'; readonly id: string } & States<RoleSource>)
  | ({ readonly kind: 'namespace'; readonly space: string } & States<NamespaceSource>)
  /** `before` and `after` as texts. */
  | ({ readonly kind: 'group'; readonly tokens: number } & States<string>)
  | ({ readonly kind: 'question'; readonly group: number } & AskedQuestion)

class ReceivedRows implements RightsSources {
  readonly policies = new Map<string, PolicySource>()
  readonly roles = new Map<string, RoleSource>()
  readonly namespacesBySpace = new Map<string, NamespaceSource>()
  readonly namespaces = {
    get: (tenancy: Tenancy): NamespaceSource | undefined => this.namespacesBySpace.get(spaceOf(tenancy))
  }

  constructor(readonly settings: RightsSources['settings']) {}
}

interface ReceivedGroup extends ComparedGroup {
  readonly asked: AskedQuestion[]
}

const grantsOf = (text: string | undefined): Grants | undefined =>
  text === undefined ? undefined : grantsOfText(text)

/** Collects the parts of a change. */
export class ReceivedChange implements ComparedChange {
  readonly before: ReceivedRows
  readonly after: ReceivedRows
  readonly policies: readonly string[] | undefined
  readonly #groups: ReceivedGroup[] = []

  constructor({ policies, ...settings }: ChangeHead) {
    this.before = new ReceivedRows(settings)
    this.after = new ReceivedRows(settings)
    this.policies = policies
  }

  get groups(): readonly ComparedGroup[] {
    return this.#groups
  }

  add(part: ChangePart): void {
    const { before, after } = this
    switch (part.kind) {
      case 'policy':
        return set([before.policies, after.policies], part.id, part)
      case 'role':
        return set([before.roles, after.roles], part.id, part)
      case 'namespace':
        return set([before.namespacesBySpace, after.namespacesBySpace], part.space, part)
      case 'group':
        return this.#addGroup(part)
      case 'question':
        this.#groups[part.group]?.asked.push(part)
    }
  }

  #addGroup({ before, after, tokens }: Extract<ChangePart, { kind: 'group' }>): void {
    const was = grantsOf(before)
    this.#groups.push({ before: was, after: after === before ? was : grantsOf(after), tokens, asked: [] })
  }
}

const set = <Row>(
  [before, after]: readonly [Map<string, Row>, Map<string, Row>],
  key: string,
  states: States<Row>
): void => {
  if (states.before) before.set(key, states.before)
  if (states.after) after.set(key, states.after)
}
