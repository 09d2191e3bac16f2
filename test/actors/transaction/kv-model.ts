// What KV transactions must do, written once more from the specification (state.md §3.5), in the plainest way.

export interface ModelOperation {
  readonly Verb: string
  readonly Key: string
  readonly Value?: string
  readonly Flags?: number
  readonly Index?: number
  readonly Session?: string
}

interface Entry {
  readonly LockIndex: number
  readonly Key: string
  readonly Flags: number
  readonly Value: string | null
  readonly Session?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export type ModelState = ReadonlyMap<string, Entry>

export interface ModelResult {
  readonly state: ModelState
  readonly results: readonly { readonly KV: Entry }[] | null
  /** Positions of the operations that fail, with their codes; null when there are none. */
  readonly errors: readonly (readonly [number, string])[] | null
}

const same = (a: Entry, b: Entry): boolean =>
  a.Value === b.Value && a.Flags === b.Flags && a.LockIndex === b.LockIndex && a.Session === b.Session

/** @param sessions that exist */
export const play = (
  before: ModelState,
  operations: readonly ModelOperation[],
  index: number,
  sessions: readonly string[]
): ModelResult => {
  const state = new Map(before)
  const results: { KV: Entry }[] = []
  const errors: [number, string][] = []
  for (const [at, operation] of operations.entries()) {
    const code = step(state, operation, index, sessions, entry => results.push({ KV: entry }))
    if (code !== undefined) errors.push([at, code])
  }
  return errors.length > 0 ? { state: before, results: null, errors } : { state, results, errors: null }
}

/** Why it fails, or undefined. */
const step = (
  state: Map<string, Entry>,
  { Verb, Key, Value, Flags = 0, Index = 0, Session = '' }: ModelOperation,
  index: number,
  sessions: readonly string[],
  show: (entry: Entry) => void
): string | undefined => {
  const old = state.get(Key)
  const shortly = (entry: Entry): void => show({ ...entry, Value: null })
  const put = (LockIndex: number, session: string | undefined): undefined => {
    const entry: Entry = {
      LockIndex,
      Key,
      Flags,
      Value: Value ?? null,
      ...(session === undefined ? {} : { Session: session }),
      CreateIndex: old?.CreateIndex ?? index,
      ModifyIndex: index
    }
    const kept = old && same(old, entry) ? old : entry
    state.set(Key, kept)
    shortly(kept)
  }
  switch (Verb) {
    case 'set':
      return put(0, old?.Session)
    case 'cas':
      return (old?.ModifyIndex ?? 0) === Index ? put(0, old?.Session) : 'stale'
    case 'lock': {
      if (!sessions.includes(Session)) return 'missing'
      if (old?.Session !== undefined && old.Session !== Session) return 'locked'
      return put(old?.Session === Session ? old.LockIndex : (old?.LockIndex ?? 0) + 1, Session)
    }
    case 'unlock':
      return old?.Session === Session ? put(old.LockIndex, undefined) : 'locked'
    case 'get':
      if (!old) return 'missing'
      show(old)
      return undefined
    case 'get-tree':
      for (const [key, entry] of [...state].toSorted(([a], [b]) => (a < b ? -1 : 1)))
        if (key.startsWith(Key)) show(entry)
      return undefined
    case 'check-index':
      if (old?.ModifyIndex !== Index) return old ? 'stale' : 'missing'
      shortly(old)
      return undefined
    case 'check-session':
      if (!old) return 'missing'
      if ((old.Session ?? '') !== Session) return 'locked'
      shortly(old)
      return undefined
    case 'check-not-exists':
      return old ? 'exists' : undefined
    case 'delete':
      state.delete(Key)
      return undefined
    case 'delete-cas':
      if (old && old.ModifyIndex !== Index) return 'stale'
      state.delete(Key)
      return undefined
    case 'delete-tree':
      for (const key of state.keys()) if (key.startsWith(Key)) state.delete(key)
      return undefined
    default:
      return 'invalid'
  }
}
