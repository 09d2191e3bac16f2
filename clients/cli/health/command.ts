// `annals health`
import { required, on, optional, texts } from '../remote/flags.js'
import { type ServiceInstance, filtering, nodeListing, nodeQuery } from '../remote/listing.js'
import { group, remoteCommand } from '../remote/command.js'
import { table } from '../remote/output.js'
import { UsageError } from '../console.js'
import { Failed } from '../failures.js'

interface Check {
  readonly Node: string
  readonly CheckID: string
  readonly Name: string
  readonly Status: string
  readonly Output: string
  readonly ServiceID: string
  readonly ServiceName: string
}

interface Instance {
  readonly Node: { readonly Node: string; readonly Address: string }
  readonly Service: ServiceInstance
  readonly Checks: readonly Check[]
}

/** From the best to the worst. */
const STATUSES = ['passing', 'warning', 'critical'] as const

/** The worst of them; that of an instance without checks is passing. */
const worstOf = (checks: readonly Check[]): string =>
  STATUSES.findLast(status => checks.some(check => check.Status === status)) ?? 'passing'

const checksText = (checks: readonly Check[]): string =>
  table(
    ['Node', ['Check', 'CheckID'], 'Name', 'Status', ['Service', 'ServiceID'], 'Output'],
    checks.map(check => ({ ...check, Output: check.Output.split('\n', 1)[0] }))
  )

const instancesText = (instances: readonly Instance[]): string =>
  table(
    ['ID', 'Node', 'Address', 'Port', 'Status', 'Tags'],
    instances.map(({ Node: { Node, Address }, Service, Checks }) => ({
      ...Service,
      Node,
      Address: Service.Address || Address,
      Status: worstOf(Checks)
    }))
  )

const service = remoteCommand({
  summary: 'List the instances of a service with their health.',
  about: 'With --passing it ends with 1 when no instance passes.',
  examples: ['annals health service web', 'annals health service -passing -tag v2 web'],
  args: { name: required('name of the service') },
  flags: {
    ...nodeListing,
    passing: on('only instances of which all checks pass'),
    tag: texts('tag', 'only instances with this tag')
  },
  run: async ({ read, out, flags, args }) => {
    const query = { ...nodeQuery(flags), passing: flags.passing, tag: flags.tag }
    const path = `/v1/health/service/${encodeURIComponent(args.name)}`
    const found = await read<readonly Instance[]>(path, query)
    out.show(found, instancesText)
    if (flags.passing && found.length === 0) throw new Failed(`no instance of "${args.name}" passes`)
  }
})

const node = remoteCommand({
  summary: 'List the checks of a node and of its services.',
  examples: ['annals health node web-1'],
  args: { name: required('name of the node') },
  flags: filtering,
  run: async ({ read, out, flags, args }) =>
    out.show(
      await read<readonly Check[]>(`/v1/health/node/${encodeURIComponent(args.name)}`, {
        filter: flags.filter
      }),
      checksText
    )
})

const checks = remoteCommand({
  summary: 'List the checks of the instances of a service.',
  examples: ['annals health checks web'],
  args: { service: required('name of the service') },
  flags: nodeListing,
  run: async ({ read, out, flags, args }) =>
    out.show(
      await read<readonly Check[]>(`/v1/health/checks/${encodeURIComponent(args.service)}`, nodeQuery(flags)),
      checksText
    )
})

const state = remoteCommand({
  summary: 'List checks by their status.',
  examples: ['annals health state            all checks', 'annals health state critical'],
  args: { status: optional('passing, warning, critical or any (default: any)') },
  flags: nodeListing,
  run: async ({ read, out, flags, args }) => {
    const { status = 'any' } = args
    if (![...STATUSES, 'any'].includes(status))
      throw new UsageError(`a check is passing, warning or critical, not "${status}"`)
    out.show(await read<readonly Check[]>(`/v1/health/state/${status}`, nodeQuery(flags)), checksText)
  }
})

export const health = group({
  summary: 'Show the health of services and nodes.',
  examples: ['annals health service web', 'annals health state critical'],
  commands: { service, node, checks, state }
})
