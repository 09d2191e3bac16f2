// The current result of a blocking query while a component is mounted.
import { useEffect, useState } from 'preact/hooks'
import type { Query } from '../../typescript/connection.js'
import { queryAsOf, asOfIndex } from '../time-travel/as-of-state.js'
import { messageOf } from '../../../events/errors.js'
import { client } from './session.js'
import type { ResponseState } from './use-response.js'

/**
 * Follows a read with blocking queries. The previous result stays until the next one arrives.
 * @param path of a read that can block; undefined for none
 */
export const useBlockingQuery = <T>(path: string | undefined, query: Query = {}): ResponseState<T> => {
  const [response, setResponse] = useState<ResponseState<T>>({})
  const currentClient = client.value
  // Historical state does not change, so one request is enough.
  const isPast = asOfIndex.value !== undefined
  const queryText = JSON.stringify(queryAsOf(path, query))
  useEffect(() => {
    if (path === undefined) return setResponse({})
    const controller = new AbortController()
    const options = { query: JSON.parse(queryText), signal: controller.signal }
    const watch = async (): Promise<void> => {
      if (isPast) {
        const answer = await currentClient.connection.request('GET', path, options)
        return setResponse({ value: await answer.json<T>() })
      }
      const answers = currentClient.blocking<T>(path, options)
      for await (const { value } of answers)
        setResponse(value === undefined ? { failure: `${path} does not exist` } : { value })
    }
    watch().catch((error: unknown) => {
      if (!controller.signal.aborted) setResponse({ failure: messageOf(error) })
    })
    return () => controller.abort()
  }, [currentClient, path, queryText, isPast])
  return response
}
