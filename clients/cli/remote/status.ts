// `annals status`
import { Failed, hasStatus } from '../failures.js'
import { remoteCommand, type Run } from './command.js'
import { fields } from './output.js'

interface Datacenter {
  readonly Datacenter: string
  readonly Node: string
}

interface Token {
  readonly AccessorID: string
  readonly Description: string
}

interface Status {
  readonly Address: string
  readonly Datacenter: string | undefined
  readonly Node: string | undefined
  readonly Leader: string
  readonly Servers: readonly string[]
  readonly Token: string
}

type Read = Run<unknown, unknown>['read']

/** Returns undefined for servers without this endpoint. */
const datacenterOf = async (read: Read): Promise<Datacenter | undefined> => {
  try {
    return await read<Datacenter>('/v1/internal/datacenter')
  } catch (error) {
    if (hasStatus(error, 404, 405)) return undefined
    throw error
  }
}

const tokenOf = async (read: Read): Promise<string> => {
  try {
    const { AccessorID, Description } = await read<Token>('/v1/acl/token/self')
    return Description === '' ? AccessorID : `${AccessorID} (${Description})`
  } catch (error) {
    if (hasStatus(error, 401)) return 'not needed: ACLs are off'
    if (hasStatus(error, 403, 404)) return 'not known to the server'
    throw error
  }
}

const asText = ({ Leader, ...status }: Status): string => {
  const { Address, Datacenter, Node, Servers, Token } = status
  return fields({ Address, Datacenter, Node, Leader: Leader || 'none', Servers, Token })
}

export const status = remoteCommand({
  summary: 'Show whether a server answers, who leads, and who asks.',
  about:
    'Ends with 0 when the server answers and knows a leader, 1 when there is no leader, and 2 when no server answers.',
  examples: ['annals status', 'annals status --http-addr https://10.0.0.7:8501 --json'],
  run: async ({ read, connection, out }) => {
    const [leader, servers, datacenter, token] = await Promise.all([
      read<string>('/v1/status/leader'),
      read<readonly string[]>('/v1/status/peers'),
      datacenterOf(read),
      connection.token ? tokenOf(read) : 'none'
    ])
    out.show(
      {
        Address: connection.address,
        Datacenter: datacenter?.Datacenter,
        Node: datacenter?.Node,
        Leader: leader,
        Servers: servers,
        Token: token
      },
      asText
    )
    if (leader === '') throw new Failed('the servers have no leader')
  }
})
