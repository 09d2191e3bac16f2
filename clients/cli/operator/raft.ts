// `annals operator raft`
import { UsageError } from '../console.js'
import { group, remoteCommand } from '../remote/command.js'
import { text } from '../remote/flags.js'
import { table } from '../remote/output.js'

interface Configuration {
  readonly Servers: readonly {
    readonly ID: string
    readonly Node: string
    readonly Address: string
    readonly Leader: boolean
    readonly Voter: boolean
    readonly ProtocolVersion: string
    readonly LastIndex: number
  }[]
}

const listPeers = remoteCommand({
  summary: 'List the servers, and who leads.',
  examples: ['annals operator raft list-peers'],
  run: async ({ read, out }) =>
    out.show(await read<Configuration>('/v1/operator/raft/configuration'), ({ Servers }) =>
      table(
        ['Node', 'ID', 'Address', 'State', 'Voter', 'RaftProtocol', 'Commit Index'],
        Servers.map(each => [
          each.Node,
          each.ID,
          each.Address,
          each.Leader ? 'leader' : 'follower',
          each.Voter,
          each.ProtocolVersion,
          each.LastIndex
        ])
      )
    )
})

const removePeer = remoteCommand({
  summary: 'Forget a server that is not heard of any more.',
  examples: ['annals operator raft remove-peer -id 3ce6e9da-64ad-8bf3-8f63-9355f115c6a3'],
  flags: {
    id: text('id', 'ID of the server'),
    address: text('host:port', 'its address, in place of the ID')
  },
  run: async ({ send, out, flags }) => {
    const { id, address } = flags
    const named = id ?? address
    if (named === undefined || (id !== undefined && address !== undefined))
      throw new UsageError('the server is named by --id or by --address')
    await send('DELETE', '/v1/operator/raft/peer', { query: { id, address } })
    out.done(`Removed peer ${named}`)
  }
})

export const raft = group({
  summary: 'List and forget servers.',
  examples: ['annals operator raft list-peers'],
  commands: { 'list-peers': listPeers, 'remove-peer': removePeer }
})
