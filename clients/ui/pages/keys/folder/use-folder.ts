// The contents of a folder of keys, live. Only names are listed; keys are read when they become visible.
import type { Place } from '../../../session/tenancy.js'
import { useMemo, useState } from 'preact/hooks'
import type { Connection } from '../../../../typescript/connection.js'
import type { StreamState } from '../../../live/stream-state.js'
import { asOfIndex, queryAsOf } from '../../../time-travel/as-of-state.js'
import { client } from '../../../session/session.js'
import { messageOf } from '../../../../../events/errors.js'
import { useTask, useTurn } from '../../../session/use-response.js'
import { keyRowOf, kvPath, type KeyRow } from '../entry.js'
import { FolderModel } from './model.js'
import { folderExists, namesBelow } from './names.js'
import type { Fields } from '../../../resources/kind.js'
import { useAllowedStream } from '../../../live/use-stream.js'

/** Keys per request. The default limit of the server is 64 operations per transaction. */
const BATCH = 32

interface Results {
  readonly Results: readonly { readonly KV: Fields }[] | null
}

class KeyReader {
  #wanted: readonly string[] = []
  /** Names that were requested, which includes unreadable ones. */
  readonly #asked = new Set<string>()
  #isReading = false

  /** @param show receives the existing, readable keys */
  constructor(
    private readonly connection: Connection,
    private readonly space: Place,
    private readonly show: (rows: readonly KeyRow[]) => void,
    private readonly fail: (error: unknown) => void
  ) {}

  /** Replaces the names that wait for a request by those that are visible now. */
  want(names: readonly string[]): void {
    this.#wanted = names.filter(name => !this.#asked.has(name))
    if (this.#isReading || this.#wanted.length === 0) return
    this.#isReading = true
    this.#read().catch(this.fail)
  }

  async #read(): Promise<void> {
    try {
      while (this.#wanted.length > 0) {
        const names = this.#wanted.slice(0, BATCH)
        this.#wanted = this.#wanted.slice(BATCH)
        for (const name of names) this.#asked.add(name)
        const entries = await (asOfIndex.peek() === undefined ? this.#now(names) : this.#then(names))
        this.show(entries.map(keyRowOf).filter(({ index }) => index > 0))
      }
    } finally {
      this.#isReading = false
    }
  }

  async #now(names: readonly string[]): Promise<readonly Fields[]> {
    const { ns, partition } = this.space
    const body = names.map(Key => ({ KV: { Verb: 'get-or-empty', Key, Namespace: ns } }))
    const answer = await this.connection.request('PUT', '/v1/txn', { query: { partition }, body })
    const { Results } = await answer.json<Results>()
    return (Results ?? []).map(({ KV }) => KV)
  }

  /** Reads historical state, which transactions cannot read. */
  async #then(names: readonly string[]): Promise<readonly Fields[]> {
    const entries: Fields[] = []
    for (const name of names) {
      const path = kvPath(name)
      const answer = await this.connection.request('GET', path, { query: queryAsOf(path, { ...this.space }) })
      entries.push(...(await answer.json<readonly Fields[]>()))
    }
    return entries
  }
}

const MAX_NAMES = 100_000
const TYPES = ['KVSet', 'KVLock', 'KVUnlock', 'KVDelete']

interface Folder {
  readonly model: FolderModel
  readonly reader: KeyReader
  readonly state: StreamState
  /** The server's message about the permission that the whole folder requires. */
  readonly refusal: string | undefined
  /** The folder has more names than are listed. */
  readonly isCut: boolean
}

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

interface Opened {
  readonly model: FolderModel
  readonly reader: KeyReader
  /** Removes empty folders. */
  readonly check: () => void
}

/** @param look is called after changes */
const open = (
  connection: Connection,
  space: Place,
  under: string,
  look: () => void,
  fail: (error: unknown) => void
): Opened => {
  const model = new FolderModel(under)
  const show = (rows: readonly KeyRow[]): void => {
    model.put(rows)
    look()
  }
  const checkAll = async (): Promise<void> => {
    for (let name = model.nextDoubtful(); name !== undefined; name = model.nextDoubtful())
      if (!(await folderExists(connection, { space, under: name }))) model.remove(name)
    look()
  }
  let isChecking = false
  const check = (): void => {
    if (isChecking || !model.isDoubtful) return
    isChecking = true
    checkAll()
      .catch(fail)
      .finally(() => (isChecking = false))
  }
  return { model, reader: new KeyReader(connection, space, show, fail), check }
}

/** @param under path of the folder; empty for the root */
export const useFolder = ({ ns, partition }: Place, under: string): Folder => {
  const { connection } = client.value
  const [listing, setListing] = useState(UNLISTED)
  const [, look] = useTurn()
  const { model, reader, check } = useMemo(
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
  const { state, refusal } = useAllowedStream(subscribed, messages => {
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
  return { model, reader, state: stateOf(state, listing), refusal, isCut: listing.isCut }
}
