import { orUndefined } from '../../../events/errors.js'
import type { Schemas } from '../../typescript/typed/index.js'
import { Failed, hasStatus } from '../console.js'
import { remoteCommand, type Run } from './command.js'
import { details, type Row } from './output.js'

type Read = Run['read']

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

const COLUMNS = [
  'Context',
  'Address',
  'Version',
  'Role',
  'Datacenter',
  'Namespace',
  'Node',
  'Leader',
  'Servers',
  'Token'
] as const

const asText = (status: Row): string => details(COLUMNS, { ...status, Leader: status['Leader'] || 'none' })

const serverText = ({ Node, HTTPAddress = '' }: Schemas['OwnDatacenter']['Servers'][number]): string =>
  HTTPAddress === '' ? Node : `${Node} (${HTTPAddress})`

export const status = remoteCommand({
  summary: 'Show the server, its leader, and the context and token of the request.',
  about:
    'The exit code is 0 if the server answers and knows a leader, 1 if there is no leader, and 2 if no server answers.',
  examples: ['annals status', 'annals status --http-addr https://10.0.0.7:8501 --json'],
  isRead: true,
  run: async ({ read, connection, context, out }) => {
    const [leader, peers, { Datacenter, Node, Servers = [] }, Token] = await Promise.all([
      read('/v1/status/leader'),
      read('/v1/status/peers'),
      datacenterOf(read),
      connection.token ? tokenOf(read) : 'none'
    ])
    const own = Servers.find(server => server.Node === Node)
    const leading = Servers.find(({ Role }) => Role === 'leader')
    const found = {
      Context: context,
      Address: connection.address,
      Version: own?.Version,
      Role: own?.Role,
      Datacenter,
      Namespace: connection.namespace,
      Node,
      Leader: leading ? serverText(leading) : leader,
      Servers: Servers.length > 0 ? Servers.map(serverText) : peers,
      Token
    }
    out.show(found, asText)
    if (found.Leader === '') throw new Failed('the servers have no leader')
  }
})

// The servers of the datacenter as they are. `/v1/agent/members` has what clients of Consul expect.

/** Returns no fields for servers without this endpoint. */
export const datacenterOf = async (read: Run['read']): Promise<Partial<Schemas['OwnDatacenter']>> =>
  (await orUndefined(read('/v1/internal/datacenter'), error => hasStatus(error, 404, 405))) ?? {}
