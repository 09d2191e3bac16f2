// The response of a GET while a component is mounted.
import { useEffect, useState } from 'preact/hooks'
import type { Answer } from '../../typescript/answer.js'
import type { Query } from '../../typescript/connection.js'
import { queryAsOf } from '../time-travel/as-of-state.js'
import { messageOf } from '../../../events/errors.js'
import { client } from './session.js'

/** Both are undefined until the first response, which stays until the next one arrives. */
export interface ResponseState<T> {
  readonly value?: T
  readonly failure?: string
}

const useRead = <T>(
  read: (answer: Answer) => Promise<T>,
  path: string | undefined,
  query: Query,
  attempt: number
): ResponseState<T> => {
  const [response, setResponse] = useState<ResponseState<T>>({})
  const currentClient = client.value
  const queryText = JSON.stringify(queryAsOf(path, query))
  useEffect(() => {
    if (path === undefined) return setResponse({})
    const controller = new AbortController()
    currentClient.connection
      .request('GET', path, { query: JSON.parse(queryText), signal: controller.signal })
      .then(read)
      .then(
        value => setResponse({ value }),
        (error: unknown) => {
          if (!controller.signal.aborted) setResponse({ failure: messageOf(error) })
        }
      )
    return () => controller.abort()
  }, [currentClient, path, queryText, attempt])
  return response
}

/**
 * Requests a JSON resource, and repeats the request when an argument changes.
 * @param path of the API; undefined for no request
 * @param attempt a new number repeats the request
 */
export const useResponse = <T>(path: string | undefined, query: Query = {}, attempt = 0): ResponseState<T> =>
  useRead(answer => answer.json<T>(), path, query, attempt)

/** As `useResponse`, for plain text. */
export const useText = (path: string, query: Query, attempt: number): ResponseState<string> =>
  useRead(answer => answer.text(), path, query, attempt)
