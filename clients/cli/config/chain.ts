import type { Schemas } from '../../typescript/typed/index.js'
import { remoteCommand } from '../remote/command.js'
import { required, text } from '../remote/flags.js'
import { fields } from '../remote/output.js'

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

const nodeLines = (nodes: Chain['Nodes'], { by, key }: Step, indent: string): readonly string[] => {
  const node = nodes[key]
  const head = `${indent}${by === '' ? '' : `${by} -> `}${key}`
  if (node?.Resolver) {
    const { Target, ConnectTimeout, Failover } = node.Resolver
    const failover = Failover ? `, failing over to ${Failover.Targets.join(', ')}` : ''
    return [`${head} (${Target}, ${ConnectTimeout} to connect${failover})`]
  }
  return [head, ...(node ? stepsOf(node) : []).flatMap(step => nodeLines(nodes, step, `${indent}  `))]
}

const chainText = ({ ServiceName, Namespace, Datacenter, Protocol, Nodes, StartNode }: Chain): string => {
  const head = fields({ Service: ServiceName, Namespace, Datacenter, Protocol })
  return `${head}\n\n${nodeLines(Nodes, { by: '', key: StartNode }, '').join('\n')}`
}

export const chain = remoteCommand({
  summary: 'Show the compiled discovery chain of a service.',
  examples: ['annals chain web', 'annals chain web --json', 'annals chain -compile-dc=dc2 web'],
  args: { service: required('name of the service') },
  flags: { compileDc: text('name', 'datacenter to compile for (default: that of the server)') },
  run: async ({ read, out, flags, args }) => {
    const { service } = args
    const { Chain } = await read('/v1/discovery-chain/{service}', { service, 'compile-dc': flags.compileDc })
    out.show(Chain, chainText)
  }
})
