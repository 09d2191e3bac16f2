// A paginated list of the API, for tokens without permission to follow it in the stream.
import { useEffect, useState } from 'preact/hooks'
import type { Query } from '../../typescript/connection.js'
import { queryAsOf } from '../time-travel/as-of-state.js'
import { client } from './session.js'
import { nextPageIn } from '../live/next-page.js'
import { useTask } from './use-response.js'
import { messageOf } from '../../../events/errors.js'

const PAGE = 500

interface Pages<T> {
  readonly rows: readonly T[]
  readonly isLoading: boolean
  readonly failure: string | undefined
  /** Reads the next page; undefined on the last one. */
  readonly more: (() => void) | undefined
}

interface LoadedPages<T> {
  readonly rows: readonly T[]
  readonly after: string | undefined
  readonly failure: string | undefined
}

/** @param path of a paginated list; undefined for none */
export const usePages = <T>(path: string | undefined, query: Query): Pages<T> => {
  const [read, setRead] = useState<LoadedPages<T>>()
  const [after, setAfter] = useState<string>()
  const currentClient = client.value
  const queryText = JSON.stringify(queryAsOf(path, query))
  useEffect(() => {
    setRead(undefined)
    setAfter(undefined)
  }, [currentClient, path, queryText])
  const load = async (signal: AbortSignal): Promise<void> => {
    if (path === undefined) return
    const options = { query: { ...JSON.parse(queryText), limit: PAGE, after }, signal }
    const answer = await currentClient.connection.request('GET', path, options)
    const page = {
      rows: await answer.json<readonly T[]>(),
      after: nextPageIn(answer.headers),
      failure: undefined
    }
    setRead(before => ({
      ...page,
      rows: after === undefined ? page.rows : [...(before?.rows ?? []), ...page.rows]
    }))
  }
  const fail = (error: unknown): void =>
    setRead(before => ({ rows: [], after: undefined, ...before, failure: messageOf(error) }))
  useTask(load, fail, [currentClient, path, queryText, after])
  const next = read?.after
  return {
    rows: read?.rows ?? [],
    isLoading: path !== undefined && read === undefined,
    failure: read?.failure,
    more: next === undefined ? undefined : () => setAfter(next)
  }
}
