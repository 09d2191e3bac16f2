// Counts decisions that filter lists: once for each rule, however many rows it shows.
import type { Tenancy } from '../../../events/envelope.js'
import { getOrCreate } from '../../maps.js'
import {
  DecidingAuthorizer,
  isGranted,
  type Access,
  type Authorizer,
  type AuthorizerRules,
  type Decision,
  type Ruling
} from '../authorizer.js'
import type { Resource } from '../rules/model.js'
import type { Question } from './question.js'

/** Counts an allowed question. Returns its count, from which it can be taken again; undefined if it is not recorded. */
export type CountAllowed = (question: Question) => { count: number } | undefined

interface FilterUse {
  question: Question
  counted: { count: number } | undefined
}

/** Returns the names that a rule decides in a list of a prefix. */
const decidedPrefix = (ruling: Ruling, segment: string, prefix: string): string => {
  if (typeof ruling === 'boolean' || ruling.rule.match === 'exact') return prefix
  const { label } = ruling.rule
  return label.length > prefix.length && segment.startsWith(label) ? label : prefix
}

/** The rules that made rows of one response visible. */
export class FilterUses {
  /** The prefix of a list; undefined if the rows may all have one name. */
  prefix: string | undefined
  readonly #byAccess = new Map<Access, Map<unknown, FilterUse>>()
  readonly #all: FilterUse[] = []

  constructor(private readonly count: CountAllowed) {}

  /** The questions that were counted. */
  get questions(): readonly Question[] {
    return this.#all.map(({ question }) => question)
  }

  /** Notes that a rule made a row visible. Rows of one name count as this name; those of several as a list. */
  note(ruling: Ruling, resource: Resource, access: Access, segment: string, tenancy: Tenancy): void {
    const uses = getOrCreate(this.#byAccess, access, () => new Map<unknown, FilterUse>())
    const key = typeof ruling === 'boolean' ? resource : ruling
    const known = uses.get(key)
    if (known?.question.namespace !== tenancy.namespace) {
      uses.set(key, this.#begin(ruling, resource, access, segment, tenancy))
      return
    }
    const { question, counted } = known
    if (question.extent === 'list' || question.segment === segment) return
    if (counted) counted.count--
    known.question = {
      ...question,
      extent: 'list',
      segment: decidedPrefix(ruling, segment, this.prefix ?? '')
    }
    known.counted = this.count(known.question)
  }

  #begin(ruling: Ruling, resource: Resource, access: Access, segment: string, tenancy: Tenancy): FilterUse {
    const { partition, namespace } = tenancy
    const isExact = typeof ruling !== 'boolean' && ruling.rule.match === 'exact'
    const isList = this.prefix !== undefined && !isExact
    const question: Question = {
      resource,
      access,
      partition,
      namespace,
      extent: isList ? 'list' : 'one',
      segment: isList ? decidedPrefix(ruling, segment, this.prefix ?? '') : segment
    }
    const use = { question, counted: this.count(question) }
    this.#all.push(use)
    return use
  }
}

/** Counts every allowed decision as one that filters. */
export class CreditedAuthorizer extends DecidingAuthorizer {
  readonly rules: AuthorizerRules

  constructor(
    private readonly authorizer: Authorizer,
    private readonly uses: FilterUses,
    private readonly count: CountAllowed
  ) {
    super()
    this.rules = authorizer.rules
  }

  rulingOf(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Ruling {
    const ruling = this.authorizer.rulingOf(resource, access, segment, tenancy)
    if (isGranted(ruling, access)) this.uses.note(ruling, resource, access, segment, tenancy)
    return ruling
  }

  decide(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Decision {
    this.rulingOf(resource, access, segment, tenancy)
    return this.authorizer.decide(resource, access, segment, tenancy)
  }

  decideAll(resource: Resource, access: 'read', tenancy: Tenancy): Decision {
    const decision = this.authorizer.decideAll(resource, access, tenancy)
    if (decision.allowed) this.#note(resource, 'read-all', tenancy)
    return decision
  }

  decideNamespace(access: 'read' | 'write', tenancy: Tenancy): Decision {
    const decision = this.authorizer.decideNamespace(access, tenancy)
    if (decision.allowed) this.#note('namespace', access, tenancy)
    return decision
  }

  #note(resource: Resource, access: 'read' | 'write' | 'read-all', { partition, namespace }: Tenancy): void {
    this.count({ resource, access, segment: '', extent: 'one', partition, namespace })
  }
}
