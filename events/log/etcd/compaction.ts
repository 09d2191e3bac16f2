import type { Term } from '../cluster/shared-log.js'
import { isStillLeader } from './appender.js'
import { recovery } from '../../errors.js'
import { EtcdFailure } from './client.js'
import { COMPACT, put, RANGE, remove, removeRange, TXN } from './messages.js'
import type { EtcdContext } from './coalesced-reads.js'

/** etcd answers when the bytes are free: that can take seconds. In ms. */
const DEADLINE = 10_000
/** Newest terms that are remembered: a server that was suspended for so many has to ask its operator what became of its last append. */
const TERMS = 1000
/** In the order of the revisions that created them, newest first. */
const NEWEST_CREATED = { sortOrder: 2, sortTarget: 2 }

/** See `SharedLog.compact`. */
export async function compact(context: EtcdContext, term: Term, floor: number): Promise<number> {
  const { client, reads, windows } = context
  const state = await reads.read()
  // A window goes whole or not at all.
  const whole = floor > state.head.index ? floor : ((await windows.holding(floor))?.first ?? 0)
  const first = Math.max(state.floor, Math.min(whole, state.head.index + 1))
  const revision = await deleteWindows(context, term, first)
  if (revision === undefined) return state.floor
  await forgetTerms(context)
  // Also when nothing went: announcements leave values behind as well, and an earlier compaction may have failed.
  await client.call(COMPACT, { revision, physical: true }, DEADLINE).catch(
    recovery(EtcdFailure, error => {
      if (!error.isCompacted) throw error
    })
  )
  return first
}

/** @returns a revision at which the windows below an index are gone; undefined when the term is over */
async function deleteWindows(
  { client, keys }: EtcdContext,
  term: Term,
  first: number
): Promise<number | undefined> {
  const compare = isStillLeader(keys, term)
  const removed = [
    removeRange(keys.log.key, keys.log.numbered(first)),
    removeRange(keys.parts.key, keys.parts.numbered(first))
  ]
  const floor = put(keys.floor, Buffer.from(String(first)))
  try {
    const { succeeded, header } = await client.ask(TXN, { compare, success: [floor, ...removed] })
    return succeeded ? header?.revision : undefined
  } catch (error) {
    if (!(error instanceof EtcdFailure && error.isFull)) throw error
  }
  // A full etcd still deletes. A stored floor that is too low is harmless: followers detect the missing windows.
  const { succeeded, header } = await client.ask(TXN, { compare, success: removed })
  return succeeded ? header?.revision : undefined
}

async function forgetTerms({ client, keys }: EtcdContext): Promise<void> {
  const { key, rangeEnd } = keys.terms
  const { kvs = [] } = await client.ask(RANGE, { key, rangeEnd, keysOnly: true, ...NEWEST_CREATED })
  for (const old of kvs.slice(TERMS)) if (old.key) await client.ask(TXN, { success: [remove(old.key)] })
}
