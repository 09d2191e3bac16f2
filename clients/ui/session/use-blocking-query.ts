// What a read shows, for as long as a part of the page is there: the server says when it shows something else.
import { useEffect, useState } from 'preact/hooks'
import type { Query } from '../../typescript/connection.js'
import { queryAsOf, asOfIndex } from '../time-travel/as-of-state.js'
import { failureOf } from './failure.js'
import { client } from './session.js'
import type { ResponseState } from './use-response.js'

/**
 * Asks with blocking queries. What was shown before stays until another question is answered.
 * @param path of a read that can block; undefined to ask nothing
 */
export const useBlockingQuery = <T>(path: string | undefined, query: Query = {}): ResponseState<T> => {
  const [answered, setAnswered] = useState<ResponseState<T>>({})
  const asking = client.value
  // What was does not change.
  const isPast = asOfIndex.value !== undefined
  const question = JSON.stringify(queryAsOf(path, query))
  useEffect(() => {
    if (path === undefined) return setAnswered({})
    const ended = new AbortController()
    const sending = { query: JSON.parse(question), signal: ended.signal }
    const watch = async (): Promise<void> => {
      if (isPast) {
        const answer = await asking.connection.request('GET', path, sending)
        return setAnswered({ value: await answer.json<T>() })
      }
      const answers = asking.blocking<T>(path, sending)
      for await (const { value } of answers)
        setAnswered(value === undefined ? { failure: `${path} does not exist` } : { value })
    }
    watch().catch((error: unknown) => {
      if (!ended.signal.aborted) setAnswered({ failure: failureOf(error) })
    })
    return () => ended.abort()
  }, [asking, path, question, isPast])
  return answered
}
