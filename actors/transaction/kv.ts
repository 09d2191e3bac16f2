// KV operations of a transaction (spec: state.md §3.4, §3.5).
import type { Tenancy } from '../../events/envelope.js'
import type { KvEvent } from '../../events/kv.js'
import type { Effect } from '../aggregate.js'
import type { Kv } from '../../projections/kv/kv.js'
import type { KvRow } from '../../projections/kv/kv-row.js'
import type { Steps } from '../../projections/steps.js'
import {
  casDeleteKey,
  casKey,
  deleteKey,
  type KvContent,
  type KvContext,
  lockKey,
  refuseDelayed,
  setKey,
  unlockKey
} from '../kv.js'
import { deleteTree, KeyTreeDeletion, UNPREPARED_KEYS } from '../kv-tree.js'
import { measureTree, readTree, type TreeMeasurement } from '../kv-tree-reads.js'
import { Refusal } from '../refusal.js'
import {
  failure,
  NO_RESULTS,
  requireTransactionPermission,
  type Operation,
  type OperationFields,
  type Result,
  type TransactionContext,
  type TransactionPermissions
} from './operation.js'

export interface KvOperationInput extends KvContent, OperationFields {
  readonly session: string
}

const READS: ReadonlySet<string> = new Set(['get', 'get-tree', 'get-or-empty'])
const KEY_READS: ReadonlySet<string> = new Set(['check-index', 'check-session'])
const WRITES: ReadonlySet<string> = new Set([
  'set',
  'cas',
  'lock',
  'unlock',
  'delete',
  'delete-tree',
  'delete-cas'
])

const kvContext = ({ models, unit }: TransactionContext, { tenancy }: KvOperationInput): KvContext => ({
  models,
  tenancy,
  index: unit.index
})

const check = (operation: KvOperationInput, context: TransactionContext): void => {
  const { verb, key, tenancy } = operation
  if (verb === 'delete-tree') {
    requireTransactionPermission(context, 'key', 'write-prefix', key, tenancy)
    return
  }
  if (key === '') throw failure('Must provide key', 'invalid')
  if (READS.has(verb)) return
  requireTransactionPermission(context, 'key', KEY_READS.has(verb) ? 'read' : 'write', key, tenancy)
  if (verb === 'lock') refuseDelayed(kvContext(context, operation), key, context.unit.at)
}

const shown = ({ rights }: TransactionContext, { key, tenancy }: KvRow, json: string): Result => ({
  json: `{"KV":${json}}`,
  isReadable: rights.may('key', 'read', key, tenancy)
})

function* treeResults(rights: TransactionPermissions, rows: Iterable<KvRow>): Iterable<Result> {
  for (const { key, tenancy, json } of rows)
    yield { json: `{"KV":${json}}`, isReadable: rights.may('key', 'read', key, tenancy) }
}

const stored = ({ models }: TransactionContext, { tenancy, key }: KvOperationInput): KvRow | undefined =>
  models.kv.get(tenancy, key)

const entryOf = (context: TransactionContext, operation: KvOperationInput): readonly Result[] => {
  const row = stored(context, operation)
  return row ? [shown(context, row, row.jsonWithoutValue)] : NO_RESULTS
}

/** Emits the events of a write. Deletions return no results. */
const written = (
  context: TransactionContext,
  operation: KvOperationInput,
  events: readonly KvEvent[]
): readonly Result[] => {
  for (const event of events) context.unit.emit(event)
  return operation.verb.startsWith('delete') ? NO_RESULTS : entryOf(context, operation)
}

const missing = (text: string, key: string) => failure(`${text}key "${key}" doesn't exist`, 'missing')

const checkIndex = (context: TransactionContext, operation: KvOperationInput): readonly Result[] => {
  const { key, index } = operation
  const row = stored(context, operation)
  if (!row) throw missing('failed to check index, ', key)
  if (BigInt(row.modifyIndex) !== index)
    throw failure(
      `failed index check for key "${key}", current modify index ${row.modifyIndex} != ${index}`,
      'stale'
    )
  return entryOf(context, operation)
}

const checkSession = (context: TransactionContext, operation: KvOperationInput): readonly Result[] => {
  const { key, session } = operation
  const row = stored(context, operation)
  if (!row) throw missing('failed to check session, ', key)
  if (row.session !== session)
    throw failure(
      `failed session check for key "${key}", current session "${row.session}" != "${session}"`,
      'locked'
    )
  return entryOf(context, operation)
}

const emptyEntry = ({ key, tenancy }: KvOperationInput, { rights }: TransactionContext): Result => ({
  json: `{"KV":{"LockIndex":0,"Key":${JSON.stringify(key)},"Flags":0,"Value":null,"CreateIndex":0,"ModifyIndex":0}}`,
  isReadable: rights.may('key', 'read', key, tenancy)
})

