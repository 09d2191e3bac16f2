// From bodies to what decisions on nodes, services and checks take: empty values for what was not given, maps sorted.
import type { Static } from 'typebox'
import type { CheckInput } from '../../../actors/catalog/check.js'
import { invalid } from '../../../actors/refusal.js'
import { areWeights } from '../../../actors/catalog/service.js'
import type { CheckDefinition } from '../../../events/check.js'
import { formatDuration, invalidDuration, parseDuration } from '../../../events/duration.js'
import { type ServiceInput, serviceShape, type Weights } from '../../../events/service.js'
import { storedInputOf } from '../../../events/shape/stored.js'
import type { GivenInput } from '../../../events/shape/types.js'
import type { checkBody, definitionBody } from '../../schemas/catalog.js'

type DefinitionBody = Static<typeof definitionBody>
type CheckBody = Static<typeof checkBody>

const sorted = <V>(map: Readonly<Record<string, V>>): Readonly<Record<string, V>> =>
  Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** The fields that are not empty. */
const filled = <T extends object>(fields: T): T => {
  const isFilled = (value: unknown): boolean =>
    value !== undefined &&
    value !== '' &&
    value !== 0 &&
    value !== false &&
    value !== null &&
    !(typeof value === 'object' && Object.keys(value).length === 0)
  const kept: T = { ...fields }
  for (const name of Object.keys(kept))
    if (!isFilled(Reflect.get(kept, name))) Reflect.deleteProperty(kept, name)
  return kept
}

const ONE: Weights = { Passing: 1, Warning: 1 }

/** Weights that DNS cannot use become 1 and 1. */
export const weightsOf = (given: Partial<Weights> | null | undefined): Weights => {
  if (!given) return ONE
  const weights = { Passing: given.Passing ?? 0, Warning: given.Warning ?? 0 }
  return areWeights(weights) ? weights : ONE
}

const storedService = storedInputOf(serviceShape.fields)

export const serviceInput = (given: GivenInput<typeof serviceShape.fields>): ServiceInput => ({
  ...storedService(given),
  ID: given.ID || (given.Service ?? ''),
  Weights: weightsOf(given.Weights)
})

/** Nanoseconds of a text or number. @throws Refusal `invalid` */
export const nanoseconds = (field: string, given: string | number | undefined): number => {
  if (given === undefined || given === '') return 0
  const ns = typeof given === 'number' ? Math.trunc(given) : parseDuration(given)
  if (ns === undefined) throw invalid(`Bad request: field "${field}": ${invalidDuration(String(given))}`)
  return ns
}

const durationText = (field: string, text: string | number | undefined, number?: string | number): string => {
  const ns = nanoseconds(field, number ?? text)
  return ns === 0 ? '' : formatDuration(ns)
}

/** @throws Refusal `invalid` for a text that is no duration */
export const definitionOf = (given: DefinitionBody | null | undefined): CheckDefinition =>
  given
    ? filled<CheckDefinition>({
        HTTP: given.HTTP ?? '',
        TLSServerName: given.TLSServerName ?? '',
        TLSSkipVerify: given.TLSSkipVerify ?? false,
        Header: given.Header ? sorted(given.Header) : {},
        Method: given.Method ?? '',
        Body: given.Body ?? '',
        DisableRedirects: given.DisableRedirects ?? false,
        TCP: given.TCP ?? '',
        H2PING: given.H2PING ?? '',
        Interval: durationText('Interval', given.Interval, given.IntervalDuration),
        Timeout: durationText('Timeout', given.Timeout, given.TimeoutDuration),
        DeregisterCriticalServiceAfter: durationText(
          'DeregisterCriticalServiceAfter',
          given.DeregisterCriticalServiceAfter,
          given.DeregisterCriticalServiceAfterDuration
        ),
        OutputMaxSize: given.OutputMaxSize ?? 0,
        ScriptArgs: given.ScriptArgs ?? [],
        DockerContainerID: given.DockerContainerID ?? '',
        Shell: given.Shell ?? '',
        GRPC: given.GRPC ?? '',
        GRPCUseTLS: given.GRPCUseTLS ?? false,
        AliasNode: given.AliasNode ?? '',
        AliasService: given.AliasService ?? '',
        TTL: nanoseconds('TTL', given.TTL)
      })
    : {}

/** The kind of a check by its definition (state.md §6.2). */
export const checkType = (definition: CheckDefinition): string => {
  if (definition.GRPC) return 'grpc'
  if (definition.HTTP) return 'http'
  if (definition.TTL) return 'ttl'
  if (definition.TCP) return 'tcp'
  if (definition.AliasNode || definition.AliasService) return 'alias'
  if (definition.DockerContainerID) return 'docker'
  if (definition.ScriptArgs) return 'script'
  return definition.H2PING ? 'h2ping' : ''
}

/** @param node the name for a check that names none */
export const checkInput = (given: CheckBody, node: string): CheckInput => {
  const Definition = definitionOf(given.Definition)
  return {
    Node: given.Node || node,
    CheckID: given.CheckID || (given.Name ?? ''),
    Name: given.Name ?? '',
    Status: given.Status ?? '',
    Notes: given.Notes ?? '',
    Output: given.Output ?? '',
    ServiceID: given.ServiceID ?? '',
    ServiceName: given.ServiceName ?? '',
    ServiceTags: given.ServiceTags ?? null,
    Type: given.Type || checkType(Definition),
    Interval: given.Interval ?? '',
    Timeout: given.Timeout ?? '',
    ExposedPort: given.ExposedPort ?? 0,
    Definition
  }
}
