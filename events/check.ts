// Health checks of the catalog: what one is, and the events of its life (spec: state.md §2, stream.md §15).
import type { Event } from './envelope.js'

/** How a check finds out; empty fields are left out. Texts of durations as Go prints them, TTL in nanoseconds. */
export interface CheckDefinition {
  readonly HTTP?: string
  readonly TLSServerName?: string
  readonly TLSSkipVerify?: boolean
  readonly Header?: Readonly<Record<string, readonly string[]>>
  readonly Method?: string
  readonly Body?: string
  readonly DisableRedirects?: boolean
  readonly TCP?: string
  readonly H2PING?: string
  readonly Interval?: string
  readonly Timeout?: string
  readonly DeregisterCriticalServiceAfter?: string
  readonly OutputMaxSize?: number
  readonly ScriptArgs?: readonly string[]
  readonly DockerContainerID?: string
  readonly Shell?: string
  readonly GRPC?: string
  readonly GRPCUseTLS?: boolean
  readonly AliasNode?: string
  readonly AliasService?: string
  readonly TTL?: number
  /** How many results in a row it takes to change the status; only what the agent runs has these. */
  readonly SuccessBeforePassing?: number
  readonly FailuresBeforeCritical?: number
}

export interface HealthCheck {
  readonly Node: string
  /** Unique on its node and in its namespace without regard to letter case. */
  readonly CheckID: string
  readonly Name: string
  /** `passing`, `warning`, `critical`, or any other text. */
  readonly Status: string
  readonly Notes: string
  readonly Output: string
  /** '' for a check of the node itself. */
  readonly ServiceID: string
  /** As they were when the check was written. */
  readonly ServiceName: string
  readonly ServiceTags: readonly string[] | null
  readonly Type: string
  readonly Interval: string
  readonly Timeout: string
  readonly ExposedPort: number
  readonly Definition: CheckDefinition
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** Everything that is known of a check. */
export interface CheckState {
  readonly partition: string
  /** That of its service; `default` for checks of nodes. */
  readonly namespace: string
  readonly check: HealthCheck
  /** What the agent runs; undefined for checks that others keep up to date. */
  readonly runner: CheckDefinition | undefined
}

/** A check as events carry it. Values of Authorization headers travel apart, and are `<hidden>` here. */
export interface CheckPayload extends HealthCheck {
  readonly Runner?: CheckDefinition
}

export const CHECK_TOPIC = 'Check'
type CheckEventOf<Type extends string> = Event<typeof CHECK_TOPIC, Type, { readonly Check: CheckPayload }>
/** The check is new, or something else of it changed than Status and Output. */
export type CheckRegistration = CheckEventOf<'CheckRegistration'>
export type CheckStatusUpdate = CheckEventOf<'CheckStatusUpdate'>
export type CheckDeregistration = CheckEventOf<'CheckDeregistration'>
export type CheckEvent = CheckRegistration | CheckStatusUpdate | CheckDeregistration

export const CRITICAL = 'critical'
export const WARNING = 'warning'
export const PASSING = 'passing'
/** The check that says whether a node is reachable. */
export const SERF_HEALTH = 'serfHealth'
/** The check by which a node is in maintenance. */
export const NODE_MAINTENANCE = '_node_maintenance'

/** Tells a check's events from others; what the log holds under this topic was written by us. */
export const isCheckEvent = (event: Event): event is CheckEvent => event.Topic === CHECK_TOPIC

const HIDDEN = '<hidden>'
const isSecretHeader = (name: string): boolean => name.toLowerCase() === 'authorization'

type Part = 'Definition' | 'Runner'
type Headers = Readonly<Record<string, readonly string[]>>

const secretHeaders = (definition: CheckDefinition | undefined): [string, readonly string[]][] =>
  Object.entries(definition?.Header ?? {}).filter(([name]) => isSecretHeader(name))

const hide = (definition: CheckDefinition): CheckDefinition => {
  const secrets = secretHeaders(definition)
  if (secrets.length === 0) return definition
  const hidden = Object.fromEntries(secrets.map(([name, values]) => [name, values.map(() => HIDDEN)]))
  return { ...definition, Header: { ...definition.Header, ...hidden } }
}

const reveal = (definition: CheckDefinition, secret: string | undefined): CheckDefinition => {
  if (secret === undefined) return definition
  const headers: Headers = JSON.parse(secret)
  return { ...definition, Header: { ...definition.Header, ...headers } }
}

/** The payload of a check, and what of it must not be shown. */
export const checkPayload = ({
  check,
  runner
}: CheckState): { readonly payload: CheckPayload; readonly secrets: Readonly<Record<string, string>> } => {
  const parts: readonly (readonly [Part, CheckDefinition | undefined])[] = [
    ['Definition', check.Definition],
    ['Runner', runner]
  ]
  const secrets = parts.flatMap(([part, definition]) => {
    const headers = secretHeaders(definition)
    return headers.length > 0 ? [[part, JSON.stringify(Object.fromEntries(headers))]] : []
  })
  const { CreateIndex, ModifyIndex, ...head } = check
  return {
    payload: {
      ...head,
      Definition: hide(check.Definition),
      CreateIndex,
      ModifyIndex,
      ...(runner ? { Runner: hide(runner) } : {})
    },
    secrets: Object.fromEntries(secrets)
  }
}

/** The check that an event tells of. */
export const checkState = ({ Partition, Namespace, Payload, Secrets }: CheckEvent): CheckState => {
  const { Runner, ...check } = Payload.Check
  return {
    partition: Partition,
    namespace: Namespace || 'default',
    check: { ...check, Definition: reveal(check.Definition, Secrets?.['Definition']) },
    runner: Runner && reveal(Runner, Secrets?.['Runner'])
  }
}
