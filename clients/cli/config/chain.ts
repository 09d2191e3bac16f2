import { apiPath, remoteCommand } from '../remote/command.js'
import { required, text } from '../remote/flags.js'
import { fields } from '../remote/output.js'

interface Node {
  readonly Type: string
  readonly Routes?: readonly {
    readonly Definition: { readonly Match?: unknown }
    readonly NextNode: string
  }[]
  readonly Splits?: readonly { readonly Weight?: number; readonly NextNode: string }[]
  readonly Resolver?: {
    readonly Target: string
    readonly ConnectTimeout: string
    readonly Failover?: { readonly Targets: readonly string[] }
  }
}

interface Chain {
  readonly ServiceName: string
  readonly Namespace: string
  readonly Datacenter: string
  readonly Protocol: string
  readonly StartNode: string
  readonly Nodes: Readonly<Record<string, Node>>
}

interface Step {
  /** The condition or weight of the edge. */
  readonly by: string
  readonly key: string
}

const stepsOf = ({ Routes = [], Splits = [] }: Node): readonly Step[] => [
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
  summary: 'Show the way of requests to a service: its compiled discovery chain.',
  examples: ['annals chain web', 'annals chain web --json', 'annals chain -compile-dc=dc2 web'],
  args: { service: required('name of the service') },
  flags: { compileDc: text('name', 'datacenter to compile for (default: that of the server)') },
  run: async ({ read, out, flags, args }) => {
    const path = apiPath`/v1/discovery-chain/${args.service}`
    const { Chain } = await read<{ readonly Chain: Chain }>(path, { 'compile-dc': flags.compileDc })
    out.show(Chain, chainText)
  }
})
