import type { Schemas } from '../../typescript/typed/index.js'
import { serviceNames } from '../completion/sources.js'
import { Failed, undefinedIfMissing } from '../console.js'
import { remoteCommand, type Run } from '../remote/command.js'
import { required, text } from '../remote/flags.js'
import { fields, safe } from '../remote/output.js'

type Chain = Schemas['Chain']

interface Step {
  /** The condition or weight of the edge. */
  readonly by: string
  readonly key: string
}

const stepsOf = ({ Routes = [], Splits = [] }: Schemas['ChainNode']): readonly Step[] => [
  ...Routes.map(({ Definition, NextNode }) => ({
    by: Definition.Match == null ? 'otherwise' : `if ${JSON.stringify(Definition.Match)}`,
    key: NextNode
  })),
  ...Splits.map(({ Weight = 0, NextNode }) => ({ by: `${Weight} %`, key: NextNode }))
]

const targetText = ({
  Target,
  ConnectTimeout,
  Failover
}: NonNullable<Schemas['ChainNode']['Resolver']>): string => {
  const failover = Failover ? `, fails over to ${Failover.Targets.join(', ')}` : ''
  return `${Target} (connects within ${ConnectTimeout}${failover})`
}

/** Returns a node and, below it, a branch for each of its steps. */
const nodeLines = (nodes: Chain['Nodes'], { by, key }: Step): readonly string[] => {
  const node = nodes[key]
  const target = node?.Resolver ? ` → ${targetText(node.Resolver)}` : ''
  const steps = node && !node.Resolver ? stepsOf(node) : []
  const branches = steps.map(step => nodeLines(nodes, step))
  return [
    `${by === '' ? '' : `${by}: `}${key}${target}`,
    ...branches.flatMap((lines, place) => {
      const [first, others] = place < branches.length - 1 ? ['├─ ', '│  '] : ['└─ ', '   ']
      return lines.map((line, row) => `${row === 0 ? first : others}${line}`)
    })
  ]
}

const chainText = ({ ServiceName, Namespace, Datacenter, Protocol, Nodes, StartNode }: Chain): string => {
  const head = fields({ Service: ServiceName, Namespace, Datacenter, Protocol })
  return `${head}\n\n${nodeLines(Nodes, { by: '', key: StartNode }).map(safe).join('\n')}`
}

const isKnown = async (read: Run['read'], name: string): Promise<boolean> => {
  if ((await read('/v1/catalog/service/{name}', { name })).length > 0) return true
  const defaults = read('/v1/config/{kind}/{name}', { kind: 'service-defaults', name })
  return (await undefinedIfMissing(defaults)) !== undefined
}

export const chain = remoteCommand({
  summary: 'Draw the compiled discovery chain of a service.',
  about: 'The exit code is 1 if the service has neither instances nor configuration entries.',
  examples: ['annals chain web', 'annals chain web --json', 'annals chain -compile-dc=dc2 web'],
  args: { service: required('name of the service', serviceNames) },
  flags: { compileDc: text('name', 'datacenter to compile for (default: that of the server)') },
  isRead: true,
  run: async ({ read, out, flags, args }) => {
    const { service } = args
    const { Chain } = await read('/v1/discovery-chain/{service}', { service, 'compile-dc': flags.compileDc })
    if (Chain.Nodes[Chain.StartNode]?.Resolver?.Default === true && !(await isKnown(read, service)))
      throw new Failed(`there is no service "${service}": it has neither instances nor configuration entries`)
    out.show(Chain, chainText)
  }
})
