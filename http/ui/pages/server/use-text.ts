// A text that the server answers with.
import { useEffect, useState } from 'preact/hooks'
import { client } from '../../session/session.js'
import { failureOf, type Asked } from '../../session/use-answer.js'

/** @param turn another number asks the same again */
export const useText = (path: string, turn: number): Asked<string> => {
  const [asked, setAsked] = useState<Asked<string>>({})
  const asking = client.value
  useEffect(() => {
    const ended = new AbortController()
    asking.connection
      .request('GET', path, { signal: ended.signal })
      .then(answer => answer.text())
      .then(
        value => setAsked({ value }),
        (error: unknown) => {
          if (!ended.signal.aborted) setAsked({ failure: failureOf(error) })
        }
      )
    return () => ended.abort()
  }, [asking, path, turn])
  return asked
}
