import type { Schemas } from '../../typescript/typed/index.js'
import { Failed, hasStatus } from '../failures.js'
import { remoteCommand, type Run } from './command.js'
import { details, type Row } from './output.js'

type Read = Run['read']

/** Returns no fields for servers without this endpoint. */
const datacenterOf = async (read: Read): Promise<Partial<Schemas['OwnDatacenter']>> => {
  try {
    return await read('/v1/internal/datacenter')
  } catch (error) {
    if (hasStatus(error, 404, 405)) return {}
    throw error
  }
}

const tokenOf = async (read: Read): Promise<string> => {
  try {
    const { AccessorID, Description } = await read('/v1/acl/token/self')
    return Description === '' ? AccessorID : `${AccessorID} (${Description})`
  } catch (error) {
    if (hasStatus(error, 401)) return 'not needed: ACLs are off'
    if (hasStatus(error, 403, 404)) return 'not known to the server'
    throw error
  }
}

const asText = (status: Row): string =>
  details(['Address', 'Datacenter', 'Node', 'Leader', 'Servers', 'Token'], {
    ...status,
    Leader: status['Leader'] || 'none'
  })

export const status = remoteCommand({
  summary: 'Show the server, its leader and the token of the request.',
  about:
    'The exit code is 0 if the server answers and knows a leader, 1 if there is no leader, and 2 if no server answers.',
  examples: ['annals status', 'annals status --http-addr https://10.0.0.7:8501 --json'],
  isRead: true,
  run: async ({ read, connection, out }) => {
    const [Leader, Servers, { Datacenter, Node }, Token] = await Promise.all([
      read('/v1/status/leader'),
      read('/v1/status/peers'),
      datacenterOf(read),
      connection.token ? tokenOf(read) : 'none'
    ])
    out.show({ Address: connection.address, Datacenter, Node, Leader, Servers, Token }, asText)
    if (Leader === '') throw new Failed('the servers have no leader')
  }
})
