// The bodies of answers of other servers, which may have any length.
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { refusalIn, textOf } from '../../../../server/cluster/transport/response-text.js'

const answered = async (
  t: ExecutionContext,
  answer: (response: ServerResponse) => void
): Promise<IncomingMessage> => {
  const server = createServer((_, response) => answer(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port }: AddressInfo = Object(server.address())
  const [message]: IncomingMessage[] = await once(get({ host: '127.0.0.1', port }), 'response')
  if (!message) throw new Error('there is no answer')
  return message
}

test('an answer is read up to its bound', async t => {
  t.is(await textOf(await answered(t, response => response.end('déjà')), 6), 'déjà')
  await t.throwsAsync(async () => textOf(await answered(t, response => response.end('déjà')), 5), {
    message: 'the answer of another server has more than 5 bytes'
  })
})

test('a refusal without an end is broken off', async t => {
  let closed: Promise<unknown> = Promise.resolve()
  const answer = await answered(t, response => {
    closed = once(response, 'close')
    const more = (): void => void response.write(Buffer.alloc(16 * 1024), error => error ?? more())
    more()
  })
  await t.throwsAsync(refusalIn(answer), { message: /has more than 65536 bytes$/ })
  await closed
  t.true(answer.destroyed)
})