/** What the preparation of an operation on a tree returned. */
interface PreparedTree {
  readonly deletion?: KeyTreeDeletion
  readonly measured?: TreeMeasurement
}

const apply = (
  operation: KvOperationInput,
  context: TransactionContext,
  { deletion, measured }: PreparedTree
): Iterable<Result> => {
  const { verb, key, index, session } = operation
  const at = kvContext(context, operation)
  switch (verb) {
    case 'set':
      return written(context, operation, setKey(at, operation))
    case 'cas':
      return written(context, operation, casKey(at, operation, index))
    case 'lock':
      return written(context, operation, lockKey(at, operation, session))
    case 'unlock':
      return written(context, operation, unlockKey(at, operation, session))
    case 'delete':
      return written(context, operation, deleteKey(at, key))
    case 'delete-tree':
      context.unit.emitTree(at.tenancy, key, deleteTree(at, key, deletion))
      return NO_RESULTS
    case 'delete-cas':
      return written(context, operation, casDeleteKey(at, key, index))
    case 'check-index':
      return checkIndex(context, operation)
    case 'check-session':
      return checkSession(context, operation)
    case 'check-not-exists':
      if (stored(context, operation)) throw failure(`key "${key}" exists`, 'exists')
      return NO_RESULTS
    case 'get-tree': {
      const { rows, size } = readTree(at, key, context.readTrees, measured)
      context.readTrees = size
      return treeResults(context.rights, rows)
    }
    case 'get':
    case 'get-or-empty': {
      const row = stored(context, operation)
      if (row) return [shown(context, row, row.json)]
      if (verb === 'get') throw missing('', key)
      return [emptyEntry(operation, context)]
    }
    default:
      throw failure(`unknown KV verb "${verb}"`, 'invalid')
  }
}

export class KvOperation implements Operation {
  readonly isWrite: boolean
  readonly effect: Effect
  readonly tenancy: Tenancy
  /** True if it may read or delete many keys. */
  readonly isOnTree: boolean
  #prepared: PreparedTree = {}

  constructor(private readonly input: KvOperationInput) {
    this.isWrite = WRITES.has(input.verb)
    this.effect = input.verb.startsWith('delete') ? 'removal' : 'change'
    this.tenancy = input.tenancy
    this.isOnTree = input.verb.endsWith('-tree')
  }

  /** Returns the number of keys that it deletes as a tree; 0 for other operations, and for callers who may not. */
  deletedSize(kv: Kv, rights: TransactionPermissions): number {
    const { verb, key, tenancy } = this.input
    const isTree = verb === 'delete-tree' && rights.permits('key', 'write-prefix', key, tenancy)
    return isTree ? kv.sizeUnder(tenancy, key) : 0
  }

  /** Returns the number of keys that it reads as a tree; 0 for other operations. */
  readSize(kv: Kv): number {
    const { verb, key, tenancy } = this.input
    return verb === 'get-tree' ? kv.sizeUnder(tenancy, key) : 0
  }

  /** Prepares the deletion of a tree, or measures a tree that it reads. */
  *prepare(kv: Kv): Steps<void> {
    const { verb, tenancy, key } = this.input
    if (verb === 'get-tree') {
      this.#prepared = { measured: yield* measureTree(kv, tenancy, key) }
      return
    }
    const deletion = new KeyTreeDeletion(kv, tenancy, key)
    try {
      yield* deletion.prepare()
      this.#prepared = { deletion }
    } catch (error) {
      // The decision refuses it, unless the tree is smaller by then.
      if (!(error instanceof Refusal)) throw error
    }
  }

  check(context: TransactionContext): void {
    check(this.input, context)
  }

  apply(context: TransactionContext): Iterable<Result> {
    return apply(this.input, context, this.#prepared)
  }
}

const treesOf = (operations: readonly Operation[]): readonly KvOperation[] =>
  operations.filter(
    (operation): operation is KvOperation => operation instanceof KvOperation && operation.isOnTree
  )

/** Returns the number of keys that operations read as trees. */
export const readKeys = (operations: readonly Operation[], kv: Kv): number =>
  treesOf(operations).reduce((sum, tree) => sum + tree.readSize(kv), 0)

/** Returns the steps that prepare the operations on trees; undefined if they read and delete few keys together. */
export const prepareTrees = (
  operations: readonly Operation[],
  kv: Kv,
  rights: TransactionPermissions
): Steps<void> | undefined => {
  const trees = treesOf(operations)
  const sizeOf = (tree: KvOperation): number => tree.deletedSize(kv, rights) + tree.readSize(kv)
  if (trees.reduce((sum, tree) => sum + sizeOf(tree), 0) <= UNPREPARED_KEYS) return undefined
  return (function* () {
    for (const tree of trees) if (sizeOf(tree) > 0) yield* tree.prepare(kv)
  })()
}
