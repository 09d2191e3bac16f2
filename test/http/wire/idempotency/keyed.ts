// Requests with an idempotency key.
import type { TestResponse, TestRequestOptions } from '../../../support/client.js'
import type { TestServer } from '../../../support/server.js'
import type { Wire } from '../../../support/raw-connection.js'

export const keyed = (
  server: Pick<TestServer, 'send'>,
  key: string,
  method: string,
  path: string,
  sending: TestRequestOptions = {}
): Promise<TestResponse> =>
  server.send(method, path, {
    ...sending,
    headers: { ...sending.headers, 'X-Service-Idempotency-Key': key }
  })

/** Returns the next response on a connection, without its date. */
export const rawResponse = async (wire: Wire): Promise<string> => {
  const head = await wire.read(/^HTTP\/1.1 [2-5][^]*?\r\n\r\n|^HTTP\/1.1 100[^]*?\r\n\r\n[^]*?\r\n\r\n/)
  const length = Number(/Content-Length: (\d+)/i.exec(head)?.[1] ?? 0)
  const body = length === 0 ? '' : await wire.read(new RegExp(`^[^]{${length}}`))
  return head.replace(/Date: [^\r]*\r\n/, '') + body
}

export const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4)
