// Polls of the event stream in tests.
import type { TestResponse } from '../../support/client.js'
import type { TestServer } from '../../support/server.js'

/** Polls; default: with the management token. */
export const poll = (server: TestServer, query: string, token?: string): Promise<TestResponse> =>
  server.send('GET', `/v1/events?${query}`, token === undefined ? {} : { token })

/** The index of the next poll. */
export const indexOf = ({ headers }: TestResponse): number => Number(headers['x-service-index'])

/** Returns the responses of consecutive polls, up to the one that covers an index. */
export const pollUpTo = async (
  server: TestServer,
  query: string,
  from: number,
  last: number
): Promise<readonly string[]> => {
  const texts: string[] = []
  let index = from
  while (index < last) {
    const answer = await poll(server, `${query}&index=${index}`)
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    texts.push(answer.text)
    index = indexOf(answer)
  }
  return texts
}
