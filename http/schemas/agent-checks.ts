// Bodies of the agent's checks, by themselves and as parts of services (spec: state.md §8).
import * as Type from 'typebox'
import { checkResource, runnerFields } from '../../events/check.js'
import { tenancy } from '../../events/definition/common.js'
import { writable, ignoredField } from '../../events/definition/fields.js'
import { integerType, textType, textListType } from '../../events/definition/value-types.js'
import type { RequestBodyOf } from '../../events/definition/types.js'
import { writableFields } from './definition-schemas.js'
import { strict } from './strict.js'

const REFUSED = 'Refused: commands are not run'
const { Status, Notes } = checkResource.fields
const ofChecks = {
  Name: checkResource.fields.Name,
  Notes,
  Status,
  ...runnerFields,
  OutputMaxSize: ignoredField(integerType, 'Ignored: output is cut at 4096 bytes'),
  Args: ignoredField(textListType, REFUSED),
  ScriptArgs: ignoredField(textListType, REFUSED),
  Script: ignoredField(textType, REFUSED),
  DockerContainerID: ignoredField(textType, REFUSED),
  Shell: ignoredField(textType, 'Ignored: commands are not run'),
  H2PING: ignoredField(textType, 'Refused'),
  ProxyHTTP: ignoredField(textType, 'Ignored'),
  ProxyGRPC: ignoredField(textType, 'Ignored')
}
const ofPartOfService = { CheckID: writable(textType, 'ID; made of the service when not given'), ...ofChecks }
const ofOneCheck = {
  ID: writable(textType, 'ID; the name when not given'),
  ServiceID: checkResource.fields.ServiceID,
  Token: ignoredField(textType, 'Ignored'),
  ...tenancy,
  ...ofChecks
}

/** A check as part of a service. */
export type ServiceCheckInput = RequestBodyOf<typeof ofPartOfService>
export const serviceCheckBody = strict(writableFields(ofPartOfService), { $id: 'ServiceCheckInput' })

export type AgentCheckInput = RequestBodyOf<typeof ofOneCheck>
export const agentCheckBody = Type.Unsafe<AgentCheckInput>(
  strict(writableFields(ofOneCheck), {
    $id: 'AgentCheckInput',
    examples: [{ Name: 'disk', TTL: '30s' }]
  })
)
