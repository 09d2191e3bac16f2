// Resource definition and events of health checks (spec: state.md §2, stream.md §15).
import { resourceEvents, type EventOf } from './envelope.js'
import { hideSecrets, revealSecrets, secretsOf } from './check-secrets.js'
import {
  tenancy,
  unfilteredIndexes,
  optionalWritable,
  inputOnly,
  writable,
  defineResource,
  durationTextType,
  booleanType,
  integerType,
  mapType,
  nanosecondsType,
  nullAcceptedType,
  openObjectType,
  nullableType,
  textType,
  textListType
} from './definition/fields.js'
import { storedInputOf } from './definition/forms/forms.js'
import type { Stored, StoredInput } from './definition/types.js'

const connection = {
  HTTP: optionalWritable(textType, 'URL that is asked; its password is <hidden> without service:write'),
  TLSServerName: optionalWritable(textType, 'Name for TLS'),
  TLSSkipVerify: optionalWritable(booleanType, 'Whether certificates are not verified'),
  Header: optionalWritable(
    mapType(textListType),
    'Headers of the request; values are <hidden> without service:write'
  ),
  Method: optionalWritable(textType, 'HTTP method'),
  Body: optionalWritable(textType, 'HTTP body; <hidden> without service:write'),
  DisableRedirects: optionalWritable(booleanType, 'Whether redirects are not followed'),
  TCP: optionalWritable(textType, 'host:port that is connected to')
}
const grpc = {
  GRPC: optionalWritable(
    textType,
    'host:port, or host:port/service, that is asked by the health protocol of gRPC'
  ),
  GRPCUseTLS: optionalWritable(booleanType, 'Whether GRPC is asked over TLS')
}
const alias = {
  AliasNode: optionalWritable(textType, 'Node whose health is taken over; the own one when not given'),
  AliasService: optionalWritable(textType, 'ID of the service whose health is taken over; empty for the node')
}
const periods = {
  Interval: optionalWritable(durationTextType, 'How often it is asked'),
  Timeout: optionalWritable(durationTextType, 'How long an answer may take'),
  DeregisterCriticalServiceAfter: optionalWritable(
    durationTextType,
    'How long the service stays registered while the check is critical; empty for ever'
  )
}
const TTL = optionalWritable(
  nanosecondsType,
  'Nanoseconds without an update after which the check is critical'
)
const period = inputOnly(durationTextType, 'The same as a number; wins over the text')

/** The stored definition of a check that is not run by the agent. */
export const checkDefinition = openObjectType(
  {
    ...connection,
    H2PING: optionalWritable(textType, 'host:port that is pinged over HTTP/2'),
    ...periods,
    IntervalDuration: period,
    TimeoutDuration: period,
    DeregisterCriticalServiceAfterDuration: period,
    OutputMaxSize: optionalWritable(integerType, 'Bytes that its output may have'),
    ScriptArgs: optionalWritable(textListType, 'Command that is run'),
    DockerContainerID: optionalWritable(textType, 'Container that the command is run in'),
    Shell: optionalWritable(textType, 'Shell that the command is run by'),
    ...grpc,
    ...alias,
    TTL
  },
  'CheckDefinition'
)

/** The definition of a check that the agent runs. */
export const runnerFields = {
  ...connection,
  ...grpc,
  ...alias,
  ...periods,
  TTL,
  SuccessBeforePassing: optionalWritable(integerType, 'Findings in a row before it passes'),
  FailuresBeforeCritical: optionalWritable(integerType, 'Findings in a row before it is critical')
}

export type CheckDefinition = Stored<typeof checkDefinition.fields & typeof runnerFields>

export const checkResource = defineResource({
  name: 'Check',
  answerName: 'HealthCheck',
  example: {
    given: {
      Node: 'node-1',
      CheckID: 'web-1-alive',
      Name: 'web answers',
      Status: 'passing',
      ServiceID: 'web-1',
      Definition: { HTTP: 'http://10.0.0.1:8080/alive', Interval: '10s', Timeout: '1s' }
    },
    made: {
      Notes: '',
      Output: '200 OK',
      ServiceName: 'web',
      ServiceTags: ['v1'],
      Type: 'http',
      Interval: '10s',
      Timeout: '1s',
      ExposedPort: 0,
      CreateIndex: 14,
      ModifyIndex: 14
    }
  },
  fields: {
    Node: writable(textType, 'Node that it is on'),
    CheckID: writable(
      textType,
      'Unique on its node and in its namespace without regard to letter case; the name when not given'
    ),
    Name: writable(textType, 'Name for people'),
    Status: writable(textType, 'passing, warning or critical, or any other text; critical when not given'),
    Notes: writable(textType, 'Free text'),
    Output: writable(textType, 'What was found last'),
    ServiceID: writable(textType, 'Service that it is of; empty for a check of the node'),
    ServiceName: writable(textType, 'Name of the service when the check was written'),
    ServiceTags: writable(nullableType(textListType), 'Tags of the service when the check was written'),
    Type: writable(textType, 'http, tcp, ttl, grpc, alias and so on; from the definition when not given'),
    Interval: writable(textType, 'How often the agent asks, as it is shown'),
    Timeout: writable(textType, 'How long an answer may take, as it is shown'),
    ExposedPort: writable(integerType, 'As it is shown'),
    Definition: writable(
      nullAcceptedType(checkDefinition),
      'How the check is run; empty for a check that external updates maintain',
      {
        filterable: false
      }
    ),
    ...tenancy,
    ...unfilteredIndexes
  }
})

