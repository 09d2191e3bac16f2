// Converts bodies to the agent's services and checks, with defaults and validation (spec: state.md §8).
import { isIP } from 'node:net'
import type { Static } from 'typebox'
import { type AgentCheck, type AgentService, sidecarId } from '../../../actors/agent/agent.js'
import { isAlias } from '../../../actors/agent/alias.js'
import { invalid } from '../../../actors/refusal.js'
import type { ServiceInput } from '../../../events/service.js'
import { areWeights, isGateway } from '../../../actors/catalog/service.js'
import {
  type CheckDefinition,
  checkInput,
  CRITICAL,
  PASSING,
  runnerFields,
  WARNING
} from '../../../events/check.js'
import { parseDuration } from '../../../events/duration.js'
import { storedInputOf } from '../../../events/definition/forms/forms.js'
import { checkType, serviceInput } from '../catalog/inputs.js'
import { inputsOf } from '../../wire/route.js'
import { hostPort } from '../../../server/settings/listeners.js'
import type {
  agentServiceBody,
  sidecarBody,
  AgentCheckInput,
  ServiceCheckInput
} from '../../schemas/agent.js'

type ServiceBody = Static<typeof sidecarBody>
type Refused = 'Args' | 'ScriptArgs' | 'Script' | 'DockerContainerID' | 'H2PING'

const STATUSES: ReadonlySet<string> = new Set([PASSING, WARNING, CRITICAL])
/** Fields of checks that the agent does not run. */
const REFUSED: readonly Refused[] = ['Args', 'ScriptArgs', 'Script', 'DockerContainerID', 'H2PING']
const FIRST_SIDECAR_PORT = 21000
const LOOPBACK = '127.0.0.1'
const SIDECAR_INTERVAL = '10s'
/** `host:port` or `host:port/service`. */
const GRPC_TARGET = /^(\[[^\]/]+\]|[^:/]+):\d+(\/.*)?$/

const readRunner = inputsOf({ name: 'Check', fields: runnerFields }, 'Bad request')
const storedRunner = storedInputOf(runnerFields)

/** Returns a duration above 0, else an empty text. */
const positive = (duration: string): string => ((parseDuration(duration) ?? 0) > 0 ? duration : '')

const checkRules = (given: ServiceCheckInput, { HTTP, TCP, GRPC, ...runner }: CheckDefinition): void => {
  const fault = (text: string) => invalid('agent.invalid', `Invalid check: ${text}`)
  for (const field of REFUSED)
    if ((given[field]?.length ?? 0) > 0)
      throw fault(`field "${field}" is not supported: the agent runs TTL, HTTP, TCP, gRPC and alias checks`)
  const isProbe = Boolean(HTTP) || Boolean(TCP) || Boolean(GRPC)
  const alias = isAlias(runner)
  if (runner.Interval && runner.TTL) throw fault('Interval and TTL cannot both be specified')
  if (isProbe && !runner.Interval) throw fault('Interval must be > 0 for HTTP, TCP or gRPC checks')
  if (alias && isProbe) throw fault('AliasNode and AliasService cannot stand beside HTTP, TCP or GRPC')
  if (alias && runner.TTL) throw fault('TTL must not be set for alias checks')
  if (GRPC && !GRPC_TARGET.test(GRPC))
    throw fault(`field "GRPC" is not host:port or host:port/service: "${GRPC}"`)
  if (HTTP && !/^https?:\/\/[^/]/i.test(HTTP))
    throw fault(`field "HTTP" is no URL of http or https: "${HTTP}"`)
  if (!isProbe && !alias && !runner.TTL) throw fault('TTL must be > 0 for TTL checks')
  if (given.Status && !STATUSES.has(given.Status))
    throw invalid(
      'agent.invalid',
      `Bad check status: field "Status" is "${given.Status}"; it must be 'passing', 'warning' or 'critical'`
    )
}

/** Negative durations count as absent. */
const runnerOf = (given: ServiceCheckInput): CheckDefinition => {
  const input = readRunner(given)
  const runner = storedRunner({
    ...input,
    Interval: positive(input.Interval),
    Timeout: positive(input.Timeout),
    DeregisterCriticalServiceAfter: positive(input.DeregisterCriticalServiceAfter),
    TTL: Math.max(input.TTL, 0)
  })
  checkRules(given, runner)
  return runner
}

interface CheckIdentity {
  readonly node: string
  readonly id: string
  readonly name: string
  readonly service: string
}

/** Go's clients write an absent check as `{}`. */
const isEmpty = (given: ServiceCheckInput): boolean => Object.keys(given).length === 0

const checksIn = ({ Check, Checks }: ServiceBody): readonly ServiceCheckInput[] => [
  ...(Check && !isEmpty(Check) ? [Check] : []),
  ...(Checks ?? [])
]

