// A long list of the API, page by page, for who may not follow it in the stream.
import { useEffect, useState } from 'preact/hooks'
import type { Query } from '../../typescript/connection.js'
import { queryAsOf } from '../time-travel/as-of-state.js'
import { client } from './session.js'
import { failureOf } from './failure.js'

/** Rows that are read at once. */
const PAGE = 500

interface Pages<T> {
  readonly rows: readonly T[]
  readonly isLoading: boolean
  readonly failure: string | undefined
  /** Reads the next page; undefined where there is none. */
  readonly more: (() => void) | undefined
}

interface Read<T> {
  readonly rows: readonly T[]
  /** Where the next page begins. */
  readonly after: string | undefined
  readonly failure: string | undefined
}

const NEXT = /<[^>]*[?&]after=([^&>]+)[^>]*>;\s*rel="next"/

const nextIn = (headers: Headers): string | undefined => {
  const [, after] = NEXT.exec(headers.get('Link') ?? '') ?? []
  return after === undefined ? undefined : decodeURIComponent(after)
}

/** @param path of a list that is told in pages; undefined to ask nothing */
export const usePages = <T>(path: string | undefined, query: Query): Pages<T> => {
  const [read, setRead] = useState<Read<T>>()
  const [after, setAfter] = useState<string>()
  const asking = client.value
  const question = JSON.stringify(queryAsOf(path, query))
  useEffect(() => {
    setRead(undefined)
    setAfter(undefined)
  }, [asking, path, question])
  useEffect(() => {
    if (path === undefined) return
    const ended = new AbortController()
    const sending = { query: { ...JSON.parse(question), limit: PAGE, after }, signal: ended.signal }
    asking.connection
      .request('GET', path, sending)
      .then(async answer => ({ rows: await answer.json<readonly T[]>(), after: nextIn(answer.headers) }))
      .then(
        page =>
          setRead(before => ({
            rows: after === undefined ? page.rows : [...(before?.rows ?? []), ...page.rows],
            after: page.after,
            failure: undefined
          })),
        (error: unknown) => {
          if (ended.signal.aborted) return
          setRead(before => ({ rows: [], after: undefined, ...before, failure: failureOf(error) }))
        }
      )
    return () => ended.abort()
  }, [asking, path, question, after])
  const next = read?.after
  return {
    rows: read?.rows ?? [],
    isLoading: path !== undefined && read === undefined,
    failure: read?.failure,
    more: next === undefined ? undefined : () => setAfter(next)
  }
}
