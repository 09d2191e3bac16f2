import type { Schemas } from '../../typescript/typed/index.js'
import { required, on, optional, texts } from '../remote/flags.js'
import { filtering, nodeListing, nodeQuery, withShortOutput } from '../remote/listing.js'
import { group, remoteCommand } from '../remote/command.js'
import { table, type Content, type Output } from '../remote/output.js'
import { nodeNames, oneOf, serviceNames } from '../completion/sources.js'
import { UsageError, Failed } from '../console.js'

type Instance = Schemas['ServiceHealth']
type Check = Schemas['HealthCheck']

/** From the best to the worst. */
const STATUSES = ['passing', 'warning', 'critical'] as const

/** Returns the worst status; `passing` without checks. */
const worstOf = (checks: readonly Check[]): string =>
  STATUSES.findLast(status => checks.some(check => check.Status === status)) ?? 'passing'

const checksText = (checks: readonly Check[]): Content =>
  table(
    ['Node', ['Check', 'CheckID'], 'Name', 'Status', ['Service', 'ServiceID'], 'Output'],
    withShortOutput(checks)
  )

const instancesText = (instances: readonly Instance[]): Content =>
  table(
    ['ID', 'Node', 'Address', 'Port', 'Status', 'Tags'],
    instances.map(({ Node, Service, Checks }) => ({
      ...Service,
      Node: Node.Node,
      Address: Service.Address || Node.Address,
      Status: worstOf(Checks)
    }))
  )

const service = remoteCommand({
  summary: 'List the instances of a service with their health.',
  about: 'The exit code is 1 if there is no instance, or with --passing no instance that passes.',
  examples: ['annals health service web', 'annals health service -passing -tag v2 web'],
  args: { name: required('name of the service', serviceNames) },
  flags: {
    ...nodeListing,
    passing: on('only instances whose checks all pass'),
    tag: texts('tag', 'only instances with this tag')
  },
  isRead: true,
  run: async ({ read, out, flags, args }) => {
    const query = { ...nodeQuery(flags), passing: flags.passing, tag: flags.tag }
    const found = await read('/v1/health/service/{name}', { ...args, ...query })
    if (found.length > 0 || out.isData) out.show(found, instancesText)
    if (found.length === 0) throw new Failed(`no instance of "${args.name}"${flags.passing ? ' passes' : ''}`)
  }
})

const ABSENT = 'The exit code is 1 if there is none.'

const showChecks = (out: Output, found: readonly Check[], what: string): void => {
  if (found.length > 0 || out.isData) out.show(found, checksText)
  if (found.length === 0) throw new Failed(`no check of ${what}`)
}

const node = remoteCommand({
  summary: 'List the checks of a node and of its services.',
  about: ABSENT,
  examples: ['annals health node web-1'],
  args: { name: required('name of the node', nodeNames) },
  flags: filtering,
  isRead: true,
  run: async ({ read, out, flags: { filter }, args: { name } }) =>
    showChecks(out, await read('/v1/health/node/{name}', { name, filter }), `node "${name}"`)
})

const checks = remoteCommand({
  summary: 'List the checks of the instances of a service.',
  about: ABSENT,
  examples: ['annals health checks web'],
  args: { service: required('name of the service', serviceNames) },
  flags: nodeListing,
  isRead: true,
  run: async ({ read, out, flags, args: { service: name } }) =>
    showChecks(
      out,
      await read('/v1/health/checks/{name}', { name, ...nodeQuery(flags) }),
      `service "${name}"`
    )
})

const state = remoteCommand({
  summary: 'List checks by their status.',
  examples: ['annals health state            all checks', 'annals health state critical'],
  args: { status: optional('passing, warning, critical or any (default: any)', oneOf([...STATUSES, 'any'])) },
  flags: nodeListing,
  isRead: true,
  run: async ({ read, out, flags, args }) => {
    const { status = 'any' } = args
    if (![...STATUSES, 'any'].includes(status))
      throw new UsageError(`a check is passing, warning or critical, not "${status}"`)
    out.show(await read('/v1/health/state/{name}', { name: status, ...nodeQuery(flags) }), checksText)
  }
})

export const health = group({
  summary: 'Show the health of services and nodes.',
  examples: ['annals health service web', 'annals health state critical'],
  commands: { service, node, checks, state }
})
