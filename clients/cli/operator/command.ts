import type { Schemas } from '../../typescript/typed/index.js'
import { group, remoteCommand, showCommand } from '../remote/command.js'
import { autopilot } from './autopilot.js'
import { UsageError, writeLines } from '../console.js'
import { text, on, integer } from '../remote/flags.js'
import { table, type Content } from '../remote/output.js'
import { Readable } from 'node:stream'
import { jsonLinesOf } from '../json-lines.js'
import { runUntilInterrupted } from '../remote/child.js'
import { datacenterOf } from '../remote/status.js'

async function* atMost(lines: AsyncIterable<string>, limit: number): AsyncGenerator<string> {
  if (limit === 0) return
  let count = 0
  for await (const line of lines) {
    yield line
    if (++count >= limit) return
  }
}

async function* untilInterrupted(lines: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  try {
    yield* lines
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

export const monitor = remoteCommand({
  summary: 'Print the log messages of the server, from now on.',
  about: 'Runs until Ctrl-C or the end of the server. `log.level` of the server does not limit the level.',
  examples: ['annals monitor', 'annals monitor -log-level=warn', 'annals monitor -log-json'],
  flags: {
    logLevel: text('level', 'lowest level to print (default: info)'),
    logJson: on('print JSON, as does --json'),
    limit: integer('number', 'end after this number of lines')
  },
  run: ({ connection, out, console, flags }) =>
    runUntilInterrupted(async signal => {
      const query = { loglevel: flags.logLevel, logjson: flags.logJson || out.isData }
      const { body } = await connection.request('GET', '/v1/agent/monitor', { query, signal })
      if (!body) return
      const lines = jsonLinesOf(Readable.fromWeb(body), Number.MAX_SAFE_INTEGER)
      const limit = flags.limit === undefined ? Infinity : Number(flags.limit)
      await writeLines(console.out, untilInterrupted(atMost(lines, limit), signal))
    })
})

const STATUSES: Readonly<Record<number, string>> = { 1: 'alive', 2: 'leaving', 3: 'left', 4: 'failed' }

type Member = Schemas['Member']
type Server = Schemas['OwnDatacenter']['Servers'][number]

/** Servers of other datacenters have neither role nor version. */
const membersText =
  (servers: readonly Server[], isDetailed: boolean) =>
  (members: readonly Member[]): Content =>
    table(
      [
        'Node',
        ['HTTP address', 'HTTPAddress'],
        'Role',
        'Status',
        'Version',
        'DC',
        ...(isDetailed ? ['Tags'] : [])
      ],
      members.map(({ Name, Addr, Tags, Status }) => {
        const server = servers.find(({ ID }) => ID === Tags['id'])
        return {
          Node: Name,
          HTTPAddress: server?.HTTPAddress ?? Addr,
          Role: server?.Role,
          Status: STATUSES[Status] ?? 'none',
          Version: server?.Version,
          DC: Tags['dc'],
          Tags
        }
      })
    )

export const members = remoteCommand({
  summary: 'List the servers of the cluster with address, role and version.',
  examples: ['annals members', 'annals members -wan   the servers of all datacenters'],
  flags: {
    wan: on('the servers of all datacenters'),
    detailed: on('include all tags')
  },
  isRead: true,
  run: async ({ read, out, flags }) => {
    const [all, { Servers = [] }] = await Promise.all([
      read('/v1/agent/members', { wan: flags.wan }),
      datacenterOf(read)
    ])
    out.show(all, membersText(Servers, flags.detailed))
  }
})

interface Usage {
  readonly Service: string
  readonly Instances: number
  readonly Passing: number
}

/** Maximum of concurrent requests. */
const AT_ONCE = 8

const instances = remoteCommand({
  summary: 'Count the instances of each service that the token may read.',
  about: 'Sends one request per service, so the counts are of slightly different times.',
  examples: ['annals operator usage instances', 'annals operator usage instances -ns=team --json'],
  isRead: true,
  run: async ({ read, out }) => {
    const names = Object.keys(await read('/v1/catalog/services')).toSorted()
    const usageOf = async (Service: string): Promise<Usage> => {
      const found = await read('/v1/health/service/{name}', { name: Service })
      const passing = found.filter(({ Checks }) => Checks.every(({ Status }) => Status === 'passing'))
      return { Service, Instances: found.length, Passing: passing.length }
    }
    const usages: Usage[] = []
    for (let at = 0; at < names.length; at += AT_ONCE)
      usages.push(...(await Promise.all(names.slice(at, at + AT_ONCE).map(usageOf))))
    out.show(usages, all => {
      const sum = (field: 'Instances' | 'Passing'): number =>
        all.reduce((total, usage) => total + usage[field], 0)
      const total = { Service: 'Total', Instances: sum('Instances'), Passing: sum('Passing') }
      return table(['Service', 'Instances', 'Passing'], [...all, total])
    })
  }
})

const usage = group({
  summary: 'Count resources.',
  examples: ['annals operator usage instances'],
  commands: { instances }
})

const PEER_COLUMNS = [
  'Node',
  'ID',
  'Address',
  'State',
  'Voter',
  ['RaftProtocol', 'ProtocolVersion'],
  ['Commit Index', 'LastIndex']
] as const

const listPeers = showCommand({
  summary: 'List the servers and the leader.',
  examples: ['annals operator raft list-peers'],
  path: '/v1/operator/raft/configuration',
  parameters: () => ({}),
  asText: ({ Servers }) =>
    table(
      PEER_COLUMNS,
      Servers.map(server => ({ ...server, State: server.Leader ? 'leader' : 'follower' }))
    )
})

const removePeer = remoteCommand({
  summary: 'Remove a failed server.',
  examples: ['annals operator raft remove-peer -id 3ce6e9da-64ad-8bf3-8f63-9355f115c6a3'],
  flags: {
    id: text('id', 'ID of the server'),
    address: text('host:port', 'its address, instead of the ID')
  },
  run: async ({ write, out, flags }) => {
    const { id, address } = flags
    const named = id ?? address
    if (named === undefined || (id !== undefined && address !== undefined))
      throw new UsageError('the server is named by --id or by --address')
    await write('delete', '/v1/operator/raft/peer', undefined, { id, address })
    out.note(`Removed peer ${named}`)
  }
})

const raft = group({
  summary: 'List and remove servers.',
  examples: ['annals operator raft list-peers'],
  commands: { 'list-peers': listPeers, 'remove-peer': removePeer }
})

export const operator = group({
  summary: 'Manage the servers of the cluster.',
  examples: [
    'annals operator raft list-peers',
    'annals operator autopilot state',
    'annals operator usage instances'
  ],
  commands: { raft, autopilot, usage }
})
