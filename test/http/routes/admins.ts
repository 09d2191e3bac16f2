// Callers with every permission of one place, for tests of what they must not reach beyond it.
import type { TestServer } from '../../support/server.js'
import { call } from '../tenancy/support.js'

const EVERYTHING = `
acl = "write"
agent_prefix "" { policy = "write" }
event_prefix "" { policy = "write" }
key_prefix "" { policy = "write" }
node_prefix "" { policy = "write" }
query_prefix "" { policy = "write" }
service_prefix "" { policy = "write" intentions = "write" }
session_prefix "" { policy = "write" }`

const without = (resources: string): string =>
  EVERYTHING.replaceAll(new RegExp(`^(?:${resources})_prefix.*\n`, 'gm'), '')
const PARTITION = without('event|query')
const NAMESPACE = without('agent|event|node|query')

export const ADMINS = ['namespace admin', 'partition admin', 'default-namespace admin', 'operator'] as const
type Admin = (typeof ADMINS)[number]

const secretIn = async (server: TestServer, at: string, Rules: string): Promise<string> => {
  const { ID } = await call(server, 'PUT', `/v1/acl/policy${at}`, { Name: `admin${at.length}`, Rules })
  const { SecretID } = await call(server, 'PUT', `/v1/acl/token${at}`, { Policies: [{ ID }] })
  return SecretID
}

/** Creates the namespace `team-a`, the partition `part-a`, and the token of each admin. Returns their secrets. */
export const createAdmins = async (server: TestServer): Promise<Readonly<Record<Admin, string>>> => {
  await call(server, 'PUT', '/v1/namespace', { Name: 'team-a' })
  await call(server, 'PUT', '/v1/partition', { Name: 'part-a' })
  return {
    'namespace admin': await secretIn(server, '?ns=team-a', NAMESPACE),
    'partition admin': await secretIn(
      server,
      '?partition=part-a',
      `${PARTITION}\nnamespace_prefix "" { ${NAMESPACE} }`
    ),
    'default-namespace admin': await secretIn(server, '?ns=default', EVERYTHING),
    operator: await secretIn(server, '', 'operator = "write"')
  }
}
