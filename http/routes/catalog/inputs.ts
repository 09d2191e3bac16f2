// Converts bodies to the inputs of catalog commands, with empty values for absent fields and sorted maps.
import { areWeights } from '../../../actors/catalog/service.js'
import {
  type CheckDefinition,
  type CheckInput,
  checkInput,
  type checkResource,
  checkDefinition
} from '../../../events/check.js'
import { type ServiceInput, serviceDefinition, type Weights } from '../../../events/service.js'
import { storedInputOf } from '../../../events/definition/forms/forms.js'
import type { RequestBodyOf, WritableBodyOf } from '../../../events/definition/types.js'
import { inputsOf } from '../../wire/route.js'

const ONE: Weights = { Passing: 1, Warning: 1 }

/** Weights that DNS cannot use become 1 and 1. */
const weightsOf = (given: Partial<Weights> | null | undefined): Weights => {
  if (!given) return ONE
  const weights = { Passing: given.Passing ?? 0, Warning: given.Warning ?? 0 }
  return areWeights(weights) ? weights : ONE
}

const storedService = storedInputOf(serviceDefinition.fields)

export const serviceInput = (given: WritableBodyOf<typeof serviceDefinition.fields>): ServiceInput => ({
  ...storedService(given),
  ID: given.ID || (given.Service ?? ''),
  Weights: weightsOf(given.Weights)
})

type GivenDefinition = RequestBodyOf<typeof checkDefinition.fields>

const readDefinition = inputsOf({ name: 'Definition', fields: checkDefinition.fields }, 'Bad request')

/** @throws Refusal `invalid` for a malformed duration */
const definitionOf = (given: GivenDefinition): GivenDefinition =>
  readDefinition({
    ...given,
    Interval: given.IntervalDuration ?? given.Interval ?? '',
    Timeout: given.TimeoutDuration ?? given.Timeout ?? '',
    DeregisterCriticalServiceAfter:
      given.DeregisterCriticalServiceAfterDuration ?? given.DeregisterCriticalServiceAfter ?? ''
  })

/** Derives the type of a check from its definition (state.md §6.2). */
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

/** @param node the default node. @throws Refusal `invalid` for a malformed duration */
export const catalogCheck = (
  given: WritableBodyOf<typeof checkResource.fields>,
  node: string
): CheckInput => {
  const check = checkInput({
    ...given,
    Node: given.Node || node,
    CheckID: given.CheckID || (given.Name ?? ''),
    Definition: definitionOf(given.Definition ?? {})
  })
  return { ...check, Type: check.Type || checkType(check.Definition) }
}
