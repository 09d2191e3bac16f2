// `annals members`
import { remoteCommand } from '../remote/command.js'
import { on } from '../remote/flags.js'
import { metaText } from '../remote/listing.js'
import { table } from '../remote/output.js'

interface Member {
  readonly Name: string
  readonly Addr: string
  readonly Port: number
  readonly Tags: Readonly<Record<string, string>>
  readonly Status: number
  readonly ProtocolCur: number
}

const STATUSES: Readonly<Record<number, string>> = { 1: 'alive', 2: 'leaving', 3: 'left', 4: 'failed' }

const membersText = (members: readonly Member[], isDetailed: boolean): string => {
  const rows = members.map(({ Name, Addr, Port, Tags, Status, ProtocolCur }) => [
    Name,
    `${Addr}:${Port}`,
    STATUSES[Status] ?? 'none',
    'server',
    Tags['build'],
    ProtocolCur,
    Tags['dc'],
    ...(isDetailed ? [metaText(Tags)] : [])
  ])
  const heading = ['Node', 'Address', 'Status', 'Type', 'Build', 'Protocol', 'DC']
  return table(isDetailed ? [...heading, 'Tags'] : heading, rows)
}

export const members = remoteCommand({
  summary: 'List the servers of the cluster, as its members know each other.',
  examples: ['annals members', 'annals members -wan   those of all datacenters'],
  flags: {
    wan: on('the servers of all datacenters'),
    detailed: on('with all that they tell of themselves')
  },
  run: async ({ read, out, flags }) =>
    out.show(await read<readonly Member[]>('/v1/agent/members', { wan: flags.wan }), all =>
      membersText(all, flags.detailed)
    )
})
