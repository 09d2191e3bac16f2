// The contents of a folder of keys, live. Only names are listed.
import type { Place } from '../../../session/tenancy.js'
import { useMemo, useState } from 'preact/hooks'
import type { Connection } from '../../../../typescript/connection.js'
import type { StreamState } from '../../../live/stream-state.js'
import { asOfIndex } from '../../../time-travel/as-of-state.js'
import { client } from '../../../session/session.js'
import { messageOf } from '../../../../../events/errors.js'
import { useTask, useTurn } from '../../../session/use-response.js'
import { FolderModel } from './model.js'
import { folderExists, namesBelow } from './names.js'
import { useStream } from '../../../live/use-stream.js'

const MAX_NAMES = 100_000
const TYPES = ['KVSet', 'KVLock', 'KVUnlock', 'KVDelete']

interface Listing {
  readonly isDone: boolean
  readonly isCut: boolean
  readonly failure?: string
}

const UNLISTED: Listing = { isDone: false, isCut: false }

const stateOf = (state: StreamState, { isDone, failure }: Listing): StreamState => {
  if (state !== 'live') return state
  if (failure !== undefined) return { refused: failure, status: 0 }
  return isDone ? 'live' : 'loading'
}

/** @param look is called after changes */
const open = (
  connection: Connection,
  space: Place,
  under: string,
  look: () => void,
  fail: (error: unknown) => void
) => {
  const model = new FolderModel(under)
  const checkAll = async (): Promise<void> => {
    for (let name = model.nextDoubtful(); name !== undefined; name = model.nextDoubtful())
      if (!(await folderExists(connection, { space, under: name }))) model.remove(name)
    look()
  }
  let isChecking = false
  /** Removes empty folders. */
  const check = (): void => {
    if (isChecking || !model.isDoubtful) return
    isChecking = true
    checkAll()
      .catch(fail)
      .finally(() => (isChecking = false))
  }
  return { model, check }
}

/** @param under path of the folder; empty for the root */
export const useFolder = ({ ns, partition }: Place, under: string) => {
  const { connection } = client.value
  const [listing, setListing] = useState(UNLISTED)
  const [, look] = useTurn()
  const { model, check } = useMemo(
    () =>
      open(connection, { ns, partition }, under, look, error =>
        setListing(before => ({ ...before, failure: messageOf(error) }))
      ),
    [connection, ns, partition, under]
  )
  const subscribed = useMemo(
    () => ({
      topics: [under === '' ? 'KV' : `KV:${under}`],
      types: TYPES,
      namespace: ns,
      partition,
      index: 'now' as const
    }),
    [under, ns, partition]
  )
  const { state, refusal } = useStream(subscribed, messages => {
    const events = messages.flatMap(({ Events }) => Events)
    // Historical state does not change.
    if (events.length === 0 || asOfIndex.peek() !== undefined) return
    model.take(events)
    check()
    look()
  })
  const isLive = state === 'live'
  const list = async (signal: AbortSignal): Promise<void> => {
    setListing(UNLISTED)
    if (!isLive) return
    model.begin()
    let count = 0
    for await (const page of namesBelow(connection, { space: { ns, partition }, under, signal })) {
      signal.throwIfAborted()
      model.list(page)
      count += page.length
      if (count >= MAX_NAMES) break
    }
    model.end()
    setListing({ isDone: true, isCut: count >= MAX_NAMES })
    check()
  }
  const fail = (error: unknown): void => setListing({ ...UNLISTED, failure: messageOf(error) })
  useTask(list, fail, [connection, ns, partition, under, isLive, model, check])
  return {
    model,
    state: stateOf(state, listing),
    refusal,
    /** The folder has more names than are listed. */
    isCut: listing.isCut
  }
}
