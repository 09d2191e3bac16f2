// Where the checks that the server runs may connect to.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

/** The output of a check after its first run. */
const outputOf = async (t: ExecutionContext, server: TestServer, fields: object): Promise<string> => {
  const body = { Name: 'x', Interval: '1h', ...fields }
  await server.send('PUT', '/v1/agent/check/deregister/x')
  const made = await server.send('PUT', '/v1/agent/check/register', { body })
  t.is(made.status, 200, made.text)
  let output = ''
  await until('the check ran', async () => {
    output = JSON.parse((await server.send('GET', '/v1/agent/checks')).text).x.Output
    return output !== ''
  })
  return output
}

/** A server that redirects to the URL behind `to=`. */
const redirecting = async (t: ExecutionContext): Promise<number> => {
  const http = createServer(({ url = '' }, response) => {
    const location = new URL(url, 'http://localhost').searchParams.get('to')
    response.writeHead(location === null ? 200 : 302, location === null ? {} : { location }).end('fine')
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    http.closeAllConnections()
    http.close()
  })
  const { port }: AddressInfo = JSON.parse(JSON.stringify(http.address()))
  return port
}

test('a check reaches no metadata address, neither directly nor by a redirect', async t => {
  const server = await serverInProcess(t)
  const port = await redirecting(t)
  const refused = /^outgoing\.checks keeps requests from /
  for (const host of [
    '169.254.169.254',
    '[::ffff:169.254.169.254]',
    '[::a9fe:a9fe]',
    '[fd00:ec2::254]',
    '0xa9fea9fe'
  ]) {
    const url = `http://${host}/latest/meta-data`
    t.regex(await outputOf(t, server, { HTTP: url }), refused, host)
    t.regex(await outputOf(t, server, { HTTP: `http://127.0.0.1:${port}/?to=${url}` }), refused, host)
  }
  for (const target of ['169.254.169.254:80', '100.100.100.200:80', '[fd00:ec2::254]:80', '2852039166:80'])
    for (const kind of ['TCP', 'GRPC'])
      t.regex(await outputOf(t, server, { [kind]: target }), refused, `${kind} ${target}`)
  const inside = `http://127.0.0.1:${port}/?to=http://localhost:${port}/`
  t.regex(await outputOf(t, server, { HTTP: inside }), / 200 Output: fine$/)
})

test('where outgoing.checks is set, checks reach its networks only', async t => {
  const [own, other] = await Promise.all(
    [['127.0.0.0/8'], ['10.0.0.0/8']].map(checks => serverInProcess(t, { config: { outgoing: { checks } } }))
  )
  if (!own || !other) throw new Error('there are two servers')
  const port = await redirecting(t)
  const target = { HTTP: `http://127.0.0.1:${port}/` }
  t.regex(await outputOf(t, own, target), / 200 Output: fine$/)
  t.regex(await outputOf(t, own, { TCP: `127.0.0.1:${port}` }), /Success$/)
  for (const fields of [target, { TCP: `127.0.0.1:${port}` }, { GRPC: `127.0.0.1:${port}` }])
    t.is(await outputOf(t, other, fields), 'outgoing.checks keeps requests from 127.0.0.1')
})
