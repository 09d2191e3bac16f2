// What the server answers to a question of a page, for as long as a part of the page is there.
import { useEffect, useState } from 'preact/hooks'
import type { Answer } from '../../typescript/answer.js'
import type { Query } from '../../typescript/connection.js'
import { queryAsOf } from '../time-travel/as-of-state.js'
import { failureOf } from './failure.js'
import { client } from './session.js'

/** Both are undefined until an answer came. What was answered before stays while another question is asked. */
export interface ResponseState<T> {
  readonly value?: T
  readonly failure?: string
}

const useRead = <T>(
  read: (answer: Answer) => Promise<T>,
  path: string | undefined,
  query: Query,
  turn: number
): ResponseState<T> => {
  const [answered, setAnswered] = useState<ResponseState<T>>({})
  const asking = client.value
  const question = JSON.stringify(queryAsOf(path, query))
  useEffect(() => {
    if (path === undefined) return setAnswered({})
    const ended = new AbortController()
    asking.connection
      .request('GET', path, { query: JSON.parse(question), signal: ended.signal })
      .then(read)
      .then(
        value => setAnswered({ value }),
        (error: unknown) => {
          if (!ended.signal.aborted) setAnswered({ failure: failureOf(error) })
        }
      )
    return () => ended.abort()
  }, [asking, path, question, turn])
  return answered
}

/**
 * Asks with `GET`, and again whenever the question is another one.
 * @param path of the API; undefined to ask nothing
 * @param turn another number asks the same again
 */
export const useResponse = <T>(path: string | undefined, query: Query = {}, turn = 0): ResponseState<T> =>
  useRead(answer => answer.json<T>(), path, query, turn)

/** As `useAnswer`, of what is answered with a text. */
export const useText = (path: string, query: Query, turn: number): ResponseState<string> =>
  useRead(answer => answer.text(), path, query, turn)
