// Operations on nodes, services, checks and configuration entries (spec: state.md §3.6 to §3.9).
import type { Tenancy } from '../../events/envelope.js'
import { failure, NO_RESULTS, type Operation, type Result, type TransactionContext } from './operation.js'

/** The resource of an operation. Functions that fail throw a Refusal. */
interface Subject<State> {
  readonly kind: 'Node' | 'Service' | 'Check' | 'ConfigEntry'
  readonly verb: string
  readonly tenancy: Tenancy
  readonly index: bigint
  /** For error texts, such as `node "web-1"`. */
  readonly title: string
  /** Checks rules and permissions before any operation runs; not for get. */
  check(context: TransactionContext): void
  find(context: TransactionContext): State | undefined
  stored(context: TransactionContext): State | undefined
  modifyIndex(state: State): number
  /**
   * Stores the resource; fails without permission on the replaced one. Returns `before` when its parent does
   * not exist and Consul treats that as a success.
   */
  put(context: TransactionContext, before: State | undefined): State | undefined
  remove(context: TransactionContext, state: State): void
  show(state: State, context: TransactionContext): object
  mayRead(context: TransactionContext, state: State): boolean
}

const shown = <State>(
  subject: Subject<State>,
  context: TransactionContext,
  state: State
): readonly Result[] => [
  {
    json: JSON.stringify({ [subject.kind]: subject.show(state, context) }),
    isReadable: subject.mayRead(context, state)
  }
]

const get = <State>(subject: Subject<State>, context: TransactionContext): readonly Result[] => {
  const state = subject.find(context)
  if (!state) throw failure(`${subject.title} doesn't exist`, 'missing')
  return shown(subject, context, state)
}

const put = <State>(subject: Subject<State>, context: TransactionContext): readonly Result[] => {
  const before = subject.stored(context)
  if (subject.verb === 'cas' && BigInt(before ? subject.modifyIndex(before) : 0) !== subject.index)
    throw failure(`failed to set ${subject.title}, index is stale`, 'stale')
  const state = subject.put(context, before)
  return state ? shown(subject, context, state) : NO_RESULTS
}

/** Unlike that of a key, delete-cas of a missing resource fails. */
const remove = <State>(subject: Subject<State>, context: TransactionContext): readonly Result[] => {
  const state = subject.stored(context)
  const isStale = !state || BigInt(subject.modifyIndex(state)) !== subject.index
  if (subject.verb === 'delete-cas' && isStale)
    throw failure(`failed to delete ${subject.title}, index is stale`, 'stale')
  if (state) subject.remove(context, state)
  return NO_RESULTS
}

const apply = <State>(subject: Subject<State>, context: TransactionContext): readonly Result[] => {
  switch (subject.verb) {
    case 'get':
      return get(subject, context)
    case 'set':
    case 'cas':
      return put(subject, context)
    case 'delete':
    case 'delete-cas':
      return remove(subject, context)
    default:
      throw failure(`unknown ${subject.kind} verb "${subject.verb}"`, 'invalid')
  }
}

/** Every verb except get counts as a write, including unknown ones. */
export const catalogOperation = <State>(subject: Subject<State>): Operation => ({
  isWrite: subject.verb !== 'get',
  effect: subject.verb.startsWith('delete') ? 'removal' : 'change',
  tenancy: subject.tenancy,
  check: context => {
    if (subject.verb !== 'get') subject.check(context)
  },
  apply: context => apply(subject, context)
})