const checkOf = (given: ServiceCheckInput, { node, id, name, service }: CheckIdentity): AgentCheck => {
  const runner = runnerOf(given)
  return {
    runner,
    input: checkInput({
      Node: node,
      CheckID: id,
      Name: name,
      Status: given.Status || CRITICAL,
      Notes: given.Notes ?? '',
      ServiceID: service,
      Type: checkType(runner),
      Interval: runner.Interval ?? '0s',
      Timeout: runner.Timeout ?? '0s'
    })
  }
}

/** @throws Refusal `invalid` */
export const agentCheck = (given: AgentCheckInput, node: string): AgentCheck => {
  const { Name = '', ServiceID = '' } = given
  if (Name === '') throw invalid('agent.invalid', 'Missing check name: field "Name" is empty')
  return checkOf(given, { node, id: given.ID || Name, name: Name, service: ServiceID })
}

const addressTags = ({ Address = '', Port = 0, TaggedAddresses = null }: ServiceBody) => {
  const version = isIP(Address)
  if (version === 0) return TaggedAddresses
  const own = { Address, Port }
  return { [`lan_ipv${version}`]: own, [`wan_ipv${version}`]: own, ...TaggedAddresses }
}

const checkWeights = (given: ServiceBody): void => {
  if (given.Weights && !areWeights({ Passing: 0, Warning: 0, ...given.Weights }))
    throw invalid(
      'agent.invalid',
      'Invalid Weights: field "Weights" must have Passing from 1 to 65535 and Warning from 0 to 65535'
    )
}

const inputOf = (given: ServiceBody): ServiceInput => {
  const { Name = '' } = given
  if (Name === '') throw invalid('agent.invalid', 'Missing service name: field "Name" is empty')
  checkWeights(given)
  return serviceInput({
    ...given,
    Service: Name,
    Tags: given.Tags ?? [],
    TaggedAddresses: addressTags(given)
  })
}

const serviceOf = (given: ServiceBody, node: string): AgentService => {
  const service = inputOf(given)
  const all = checksIn(given)
  const checks = all.map((check, i) =>
    checkOf(check, {
      node,
      id: check.CheckID || `service:${service.ID}${all.length > 1 ? `:${i + 1}` : ''}`,
      name: check.Name || `Service '${service.Service}' check`,
      service: service.ID
    })
  )
  return { service, checks }
}

/** Returns the default checks of a sidecar: its listener, and the health of its service. */
const sidecarChecks = ({ Address }: ServiceBody, port: number, parent: string): ServiceCheckInput[] => {
  const host = Address || LOOPBACK
  return [
    { Name: 'Connect Sidecar Listening', TCP: hostPort(host, port), Interval: SIDECAR_INTERVAL },
    { Name: `Connect Sidecar Aliasing ${parent}`, AliasService: parent }
  ]
}

/**
 * Completes the body of a sidecar with the defaults that follow from its service (spec: state.md §8).
 * @throws Refusal `invalid` for an own ID, and for the sidecar of a gateway
 */
const sidecarOf = (
  given: ServiceBody,
  parent: ServiceInput,
  isFree: (port: number) => boolean
): ServiceBody => {
  if (isGateway(parent))
    throw invalid('agent.invalid', `A ${parent.Kind} cannot have a sidecar service defined`)
  if (given.ID)
    throw invalid('agent.invalid', 'A SidecarService cannot specify an ID as this is managed by the agent')
  let port = given.Port ?? 0
  for (port ||= FIRST_SIDECAR_PORT; !given.Port && !isFree(port); port++);
  const { Proxy = {} } = given
  const Meta = given.Meta ?? parent.Meta
  return {
    ...given,
    ID: sidecarId(parent.ID),
    Name: given.Name || sidecarId(parent.Service),
    Kind: given.Kind || 'connect-proxy',
    Port: port,
    Tags: given.Tags ?? [...(parent.Tags ?? [])],
    ...(Meta ? { Meta: { ...Meta } } : {}),
    ...(checksIn(given).length === 0 ? { Checks: sidecarChecks(given, port, parent.ID) } : {}),
    Proxy: {
      ...Proxy,
      DestinationServiceName: Proxy.DestinationServiceName || parent.Service,
      DestinationServiceID: Proxy.DestinationServiceID || parent.ID,
      ...(parent.Port > 0
        ? {
            LocalServiceAddress: Proxy.LocalServiceAddress || '127.0.0.1',
            LocalServicePort: Proxy.LocalServicePort || parent.Port
          }
        : {})
    }
  }
}

/**
 * Returns a service, and its sidecar if the body has one.
 * @param isFree returns true if no service of the node listens on the port
 * @throws Refusal `invalid`
 */
export const agentServices = (
  given: Static<typeof agentServiceBody>,
  node: string,
  isFree: (port: number) => boolean
): readonly AgentService[] => {
  const own = serviceOf(given, node)
  const sidecar = given.Connect?.SidecarService
  return sidecar ? [own, serviceOf(sidecarOf(sidecar, own.service, isFree), node)] : [own]
}
