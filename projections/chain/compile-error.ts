// Why stored configuration entries make no chain (spec: config.md §6.3, §7).
import { entryText, type EntryRef } from './entries.js'

/** Ends a compilation. The text names the service, the rule, and the entries against each other. */
export class CompileError extends Error {
  override readonly name = 'CompileError'

  constructor(
    text: string /** The entries that stand against each other. */,
    readonly entries: readonly EntryRef[] /** The entries read until then, for caches of the result. */,
    readonly reads: readonly EntryRef[]
  ) {
    super(entries.length === 0 ? text : `${text} (${entries.map(entryText).join(', ')})`)
  }
}