export type HealthCheck = Stored<typeof checkResource.fields>
/** ServiceName and ServiceTags count only without a service. */
export type CheckInput = StoredInput<typeof checkResource.fields>
export const checkInput = storedInputOf(checkResource.fields)

export interface CheckState {
  readonly partition: string
  /** Namespace of its service; `default` for checks of nodes. */
  readonly namespace: string
  readonly check: HealthCheck
  /** The definition that the agent runs; undefined for externally updated checks. */
  readonly runner: CheckDefinition | undefined
}

/** `Secrets` holds the header values, bodies, and passwords in URLs, which are `<hidden>` here. */
type CheckPayload = HealthCheck & {
  readonly Runner?: CheckDefinition
}

export const CHECK_TOPIC = 'Check'
/** `CheckRegistration`: a new check, or a change of fields other than Status and Output. */
export const checkEvents = resourceEvents({
  topic: CHECK_TOPIC,
  types: ['CheckRegistration', 'CheckStatusUpdate', 'CheckDeregistration'],
  payloadOf: (check: CheckPayload) => ({ Check: check }),
  keyOf: ({ Check }) => Check.CheckID,
  filterKeysOf: ({ Check: { Node, ServiceID, ServiceName } }) => [...new Set([Node, ServiceID, ServiceName])]
})
export type CheckEvent = EventOf<typeof checkEvents>
export const isCheckEvent = checkEvents.is

export const CRITICAL = 'critical'
export const WARNING = 'warning'
export const PASSING = 'passing'
/** Check of a node's reachability. */
export const SERF_HEALTH = 'serfHealth'
/** Check of a node in maintenance mode. */
export const NODE_MAINTENANCE = '_node_maintenance'

type Part = 'Definition' | 'Runner'

/** Returns a check with the secrets of its definition hidden, or the same object if it has none. */
export const withoutSecrets = (state: CheckState): CheckState => {
  const Definition = hideSecrets(state.check.Definition)
  return Definition === state.check.Definition ? state : { ...state, check: { ...state.check, Definition } }
}

/** Events of earlier versions hold only the Authorization header as a secret. */
const reveal = (definition: CheckDefinition, part: Part, secrets: CheckEvent['Secrets']): CheckDefinition =>
  secrets === undefined
    ? definition
    : revealSecrets(definition, {
        headers: secrets[part],
        body: secrets[`${part}.Body`],
        url: secrets[`${part}.HTTP`]
      })

const named = (part: Part, definition: CheckDefinition = {}) =>
  Object.entries(secretsOf(definition)).map(([name, secret]) => [`${part}${name}`, secret] as const)

/** Returns the payload of a check and its secrets, if it has any. */
export const checkPayload = ({
  check,
  runner
}: CheckState): { readonly payload: CheckPayload; readonly secrets?: Readonly<Record<string, string>> } => {
  const Definition = hideSecrets(check.Definition)
  const Runner = runner && hideSecrets(runner)
  const { CreateIndex, ModifyIndex, ...head } = check
  const stored = { ...head, Definition, CreateIndex, ModifyIndex }
  const payload = Runner ? { ...stored, Runner } : stored
  if (Definition === check.Definition && Runner === runner) return { payload }
  const secrets = Object.fromEntries([...named('Definition', check.Definition), ...named('Runner', runner)])
  return { payload, secrets }
}

export const checkState = ({ Partition, Namespace, Payload, Secrets }: CheckEvent): CheckState => {
  const { Runner, ...check } = Payload.Check
  return {
    partition: Partition,
    namespace: Namespace || 'default',
    check: { ...check, Definition: reveal(check.Definition, 'Definition', Secrets) },
    runner: Runner && reveal(Runner, 'Runner', Secrets)
  }
}
