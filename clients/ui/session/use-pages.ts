// A paginated list of the API, for tokens without permission to follow it in the stream.
import type { Query } from '../../typescript/connection.js'
import { queryAsOf } from '../time-travel/as-of-state.js'
import { client } from './session.js'
import { nextPageIn } from '../live/next-page.js'
import { useTask, useValueFor } from './use-response.js'
import { messageOf } from '../../../events/errors.js'

const PAGE = 500

interface Pages<T> {
  readonly rows: readonly T[]
  readonly isLoading: boolean
  readonly failure: string | undefined
  /** What the answer lacks. */
  readonly warning: string | undefined
  /** Reads the next page; undefined on the last one. */
  readonly more: (() => void) | undefined
}

interface LoadedPages<T> {
  readonly rows: readonly T[]
  readonly after: string | undefined
  readonly failure?: string
  readonly warning?: string | undefined
}

/** @param path of a paginated list; undefined for none */
export const usePages = <T>(path: string | undefined, query: Query): Pages<T> => {
  const { connection } = client.value
  const queryText = JSON.stringify(queryAsOf(path, query))
  const inputs = [connection, path, queryText]
  const [read, setRead] = useValueFor<LoadedPages<T>>(inputs)
  const [after, setAfter] = useValueFor<string>(inputs)
  const { rows = [], after: next, failure, warning } = read ?? {}
  const load = async (signal: AbortSignal): Promise<void> => {
    if (path === undefined) return
    const options = { query: { ...JSON.parse(queryText), limit: PAGE, after }, signal }
    const answer = await connection.request('GET', path, options)
    const page = await answer.json<readonly T[]>()
    const missing = answer.headers.get('X-Service-Warning') ?? undefined
    setRead({ rows: [...rows, ...page], after: nextPageIn(answer.headers), warning: missing })
  }
  const fail = (error: unknown): void => setRead({ rows, after: next, failure: messageOf(error) })
  useTask(load, fail, [...inputs, after])
  return {
    rows,
    isLoading: path !== undefined && read === undefined,
    failure,
    warning,
    more: next === undefined ? undefined : () => setAfter(next)
  }
}
