// Operations on nodes, services, checks and configuration entries (spec: state.md §3.6 to §3.9).
import {
  failure,
  NO_RESULTS,
  type Operation,
  type OperationFields,
  type Result,
  type TransactionContext
} from './operation.js'

/** The resource of an operation. Functions that fail throw a Refusal. */
interface Subject<State> extends OperationFields {
  readonly kind: 'Node' | 'Service' | 'Check' | 'ConfigEntry'
  /** For error texts, such as `node "web-1"`. */
  readonly title: string
  /** Checks rules and permissions before any operation runs; not for get. */
  check(context: TransactionContext): void
  find(context: TransactionContext): State | undefined
  stored(context: TransactionContext): State | undefined
  modifyIndex(state: State): number
  /** Stores the resource; fails without permission on the replaced one. Returns `before` without a parent, where Consul treats that as a success. */
  put(context: TransactionContext, before: State | undefined): State | undefined
  remove(context: TransactionContext, state: State): void
  show(state: State, context: TransactionContext): object
  mayRead(context: TransactionContext, state: State): boolean
}

/** Every verb except get counts as a write, including unknown ones. Unlike that of a key, delete-cas of a missing resource fails. */
export const catalogOperation = <State>(subject: Subject<State>): Operation => {
  const { kind, verb, title } = subject
  const shown = (context: TransactionContext, state: State): readonly Result[] => {
    const json = JSON.stringify({ [kind]: subject.show(state, context) })
    return [{ json, isReadable: subject.mayRead(context, state) }]
  }
  const isStale = (state: State | undefined): boolean =>
    BigInt(state ? subject.modifyIndex(state) : 0) !== subject.index
  const put = (context: TransactionContext): readonly Result[] => {
    const before = subject.stored(context)
    if (verb === 'cas' && isStale(before)) throw failure(`failed to set ${title}, index is stale`, 'stale')
    const state = subject.put(context, before)
    return state ? shown(context, state) : NO_RESULTS
  }
  const remove = (context: TransactionContext): readonly Result[] => {
    const state = subject.stored(context)
    if (verb === 'delete-cas' && (!state || isStale(state)))
      throw failure(`failed to delete ${title}, index is stale`, 'stale')
    if (state) subject.remove(context, state)
    return NO_RESULTS
  }
  const apply = (context: TransactionContext): readonly Result[] => {
    switch (verb) {
      case 'get': {
        const state = subject.find(context)
        if (!state) throw failure(`${title} doesn't exist`, 'missing')
        return shown(context, state)
      }
      case 'set':
      case 'cas':
        return put(context)
      case 'delete':
      case 'delete-cas':
        return remove(context)
      default:
        throw failure(`unknown ${kind} verb "${verb}"`, 'invalid')
    }
  }
  return {
    isWrite: verb !== 'get',
    effect: verb.startsWith('delete') ? 'removal' : 'change',
    tenancy: subject.tenancy,
    check: context => {
      if (verb !== 'get') subject.check(context)
    },
    apply
  }
}
