import type { ExecutionContext } from 'ava'
import { ask } from '../../../support/dns.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { createToken } from '../../../http/support.js'

export const scrape = async (server: TestServer): Promise<string> =>
  (await server.send('GET', '/v1/agent/metrics?format=prometheus')).text

/** A server that has answered HTTP and DNS, denied something, and written its log. */
export const busyServer = async (t: ExecutionContext): Promise<TestServer> => {
  const server = await serverInProcess(t, { log: 'disk', config: { ports: { http: 0, dns: 0 } } })
  const { SecretID: token } = await createToken(server)
  await server.send('PUT', '/v1/kv/a', { token, body: 'a' })
  await server.send('GET', '/v1/acl/tokens', { token: 'none' })
  await ask(server.dnsPort ?? 0, 'none.service.consul', 'A')
  return server
}
